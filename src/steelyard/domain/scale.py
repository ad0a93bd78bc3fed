"""The scale on which ratings are given."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from steelyard.domain.errors import ChoiceError


@dataclass(frozen=True, slots=True)
class Scale:
    """The numbers a rating can take."""

    minimum: float
    maximum: float

    @property
    def width(self) -> float:
        """Distance between the ends."""
        return self.maximum - self.minimum


def scale_between(ends: Iterable[Any], name: str) -> Scale:
    """The scale that somebody gave as the option of this name; ChoiceError unless it is two numbers.

    >>> scale_between(["1", " 5"], "scale")
    Scale(minimum=1.0, maximum=5.0)
    """
    try:
        low, high = map(float, ends)
    except (TypeError, ValueError):
        low = high = 0.0
    if not (low < high and math.isfinite(high - low)):
        raise ChoiceError(f"{{{name}}} must be two numbers, the smaller first: {{{name}=MIN,MAX}}.")
    return Scale(low, high)


# The visual analogue scale of direct assessment.
VAS = Scale(0.0, 100.0)


def points(number: float, scale: Scale) -> str:
    """A number of points, with as many digits as mean something on the scale."""
    return f"{number:.{1 if scale.width > 10 else 2}f}"


def drop_in_points(drop: float, scale: Scale) -> str:
    """A drop in words: "19.3 points lower", "2.0 points higher", or "no lower" where there is none.

    >>> drop_in_points(19.3, VAS), drop_in_points(-0.25, Scale(1, 5)), drop_in_points(1e-15, VAS)
    ('19.3 points lower', '0.25 points higher', 'no lower')
    """
    # A mean of differences that cancel out may be off 0 by rounding.
    if abs(drop) < 1e-9 * scale.width:
        return "no lower"
    return f"{points(abs(drop), scale)} points {'lower' if drop > 0 else 'higher'}"
