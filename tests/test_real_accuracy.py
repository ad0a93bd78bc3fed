"""The worker model against mean z on published judgements: bars that every change of the model must clear.

Truth is of raters that the model has not seen, or of experts; seeds are fixed. The bars are those of
bench/accuracy_bars.py, with fewer draws: a mean may fall short of its bar by two standard errors of drawing,
which the draws themselves give. Run that script to hold the model to the bars in full.
"""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

PROJECT = Path(__file__).parents[1]
DATA = PROJECT.parent / "shared" / "data"
pytestmark = pytest.mark.skipif(not DATA.is_dir(), reason="the folder of real data is absent")


def _bench() -> Any:
    sys.path.insert(0, str(PROJECT / "bench"))
    try:
        return import_module("accuracy_bars")
    finally:
        sys.path.pop(0)


BENCH = _bench()
BARS = list(BENCH.bars())


@pytest.mark.parametrize("bar", BARS, ids=[bar.fact for bar in BARS])
def test_the_bar_is_cleared(bar: Any) -> None:
    assert BENCH.missed(bar, bar.few_draws) == []


def test_a_model_without_gain_would_be_noticed() -> None:
    # The allowance for chance may not swallow the gain that the bar asks for.
    bar = next(bar for bar in BARS if bar.fact == "gains with a fifth at random")
    rows = BENCH.rows_of(bar, bar.few_draws)
    error = (rows["difference_se"] ** 2).sum() ** 0.5 / len(rows)

    assert BENCH.ALLOWED_ERRORS * error < bar.least
