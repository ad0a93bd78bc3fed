"""The version, in one place. Its first two parts stand in every signature."""

__version__ = "0.2.0"
