"""handup: robots that put their hand up."""

__version__ = "0.1.0"
