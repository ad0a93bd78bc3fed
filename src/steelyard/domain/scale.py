"""The scale on which ratings are given."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Scale:
    """The numbers a rating can take."""

    minimum: float
    maximum: float

    @property
    def width(self) -> float:
        """Distance between the ends."""
        return self.maximum - self.minimum


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
