"""Quality control: each module is one check that finds out which workers' ratings can be trusted."""

from __future__ import annotations

import sys
from functools import cache

from steelyard.domain.plugin import Check
from steelyard.registry import discover


@cache
def checks() -> dict[str, Check]:
    """Every registered check by the name people type."""
    return discover(sys.modules[__name__], "CHECK")
