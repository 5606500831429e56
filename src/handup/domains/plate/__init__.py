"""The plate: clearing noodles or beans over many bites, by acquiring and by pushing together what is left."""
