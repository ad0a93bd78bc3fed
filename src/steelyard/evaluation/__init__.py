"""Evaluation of methods: which would serve best on the ratings at hand?

A trial takes part of the ratings, lets methods score them, and correlates the scores with a truth made
from ratings that no method has seen.
"""
