"""A toy crowd (careful, random and constant workers) and what an analysis makes of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np
import polars as pl
import pytest

from steelyard.domain.cells import CellSystems
from steelyard.domain.exhibit import Evidence, ExhibitOptions
from steelyard.domain.result import AnalysisSettings, Diagnostics, MethodSettings
from steelyard.flows.analyse import weigh
from steelyard.flows.source import Source
from steelyard.frames import hit_times_frame, ratings_frame, spans_frame, texts_frame
from steelyard.review.portrait import portraits

SETTINGS = AnalysisSettings(method_settings=MethodSettings(draws=20))
NOON = datetime(2024, 5, 1, 12, 0, tzinfo=UTC)
QUALITY = {"alpha": 75.0, "beta": 60.0, "gamma": 45.0}
N_SEGMENTS, N_CONTROLS = 10, 10
Ratings = Callable[[Iterable[tuple[Any, ...]]], pl.DataFrame]
Weighed = Callable[..., Evidence]


@pytest.fixture(scope="session")
def ratings() -> Ratings:
    """Makes a ratings frame from rows (worker, HIT, kind, segment, system, rating[, attribute])."""

    def make(rows: Iterable[tuple[Any, ...]]) -> pl.DataFrame:
        names = ["worker_id", "hit_id", "item_kind", "segment_id", "system_id", "rating", "attribute"]
        full = [(*row, "")[: len(names)] for row in rows]
        return ratings_frame(
            pl.DataFrame(full, schema=names, schema_overrides={"rating": pl.Float64}, orient="row")
        )

    return make


@pytest.fixture(scope="session")
def weighed() -> Weighed:
    """Makes evidence from a frame; further arguments are settings of the analysis."""

    def make(
        frame: pl.DataFrame,
        *,
        title: str = "Toy",
        hit_times: pl.DataFrame | None = None,
        spans: pl.DataFrame | None = None,
        texts: pl.DataFrame | None = None,
        **choices: Any,
    ) -> Evidence:
        source = Source(
            frame,
            title=title,
            campaign="toy",
            hit_times=hit_times_frame() if hit_times is None else hit_times,
            spans=spans_frame() if spans is None else spans,
            texts=texts_frame() if texts is None else texts,
        )
        return weigh(source, replace(SETTINGS, **choices))

    return make


@pytest.fixture(scope="session")
def marked() -> Callable[[pl.DataFrame], dict[str, pl.DataFrame]]:
    """Gives spans and texts for a ratings frame: the lower a rating, the longer an error.

    Ratings of at least 70 have none; below 50 it is a major one of accuracy, else a minor one of style.
    """

    def make(frame: pl.DataFrame) -> dict[str, pl.DataFrame]:
        has_error, is_major = pl.col("rating") < 70, pl.col("rating") < 50
        spans = frame.with_columns(
            start=pl.when(has_error).then(pl.lit(3)),
            end=pl.when(has_error).then(3 + (90 - pl.col("rating")) / 5).cast(pl.Int64),
            severity=pl.when(is_major).then(pl.lit("major")).when(has_error).then(pl.lit("minor")),
            category=pl.when(is_major)
            .then(pl.lit("accuracy/addition"))
            .when(has_error)
            .then(pl.lit("style")),
            side=pl.lit("target"),
        )
        keys = ["system_id", "segment_id", "item_kind"]
        texts = (
            frame.select(keys)
            .unique(maintain_order=True)
            .with_columns(side=pl.lit("target"), text=pl.lit("letters in words, " * 2 + "four"))
        )
        return {"spans": spans_frame(spans), "texts": texts_frame(texts)}

    return make


@pytest.fixture(scope="session")
def crowd() -> pl.DataFrame:
    """Three careful workers, a random one, a constant one and a newcomer; three systems.

    Everyone judges 30 translations in one HIT; all but the newcomer also ten repeats, ten degraded
    copies and ten references, the careful ones 8 seconds each and the others 2.
    """
    rng = np.random.default_rng(5)
    people = ("ann", "bob", "cem", "dull", "new", "ray")
    return ratings_frame(pl.concat(_judgements(worker, rng) for worker in people))


def _judgements(worker: str, rng: np.random.Generator) -> pl.DataFrame:
    cells = [(system, f"s{s}", QUALITY[system]) for s in range(N_SEGMENTS) for system in QUALITY]
    items = [(*cell[:2], "regular", cell[2]) for cell in cells]
    for start, (kind, change) in enumerate({"repeat": 0.0, "degraded": -30.0, "reference": 95.0}.items()):
        bases = cells[start : start + 3 * N_CONTROLS : 3] if worker != "new" else []
        items += [
            (system, segment, kind, change if kind == "reference" else quality + change)
            for system, segment, quality in bases
        ]
    levels = np.array([level for *_, level in items])
    given = levels + rng.normal(0, 6, len(levels))
    if worker == "ray":
        given = rng.uniform(0, 100, len(levels))
    if worker == "dull":
        given = np.full(len(levels), 50.0)
    pace = 8.0 if worker in ("ann", "bob", "cem") else 2.0
    return pl.DataFrame(
        {
            "judgement_id": [f"{worker}-{k}" for k in range(len(items))],
            "worker_id": worker,
            "hit_id": f"hit of {worker}",
            "item_kind": [kind for _, _, kind, _ in items],
            "segment_id": [segment for _, segment, _, _ in items],
            "system_id": [system for system, _, _, _ in items],
            "attribute": "",
            "position": range(1, len(items) + 1),
            "rating": np.clip(given, 0, 100).round(),
            "seconds": pace,
            "submitted_at": [NOON + timedelta(seconds=pace * (k + 1)) for k in range(len(items))],
        }
    )


@pytest.fixture(scope="session")
def two_attributes(crowd: pl.DataFrame) -> pl.DataFrame:
    """The toy crowd's judgements of adequacy, and of fluency five points lower (but not below 0)."""
    fluency = pl.max_horizontal(pl.col("rating") - 5, 0.0)
    return pl.concat(
        [
            crowd.with_columns(attribute=pl.lit("adequacy")),
            crowd.with_columns(attribute=pl.lit("fluency"), rating=fluency),
        ]
    )


