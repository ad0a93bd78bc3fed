"""How an analysis was made, in words: intervals, whether a method came to an end, and what to know."""

from __future__ import annotations

from collections.abc import Sequence

from steelyard.aggregation import methods
from steelyard.domain.result import Analysis, AnalysisSettings, Diagnostics
from steelyard.domain.wording import alarms_of, counted, notes_of


def labelled(warnings: Sequence[str]) -> list[str]:
    """Warnings for a terminal, those that alarm first, each with its kind in front."""
    return [
        *(f"Warning: {warning}" for warning in alarms_of(warnings)),
        *(f"Note: {warning}" for warning in notes_of(warnings)),
    ]


def level(settings: AnalysisSettings) -> str:
    """The level of intervals: 95 %."""
    return f"{100 * settings.method_settings.level:g}\N{NO-BREAK SPACE}%"


def intervals(analysis: Analysis) -> str:
    """Where the intervals of scores come from; nothing if there are none."""
    settings = analysis.settings
    draws = settings.method_settings.draws
    if not draws:
        return ""
    units = analysis.test.units
    clusters = "documents" if units is not None and units.documents_known else "segments"
    if methods()[settings.method].own_test == "errors":
        return f"{level(settings)}, from standard errors that allow for clusters of workers and {clusters}"
    # Methods with a test of their own draw texts, and take the workers as they are.
    drawn = "texts alone" if methods()[settings.method].own_test else f"workers and {clusters}"
    return f"{level(settings)}, by bootstrap over {drawn}, {counted(draws, 'draw')}"


def settled(diagnostics: Diagnostics | None) -> str:
    """Whether a method that goes step by step came to an end; nothing of one that does not."""
    if diagnostics is None:
        return ""
    sweeps = f"after {counted(diagnostics.sweeps, 'sweep')} over the ratings"
    if diagnostics.converged:
        return f"settled {sweeps}"
    return f"not settled {sweeps}: do not rely on these numbers"


def brief_title(title: str, source: str) -> str:
    """The title of an exhibit where that of its source stands above everything.

    >>> brief_title("Ranking: News from 2026", "News from 2026")
    'Ranking'
    """
    return title.removesuffix(f": {source}")
