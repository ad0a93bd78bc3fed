"""Where workers come from, one file each."""

from __future__ import annotations

import sys
from functools import cache

from steelyard.domain.plugin import Platform
from steelyard.platforms.url_parameter import PRESETS
from steelyard.registry import discover


@cache
def platforms() -> dict[str, Platform]:
    """Every registered platform by name, those that differ from another by a few words only included."""
    found: dict[str, Platform] = discover(sys.modules[__name__], "PLATFORM", every=False)
    return dict(sorted((found | {preset.name: preset for preset in PRESETS}).items()))
