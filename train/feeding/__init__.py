"""Training of the feeding robot's four networks: `python -m train.feeding` renders, fits, exports and evaluates."""
