"""Training of what the plate's robot sees and plans with: `python -m train.plate`."""
