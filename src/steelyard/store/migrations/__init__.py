"""Numbered, forward-only steps from an empty database to the present schema.

A module `mNNNN_what.py` offers `upgrade(connection)`. Published steps are never edited: a running
campaign has been through them. Each spells out its SQL instead of using `tables.py`, which moves on.
"""
