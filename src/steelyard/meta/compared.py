"""Which systems a study is about, and everybody's scores of them as arrays in one order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from steelyard.domain.errors import NotEnoughData, SourceError
from steelyard.meta.scores import ScoredPair, ScoreSet
from steelyard.meta.settings import MetaSettings
from steelyard.stats.arrays import BoolArray, FloatArray

# Fewer systems, or none, leave nothing to correlate.
LEAST_SYSTEMS = 2


@dataclass(frozen=True)
class Opinion:
    """What one metric, or people, say of the systems compared; higher is better, NaN is no score.

    `segments` (S, n) or None, `overall` (S,). `is_mean`: the overall scores are means of the segments', for
    want of others.
    """

    name: str
    segments: FloatArray | None
    overall: FloatArray
    is_mean: bool

    @property
    def scored(self) -> BoolArray:
        """Which systems have any score. Shape (S,)."""
        known: BoolArray = ~np.isnan(self.overall)
        if self.segments is not None:
            known = known | ~np.isnan(self.segments).all(axis=1)
        return known


@dataclass(frozen=True)
class ComparedScores:
    """People's and metrics' scores of the same systems and segments, and who was left out and why.

    `groups` names the document or domain of each segment, where it is known.
    """

    pair: str
    systems: tuple[str, ...]
    people: Opinion
    metrics: tuple[Opinion, ...]
    n_segments: int
    documents: tuple[str, ...] | None
    domains: tuple[str, ...] | None
    notes: tuple[str, ...]
    warnings: tuple[str, ...]


def compare(scored: ScoredPair, gold: str, settings: MetaSettings) -> ComparedScores:
    """The scores a study is about: of systems that people judged, without references and those excluded.

    Systems are in order of their names, so nothing depends on the order in a file. SourceError with
    every name that is unknown; NotEnoughData if fewer than two systems are left.
    """
    _require_known(scored, gold, settings)
    people = next(found for found in scored.golds if found.name == gold)
    held = {name for metric in scored.metrics for name in metric.held_against}
    human = set() if settings.with_references else set(scored.references)
    judged = set(_scored_systems(people))
    systems = tuple(sorted(judged - held - human - set(settings.exclude)))
    notes = _left_out(judged, held, human, settings)
    if len(systems) < LEAST_SYSTEMS:
        raise NotEnoughData(
            f"{gold} of {scored.pair}: {len(systems)} of {len(judged)} systems that people judged can be "
            f"compared, and two are the least. {' '.join(notes)}".rstrip()
        )
    opinions = [
        _opinion(found, systems, -1.0 if found.name in settings.flip else 1.0)
        for found in (people, *scored.metrics)
    ]
    if not any(metric.scored.any() for metric in opinions[1:]):
        raise NotEnoughData(
            f"No metric has a score of the systems that people judged ({', '.join(systems)}): are the names "
            "of systems spelt alike in all files?"
        )
    return ComparedScores(
        pair=scored.pair,
        systems=systems,
        people=opinions[0],
        metrics=tuple(opinions[1:]),
        n_segments=scored.n_segments,
        documents=scored.documents,
        domains=scored.domains,
        notes=(*notes, *_told_means(opinions)),
        warnings=(*scored.warnings, *_absent_systems(opinions[1:], systems)),
    )


def full_names(names: Sequence[str], scored: ScoredPair) -> tuple[str, ...]:
    """Names of metrics given without their reference as they are in full, if just one is meant."""
    known = [found.name for found in (*scored.golds, *scored.metrics)]
    found = []
    for name in names:
        meant = [full for full in known if full.rpartition("-")[0] == name]
        found.append(meant[0] if name not in known and len(meant) == 1 else name)
    return tuple(found)


def _require_known(scored: ScoredPair, gold: str, settings: MetaSettings) -> None:
    golds = [found.name for found in scored.golds]
    metrics = [found.name for found in scored.metrics]
    systems = sorted({name for found in (*scored.golds, *scored.metrics) for name in found.systems})
    problems = []
    if gold not in golds:
        problems.append(f"there is no gold {gold!r}. Use one of: {', '.join(golds) or 'none'}.")
    if not metrics:
        problems.append(
            "there are no scores by any metric. Put them beside people's scores, such as metric-scores/"
            f"{scored.pair}/NAME-src.seg.score, or give a table of them."
        )
    for what, names, known in (
        ("system to exclude", settings.exclude, systems),
        ("metric or gold to flip", settings.flip, [*golds, *metrics]),
    ):
        problems += [
            f"there is no {what} named {name!r}. Use any of: {', '.join(known)}."
            for name in names
            if name not in known
        ]
    if problems:
        raise SourceError(scored.pair, problems)


def _scored_systems(found: ScoreSet) -> list[str]:
    """Systems with at least one score."""
    known = np.zeros(len(found.systems), dtype=np.bool_)
    if found.overall is not None:
        known |= ~np.isnan(found.overall)
    if found.segments is not None:
        known |= ~np.isnan(found.segments).all(axis=1)
    return [name for name, is_known in zip(found.systems, known.tolist(), strict=True) if is_known]


def _opinion(found: ScoreSet, systems: Sequence[str], sign: float) -> Opinion:
    """Scores of the given systems in their order, higher being better."""
    place = {name: index for index, name in enumerate(found.systems)}
    taken = [place.get(name, -1) for name in systems]
    segments = None
    if found.segments is not None:
        segments = sign * _rows(found.segments, taken)
    is_mean = found.overall is None
    if found.overall is not None:
        overall = sign * _rows(found.overall, taken)
    else:
        assert segments is not None, f"{found.name} has no scores at all"
        overall = row_means(segments)
    return Opinion(found.name, segments, overall, is_mean)


def _rows(values: FloatArray, places: Sequence[int]) -> FloatArray:
    """Rows in the given order; NaN for -1, which is no row."""
    extended = np.concatenate([values, np.full((1, *values.shape[1:]), np.nan)])
    taken: FloatArray = extended[list(places)]
    return taken


def row_means(values: FloatArray) -> FloatArray:
    """Mean of what is known in each row; NaN where nothing is. Shape (rows,).

    >>> row_means(np.array([[1.0, np.nan, 3.0], [np.nan, np.nan, np.nan]]))
    array([ 2., nan])
    """
    known = ~np.isnan(values)
    n_known = np.count_nonzero(known, axis=1)
    sums = np.where(known, values, 0.0).sum(axis=1)
    means = np.full(len(values), np.nan)
    np.divide(sums, n_known, out=means, where=n_known > 0)
    return means


def _left_out(judged: set[str], held: set[str], human: set[str], settings: MetaSettings) -> tuple[str, ...]:
    """For each reason, the systems that people judged and the study leaves out."""
    exclude = set(settings.exclude)
    reasons = (
        ("metrics compare other systems with them", judged & held),
        ("they are people's translations (with_references keeps them)", judged & human - held),
        ("it was asked for", judged & exclude - held - human),
    )
    return tuple(
        f"Left out because {reason}: {', '.join(sorted(names))}." for reason, names in reasons if names
    )


def _told_means(opinions: Sequence[Opinion]) -> tuple[str, ...]:
    names = [opinion.name for opinion in opinions if opinion.is_mean]
    if not names:
        return ()
    return (
        f"Without scores of whole systems, the means of all their segments are used: {', '.join(names)}.",
    )


def _absent_systems(metrics: Sequence[Opinion], systems: Sequence[str]) -> list[str]:
    """Warnings of metrics that say nothing of some system, which makes them hard to compare."""
    found = []
    for metric in metrics:
        absent = [name for name, known in zip(systems, metric.scored.tolist(), strict=True) if not known]
        if len(absent) == len(systems):
            found.append(f"{metric.name} has no score of any system that is compared, so it has no numbers.")
        elif absent:
            found.append(
                f"{metric.name} has no scores of {', '.join(absent)}: its numbers are over the other "
                f"{len(systems) - len(absent)} systems and cannot be compared with those of other metrics."
            )
    return found
