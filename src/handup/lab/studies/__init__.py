"""The studies of handup, one file or small folder each; `pyproject.toml` announces them by name."""
