"""How agreement depends on the number of categories."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import polars as pl

from steelyard.agreement.summary import AgreementOptions, agreement
from steelyard.domain.errors import NotEnoughData
from steelyard.domain.exhibit import (
    Axis,
    Band,
    Column,
    Evidence,
    ExhibitOptions,
    Figure,
    Line,
    Panel,
    Points,
    Table,
    Tone,
)
from steelyard.domain.plugin import Exhibit
from steelyard.domain.result import AnalysisSettings
from steelyard.exhibits._draws import affordable_draws, draws_told
from steelyard.exhibits._sources import group_borders, in_columns, signature_of, title_of

# Beside those asked for: from good against bad to more than people tell apart [our choice].
_CATEGORIES = range(2, 11)
# A band is drawn, not read off: a few draws are enough, and a report must not wait [our choice].
_MOST_DRAWS = 100
_OF = {"intra": "the same worker, twice", "inter": "two workers"}
_TONES: dict[str, Tone] = {"rating": "main", "z": "second"}


def make(evidence: Sequence[Evidence], options: ExhibitOptions) -> Figure:
    """Kappa against the number of categories, within and between workers, from ratings and from z.

    The agreement of [Graham2013] for every number of categories rather than two or three, of the ratings
    that the scores rest on; bands are intervals from resampling workers. Do not read the distance
    between the two curves as the gain by standardising: raw ratings that crowd at one end of the scale
    agree by chance more often than 1 over the number of categories, and z, cut at its percentiles,
    cannot. On a continuous scale the coefficients without categories, in the table of the same name, lose
    less.
    """
    source = evidence[0]
    kept, drawn = source.kept, replace(options, draws=min(options.draws, _MOST_DRAWS))
    rows = _found(kept, source.analysis.settings, drawn)
    shown = [of for of in _OF if (rows["of"] == of).any()]
    if not shown:
        raise NotEnoughData(
            "Among the ratings kept, no item was judged twice, by one worker or by two, so that agreement "
            "could be told."
        )
    title = title_of(FIGURE, evidence)
    columns = _columns(source)
    return Figure(
        name=FIGURE.name,
        title=title,
        caption="Kappa against the number of categories: 0 is agreement by chance, 1 complete agreement."
        + (" Bands are intervals." if rows["lower"].count() else "")
        + f" {draws_told(kept, drawn)}",
        panels=tuple(_panel(of, rows.filter(of=of), _common_axis(rows)) for of in shown),
        table=Table(
            name=FIGURE.name,
            title=title,
            columns=columns,
            rows=in_columns(rows, columns),
            notes=(draws_told(kept, drawn),),
            borders=group_borders(rows, "of", "scale"),
            signature=signature_of(evidence),
        ),
        signature=signature_of(evidence),
    )


def _found(kept: pl.DataFrame, settings: AnalysisSettings, options: ExhibitOptions) -> pl.DataFrame:
    """The kappas that can be told, by number of categories."""
    found = agreement(
        kept,
        AgreementOptions(
            scale=settings.scale,
            categories=tuple(sorted({*_CATEGORIES, *options.categories})),
            chance=options.chance,
            weight=options.weight,
            draws=affordable_draws(options.draws, n_ratings=len(kept)),
            level=settings.method_settings.level,
            seed=options.seed,
        ),
    )
    return (
        found.filter(pl.col("coefficient") == "kappa", pl.col("value").is_not_null())
        .sort(pl.col("of") == "inter", "scale", "categories")
        .select("of", "scale", "categories", "n_pairs", "agreement", "value", "lower", "upper")
    )


def _columns(source: Evidence) -> tuple[Column, ...]:
    level = f"{100 * source.analysis.settings.method_settings.level:g} %"
    return (
        Column("of", "Agreement"),
        Column("scale", "Of"),
        Column("categories", "Categories"),
        Column("n_pairs", "Pairs"),
        Column("agreement", "Agreeing, %", 1, per_cent=True),
        Column("value", "Kappa", 3),
        Column("lower", f"{level} from", 3),
        Column("upper", f"{level} to", 3),
    )


def _panel(of: str, rows: pl.DataFrame, y: Axis) -> Panel:
    bands: list[Band] = []
    curves: list[Line | Points] = []
    for scale, tone in _TONES.items():
        of_scale = rows.filter(scale=scale)
        if of_scale.is_empty():
            continue
        x, value = _numbers(of_scale, "categories"), _numbers(of_scale, "value")
        curves += [Line(x, value, series=scale, tone=tone), Points(x, value, tone=tone)]
        known = of_scale.drop_nulls(["lower", "upper"])
        if len(known):
            lower, upper = _numbers(known, "lower"), _numbers(known, "upper")
            bands.append(Band(_numbers(known, "categories"), lower, upper, tone=tone))
    # Bands first, lest the later ones veil the earlier curves.
    return Panel(x=Axis("categories"), y=y, marks=(*bands, *curves), title=f"{of}: {_OF[of]}")


def _common_axis(rows: pl.DataFrame) -> Axis:
    """One upright axis for all panels, in whole tenths: no agreement beyond chance is always on it."""
    reached = pl.concat([rows["value"], rows["lower"], rows["upper"]]).drop_nulls().to_list()
    low, high = (0.1 * math.floor(10 * min(0.0, *reached)), 0.1 * math.ceil(10 * max(0.0, *reached)))
    return Axis("kappa", low=low, high=max(high, low + 0.1))


def _numbers(rows: pl.DataFrame, name: str) -> tuple[float, ...]:
    return tuple(rows[name].cast(pl.Float64).to_list())


FIGURE = Exhibit(name="agreement", title="Agreement by number of categories", cite=("Graham2013",), make=make)
