"""The shapes of answers: each is one class, which only `kinds.py` imports."""
