"""How far workers agree with themselves and with each other, and how that depends on the categories."""

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
from steelyard.domain.plugin import Exhibit, ReportPlace
from steelyard.domain.result import Analysis
from steelyard.exhibits._draws import affordable_draws, draws_in_words
from steelyard.exhibits._sources import group_borders, in_columns, table_of

_KEYS = ("of", "scale", "categories", "coefficient")
_FOUND = ("n_pairs", "agreement", "value", "lower", "upper")
_CHANCE = {
    "uniform": "1 over the number of categories",
    "cohen": "what the categories' shares among first and among second ratings give (Cohen)",
    "scott": "what the categories' shares among all ratings give (Scott)",
}
_WEIGHT = {
    "pair": "Every pair of ratings counts the same.",
    "item": "Between workers every item counts the same, however many pairs it has.",
}
# Beside those asked for: from good against bad to more than people distinguish [our choice].
_CATEGORIES = range(2, 11)
# A band is drawn, not read off: a few draws are enough, and a report must not wait [our choice].
_MOST_DRAWS = 100
_OF = {"intra": "the same worker, twice", "inter": "two workers"}
_TONES: dict[str, Tone] = {"rating": "main", "z": "second"}
# Words for what agrees, and for the coefficients.
AGREEMENT_OF = {"intra": "within workers", "inter": "between workers"}
COEFFICIENTS = {
    "kappa": "kappa",
    "alpha": "Krippendorff's alpha",
    "icc": "ICC(1,1)",
    "pearson": "Pearson's r",
}


def _table(evidence: Sequence[Evidence], options: ExhibitOptions) -> Table:
    """Agreement within and between workers, of all and of those kept, on ratings and on z.

    The layout of [Graham2013, tables 2 and 3]: the share of pairs of ratings in the same category and
    kappa, where agreement by chance is 1 over the number of categories unless asked otherwise; below
    them coefficients of the numbers themselves, without categories. Intra is a worker's two ratings of a
    repeated text, inter two workers' first ratings of the same one. Intervals come from resampling
    workers, fewer times where there are very many ratings. Kappas of different numbers of categories, or
    from campaigns whose texts differ more, are not comparable.
    """
    source = evidence[0]
    of_all = _found(source, source.judged, options).drop("chance")
    if of_all["n_pairs"].sum() == 0:
        raise NotEnoughData("No item was judged twice, by one worker or by two, so there are no pairs.")
    of_kept = (
        of_all
        if source.keeps.all()
        else _found(source, source.judged.filter(source.keeps), options).drop("chance")
    )
    rows = (
        of_all.rename({name: f"{name}_all" for name in _FOUND})
        .join(
            of_kept.rename({name: f"{name}_kept" for name in _FOUND}),
            on=_KEYS,
            how="full",
            nulls_equal=True,
            coalesce=True,
            maintain_order="left_right",
        )
        .sort(pl.col("of") == "inter", pl.col("scale") == "z", maintain_order=True)
    )
    columns = _columns(level=f"{100 * source.analysis.settings.method_settings.level:g} %")
    borders = group_borders(rows, "of", "scale")
    return table_of(TABLE, evidence, columns, rows, notes=_notes(source, options), borders=borders)


def _figure(evidence: Sequence[Evidence], options: ExhibitOptions) -> Figure:
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
    rows = _kappas(source, kept, drawn)
    shown = [of for of in _OF if (rows["of"] == of).any()]
    if not shown:
        raise NotEnoughData(
            "Among the ratings kept, no item was judged twice, by one worker or by two, so there is "
            "no agreement."
        )
    table = table_of(
        FIGURE,
        evidence,
        _kappa_columns(f"{100 * source.analysis.settings.method_settings.level:g} %"),
        rows,
        notes=(draws_in_words(kept, drawn),),
        borders=group_borders(rows, "of", "scale"),
    )
    return Figure.of(
        table,
        caption="Kappa against the number of categories: 0 is agreement by chance, 1 complete agreement."
        + (" Bands are intervals." if rows["lower"].count() else "")
        + f" {draws_in_words(kept, drawn)}",
        panels=[_panel(of, rows.filter(of=of), _common_axis(rows)) for of in shown],
    )


