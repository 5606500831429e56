"""Studies of plates that are cleared over many bites."""
