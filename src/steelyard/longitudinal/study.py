"""A comparison of years: cells, difficulty and gain of every language pair, and of all together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import polars as pl

from steelyard.domain.cells import CELLS, CellMetric, CellSystems, FourCells
from steelyard.domain.errors import NotEnoughData
from steelyard.domain.result import MethodSettings, Test
from steelyard.longitudinal.cells import CellRatings, cell_means, judged_cells
from steelyard.longitudinal.naming import Naming, name_cells
from steelyard.longitudinal.remarks import remarks_on, remarks_on_pairs, years_conclusion
from steelyard.longitudinal.rows import (
    ADEQUACY,
    F1,
    FLUENCY,
    NAMELESS,
    GainRow,
    f1_cells,
    f1_slopes,
    gains_frame,
    in_order,
    over_all,
)
from steelyard.longitudinal.uncertainty import SIGNS, UNKNOWN, cells_error, greater_p, leverage


@dataclass(frozen=True)
class PairRatings:
    """The ratings of one language pair that count, in one attribute or several.

    `kept` is a ratings frame of workers who passed. `settings` say how ratings are standardised.
    """

    pair: str
    kept: pl.DataFrame
    settings: MethodSettings = field(default_factory=MethodSettings)


@dataclass(frozen=True, slots=True)
class StudySettings:
    """What a comparison of years leaves to its caller. `cells`: empty if systems' names say."""

    cells: CellSystems = ()
    metrics: tuple[CellMetric, ...] = ()
    level: float = 0.95


@dataclass(frozen=True)
class Longitudinal:
    """What changed between two years.

    `rows`, one per language pair, measure and scale, then those over all pairs: pair, measure (an attribute,
    F1 or a metric), scale (points, z or metric), curr_old, curr_new, delta, best_old, best_new, change
    (best_new less best_old), gain, lower, upper (of the gain), n_curr_old, n_curr_new, n_best_old,
    n_best_new (judgements, regular and repeat), workers, documents (each segment, where documents are
    unknown), curr_p, best_p (two-sided p of the difference between the two cells, by `test`). Unknown is
    null. `old` and `new` are what the names of systems call the years.
    """

    rows: pl.DataFrame
    conclusion: str
    settings: StudySettings
    test: Test = "clustered"
    old: str = "old"
    new: str = "new"
    title: str = ""
    signature: str = ""
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True)
class _Judged:
    """One attribute of one pair: the ratings of its cells, their rows, and from which source they come."""

    pair: str
    source: int
    ratings: CellRatings
    points: GainRow
    z: GainRow

    @property
    def attribute(self) -> str:
        return self.points.measure


def compare_cells(sources: Sequence[PairRatings], settings: StudySettings) -> Longitudinal:
    """Difficulty and gain of each language pair and attribute, and over all pairs [Graham2014].

    A pair's attributes may come from several sources. NotEnoughData says what is missing.
    """
    _require_one_scale(sources)
    found: list[_Judged] = []
    namings: list[Naming] = []
    warnings: list[str] = []
    for number, source in enumerate(sources):
        naming, judged = _cells(source, settings)
        namings.append(naming)
        found += [_measured(ratings, source, number) for ratings in judged]
        warnings += remarks_on(source.pair, naming, judged)
    _require_single(found)
    pairs = list(dict.fromkeys(source.pair for source in sources))
    _require_known(settings.metrics, pairs)
    rows = [row for pair in pairs for row in _rows_of(pair, found, settings)]
    rows += _overall_rows(rows) if len(pairs) > 1 else []
    frame = gains_frame(rows, level=settings.level)
    labels = {(naming.old, naming.new) for naming in namings}
    old, new = labels.pop() if len(labels) == 1 else ("old", "new")
    return Longitudinal(
        rows=frame,
        conclusion=years_conclusion(frame, level=settings.level),
        settings=settings,
        test=sources[0].settings.test,
        old=old,
        new=new,
        warnings=(*warnings, *remarks_on_pairs(pairs, rows, settings.metrics)),
    )


def _cells(source: PairRatings, settings: StudySettings) -> tuple[Naming, list[CellRatings]]:
    def name(systems: list[str]) -> Naming:
        return name_cells(systems, settings.cells, where=source.pair)

    return judged_cells(source.kept, name, source.settings, where=source.pair)


