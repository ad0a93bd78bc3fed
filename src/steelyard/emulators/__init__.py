"""Small stand-ins for crowd platforms: their own paths, names, states, errors and faults, one file each.

A whole campaign runs through one of them offline, by the same client that talks to the platform.
"""

from __future__ import annotations

import sys
from functools import cache

from steelyard.domain.errors import ChoiceError
from steelyard.domain.nearest import no_such
from steelyard.emulators.offer import Emulator
from steelyard.registry import discover


@cache
def emulators() -> dict[str, Emulator]:
    """Every emulator by the name of its platform."""
    found: dict[str, Emulator] = discover(sys.modules[__name__], "EMULATOR", every=False)
    return found


def emulator_of(platform: str) -> Emulator:
    """The emulator of a platform; ChoiceError if there is none."""
    if platform not in emulators():
        raise ChoiceError(no_such("platform with a stand-in", platform, emulators()))
    return emulators()[platform]
