"""Where workers come from, one file each."""

from __future__ import annotations

import sys
from functools import cache

from steelyard.domain.plugin import Platform
from steelyard.registry import discover


@cache
def platforms() -> dict[str, Platform]:
    """Every registered platform by name."""
    return discover(sys.modules[__name__], "PLATFORM")
