"""Studies of when a person may be interrupted: how well it can be told, and what a robot gains by knowing."""
