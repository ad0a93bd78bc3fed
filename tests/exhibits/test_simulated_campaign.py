"""Every exhibit from the judgements of a simulated crowd, with all that such a crowd does."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import polars as pl
import pytest

from steelyard.domain.exhibit import Evidence, ExhibitOptions, Figure
from steelyard.domain.plugin import Exhibit
from steelyard.exhibits import figures, tables
from steelyard.frames import ratings_frame
from steelyard.simulate.crowd import make_crowd, perceived, shown_ms

EXHIBITS = [
    # The crowd judges one attribute.
    *(pytest.param(table, id=f"table {name}") for name, table in tables().items() if name != "attributes"),
    *(pytest.param(figure, id=f"figure {name}") for name, figure in figures().items()),
]
QUALITY = {"alpha": 0.75, "beta": 0.65, "gamma": 0.55, "delta": 0.45}
N_SEGMENTS, N_CONTROLS = 40, 10


@pytest.fixture(scope="module")
def simulated(
    weighed: Callable[..., Evidence],
    learnt: Callable[[Evidence], Evidence],
    marked: Callable[[pl.DataFrame], dict[str, pl.DataFrame]],
) -> Evidence:
    """Twenty-four workers of all sorts, each with a HIT of 70 items in which every segment is there once."""
    rng = np.random.default_rng(11)
    systems = list(QUALITY)
    rows = []
    for number, worker in enumerate(make_crowd(24, rng=rng)):
        # Every fourth worker meets the same translations.
        regular = [(systems[(s + number) % 4], s, "regular", 0.0) for s in range(N_SEGMENTS)]
        controls = [
            (system, s, kind, change)
            for k, (kind, change) in enumerate((("repeat", 0.0), ("degraded", -0.3), ("reference", 0.3)))
            for system, s, _, _ in regular[k * N_CONTROLS : (k + 1) * N_CONTROLS]
        ]
        for position, (system, s, kind, change) in enumerate([*regular, *controls], start=1):
            impression = perceived(worker, QUALITY[system] + change, rng).quality
            seconds = shown_ms(worker, 18.0, rng) / 1000
            names = (f"W{number:02}", f"H{number:02}", kind, f"s{s:02}", system)
            rows.append((*names, position, round(100 * impression), seconds))
    schema = ["worker_id", "hit_id", "item_kind", "segment_id", "system_id", "position", "rating", "seconds"]
    frame = pl.DataFrame(rows, schema=schema, orient="row").with_columns(attribute=pl.lit("adequacy"))
    quality = 100 * pl.col("system_id").replace_strict(QUALITY, return_dtype=pl.Float64)
    is_gold = (pl.col("item_kind") == "regular") & (pl.col("segment_id") < "s10")
    # What the degraded copies are like is known too, from an earlier campaign.
    texts = frame.filter(item_kind="degraded").with_columns(
        item_kind=pl.lit("calibration"),
        system_id=pl.lit("calibration"),
        segment_id=pl.format("calibration:{} {}", "system_id", "segment_id"),
        known=quality - 30,
        known_sd=pl.lit(2.0),
    )
    known = frame.with_columns(known=pl.when(is_gold).then(quality), known_sd=pl.lit(None, pl.Float64))
    ratings = ratings_frame(pl.concat([known, texts]))
    return learnt(weighed(ratings, title="Simulated", **marked(ratings)))


@pytest.mark.parametrize("exhibit", EXHIBITS)
def test_a_simulated_campaign_supports_it(
    exhibit: Exhibit, simulated: Evidence, options: ExhibitOptions
) -> None:
    made = exhibit.make([simulated], options)

    assert made.signature.startswith(simulated.analysis.signature)
    table = made.table if isinstance(made, Figure) else made
    assert len(table.rows) > 0


def test_leaving_workers_out_makes_ratings_of_the_same_text_more_alike(
    simulated: Evidence, options: ExhibitOptions
) -> None:
    rows = tables()["worker-filter"].make([simulated], options).rows

    by_filter = {row["filter"]: row for row in rows.iter_rows(named=True)}
    assert by_filter["paired-t"]["n_workers"] < by_filter["unfiltered"]["n_workers"]
    assert by_filter["paired-t"]["same_mean"] < by_filter["unfiltered"]["same_mean"]
    assert by_filter["paired-t"]["distinct_mean"] < by_filter["unfiltered"]["distinct_mean"]