def report_agreement_table(analysis: Analysis) -> Table:
    """What an analysis knows of agreement, in words."""
    level = f"{100 * analysis.settings.method_settings.level:g}\N{NO-BREAK SPACE}%"
    found = analysis.agreement.with_columns(
        pl.col("of").replace(AGREEMENT_OF), pl.col("coefficient").replace(COEFFICIENTS)
    )
    columns = [
        Column("of", "Agreement"),
        Column("scale", "on"),
        Column("categories", "Categories"),
        Column("n_pairs", "Pairs"),
        Column("agreement", "Agree", 1, per_cent=True),
        Column("chance", "Chance"),
        Column("coefficient", "Coefficient"),
        Column("value", "Value", 3),
    ]
    if found["lower"].null_count() < len(found):
        columns += [Column("lower", f"{level} from", 3), Column("upper", "to", 3)]
    rows = in_columns(found, columns)
    return Table("agreement", "Agreement", tuple(columns), rows, signature=analysis.signature)


def _found(
    source: Evidence, frame: pl.DataFrame, options: ExhibitOptions, *, further: Sequence[int] = ()
) -> pl.DataFrame:
    settings = source.analysis.settings
    categories = dict.fromkeys(options.categories)
    return agreement(
        frame,
        AgreementOptions(
            scale=settings.scale,
            categories=tuple(sorted({*further, *categories}) if further else categories),
            chance=options.chance,
            weight=options.weight,
            # As many for those kept as for all, so that the two can be compared.
            draws=affordable_draws(options.draws, n_ratings=len(frame if further else source.judged)),
            level=settings.method_settings.level,
            seed=options.seed,
        ),
    )


def _kappas(source: Evidence, kept: pl.DataFrame, options: ExhibitOptions) -> pl.DataFrame:
    """The kappas of the ratings kept that are defined, by number of categories."""
    found = _found(source, kept, options, further=_CATEGORIES)
    return (
        found.filter(pl.col("coefficient") == "kappa", pl.col("value").is_not_null())
        .sort(pl.col("of") == "inter", "scale", "categories")
        .select("of", "scale", "categories", "n_pairs", "agreement", "value", "lower", "upper")
    )


def _columns(*, level: str) -> tuple[Column, ...]:
    found = (
        Column("n_pairs", "pairs"),
        Column("agreement", "agreeing, %", 1, per_cent=True),
        Column("value", "value", 3),
        Column("lower", f"{level} from", 3),
        Column("upper", f"{level} to", 3),
    )
    return (
        Column("of", "Agreement"),
        Column("scale", "Of"),
        Column("categories", "Categories"),
        Column("coefficient", "Coefficient"),
        *(
            replace(column, name=f"{column.name}_{who}", title=f"{who.capitalize()}: {column.title}")
            for who in ("all", "kept")
            for column in found
        ),
    )


def _notes(source: Evidence, options: ExhibitOptions) -> tuple[str, ...]:
    return (
        f"Kappa takes agreement by chance to be {_CHANCE[options.chance]}.",
        _WEIGHT[options.weight],
        draws_in_words(source.judged, options),
        *(("Everyone's ratings were kept.",) if source.keeps.all() else ()),
    )


def _kappa_columns(level: str) -> tuple[Column, ...]:
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
    # Bands first, so that later ones do not veil earlier curves.
    return Panel(x=Axis("categories"), y=y, marks=(*bands, *curves), title=f"{of}: {_OF[of]}")


def _common_axis(rows: pl.DataFrame) -> Axis:
    """One upright axis for all panels, in whole tenths: no agreement beyond chance is always on it."""
    reached = pl.concat([rows["value"], rows["lower"], rows["upper"]]).drop_nulls().to_list()
    low, high = (0.1 * math.floor(10 * min(0.0, *reached)), 0.1 * math.ceil(10 * max(0.0, *reached)))
    return Axis("kappa", low=low, high=max(high, low + 0.1))


def _numbers(rows: pl.DataFrame, name: str) -> tuple[float, ...]:
    return tuple(rows[name].cast(pl.Float64).to_list())


TABLE = Exhibit(
    name="agreement",
    title="Agreement",
    cite=("Graham2013",),
    make=_table,
    report=ReportPlace(110, "agreement"),
)
FIGURE = Exhibit(
    name="agreement",
    title="Agreement by number of categories",
    cite=("Graham2013",),
    make=_figure,
    report=ReportPlace(60, "agreement"),
)
