"""How far workers agree with themselves and with each other, and how that depends on the categories."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import polars as pl

from steelyard.agreement.summary import AgreementOptions, agreement
from steelyard.documents import documents_of
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
from steelyard.domain.wording import counted
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
# A coefficient from fewer pairs would be little but chance [our choice].
LEAST_PAIRS = 10
# From one worker, or from two workers alone, nothing follows about workers [our choice].
LEAST_WORKERS = {"intra": 2, "inter": 3}
_INTERVALS = "Intervals are for other workers and other {units}."
_REGULAR = "Regular items and their repeats only."
_OF = {"intra": "the same text twice", "inter": "the same text by two"}
_TONES: dict[str, Tone] = {"rating": "main", "z": "second"}
# Words for what agrees, and for the coefficients.
_SCALES = {"rating": "ratings", "preference": "preferences"}
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
    repeated text, inter two workers' first ratings of the same one, of regular items only. Intervals say
    what other workers and other documents would have given. Kappas of different numbers of categories, or
    from campaigns whose texts differ more, are not comparable.
    """
    source = evidence[0]
    of_all = _found(source, source.judged, options).drop("chance")
    if of_all["n_pairs"].sum() == 0:
        raise NotEnoughData(
            "No regular item was judged twice, by one worker or by two, so there are no pairs."
        )
    of_kept = (
        of_all
        if source.keeps.all()
        else _found(source, source.judged.filter(source.keeps), options).drop("chance")
    )
    too_few = _too_few(pl.concat([of_all, of_kept]))
    of_all, of_kept = (of_enough(found).drop("n_workers") for found in (of_all, of_kept))
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
    return table_of(
        TABLE, evidence, columns, rows, notes=(*_notes(source, options), *too_few), borders=borders
    )


def _figure(evidence: Sequence[Evidence], options: ExhibitOptions) -> Figure:
    """Kappa against the number of categories, within and between workers, from ratings and from z.

    The agreement of [Graham2013] for every number of categories rather than two or three, of the ratings
    that the scores rest on; bands are intervals for other workers and documents. Do not read the distance
    between the two curves as the gain by standardising: raw ratings that crowd at one end of the scale
    agree by chance more often than 1 over the number of categories, and z, cut at its percentiles,
    cannot. On a continuous scale the coefficients without categories, in the table of the same name, lose
    less.
    """
    source = evidence[0]
    rows = _kappas(source, options)
    shown = [of for of in _OF if (rows["of"] == of).any()]
    if not shown:
        raise NotEnoughData(
            f"Among the ratings kept, fewer than {LEAST_PAIRS} pairs are of the same regular item, or only "
            "one or two workers gave them: too few for agreement."
        )
    table = table_of(
        FIGURE,
        evidence,
        _kappa_columns(f"{100 * source.analysis.settings.method_settings.level:g} %"),
        rows,
        notes=(_REGULAR, _intervals(source)),
        borders=group_borders(rows, "of", "scale"),
    )
    return Figure.of(
        table,
        caption="Kappa against the number of categories: 0 is agreement by chance, 1 complete agreement."
        + (" Bands are intervals." if rows["lower"].count() else "")
        + f" {_REGULAR} {_intervals(source)}",
        panels=[_panel(of, rows.filter(of=of), _common_axis(rows)) for of in shown],
    )


def report_agreement_table(analysis: Analysis) -> Table:
    """What an analysis knows of agreement, in words."""
    level = f"{100 * analysis.settings.method_settings.level:g}\N{NO-BREAK SPACE}%"
    # Where nothing was judged twice there is nothing to show.
    found = of_enough(analysis.agreement.filter(pl.col("n_pairs") > 0))
    columns = [
        *_naming(),
        Column("n_pairs", "Pairs"),
        Column("agreement", "Agreeing, %", 1, per_cent=True),
        Column("value", "Value", 3),
    ]
    if found["lower"].null_count() < len(found):
        columns += [Column("lower", f"{level} from", 3), Column("upper", "to", 3)]
    return Table(
        "agreement",
        "Agreement",
        tuple(columns),
        in_columns(found, columns),
        notes=(_REGULAR, *_too_few(analysis.agreement)),
        signature=analysis.signature,
        borders=group_borders(found, "of", "scale"),
    )


