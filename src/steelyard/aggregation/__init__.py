"""Aggregation: each module is one method that turns ratings into system scores."""

from __future__ import annotations

import sys
from collections.abc import Collection, Iterable
from functools import cache
from typing import Any

from steelyard.domain.judgement import FRAME_NAMES, FrameName
from steelyard.domain.options import Option, merged
from steelyard.domain.plugin import Method
from steelyard.domain.result import MethodSettings
from steelyard.registry import discover


@cache
def methods() -> dict[str, Method]:
    """Every registered method by the name people type."""
    return discover(sys.modules[__name__], "METHOD")


def usual_method(gives: Collection[FrameName]) -> str:
    """The method for judgements of these frames where none is asked for: that of ratings if there are any."""
    usual = {method.usual_for: name for name, method in methods().items()}
    return next(
        (usual[frame] for frame in FRAME_NAMES if frame in gives and frame in usual), usual["ratings"]
    )


def method_options(names: Iterable[str] | None = None) -> list[Option]:
    """The options that not every method has: of the methods of these names, or of all."""
    wanted = None if names is None else set(names)
    return merged([one.options for one in methods().values() if wanted is None or one.name in wanted])


def chosen_options(settings: MethodSettings, names: Iterable[str] | None = None) -> dict[str, Any]:
    """What was chosen of the options that not every method has: their values by name, usual ones included."""
    others = dict(settings.for_others)
    return {
        found.name: getattr(settings, found.name, others.get(found.name, found.default))
        for found in method_options(names)
    }


def methods_with(option: str, value: Any = None) -> list[str]:
    """The methods that have an option of this name; with a value, those that know it."""
    return [
        method.name
        for method in methods().values()
        for found in method.options
        if found.name == option and (value is None or not found.choices or value in found.choices)
    ]
