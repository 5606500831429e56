"""Training of what the plate's robot sees and plans with: `python -m train.plate`."""

from pathlib import Path

SHIPPED = Path(__file__).parents[2] / "src" / "handup" / "domains" / "plate" / "models"
"""Folder of the networks that the package ships."""