@pytest.fixture(scope="session")
def evidence(crowd: pl.DataFrame, weighed: Weighed) -> Evidence:
    """The toy crowd, weighed as usual."""
    return weighed(crowd)


@pytest.fixture(scope="session")
def learnt() -> Callable[[Evidence], Evidence]:
    """Makes evidence as if its method had learnt something of workers and drawn scores: numbers by rule."""

    def make(source: Evidence) -> Evidence:
        analysis = source.analysis
        place = pl.int_range(1, pl.len() + 1).cast(pl.Float64)
        workers = analysis.workers.with_columns(
            offset=pl.col("mean") - 50,
            slope=place / 3,
            precision=place / 2,
            weight=place / 4,
            offset_sd=pl.lit(1.5),
            slope_sd=pl.lit(0.1),
            precision_sd=place / 10,
        )
        # The scores twice, then each that of the system before, then all the same.
        scores = analysis.systems["score"].to_numpy()
        draws = np.stack([scores, scores, np.roll(scores, 1), np.full_like(scores, scores.mean())])
        found = replace(
            analysis,
            workers=workers.with_columns(portraits(workers, scale=analysis.settings.scale)),
            draws=draws,
            diagnostics=Diagnostics(converged=True, sweeps=23, seconds=0.5),
        )
        return replace(source, analysis=found)

    return make


@pytest.fixture(scope="session")
def everyone() -> Callable[[Evidence, pl.DataFrame], Evidence]:
    """Makes evidence whose ratings are these, all of them kept."""

    def make(source: Evidence, frame: pl.DataFrame) -> Evidence:
        return replace(source, judged=frame, keeps=pl.repeat(True, len(frame), eager=True))

    return make


@pytest.fixture(scope="session")
def options() -> ExhibitOptions:
    """As usual, but with few draws, and with systems for the cells of a comparison of years."""
    cells: CellSystems = (
        ("curr_old", ("alpha",)),
        ("curr_new", ("beta",)),
        ("best_old", ("alpha",)),
        ("best_new", ("gamma",)),
    )
    return ExhibitOptions(draws=20, cells=cells)
