"""How an analysis was made, in words: tests, intervals, and whether a method came to an end."""

from __future__ import annotations

from steelyard.aggregation import methods
from steelyard.domain.result import Analysis, AnalysisSettings, Diagnostics
from steelyard.domain.wording import counted

TESTS = {
    "clustered": "one-sided tests of the difference of scores, judgements clustered by worker and document",
    "rank-sum": "one-sided rank-sum tests on segment scores",
    "rank-sum-common": "one-sided rank-sum tests on the scores of common segments",
    "signed-rank": "one-sided signed-rank tests on common segments",
    "permutation": "one-sided paired permutation tests on common segments",
}


def level(settings: AnalysisSettings) -> str:
    """The level of intervals: 95 %."""
    return f"{100 * settings.method_settings.level:g}\N{NO-BREAK SPACE}%"


def intervals(analysis: Analysis) -> str:
    """Where the intervals of scores come from; nothing if there are none."""
    settings = analysis.settings
    if analysis.draws is not None:
        drawn = counted(len(analysis.draws), "draw")
        return f"{level(settings)}, of {drawn} of what the model takes the scores to be, given the ratings"
    draws = settings.method_settings.draws
    if not draws:
        return ""
    if methods()[settings.method].draws_nothing:
        return f"{level(settings)}, from standard errors that allow for clusters of workers and segments"
    # Methods with a test of their own draw segments, and take the workers as they are.
    drawn = "segments alone" if methods()[settings.method].own_test else "workers and segments"
    return f"{level(settings)}, by bootstrap over {drawn}, {counted(draws, 'draw')}"


def settled(diagnostics: Diagnostics | None) -> str:
    """Whether a method that goes step by step came to an end; nothing of one that does not."""
    if diagnostics is None:
        return ""
    sweeps = f"after {counted(diagnostics.sweeps, 'sweep')} over the ratings"
    if diagnostics.converged:
        return f"settled {sweeps}"
    return f"not settled {sweeps}: do not rely on these numbers"


def differences(settings: AnalysisSettings) -> str:
    """How differences between systems were tested, and when they count."""
    method = methods()[settings.method]
    test = "the share of the method's own draws" if method.own_test else TESTS[settings.method_settings.test]
    if method.draws_nothing:
        test = "one-sided tests of the difference between two scores by its standard error"
    return f"{test}; a difference counts at p < {settings.threshold:g}"
