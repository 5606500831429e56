"""Four studies of whole meals with simulated participants: when to ask, and what a memory saves."""
