"""Metrics: each module scores translations from the texts alone."""

from __future__ import annotations

import sys
from functools import cache

from steelyard.domain.plugin import Metric
from steelyard.registry import discover


@cache
def metrics() -> dict[str, Metric]:
    """Every built-in metric by the name people type."""
    return discover(sys.modules[__name__], "METRIC")
