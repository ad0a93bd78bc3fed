"""Scores of the same translations by people and by metrics."""

from __future__ import annotations

from dataclasses import dataclass

from steelyard.stats.arrays import FloatArray


@dataclass(frozen=True)
class ScoreSet:
    """What one metric, or one group of people, says of systems; higher is better.

    `segments` (systems, segments): NaN where a translation has no score; None if there are no scores of
    single translations. `overall` (systems,): each system's own score, NaN where it has none; None if there
    are none beside the segments'. `reference`: the system whose translation the metric holds others
    against, such as refA, several joined by dots; None for people, and for metrics that take none.
    """

    name: str
    systems: tuple[str, ...]
    segments: FloatArray | None
    overall: FloatArray | None
    reference: str | None = None

    @property
    def held_against(self) -> tuple[str, ...]:
        """The references one by one; most metrics have one or none."""
        return tuple(self.reference.split(".")) if self.reference else ()


@dataclass(frozen=True)
class ScoredPair:
    """All scores of one language pair: people's under each name there is, and metrics'.

    `documents` and `domains` name each segment's; None where they are not known. `references`: systems that
    are people's translations, by their names or because a metric compares others with them.
    """

    pair: str
    n_segments: int
    golds: tuple[ScoreSet, ...]
    metrics: tuple[ScoreSet, ...]
    documents: tuple[str, ...] | None = None
    domains: tuple[str, ...] | None = None
    references: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
