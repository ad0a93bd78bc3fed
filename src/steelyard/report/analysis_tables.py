"""What an analysis holds, as tables: read out of it, never computed anew."""

from __future__ import annotations

import polars as pl

from steelyard.domain.errors import NotEnoughData
from steelyard.domain.exhibit import Axis, Column, Figure, Intervals, Mark, Panel, Points, Rule, Table
from steelyard.domain.result import Analysis
from steelyard.domain.wording import counted
from steelyard.exhibits.tables.rank_probabilities import ranks_of
from steelyard.exhibits.tables.ranking import cluster_borders
from steelyard.report.numbers import rank_range
from steelyard.report.words import AGREEMENT_OF, COEFFICIENTS, NOT_CHECKED, VERDICTS, flags_in_words, level
from steelyard.review.payment import WORDS as ADVICE

_VERDICT_ORDER = {verdict: place for place, verdict in enumerate(("fail", "insufficient", "pass"))}
_ADVICE_ORDER = {advice: place for place, advice in enumerate(("refuse", "look", "pay"))}

# What some methods learn of workers.
LEARNT = (
    Column("offset", "Offset", 1),
    Column("offset_sd", "± offset", 1),
    Column("slope", "Slope", 2),
    Column("slope_sd", "± slope", 2),
    Column("precision", "Precision", 2),
    Column("precision_sd", "± precision", 2),
    Column("weight", "Weight", 2),
    Column("portrait", "In words"),
)


def ranking_table(analysis: Analysis, systems: pl.DataFrame | None = None, *, attribute: str = "") -> Table:
    """The systems best first: of the whole analysis, or by one of its attributes."""
    chosen = analysis.systems if systems is None else systems
    return Table(
        name=f"ranking-{attribute}" if attribute else "ranking",
        title=f"Ranking by {attribute}" if attribute else "Ranking",
        columns=(
            Column("ranks", "Rank"),
            Column("system_id", "System"),
            Column("score", "Score", 3),
            Column("lower", f"{level(analysis.settings)} from", 3),
            Column("upper", "to", 3),
            Column("mean_rating", "Mean rating", 1),
            Column("wins", "Wins"),
            Column("n_segments", "Segments"),
            Column("n_judgements", "Judgements"),
        ),
        rows=chosen.with_columns(
            pl.Series(
                "ranks",
                [rank_range(*ends) for ends in chosen.select("rank_low", "rank_high").iter_rows()],
                dtype=pl.String,
            )
        ),
        borders=cluster_borders(chosen),
        signature=analysis.signature,
    )


def ranking_figure(analysis: Analysis, score: str) -> Figure:
    """Each system's score with its interval, best at the top; `score` says what the scores are."""
    systems = analysis.systems
    places = tuple(float(place) for place in range(len(systems)))
    known = systems.with_row_index("place").drop_nulls(["lower", "upper"])
    marks: tuple[Mark, ...] = (
        Intervals(
            tuple(known["lower"]),
            tuple(known["upper"]),
            tuple(float(place) for place in known["place"]),
            series=f"{level(analysis.settings)} interval",
        ),
        Points(tuple(systems["score"]), places, series="score"),
        *(Rule("y", row - 0.5) for row in cluster_borders(systems)),
    )
    panel = Panel(Axis(score), Axis("", categories=tuple(systems["system_id"])), marks)
    return Figure(
        name="ranking",
        title="Ranking",
        caption="Score of each system with its interval; lines part the clusters.",
        panels=(panel,),
        table=ranking_table(analysis),
        signature=analysis.signature,
    )


def ranks(analysis: Analysis) -> pl.DataFrame | None:
    """What the method's draws say of ranks (see `ranks_of`), or None where there are none."""
    try:
        return ranks_of(analysis)
    except NotEnoughData:
        return None


def ranks_table(analysis: Analysis) -> Table | None:
    """Each system's expected rank and its chance of being best; None where the method has no draws."""
    found = ranks(analysis)
    if found is None or analysis.draws is None:
        return None
    return Table(
        name="expected-ranks",
        title="Expected ranks",
        columns=(
            Column("system_id", "System"),
            Column("expected_rank", "Expected rank", 2),
            Column("p_best", "P(best)", 1, per_cent=True),
        ),
        rows=found,
        notes=(f"From {counted(len(analysis.draws), 'draw')} of what the scores may be.",),
        signature=analysis.signature,
    )


