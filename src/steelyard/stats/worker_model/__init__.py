"""Bayesian models of who judges how: the quality of items and each worker's offset, slope and precision."""
