"""The shapes of answers: each is one class, and a rule in `kinds.py` refers to it."""