def pairs_table(analysis: Analysis) -> Table:
    """The p-values of all pairs, the higher ranked system first."""
    ranks = analysis.systems.select("system_id", "rank")
    pairs = (
        analysis.pairs.join(ranks.rename({"system_id": "better"}), on="better", maintain_order="left")
        .join(ranks.rename({"system_id": "worse"}), on="worse", suffix="_worse", maintain_order="left")
        .filter(pl.col("rank") < pl.col("rank_worse"))
        .sort("rank", "rank_worse")
    )
    return Table(
        name="pairs",
        title="Differences between systems",
        columns=(
            Column("better", "System"),
            Column("worse", "better than"),
            Column("p_value", "p", 4, p_value=True),
            Column("p_holm", "p, Holm", 4, p_value=True),
        ),
        rows=pairs,
        notes=("Holm's correction allows for the number of pairs.",),
        signature=analysis.signature,
    )


def agreement_table(analysis: Analysis) -> Table:
    """How far workers agree with themselves and with each other."""
    found = analysis.agreement.with_columns(
        pl.col("of").replace(AGREEMENT_OF),
        pl.col("coefficient").replace(COEFFICIENTS),
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
        columns += [Column("lower", f"{level(analysis.settings)} from", 3), Column("upper", "to", 3)]
    return Table(
        name="agreement", title="Agreement", columns=tuple(columns), rows=found, signature=analysis.signature
    )


def workers_table(analysis: Analysis) -> Table:
    """Every worker, those that a person should look at first."""
    found = urgent_first(analysis.workers)
    in_words = found.with_columns(
        pl.col("verdict").replace(VERDICTS).fill_null(NOT_CHECKED),
        pl.Series("flags", [flags_in_words(flags) for flags in found["flags"].to_list()], dtype=pl.String),
        pl.col("suggestion").replace(dict(ADVICE)),
    )
    return Table(
        name="workers",
        title="Workers",
        columns=(
            Column("worker_id", "Worker"),
            Column("verdict", "Verdict"),
            Column("flags", "Flags"),
            Column("suggestion", "Payment"),
            Column("n_judgements", "Judgements"),
            Column("n_pairs", "Control pairs"),
            Column("mean_difference", "Mean drop", 1),
            Column("p_value", "p", 4, p_value=True),
            Column("power", "Power", 2),
            Column("seconds_per_judgement", "Seconds per judgement", 1),
            Column("mean", "Mean rating", 1),
            Column("sd", "Deviation", 1),
            *(column for column in LEARNT if is_known(found, column.name)),
        ),
        rows=in_words,
        signature=analysis.signature,
    )


def is_known(workers: pl.DataFrame, name: str) -> bool:
    """Whether the method has learnt this of any worker."""
    return name in workers.columns and workers[name].count() > 0


def urgent_first(workers: pl.DataFrame) -> pl.DataFrame:
    """The workers by advice on payment, verdict and number of flags: who needs a look comes first."""
    return workers.sort(
        pl.col("suggestion").replace_strict(_ADVICE_ORDER, default=len(_ADVICE_ORDER)),
        pl.col("verdict").replace_strict(_VERDICT_ORDER, default=len(_VERDICT_ORDER)),
        -pl.col("flags").list.len().fill_null(0).cast(pl.Int64),
        "worker_id",
    )


def excluded_table(analysis: Analysis) -> Table:
    """Single HITs that were left out, and why."""
    return Table(
        name="excluded-hits",
        title="HITs left out",
        columns=(
            Column("worker_id", "Worker"),
            Column("hit_id", "HIT"),
            Column("n_judgements", "Judgements"),
            Column("excluded", "Why"),
        ),
        rows=excluded_hits(analysis),
        signature=analysis.signature,
    )


def excluded_hits(analysis: Analysis) -> pl.DataFrame:
    """The rows of `hits` that were left out."""
    return analysis.hits.filter(pl.col("excluded").is_not_null())
