"""Simulated crowds, for demos, power analysis and tests."""
