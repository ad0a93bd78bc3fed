"""The version, in one place. Its first two parts stand in every signature."""

__version__ = "0.1.0"
