"""Study of reaching: people with a joystick at four tables, and methods that help them. Start with `study`."""
