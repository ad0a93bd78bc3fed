"""Pseudonyms for publication: judgements without anything that leads back to the people who gave them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace

import numpy as np
import polars as pl

from steelyard.domain.judgement import FRAME_NAMES, PLACE_OF_JUDGEMENT
from steelyard.domain.running import Exclusion
from steelyard.flows.source import Source
from steelyard.flows.span_source import with_weights
from steelyard.frames import hit_times_frame

# What stands in place of a reason, in which a person may have been named.
EXCLUDED = "excluded by the organisers"
# What is left empty: ids of the database or a platform, when people worked, how they handled the page.
_LEFT_OUT = ("assignment_id", "item_id", "submitted_at", "is_automated")


def pseudonymised(source: Source, rng: np.random.Generator, *, texts: bool) -> Source:
    """The source with new names for workers, HITs and judgements, dealt out at random, and without times.

    Nothing but the judgements themselves then tells who is who, neither the old names nor their order. How
    long a judgement took stays. The rows of a worker stay in the order of time, since repeats come after what
    they repeat; those of several workers are not mixed, so that nobody can tell who worked at the same time.
    Texts in which errors were marked go unless they are asked for, and warnings that name anybody go.
    """
    frames, of_times = [source.of(name) for name in FRAME_NAMES], source.hit_times
    workers = _new_names(rng, "worker", [*(each["worker_id"] for each in frames), of_times["worker_id"]])
    hits = _new_names(rng, "hit", [*(each["hit_id"] for each in frames), of_times["hit_id"]])
    frames = [_in_order(frame, workers) for frame in frames]
    ids = pl.concat([each["judgement_id"] for each in frames]).str.replace(PLACE_OF_JUDGEMENT, "")
    judgements = {
        old: f"j{number}" for number, old in enumerate(ids.drop_nulls().unique(maintain_order=True))
    }
    ratings, preferences, spans = (
        frame.with_columns(
            pl.col("worker_id").replace_strict(workers, return_dtype=pl.String),
            pl.col("hit_id").replace_strict(hits, return_dtype=pl.String),
            pl.concat_str(
                pl.col("judgement_id")
                .str.replace(PLACE_OF_JUDGEMENT, "")
                .replace_strict(judgements, default=None, return_dtype=pl.String),
                pl.col("judgement_id").str.extract(f"({PLACE_OF_JUDGEMENT})").fill_null(""),
            ),
            *(pl.lit(None, frame.schema[name]).alias(name) for name in _LEFT_OUT),
        )
        for frame in frames
    )
    times = hit_times_frame(
        of_times.select(
            pl.col("worker_id").replace_strict(workers, return_dtype=pl.String),
            pl.col("hit_id").replace_strict(hits, return_dtype=pl.String),
            "work_seconds",
            "is_rejected",
        ).sort("worker_id", "hit_id")
    )
    hidden = replace(
        source,
        frame=ratings,
        preferences=preferences,
        spans=spans,
        texts=source.texts if texts else source.texts.clear(),
        hit_times=times,
        warnings=tuple(each for each in source.warnings if not _names_any(each, [*workers, *hits])),
        exclusions=tuple(
            Exclusion(workers[each.worker_id], None if each.hit_id is None else hits[each.hit_id], EXCLUDED)
            for each in source.exclusions
            if each.worker_id in workers and (each.hit_id is None or each.hit_id in hits)
        ),
        simulated=frozenset(workers[name] for name in source.simulated if name in workers),
    )
    # Ratings made of errors stand in the order in which readers, who have only the errors, will make them.
    return hidden if hidden.weights is None else with_weights(hidden, hidden.weights)


def _in_order(frame: pl.DataFrame, workers: Mapping[str, str]) -> pl.DataFrame:
    """The rows of each worker in the order of time, one worker after the other by their new names."""
    new = pl.col("worker_id").cast(pl.String).replace_strict(workers, return_dtype=pl.String)
    return frame.sort(new, "submitted_at", nulls_last=True, maintain_order=True)


def _names_any(text: str, names: Iterable[str]) -> bool:
    """Whether one of these names stands in a text as a word; a number is taken for a name as well."""
    return any(
        name in text and re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text) is not None
        for name in names
        if name
    )


def _new_names(rng: np.random.Generator, noun: str, columns: Iterable[pl.Series]) -> dict[str, str]:
    """A new name for each old one, by lot; the one without letters, of HITs that have none, stays."""
    old = pl.concat([column.cast(pl.String) for column in columns]).drop_nulls().unique().sort().to_list()
    named = [name for name in old if name]
    width = len(str(len(named)))
    numbers = rng.permutation(len(named)) + 1
    return {"": ""} | {name: f"{noun}-{n:0{width}d}" for name, n in zip(named, numbers, strict=True)}
