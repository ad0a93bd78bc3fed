"""What a reader must know beside the numbers: turned scores, gaps, too few systems."""

from __future__ import annotations

from typing import NamedTuple

import polars as pl

from steelyard.meta.compared import Compared
from steelyard.meta.settings import MetaSettings

# Below both of these a metric does not merely fail: its scores run the other way [our choice].
TURNED_SYSTEMS, TURNED_SEGMENTS = -0.3, -0.1
# With fewer systems a correlation over systems can hardly be told from chance: for five, r must exceed 0.8.
FEW_SYSTEMS = 6


class Remarks(NamedTuple):
    """Sentences for the reader."""

    notes: tuple[str, ...]
    warnings: tuple[str, ...]


def remarks(compared: Compared, rows: pl.DataFrame, settings: MetaSettings) -> Remarks:
    """What is to be said of the rows of a study."""
    whole = rows.filter(pl.col("group").is_null())
    return Remarks(
        notes=(*_documents(settings), *_flipped(settings)),
        warnings=(
            *_few_systems(compared),
            *_without_segments(compared),
            *_turned(whole, settings),
            *_gaps(whole, settings),
        ),
    )


def _documents(settings: MetaSettings) -> tuple[str, ...]:
    if settings.level == "segment":
        return ()
    return ("The columns seg_… are of documents: each scores the mean of its segments that people judged.",)


def _flipped(settings: MetaSettings) -> tuple[str, ...]:
    if not settings.flip:
        return ()
    return (f"Turned, because lower is better there: {', '.join(settings.flip)}.",)


def _few_systems(compared: Compared) -> tuple[str, ...]:
    n_systems = len(compared.systems)
    if n_systems >= FEW_SYSTEMS:
        return ()
    return (
        f"Only {n_systems} systems are compared: correlations over systems say next to nothing with so few.",
    )


def _without_segments(compared: Compared) -> tuple[str, ...]:
    if compared.people.segments is not None:
        return ()
    return (f"{compared.people.name} has no scores of translations, so only numbers over systems are told.",)


def _turned(rows: pl.DataFrame, settings: MetaSettings) -> tuple[str, ...]:
    """A warning for metrics that seem to count errors, so that lower is better; not if they were turned."""
    turned = rows.filter(
        ~pl.col("metric").is_in(settings.flip)
        & (pl.col("sys_pearson") < TURNED_SYSTEMS)
        & (pl.col("seg_pearson_none").fill_null(-1.0) < TURNED_SEGMENTS)
    )["metric"].to_list()
    if not turned:
        return ()
    is_one = len(turned) == 1
    return (
        f"{', '.join(turned)} {'runs' if is_one else 'run'} against people's scores. If lower is better "
        f"there, turn {'it' if is_one else 'them'} by --flip {','.join(turned)}.",
    )


def _gaps(rows: pl.DataFrame, settings: MetaSettings) -> list[str]:
    """Warnings of metrics that lack scores of translations that people judged."""
    what = "translations" if settings.level == "segment" else "documents"
    with_systems = rows.filter(pl.col("n_sys") > 0)["metric"].to_list()
    found = []
    for name, n_both, n_missing in rows.select("metric", "n_gold_seg_pairs", "n_missing").iter_rows():
        if n_missing and not n_both:
            told = "only numbers over systems are" if name in with_systems else "nothing is"
            found.append(f"{name} has no scores of {what}, so {told} told of it.")
        elif n_missing:
            found.append(
                f"{name} has no scores of {n_missing:,} of {n_both + n_missing:,} {what} that people judged: "
                "they are left out, and its numbers are over the others."
            )
    return found