def _measured(ratings: CellRatings, of: PairRatings, source: int) -> _Judged:
    """The rows of one attribute on points and on z. F1 takes up the points later."""
    pair, measure = of.pair, ratings.attribute or NAMELESS
    known = ratings.standardised()

    def difference_p(cells: FourCells, first: int) -> float:
        return _p_of_difference(ratings, cells, first, of.settings.test)

    points, z = cell_means(ratings.rating, ratings), cell_means(known.z, known)
    has_z = not np.isnan(z).any()
    return _Judged(
        pair=pair,
        source=source,
        ratings=ratings,
        points=GainRow(
            pair,
            measure,
            "points",
            points,
            n=ratings.counts(),
            units=ratings.units,
            curr_p=difference_p(points, 0),
            best_p=difference_p(points, 2),
            error=cells_error([leverage(ratings.rating, ratings, source=source)]),
        ),
        z=GainRow(
            pair,
            measure,
            "z",
            z,
            n=known.counts(),
            units=known.units,
            curr_p=difference_p(z, 0),
            best_p=difference_p(z, 2),
            error=cells_error([leverage(known.z, known, source=source)]) if has_z else UNKNOWN,
        ),
    )


def _p_of_difference(ratings: CellRatings, cells: FourCells, first: int, test: Test) -> float:
    """Two-sided p of two neighbouring cells: which one is larger was not known beforehand.

    1 where the test finds the one greater whose mean is the smaller.
    """
    second = first + 1
    larger, smaller = (first, second) if cells[first] >= cells[second] else (second, first)
    return float(np.minimum(2 * greater_p(ratings, larger, smaller, test), 1.0))


def _rows_of(pair: str, found: Sequence[_Judged], settings: StudySettings) -> list[GainRow]:
    """All rows of one language pair."""
    own = {judged.attribute: judged for judged in found if judged.pair == pair}
    rows = [row for name in in_order(list(own)) for row in (own[name].points, own[name].z)]
    if FLUENCY in own or ADEQUACY in own:
        rows.append(_f1_row(pair, own.get(FLUENCY), own.get(ADEQUACY)))
    rows += [
        GainRow(pair, metric.metric, "metric", metric.values)
        for metric in settings.metrics
        if metric.pair == pair
    ]
    return rows


def _f1_row(pair: str, fluency: _Judged | None, adequacy: _Judged | None) -> GainRow:
    """F1 of the cells on points; unknown where one of the two was not judged."""
    if fluency is None or adequacy is None:
        return GainRow(pair, F1, "points", FourCells(*[np.nan] * len(CELLS)))
    both = fluency.points.cells, adequacy.points.cells
    cells = f1_cells(*both)
    slopes = [f1_slopes(*means) for means in zip(*both, strict=True)]
    parts = [
        leverage(
            judged.ratings.rating,
            judged.ratings,
            source=judged.source,
            weights=FourCells(*(sign * slope[k] for sign, slope in zip(SIGNS, slopes, strict=True))),
        )
        for k, judged in enumerate((fluency, adequacy))
    ]
    return GainRow(pair, F1, "points", cells, error=cells_error(parts))


def _overall_rows(rows: Sequence[GainRow]) -> list[GainRow]:
    """A row over all pairs for every measure that several of them have."""
    groups: dict[tuple[str, str], list[GainRow]] = {}
    for row in rows:
        if not np.isnan(row.cells).any():
            groups.setdefault((row.measure, row.scale), []).append(row)
    return [over_all(group) for group in groups.values() if len(group) > 1]


def _require_one_scale(sources: Sequence[PairRatings]) -> None:
    scales = {(source.settings.scale.minimum, source.settings.scale.maximum) for source in sources}
    if len(scales) > 1:
        listed = " and ".join(f"{low:g} to {high:g}" for low, high in sorted(scales))
        raise NotEnoughData(
            f"Ratings are on different scales ({listed}), so points of one source are not points of another: "
            "compare the years in each source alone."
        )


def _require_single(found: Sequence[_Judged]) -> None:
    seen: set[tuple[str, str]] = set()
    for judged in found:
        key = (judged.pair, judged.attribute)
        if key in seen:
            raise NotEnoughData(
                f"{judged.pair}: two sources have {judged.attribute} of this language pair. Give each pair "
                "and attribute once, and name the pairs: PAIR=SOURCE."
            )
        seen.add(key)


def _require_known(metrics: Sequence[CellMetric], pairs: Sequence[str]) -> None:
    known = {metric.pair for metric in metrics}
    if known and not known & set(pairs):
        raise NotEnoughData(
            f"Scores of metrics are of {', '.join(sorted(known))}, but the sources are of {', '.join(pairs)}."
            " Name the sources' pairs as the scores do: PAIR=SOURCE."
        )
