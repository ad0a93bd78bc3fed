"""An analysis for the terminal."""

from __future__ import annotations

import polars as pl

from steelyard.domain.result import Analysis


def to_text(analysis: Analysis) -> str:
    """The ranking with its clusters, what became of the workers, the warnings and the signature."""
    parts = [analysis.title, "", ranking_table(analysis.systems), "", workers_line(analysis)]
    if analysis.warnings:
        parts += ["", *(f"Warning: {warning}" for warning in analysis.warnings)]
    parts += ["", analysis.signature]
    return "\n".join(parts)


def ranking_table(systems: pl.DataFrame) -> str:
    """Systems best first; a line is drawn under each cluster."""
    width = max([len("system"), *(len(name) for name in systems["system_id"])])
    header = (
        f"{'rank':>7}  {'system':<{width}}  {'score':>7}  {'95 % interval':>17}  "
        f"{'mean':>6}  {'segments':>8}  {'n':>7}"
    )
    lines = [header, "-" * len(header)]
    previous = None
    for row in systems.iter_rows(named=True):
        if previous is not None and row["cluster"] != previous:
            lines.append("-" * len(header))
        previous = row["cluster"]
        interval = f"[{number(row['lower'])}, {number(row['upper'])}]"
        lines.append(
            f"{rank_range(row['rank_low'], row['rank_high']):>7}  {row['system_id']:<{width}}  "
            f"{number(row['score']):>7}  {interval:>17}  {number(row['mean_rating'], 1):>6}  "
            f"{row['n_segments']:>8}  {row['n_judgements']:>7}"
        )
    return "\n".join(lines)


def workers_line(analysis: Analysis) -> str:
    """How many workers and judgements there were, and how many were kept."""
    counts = analysis.counts
    found = analysis.workers["verdict"].drop_nulls().value_counts().sort("verdict").iter_rows()
    verdicts = ", ".join(f"{n} {verdict}" for verdict, n in found) or "no check"
    kept = f"{counts.kept_judgements:,} of {counts.judgements:,} judgements kept"
    return f"{counts.workers} workers ({verdicts}); {kept}"


def rank_range(low: int, high: int) -> str:
    """1 or 1-3."""
    return str(low) if low == high else f"{low}-{high}"


def number(value: float | None, digits: int = 3) -> str:
    """A rounded number with a true minus sign, or a dash where there is none."""
    if value is None or value != value:
        return "–"
    return f"{value:.{digits}f}".replace("-", "−")
