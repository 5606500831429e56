"""The study of reaching: people at a stick, four tables, and what helps them. Start with `studies` and `run`."""
