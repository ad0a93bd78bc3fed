"""Aggregation: each module is one method that turns ratings into system scores."""

from __future__ import annotations

import sys
from functools import cache

from steelyard.domain.plugin import Method
from steelyard.registry import discover


@cache
def methods() -> dict[str, Method]:
    """Every registered method by the name people type."""
    return discover(sys.modules[__name__], "METHOD")
