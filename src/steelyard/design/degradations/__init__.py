"""Degradations: each module is one way of damaging a text, valid for the attributes it names."""

from __future__ import annotations

import sys
from functools import cache

from steelyard.domain.plugin import Degradation
from steelyard.registry import discover

# Texts in these cannot be cut at white space, which is what all degradations here do.
LANGUAGES_WITHOUT_SPACES = frozenset({"zh", "yue", "ja", "th", "km", "lo", "my"})


@cache
def degradations() -> dict[str, Degradation]:
    """Every registered degradation by name."""
    return discover(sys.modules[__name__], "DEGRADATION")


def for_attribute(attribute: str) -> Degradation:
    """The degradation that lowers this attribute for sure, the first by name if several do.

    >>> for_attribute("fluency").name
    'duplicate-words'
    """
    known = degradations()
    for degradation in known.values():
        if attribute in degradation.attributes:
            return degradation
    covered = ", ".join(sorted({name for each in known.values() for name in each.attributes}))
    raise ValueError(f'no degradation lowers the attribute "{attribute}"; there is one for: {covered}.')