def _found(source: Evidence, frame: pl.DataFrame, options: ExhibitOptions) -> pl.DataFrame:
    return agreement(
        frame,
        AgreementOptions(
            settings=source.analysis.settings.method_settings,
            categories=tuple(dict.fromkeys(options.categories)),
            chance=options.chance,
            weight=options.weight,
        ),
    )


def _kappas(source: Evidence, options: ExhibitOptions) -> pl.DataFrame:
    """The kappas of the ratings kept that are defined, by number of categories."""
    found = _found(
        source, source.kept, replace(options, categories=tuple(sorted({*_CATEGORIES, *options.categories})))
    )
    return (
        of_enough(found)
        .filter(pl.col("coefficient") == "kappa", pl.col("value").is_not_null())
        .sort(pl.col("of") == "inter", "scale", "categories")
        .select("of", "scale", "categories", "n_pairs", "agreement", "value", "lower", "upper")
    )


def of_enough(found: pl.DataFrame) -> pl.DataFrame:
    """The table without what rests on too few pairs, or on too few workers."""
    known = (pl.col("n_pairs") >= LEAST_PAIRS) & _by_enough_workers()
    return found.with_columns(pl.when(known).then(pl.col("agreement", "value", "lower", "upper")))


def _by_enough_workers() -> pl.Expr:
    least = pl.col("of").replace_strict(LEAST_WORKERS, default=0, return_dtype=pl.Int64)
    return pl.col("n_workers") >= least


def _too_few(found: pl.DataFrame) -> tuple[str, ...]:
    """What is there where it is too little for a coefficient."""
    there = found.filter(pl.col("n_pairs") > 0)
    notes = []
    if (there["n_pairs"] < LEAST_PAIRS).any():
        notes.append(f"Fewer than {LEAST_PAIRS} pairs are too few for a coefficient.")
    by_few = there.filter(pl.col("n_pairs") >= LEAST_PAIRS, ~_by_enough_workers())
    for of in LEAST_WORKERS:
        if len(rows := by_few.filter(of=of)):
            pairs, workers = (int(rows[name].max()) for name in ("n_pairs", "n_workers"))  # type: ignore[arg-type]
            notes.append(
                f"Agreement {AGREEMENT_OF[of]}: {counted(pairs, 'pair')} of ratings by "
                f"{counted(workers, 'worker')} are there, too few workers for a coefficient."
            )
    return tuple(notes)


def _intervals(source: Evidence) -> str:
    return _INTERVALS.format(units="documents" if documents_of(source.judged).known else "segments")


def _naming() -> tuple[Column, ...]:
    """The columns that say what agrees, on what, by which coefficient."""
    return (
        Column("of", "Agreement", words=tuple(AGREEMENT_OF.items())),
        Column("scale", "Of", words=tuple(_SCALES.items())),
        Column("categories", "Categories"),
        Column("coefficient", "Coefficient", words=tuple(COEFFICIENTS.items())),
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
        *_naming(),
        *(
            replace(column, name=f"{column.name}_{who}", group=who.capitalize())
            for who in ("all", "kept")
            for column in found
        ),
    )


def _notes(source: Evidence, options: ExhibitOptions) -> tuple[str, ...]:
    return (
        f"Kappa takes agreement by chance to be {_CHANCE[options.chance]}.",
        _WEIGHT[options.weight],
        _REGULAR,
        _intervals(source),
        *(("Everyone's ratings were kept.",) if source.keeps.all() else ()),
    )


def _kappa_columns(level: str) -> tuple[Column, ...]:
    return (
        *_naming()[:3],
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
    return Panel(x=Axis("categories"), y=y, marks=(*bands, *curves), title=f"{AGREEMENT_OF[of]}: {_OF[of]}")


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
