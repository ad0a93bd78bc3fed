"""What a marked error costs: the weights that published scores rest on, by name."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class SpanWeights:
    """A way to weigh errors. `weigh(severity, category)` is what one takes off a translation's rating.

    Severities are in lower case; a category is "Main/Sub" in any case, or empty.
    """

    name: str
    title: str
    cite: tuple[str, ...]
    weigh: Callable[[str, str], float]


# Those of published files; "undecided" is what Appraise stores of a mark whose severity was never chosen.
SEVERITIES = ("neutral", "trivial", "minor", "major", "critical", "undecided")
# Severity, or severity and the beginning of a category: the longest that fits decides, and what none fits
# costs nothing [Freitag2021, as the toolkit mt-metrics-eval has it].
_MTME = {
    "major": 5.0,
    "minor": 1.0,
    "neutral": 0.0,
    "major/non-translation!": 25.0,
    "minor/fluency/punctuation": 0.1,
}
# The first that is found in "severity:category" decides, and what none is found in costs nothing.
_MAROT = (
    (r"minor:.*punctuation|trivial:", 0.1),
    (r":.*reinterpretation", 0.0),
    (r":source", 0.0),
    (r"non.translation", 25.0),
    (r"minor:", 1.0),
    (r"major:", 5.0),
    (r"critical:", 5.0),
)
_WMT24 = {"minor": 1.0, "major": 5.0, "critical": 5.0}


def _mtme(severity: str, category: str) -> float:
    error = f"{severity}/{category}".lower().rstrip("/")
    fitting = [prefix for prefix in _MTME if error.startswith(prefix)]
    return _MTME[max(fitting, key=len)] if fitting else 0.0


def _marot(severity: str, category: str) -> float:
    error = f"{severity}:{category}".lower()
    return next((weight for pattern, weight in _MAROT if re.search(pattern, error)), 0.0)


def _wmt24(severity: str, category: str) -> float:
    category = category.lower()
    if severity == "neutral" or "reinterpretation" in category or category == "source issue":
        return 0.0
    if category == "non-translation!":
        return 25.0
    if severity == "minor" and "fluency/punctuation" in category:
        return 0.1
    return _WMT24.get(severity, 0.0)


WEIGHTS = {
    found.name: found
    for found in (
        SpanWeights(
            "mtme", "mt-metrics-eval, as for the scores of the WMT metrics task", ("Freitag2021",), _mtme
        ),
        SpanWeights("marot", "Marot, the viewer of MQM ratings", ("Freitag2021",), _marot),
        SpanWeights("wmt24", "the organisers of WMT24", ("Kocmi2024",), _wmt24),
    )
}
# Taken for judgements that have errors and no ratings.
USUAL_WEIGHTS = "mtme"
# A translation that says nothing at all: the worst single error there is.
WORST_ERROR = 25.0


def unweighed(severities: Iterable[str]) -> list[str]:
    """Severities that no weights know, so that errors with them cost nothing.

    >>> unweighed(["Minor", "grave", "critical"])
    ['grave']
    """
    return [name for name in severities if name.strip().lower() not in SEVERITIES]
