"""Ways of asking: one folder per protocol, found by the registry."""

from __future__ import annotations

import sys
from functools import cache

from steelyard.domain.plugin import Protocol
from steelyard.registry import discover


@cache
def protocols() -> dict[str, Protocol]:
    """Every protocol by name. Adding one means adding a folder that offers `PROTOCOL`.

    >>> protocols()["da"].scale
    Scale(minimum=0.0, maximum=100.0)
    """
    return discover(sys.modules[__name__], "PROTOCOL")
