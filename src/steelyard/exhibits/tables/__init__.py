"""Tables: each module is one, under the name people type."""

from __future__ import annotations

import sys
from functools import cache

from steelyard.domain.plugin import Exhibit
from steelyard.registry import discover


@cache
def tables() -> dict[str, Exhibit]:
    """Every registered table by the name people type."""
    return discover(sys.modules[__name__], "TABLE")
