"""An analysis, a table and figures made by hand: no number in them is computed from data."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import polars as pl
import pytest

from steelyard.domain.exhibit import (
    Axis,
    Band,
    Bars,
    Cells,
    Column,
    Figure,
    Intervals,
    Lane,
    Line,
    Mark,
    Panel,
    Passage,
    Points,
    Rule,
    Table,
)
from steelyard.domain.result import Analysis, AnalysisSettings, AttributeRanking, Counts, Diagnostics

SIGNATURE = "steelyard:0.2|campaign:toy|method:mean-z|seed:7"
SYSTEMS = ("<b>good</b>", "fair & square", "bad_50%")
WORKERS = {
    "w-careful": ("pass", [], "pay"),
    "w-lost": ("insufficient", [], "pay"),
    "w-odd": ("pass", ["shift"], "look"),
    "w-random": ("fail", ["scores", "time"], "refuse"),
    "w-<script>": ("fail", [], "pay"),
}


@pytest.fixture(scope="session")
def systems() -> pl.DataFrame:
    """Three systems in two clusters; names that HTML and LaTeX would misread; one interval unknown."""
    return pl.DataFrame(
        {
            "system_id": SYSTEMS,
            "rank": [1, 2, 3],
            "rank_low": [1, 1, 3],
            "rank_high": [2, 2, 3],
            "cluster": [1, 1, 2],
            "score": [0.51234567890123, 0.1, -0.6],
            "lower": [0.4, 0.0, None],
            "upper": [0.6, 0.2, None],
            "mean_rating": [71.25, 60.0, 41.0],
            "n_segments": [20, 20, 19],
            "n_judgements": [40, 41, 42],
            "wins": [1, 1, 0],
        }
    )


@pytest.fixture(scope="session")
def pairs() -> pl.DataFrame:
    first, second, third = SYSTEMS
    p_values = {(first, second): 0.2, (first, third): 1e-7, (second, third): 0.01}
    p_values |= {(worse, better): 1 - p for (better, worse), p in p_values.items()}
    return pl.DataFrame(
        [
            (better, worse, p, 2 * min(p, 1 - p), min(1.0, 6 * min(p, 1 - p)))
            for (better, worse), p in p_values.items()
        ],
        schema={
            "better": pl.String,
            "worse": pl.String,
            "p_value": pl.Float64,
            "p_two_sided": pl.Float64,
            "p_holm": pl.Float64,
        },
        orient="row",
    )


@pytest.fixture(scope="session")
def workers() -> pl.DataFrame:
    """Five workers: two passed, two failed, one with too few controls."""
    n = len(WORKERS)
    rows = pl.DataFrame(
        {
            "worker_id": list(WORKERS),
            "n_judgements": [40] * n,
            "n_pairs": [10, 3, 10, 10, 10],
            "mean_difference": [20.5, None, 18.0, 1.25, 2.0],
            "sd_difference": [10.0, None, 12.0, 30.0, 25.0],
            "statistic": [6.48, None, 4.7, 0.13, 0.25],
            "p_value": [1e-9, None, 0.001, 0.449, 0.4],
            "power": [0.99, None, 0.9, 0.4, None],
            "verdict": [verdict for verdict, _, _ in WORKERS.values()],
            "mean": [60.0, 50.0, 70.0, 49.0, 51.0],
            "sd": [20.0, 10.0, 15.0, 29.0, float("nan")],
            "n_repeats": [10, 3, 10, 10, 10],
            "consistency_p": [0.5, None, 0.4, 0.3, 0.2],
            "equivalence_p": [0.01, None, 0.02, 0.3, 0.4],
            "seconds_per_judgement": [20.0, None, 15.0, 2.0, 8.0],
            "suggestion": [advice for _, _, advice in WORKERS.values()],
            "reason": ["Told degraded copies apart.", "Too few.", "Passed.", "Could not.", "Could <not>."],
        }
    )
    learnt = ("offset", "slope", "precision", "weight", "offset_sd", "slope_sd", "precision_sd")
    unknown = [pl.lit(None, pl.Float64).alias(name) for name in learnt]
    lists = [
        pl.Series("flags", [flags for _, flags, _ in WORKERS.values()], dtype=pl.List(pl.String)),
        pl.Series(
            "remarks",
            [[f"About {flag}." for flag in flags] for _, flags, _ in WORKERS.values()],
            dtype=pl.List(pl.String),
        ),
    ]
    return rows.with_columns(*unknown, *lists, pl.lit(None, pl.String).alias("portrait"))


@pytest.fixture(scope="session")
def analysis(systems: pl.DataFrame, pairs: pl.DataFrame, workers: pl.DataFrame) -> Analysis:
    """Everything an analysis can have, two attributes included."""
    agreement = pl.DataFrame(
        [
            ("intra", "rating", 2, 30, 0.9, "uniform", "kappa", 0.8, None, None, 5),
            ("intra", "rating", None, 30, None, None, "pearson", 0.77, None, None, 5),
            ("inter", "rating", None, 1200, None, None, "alpha", 0.4321, 0.3, 0.5, 4),
            ("inter", "z", 2, 0, None, "uniform", "kappa", None, None, None, 0),
        ],
        schema={
            **dict.fromkeys(("of", "scale"), pl.String),
            **dict.fromkeys(("categories", "n_pairs"), pl.Int64),
            "agreement": pl.Float64,
            **dict.fromkeys(("chance", "coefficient"), pl.String),
            **dict.fromkeys(("value", "lower", "upper"), pl.Float64),
            "n_workers": pl.Int64,
        },
        orient="row",
    )
    hits = pl.DataFrame(
        {
            "worker_id": ["w-careful", "w-odd", "w-odd"],
            "hit_id": ["H1", "H2", "H3"],
            "n_judgements": [40, 20, 20],
            "seconds": [800.0, 300.0, None],
            "concurrent": [1, 1, None],
            "excluded": [None, None, "Careless <here>."],
        }
    )
    reversed_systems = systems.reverse().with_columns(rank=pl.Series([1, 2, 3]))
    return Analysis(
        title='A "title" <script>',
        signature=SIGNATURE,
        settings=AnalysisSettings(),
        counts=Counts(judgements=200, workers=5, hits=3, systems=3, kept_judgements=60, kept_workers=2),
        workers=workers,
        hits=hits,
        systems=systems,
        pairs=pairs,
        segments=pl.DataFrame(
            {
                "system_id": ["bad_50%"],
                "segment_id": ["1"],
                "score": [0.1],
                "sd": [None],
                "mean_rating": [41.0],
                "n": [1],
            }
        ),
        agreement=agreement,
        attributes=(
            AttributeRanking("adequacy", systems, pairs),
            AttributeRanking("fluency_&", reversed_systems, pairs),
        ),
        contamination=0.0213,
        warnings=("Mind <this>, at 50 %.",),
    )


@pytest.fixture(scope="session")
def learnt(analysis: Analysis) -> Analysis:
    """The analysis by a method that draws scores and learns something of workers, but of the last nothing.

    The first system is best in three of four draws and second in one, the second the reverse.
    """
    draws = np.array([[0.5, 0.1, -0.6], [0.4, 0.2, -0.7], [0.1, 0.3, -0.5], [0.6, 0.0, -0.4]])
    workers = analysis.workers.with_columns(
        offset=pl.Series([9.25, -4.0, 0.04, 1.0, None]),
        offset_sd=pl.Series([1.0, 0.5, 2.0, None, None]),
        slope=pl.Series([0.5, 1.0, 1.5, 1.0, None]),
        slope_sd=pl.Series([0.1, 0.2, 0.1, 0.1, None]),
        precision=pl.Series([2.0, 1.0, 0.5, 0.1, None]),
        precision_sd=pl.Series([0.2, 0.1, 0.05, 0.01, None]),
        weight=pl.Series([2.1, 1.0, 0.4, 0.01, None]),
        portrait=pl.Series(["generous <b>", "harsh by 4 points", "uses it all", "adds nothing", None]),
    )
    return replace(
        analysis,
        workers=workers,
        draws=draws,
        diagnostics=Diagnostics(converged=True, sweeps=23, seconds=1.25, notes=(("skipped", 2.0),)),
    )


@pytest.fixture(scope="session")
def table() -> Table:
    """Words, whole numbers, rounded ones, shares, p-values and unknowns."""
    return Table(
        name="toy",
        title="A toy & its <title>",
        columns=(
            Column("system_id", "System"),
            Column("n", "n"),
            Column("score", "Score", 2),
            Column("kept", "Kept", 1, per_cent=True),
            Column("p_value", "p", 4, p_value=True),
        ),
        rows=pl.DataFrame(
            {
                "system_id": ["a,b", "long “name”", "x"],
                "n": [1204, None, 3],
                "score": [1 / 3, -0.5, float("nan")],
                "kept": [0.35333, 1.0, None],
                "p_value": [3e-9, 0.03125, None],
            }
        ),
        notes=("A note on 50 %.",),
        signature=SIGNATURE,
        borders=(0, 2),
    )


@pytest.fixture(scope="session")
def figure_of(table: Table) -> Callable[..., Figure]:
    """Makes a figure of one panel from marks."""

    def make(*marks: Mark, x: Axis | None = None, y: Axis | None = None, title: str = "") -> Figure:
        panel = Panel(x or Axis("across"), y or Axis("up"), marks, title)
        return Figure("toy-figure", "A figure & <more>", "What it shows.", (panel,), table, SIGNATURE)

    return make


@pytest.fixture(scope="session")
def every_mark(figure_of: Callable[..., Figure], table: Table) -> Figure:
    """All seven kinds of marks, in every tone, over four panels."""
    x, y = (1.0, 2.0, 3.0), (2.0, float("nan"), 1.0)
    names = Axis("system", categories=("alpha", "beta"))
    panels = (
        Panel(
            Axis("x"),
            Axis("y"),
            (
                Band(x, (0.5, 0.6, 0.7), (1.5, 1.6, 1.7), "band", "second"),
                Line(x, y, "line", "third"),
                Line(x, (1.0, 1.0, 2.0), "dashed", "good", dashed=True),
                Points(x, y, "points", "bad", labels=("p", "q", "r"), named=True),
                Rule("y", 1.5, "a rule", "unsure"),
                Rule("x", 2.5, "another", "faint"),
            ),
            title="Lines",
        ),
        Panel(Axis("x"), Axis("share"), (Bars((0.0, 1.0), (1.0, 2.0), (0.25, 0.75), "bars", "second"),)),
        Panel(Axis("score"), names, (Intervals((0.1, 0.2), (0.3, 0.4), (0.0, 1.0), "interval"),)),
        Panel(
            Axis("score"),
            names,
            (Intervals((0.0, 0.0), (0.3, 0.4), (0.0, 1.0), "amount", "bad", thick=True),),
        ),
        Panel(
            Axis(""),
            Axis(""),
            (
                Passage(
                    ("a", " ", "text"), (0.5, 0.0, 1.0), (Lane("w", ((2, 3, "bad"),)),), (("major", "bad"),)
                ),
            ),
        ),
        Panel(names, names, (Cells(((None, 0.01), (0.5, None)), (("", "*"), ("", "")), 0.0, 0.05),)),
    )
    return Figure("every-mark", "Every mark", "One of each.", panels, table, SIGNATURE)
