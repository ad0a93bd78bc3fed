"""Degradations: each module is one way of damaging a text, valid for the attributes it names.

Besides its `DEGRADATION` a module has `damage_by(splitter)`, the same with a given way of cutting
texts into words: the contract tests try all of them on texts in many scripts.
"""

from __future__ import annotations

import sys
from functools import cache

from steelyard.design.degradations._splitting import splitter_for
from steelyard.domain.plugin import Degradation
from steelyard.registry import discover


@cache
def degradations() -> dict[str, Degradation]:
    """Every registered degradation by name."""
    return discover(sys.modules[__name__], "DEGRADATION")


def choose(*, attribute: str, name: str | None = None) -> Degradation:
    """The degradation of that name, or the usual one; ValueError if it does not lower the attribute.

    >>> choose(attribute="adequacy").name, choose(attribute="adequacy", name="delete-words").name
    ('replace-words', 'delete-words')
    """
    known = degradations()
    fitting = {each.name: each for each in known.values() if attribute in each.attributes}
    if not fitting:
        covered = ", ".join(sorted({lowered for each in known.values() for lowered in each.attributes}))
        raise ValueError(f'no degradation lowers the attribute "{attribute}"; there is one for: {covered}.')
    if name is None:
        return next(each for each in fitting.values() if each.is_default)
    if name in fitting:
        return fitting[name]
    trouble = f'lowers something else than "{attribute}"' if name in known else "is unknown"
    raise ValueError(f'the degradation "{name}" {trouble}; for {attribute} there is: {", ".join(fitting)}.')


def segmentation(language: str) -> str:
    """How texts in this language are cut into words, for the record.

    With another way, or another version of its data, the same seed damages texts differently.

    >>> segmentation("cs")
    'spaces'
    """
    return splitter_for(language).name
