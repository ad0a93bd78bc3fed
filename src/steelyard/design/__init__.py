"""Design: which translations share a HIT, which controls watch over it, and in what order they come."""
