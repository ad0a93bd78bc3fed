"""Exhibits: the tables and figures that people ask for by name, each made from evidence alone.

A module offers a TABLE, a FIGURE, or both of one subject. `studies` has those of whole studies.
"""

from __future__ import annotations

import sys
from functools import cache

from steelyard.domain.plugin import Exhibit
from steelyard.registry import discover


@cache
def tables() -> dict[str, Exhibit]:
    """Every registered table by the name people type."""
    return discover(sys.modules[__name__], "TABLE", every=False)


@cache
def figures() -> dict[str, Exhibit]:
    """Every registered figure by the name people type."""
    return discover(sys.modules[__name__], "FIGURE", every=False)
