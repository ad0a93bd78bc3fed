"""Figures as shapes: where everything lies is decided here once, for the page and for every kind of file."""
