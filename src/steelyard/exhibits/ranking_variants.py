"""How the order of systems depends on filtering and standardising."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
import polars as pl

from steelyard.domain.errors import NotEnoughData, as_command_line
from steelyard.domain.exhibit import Column, Evidence, ExhibitOptions, Table
from steelyard.domain.plugin import Exhibit
from steelyard.domain.result import NO_CHECK, AnalysisSettings
from steelyard.domain.wording import in_digits
from steelyard.exhibits._sources import table_of
from steelyard.stats.kendall import kendall


@dataclass(frozen=True, slots=True)
class _Variant:
    """One way of making the ranking. `name` begins its columns."""

    name: str
    title: str
    method: str
    is_filtered: bool
    digits: int


_VARIANTS = (
    _Variant("raw_all", "raw, all", "mean-rating", is_filtered=False, digits=2),
    _Variant("raw_kept", "raw, kept", "mean-rating", is_filtered=True, digits=2),
    _Variant("z_all", "z, all", "mean-z", is_filtered=False, digits=3),
    _Variant("z_kept", "z, kept", "mean-z", is_filtered=True, digits=3),
)


def make(evidence: Sequence[Evidence], options: ExhibitOptions) -> Table:
    """Scores and ranks from raw and standardised ratings, of all workers and of those kept.

    The layout of [Graham2013, table 5], and beside it the method chosen for the analysis. Kendall's
    tau in the notes says how well each order agrees with that of the analysis. Variants that agree
    do not prove the order right: they share their ratings. "Kept" are the workers who pass the check of
    the analysis, or the default check where the analysis has none. Further sources, such as the same systems
    judged on five points, add raw ratings of all and of kept workers.
    """
    chosen = evidence[0].analysis
    if len(chosen.systems) < 2:
        raise NotEnoughData("There is only one system, so there is no order to compare.")
    rows = _scores_and_ranks(chosen.systems, "chosen")
    title = chosen.settings.method if len(evidence) == 1 else f"{evidence[0].title}, {chosen.settings.method}"
    columns = list(_columns("chosen", title, 3))
    notes = [f"Systems in the order of the analysis ({_in_words(chosen.settings)})."]
    for source, variant in _wanted(evidence):
        settings = _settings(source.analysis.settings, variant)
        try:
            ranked = _ranked(source, settings)
        except NotEnoughData as problem:
            notes.append(f"Left out: {variant.title}. {problem.spelt(as_command_line)}")
            continue
        rows = rows.join(
            _scores_and_ranks(ranked, variant.name),
            on="system_id",
            how="full",
            coalesce=True,
            maintain_order="left_right",
        )
        columns += _columns(variant.name, variant.title, variant.digits)
        notes.append(
            f"{variant.title} ({_in_words(settings)}): {_tau_in_words(rows, f'{variant.name}_score')}"
        )
    shown = (Column("system_id", "System"), *columns)
    return table_of(TABLE, evidence, shown, rows, notes=tuple(notes))


def _wanted(evidence: Sequence[Evidence]) -> Iterator[tuple[Evidence, _Variant]]:
    """All variants of the first source and raw ratings of the others, with titles that name the source."""
    for number, source in enumerate(evidence, start=1):
        for variant in _VARIANTS:
            if number == 1:
                name = variant.name
            elif variant.method == "mean-rating":
                name = f"{variant.name}_{number}"
            else:
                continue
            title = variant.title if len(evidence) == 1 else f"{source.title}, {variant.title}"
            yield source, replace(variant, name=name, title=title)


def _ranked(source: Evidence, settings: AnalysisSettings) -> pl.DataFrame:
    """The systems under other settings; what the analysis itself has found is not computed again."""
    found = source.analysis
    wanted = replace(settings, method_settings=found.settings.method_settings)
    return found.systems if wanted == found.settings else source.analyse(settings).systems


def _scores_and_ranks(systems: pl.DataFrame, name: str) -> pl.DataFrame:
    score, rank = pl.col("score").alias(f"{name}_score"), pl.col("rank").alias(f"{name}_rank")
    return systems.select("system_id", score, rank)


def _columns(name: str, title: str, digits: int) -> tuple[Column, Column]:
    return Column(f"{name}_score", title, digits), Column(f"{name}_rank", "rank")


def _settings(chosen: AnalysisSettings, variant: _Variant) -> AnalysisSettings:
    """The settings of a variant: only scores are wanted, so neither intervals nor costly tests are made."""
    check = chosen.check if chosen.check != NO_CHECK else AnalysisSettings().check
    return replace(
        chosen,
        method=variant.method,
        check=check if variant.is_filtered else NO_CHECK,
        exclude_hits=chosen.exclude_hits and variant.is_filtered,
        method_settings=replace(chosen.method_settings, draws=0, test="rank-sum"),
    )


def _in_words(settings: AnalysisSettings) -> str:
    return f"{settings.method}, check {settings.check}"


def _tau_in_words(rows: pl.DataFrame, name: str) -> str:
    common = rows.drop_nulls(["chosen_score", name])
    tau = kendall(common["chosen_score"].to_numpy(), common[name].to_numpy())
    if np.isnan(tau):
        return "there are not two systems in both orders, so Kendall's tau is undefined."
    return f"Kendall's tau with the analysis is {in_digits(tau, 3)} over {len(common)} systems."


TABLE = Exhibit(
    name="ranking-variants",
    title="Rankings by filter and scale",
    cite=("Graham2013",),
    make=make,
    several=True,
)
