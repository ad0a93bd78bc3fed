"""What exhibits of marked errors have in common: how many a translation has, by system and kind of error."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl

from steelyard.documents import documents_of
from steelyard.domain.exhibit import Evidence, Intervals, Tone
from steelyard.frames import scored
from steelyard.span_ratings import judged_translations
from steelyard.stats.ratios import amount_interval, cluster_error, ratio

# What severities mean, the worst first, and their tones; others follow by name.
SEVERITY_TONES: dict[str, Tone] = {"critical": "third", "major": "bad", "minor": "second", "neutral": "faint"}
ALL = "all"


def scored_spans(evidence: Evidence) -> pl.DataFrame:
    """The errors marked in translations that count for their systems, by workers who were kept."""
    return scored(evidence.kept_spans)


def error_rates(spans: pl.DataFrame, by: pl.Expr, *, level: float) -> pl.DataFrame:
    """Errors per judged translation, of each system: system_id, error, n, n_translations, rate, lower, upper.

    `by` names the kind of error of each row; ALL is all of them. Intervals are for other documents, segments
    if documents are unknown, and null where there is but one.
    """
    numbered = spans.with_columns(document=pl.Series(documents_of(spans).number), error=by)
    judged = judged_translations(spans).select("system_id", document=pl.Series(_documents(spans)))
    translations = judged.group_by("system_id", "document").agg(n_translations=pl.len().cast(pl.Float64))
    marked = numbered.filter(pl.col("severity").is_not_null())
    everything = marked.with_columns(error=pl.lit(ALL))
    counts = (
        pl.concat([marked, everything])
        .group_by("system_id", "error", "document")
        .agg(n=pl.len().cast(pl.Float64))
    )
    kinds = [ALL, *sorted(set(marked["error"].drop_nulls()))]
    rows = []
    for system in translations["system_id"].unique().sort().to_list():
        of_system = translations.filter(system_id=system)
        for kind in kinds:
            joined = of_system.join(counts.filter(system_id=system, error=kind), on="document", how="left")
            n, whole = joined["n"].fill_null(0.0).to_numpy(), joined["n_translations"].to_numpy()
            value = ratio(n, whole)
            error = cluster_error(n, whole, joined["document"].to_numpy())
            ends = amount_interval(value, error, level=level)
            rows.append((system, kind, int(n.sum()), int(whole.sum()), value, *ends))
    names = {"system_id": pl.String, "error": pl.String, "n": pl.Int64, "n_translations": pl.Int64}
    schema = {**names, **dict.fromkeys(("rate", "lower", "upper"), pl.Float64)}
    return pl.DataFrame(rows, schema=schema, orient="row").with_columns(pl.col(pl.Float64).fill_nan(None))


def _documents(spans: pl.DataFrame) -> np.ndarray:
    """The document of each judged translation, as numbered over all rows."""
    numbered = spans.with_columns(pl.Series("document", documents_of(spans).number))
    segments = numbered.select("segment_id", "document").unique("segment_id")
    judged = judged_translations(spans).select("segment_id")
    return judged.join(segments, on="segment_id", how="left", maintain_order="left")["document"].to_numpy()


def fewest_first(rates: pl.DataFrame) -> list[str]:
    """The systems, that with the fewest errors per translation first."""
    systems: list[str] = rates.filter(error=ALL).sort("rate", "system_id")["system_id"].to_list()
    return systems


def stacked(
    rates: pl.DataFrame, systems: Sequence[str], kinds: Sequence[tuple[str, Tone]]
) -> tuple[Intervals, ...]:
    """Bars of rates one after another for each system, and the interval of all errors together."""
    reached = np.zeros(len(systems))
    at = tuple(float(place) for place in range(len(systems)))
    bars = []
    for kind, tone in kinds:
        found = dict(rates.filter(error=kind).select("system_id", "rate").iter_rows())
        length = np.array([found.get(system, 0.0) for system in systems])
        ends = tuple(reached.tolist()), tuple((reached + length).tolist())
        bars.append(Intervals(*ends, at, series=kind, tone=tone, thick=True))
        reached = reached + length
    whole = {row["system_id"]: row for row in rates.filter(error=ALL).iter_rows(named=True)}
    known = [place for place, system in enumerate(systems) if whole[system]["lower"] is not None]
    if known:
        low, high = (tuple(whole[systems[k]][end] for k in known) for end in ("lower", "upper"))
        bars.append(Intervals(low, high, tuple(map(float, known)), series="interval of all", tone="main"))
    return tuple(bars)
