"""Training of the plate's networks: `python -m train.plate` draws, fits, exports and evaluates."""
