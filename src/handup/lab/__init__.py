"""Experiments: what handup is measured against, and how."""
