"""Longitudinal evaluation: is translation better now than it was, and by how much."""
