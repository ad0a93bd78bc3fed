"""Texts: who translated what."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class System:
    """What produced a translation: an engine or a person.

    `weight` says how much of it is judged: a system of weight 0.5 has half as many of its
    translations drawn in each round as one of weight 1.
    """

    system_id: str
    is_human: bool = False
    weight: float = 1.0


@dataclass(frozen=True, slots=True)
class Segment:
    """One unit of source text, the same for all systems, with its human reference."""

    segment_id: str
    document_id: str
    source: str
    reference: str


@dataclass(frozen=True, slots=True)
class Translation:
    """One system's text for one segment."""

    system_id: str
    segment_id: str
    text: str


# The system that calibration items are filed under. No score is ever computed for it.
CALIBRATION_SYSTEM = "calibration"


@dataclass(frozen=True, slots=True)
class CalibrationText:
    """A translation from an earlier campaign whose score is known, with its standard deviation.

    It puts the ratings of a new campaign on the old one's scale [Mathur2018].
    """

    calibration_id: str
    text: str
    reference: str
    source: str
    score: float
    sd: float

    @property
    def segment_id(self) -> str:
        """The segment it is filed under, beside those of the campaign's own texts."""
        return f"{CALIBRATION_SYSTEM}:{self.calibration_id}"


def changed_part(original: str, changed: str) -> tuple[int, int] | None:
    """Where a text differs from the one it was made from: half-open, in code points of the changed text.

    None if they are the same. What was only taken out leaves the two characters around the gap, since a part
    has at least one character; None if nothing is left.

    >>> changed_part("the old dog sleeps", "the small cat sleeps")
    (4, 13)
    >>> changed_part("the old dog", "the dog")
    (3, 5)
    """
    if original == changed or not changed:
        return None
    start, back = common_ends(original, changed)
    end = len(changed) - back
    if start < end:
        return start, end
    return max(start - 1, 0), min(end + 1, len(changed))


def common_ends(one: str, other: str) -> tuple[int, int]:
    """How many characters two texts have in common at the beginning, and of the rest at the end.

    >>> common_ends("the old dog sleeps", "the small cat sleeps"), common_ends("so so", "so so so")
    ((4, 7), (5, 0))
    """
    shorter = min(len(one), len(other))
    start = next((k for k in range(shorter) if one[k] != other[k]), shorter)
    rest = shorter - start
    return start, next((k for k in range(rest) if one[-1 - k] != other[-1 - k]), rest)
