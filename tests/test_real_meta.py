"""Published metrics and people's scores of WMT23 against the numbers of the toolkit of the metrics task."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from steelyard.flows.meta import meta
from steelyard.formats.metric_folder import read_metric_folder
from steelyard.meta.settings import MetaSettings

DATA = Path(__file__).parents[2] / "shared" / "data" / "meta"
pytestmark = pytest.mark.skipif(not DATA.is_dir(), reason="the folder of real data is absent")

# The toolkit does not fix the order of systems, on which its soft pairwise accuracy hangs.
TOLERANCE = {"spa": 1e-3}
COUNTS = ("lp", "gold", "metric", "n_sys", "n_seg_total", "n_gold_seg_pairs")


@pytest.fixture(scope="module")
def expected() -> pl.DataFrame:
    return pl.read_csv(DATA / "expected" / "en-de.meta_evaluation.csv")


@pytest.fixture(scope="module", params=["mqm", "da-sqm"])
def both(request: pytest.FixtureRequest, expected: pl.DataFrame) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Our rows and the toolkit's for one gold, of the same metrics in the same order."""
    scored = read_metric_folder(DATA / "en-de", "en-de", golds=[request.param])
    ours = meta(scored, request.param, MetaSettings(tests=())).rows
    theirs = expected.filter(pl.col("gold") == request.param)
    return ours.select(theirs.columns).sort("metric"), theirs.sort("metric")


def test_the_same_systems_and_translations_are_compared(both: tuple[pl.DataFrame, pl.DataFrame]) -> None:
    ours, theirs = both

    assert ours.select(COUNTS).equals(theirs.select(COUNTS))


def test_every_number_is_the_toolkits(both: tuple[pl.DataFrame, pl.DataFrame]) -> None:
    ours, theirs = both
    columns = [name for name in theirs.columns if name not in COUNTS]

    apart = {
        name: (ours[name] - theirs[name]).abs().max()
        for name in columns
        if not (ours[name] - theirs[name]).abs().max() <= TOLERANCE.get(name, 1e-9)  # type: ignore[operator]
    }

    assert len(columns) == 18
    assert apart == {}
