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
