"""An analysis for the terminal."""

from __future__ import annotations

from dataclasses import replace

import polars as pl

from steelyard.domain.differences import differences
from steelyard.domain.exhibit import Column, Table
from steelyard.domain.result import Analysis
from steelyard.domain.wording import counted
from steelyard.exhibits.agreement import (
    AGREEMENT_OF,
    COEFFICIENTS,
    LEAST_PAIRS,
    LEAST_WORKERS,
    of_enough,
)
from steelyard.exhibits.rank_probabilities import expected_ranks_table
from steelyard.exhibits.ranking import short_ranking_table
from steelyard.exhibits.workers import excluded_hits
from steelyard.report import tables
from steelyard.report.characters import printable
from steelyard.report.numbers import number, percent
from steelyard.report.words import labelled, level, settled

# Which coefficient speaks for agreement in one line: those without categories first.
_SPEAKING = ("alpha", "icc", "pearson", "kappa")


def analysis_text(analysis: Analysis) -> str:
    """The ranking with its clusters, the verdicts on workers, the warnings and the signature."""
    parts = [printable(analysis.title), "", ranking_text(analysis)]
    if len(analysis.systems) > 1:
        parts += ["", differences(analysis)]
    parts += ["", beside] if (beside := own_text(analysis)) else []
    if len(analysis.attributes) > 1:
        parts += ["", attributes_text(analysis)]
    parts += ["", sure] if (sure := ranks_text(analysis)) else []
    parts += ["", workers_line(analysis)]
    parts += [
        line
        for line in (
            flags_line(analysis),
            excluded_line(analysis),
            contamination_line(analysis),
            agreement_line(analysis),
            settled_line(analysis),
        )
        if line
    ]
    parts += map(printable, analysis.notes)
    if analysis.warnings:
        parts += ["", *map(printable, labelled(analysis.warnings))]
    parts += ["", printable(analysis.signature)]
    return "\n".join(parts)


def ranking_text(analysis: Analysis) -> str:
    """Systems best first; a line is drawn under each cluster."""
    table = short_ranking_table(analysis)
    ends = table.rows.select("lower", "upper").iter_rows()
    interval = pl.Series("interval", [f"[{number(low)}, {number(high)}]" for low, high in ends], pl.String)
    shown = (
        Column("ranks", "rank"),
        Column("system_id", "system"),
        Column("score", "score", 3),
        Column("interval", f"{level(analysis.settings)} interval"),
        Column("mean_rating", "mean", 1),
        Column("n_segments", "segments"),
        Column("n_judgements", "n"),
    )
    return _bare(replace(table, columns=shown, rows=table.rows.with_columns(interval)))


def own_text(analysis: Analysis) -> str:
    """Our own ranking beside that of a recipe; nothing if there is none."""
    found = analysis.recipe
    if found is None:
        return ""
    parts = [f"Above, systems are ranked as the organisers of {found.title} did. Our own ranking:"]
    parts += ["", ranking_text(found.own), "", differences(found.own)]
    if found.local:
        neighbours = ", ".join(map(printable, found.local))
        parts = [f"Local lines, between neighbours inside a cluster, after: {neighbours}.", "", *parts]
    return "\n".join(parts)


def _bare(table: Table) -> str:
    """The rows of a table alone, with their headings."""
    written = tables.table_text(replace(table, title="", notes=(), signature=""))
    return written.lstrip("\n").replace("\N{NO-BREAK SPACE}", " ")


def attributes_text(analysis: Analysis) -> str:
    """Each system's score, with its rank, in every attribute; systems in the order of the ranking."""
    rows = analysis.systems.select("system_id")
    found = [Column("system_id", "by attribute")]
    for place, ranking in enumerate(analysis.attributes):
        name = f"attribute_{place}"
        scores = [
            (system, f"{number(score):>7} ({rank})")
            for system, score, rank in ranking.systems.select("system_id", "score", "rank").iter_rows()
        ]
        column = pl.DataFrame(scores, schema={"system_id": pl.String, name: pl.String}, orient="row")
        rows = rows.join(column, on="system_id", how="left", maintain_order="left")
        found.append(Column(name, ranking.attribute))
    return _bare(Table(name="attributes", title="", columns=tuple(found), rows=rows))


