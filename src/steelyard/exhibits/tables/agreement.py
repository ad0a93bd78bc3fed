"""How far workers agree with themselves and with each other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import polars as pl

from steelyard.agreement.summary import AgreementOptions, agreement
from steelyard.domain.errors import NotEnoughData
from steelyard.domain.exhibit import Column, Evidence, ExhibitOptions, Table
from steelyard.domain.plugin import Exhibit
from steelyard.exhibits._draws import affordable_draws, draws_told
from steelyard.exhibits._sources import group_borders, in_columns, signature_of, title_of

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


def make(evidence: Sequence[Evidence], options: ExhibitOptions) -> Table:
    """Agreement within and between workers, of all and of those kept, on ratings and on z.

    The layout of [Graham2013, tables 2 and 3]: the share of pairs of ratings in the same category and
    kappa, where agreement by chance is 1 over the number of categories unless asked otherwise; below
    them coefficients of the numbers themselves, without categories. Intra is a worker's two ratings of a
    repeated text, inter two workers' first ratings of the same one. Intervals come from resampling
    workers, fewer times where there are very many ratings. Kappas of different numbers of categories, or
    from campaigns whose texts differ more, are not comparable.
    """
    source = evidence[0]
    of_all = _found(source, source.judged, options)
    if of_all["n_pairs"].sum() == 0:
        raise NotEnoughData("No item was judged twice, by one worker or by two, so there are no pairs.")
    of_kept = of_all if source.keeps.all() else _found(source, source.judged.filter(source.keeps), options)
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
    return Table(
        name=TABLE.name,
        title=title_of(TABLE, evidence),
        columns=columns,
        rows=in_columns(rows, columns),
        notes=_notes(source, options),
        borders=group_borders(rows, "of", "scale"),
        signature=signature_of(evidence),
    )


def _found(source: Evidence, frame: pl.DataFrame, options: ExhibitOptions) -> pl.DataFrame:
    settings = source.analysis.settings
    return agreement(
        frame,
        AgreementOptions(
            scale=settings.scale,
            categories=tuple(dict.fromkeys(options.categories)),
            chance=options.chance,
            weight=options.weight,
            # As many for those kept as for all, so that the two can be compared.
            draws=affordable_draws(options.draws, n_ratings=len(source.judged)),
            level=settings.method_settings.level,
            seed=options.seed,
        ),
    ).drop("chance")


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
        draws_told(source.judged, options),
        *(("Everyone's ratings were kept.",) if source.keeps.all() else ()),
    )


TABLE = Exhibit(name="agreement", title="Agreement", cite=("Graham2013",), make=make)
