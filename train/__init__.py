"""Scripts that make the models handup ships, from data that stays outside the repository."""