def ranks_text(analysis: Analysis) -> str:
    """How sure the order is: expected ranks and chances of being best; nothing if there are no draws."""
    found = expected_ranks_table(analysis)
    if found is None:
        return ""
    headings = ("how sure", "expected rank", "best")
    named = [replace(column, title=words) for column, words in zip(found.columns, headings, strict=True)]
    return _bare(replace(found, columns=tuple(named)))


def settled_line(analysis: Analysis) -> str:
    """Whether the method came to an end; nothing of one that needs no steps."""
    words = settled(analysis.diagnostics)
    return f"{analysis.settings.method} {words}" if words else ""


def workers_line(analysis: Analysis) -> str:
    """How many workers and judgements there were, and how many were kept."""
    counts = analysis.counts
    found = analysis.workers["verdict"].drop_nulls().value_counts().sort("verdict").iter_rows()
    verdicts = ", ".join(f"{n} {verdict}" for verdict, n in found) or "no check"
    kept = f"{counts.kept_judgements:,} of {counts.judgements:,} judgements kept"
    return f"{counted(counts.workers, 'worker')} ({verdicts}); {kept}"


def flags_line(analysis: Analysis) -> str:
    """How many workers have a flag, and how many each; nothing if none has."""
    flags = analysis.workers["flags"]
    flagged = int((flags.list.len().fill_null(0) > 0).sum())
    if not flagged:
        return ""
    counts = flags.explode().drop_nulls().value_counts().sort(["count", "flags"], descending=[True, False])
    listed = ", ".join(f"{flag} {n}" for flag, n in counts.iter_rows())
    return f"{counted(flagged, 'worker')} flagged for review: {listed}"


def excluded_line(analysis: Analysis) -> str:
    """How many single HITs were left out; nothing if none was."""
    n_hits = len(excluded_hits(analysis))
    return f"{counted(n_hits, 'single HIT')} left out, each for its own reason" if n_hits else ""


def contamination_line(analysis: Analysis) -> str:
    """What share of those who passed may have clicked at random; nothing if that is unknown."""
    if analysis.contamination is None:
        return ""
    share = percent(analysis.contamination, 1).replace("\N{NO-BREAK SPACE}", " ")
    return f"about {share} of those who passed can be expected to have clicked at random"


def agreement_line(analysis: Analysis) -> str:
    """How far workers agree with themselves and with each other; nothing if nobody judged anything twice."""
    said = [f"{AGREEMENT_OF[of]} {words}" for of, words in spoken_agreements(analysis).items()]
    return f"agreement {'; '.join(said)}" if said else ""


def spoken_agreements(analysis: Analysis) -> dict[str, str]:
    """The coefficient that speaks for agreement, by whose it is; without those of whom nothing is known."""
    return {
        of: _of_agreement(rows)
        for of in AGREEMENT_OF
        if len(rows := analysis.agreement.filter(pl.col("of") == of, pl.col("n_pairs") > 0))
    }


def _of_agreement(rows: pl.DataFrame) -> str:
    """The coefficient that stands for all: on z, with its interval, and beside it on plain ratings."""
    most = max(rows["n_pairs"].to_list())
    pairs = counted(most, "pair")
    known = of_enough(rows).filter(pl.col("value").is_not_null())
    if known.is_empty():
        least, n_workers = LEAST_WORKERS[rows["of"][0]], max(rows["n_workers"].to_list())
        by = f" by {counted(n_workers, 'worker')}" if n_workers < least else ""
        return f"unknown ({'too few: ' if by or most < LEAST_PAIRS else ''}{pairs}{by})"
    order = {name: place for place, name in enumerate(_SPEAKING)}
    found = known.sort(
        pl.col("categories").is_not_null(),
        pl.col("coefficient").replace_strict(order, default=len(order)),
        pl.col("scale") != "z",
        maintain_order=True,
    )
    first = found.row(0, named=True)
    name = COEFFICIENTS.get(first["coefficient"], first["coefficient"])
    categories = f" in {first['categories']} categories" if first["categories"] is not None else ""
    raw = found.filter(scale="rating", coefficient=first["coefficient"])
    on_z = (
        f" of z, {number(raw['value'][0], 2)} of plain ratings" if first["scale"] == "z" and len(raw) else ""
    )
    ends = (
        f" [{number(first['lower'], 2)}, {number(first['upper'], 2)}]" if first["lower"] is not None else ""
    )
    return f"{name}{categories} {number(first['value'], 2)}{ends}{on_z} ({pairs})"
