"""The examples in docstrings give what they say."""

from __future__ import annotations

import doctest
from datetime import datetime
from importlib import import_module
from pathlib import Path
from shutil import copy
from typing import Any

import numpy as np
import polars as pl
import pytest

SOURCE = Path(__file__).parents[1] / "src"
WITH_EXAMPLES = [
    ".".join(path.relative_to(SOURCE).with_suffix("").parts).removesuffix(".__init__")
    for path in sorted((SOURCE / "steelyard").rglob("*.py"))
    if ">>> " in path.read_text("utf-8")
]
# Their examples begin where a reader is: with a campaign, judgements and an analysis at hand.
OF_INTERFACE = [name for name in WITH_EXAMPLES if name.startswith("steelyard.api.")]


@pytest.mark.parametrize("name", [name for name in WITH_EXAMPLES if name not in OF_INTERFACE])
def test_examples_are_right(name: str) -> None:
    assert _n_failed(name, {}) == 0, "the captured output shows which examples failed"


def test_examples_of_the_interface_are_right(
    campaign_file: Path, tmp_path: Path, noon: datetime, monkeypatch: pytest.MonkeyPatch
) -> None:
    import steelyard as sy

    monkeypatch.chdir(tmp_path)
    _write_files(campaign_file, noon)
    with sy.open("eval.db") as campaign:
        judgements = campaign.judgements()
        known = {"sy": sy, "pl": pl, "campaign": campaign, "judgements": judgements}
        known["analysis"] = sy.analyse(judgements, check="none", draws=50)
        failed = [name for name in OF_INTERFACE if _n_failed(name, known)]

    assert failed == [], "the captured output shows which examples failed"


def _n_failed(name: str, known: dict[str, Any]) -> int:
    """How many examples of a module fail."""
    found = doctest.testmod(import_module(name), optionflags=doctest.NORMALIZE_WHITESPACE, extraglobs=known)
    assert found.attempted > 0
    return found.failed


def _write_files(campaign_file: Path, noon: datetime) -> None:
    """What the examples of the interface read, in this folder."""
    from steelyard.cli.main import run
    from steelyard.flows.create import create
    from steelyard.flows.export import export
    from steelyard.flows.open import open_campaign
    from steelyard.flows.simulate import simulate

    for path in campaign_file.parent.iterdir():
        if path.is_file() and not Path(path.name).exists():
            copy(path, path.name)
    create(campaign_file, "eval.db", now=noon)
    with open_campaign("eval.db") as opened:
        simulate(opened, 10, seed=3)
        export(opened, Path("judgements.csv"))
    rng = np.random.default_rng(1)
    systems = {"CURR-old": 80.0, "CURR-new": 70.0, "BEST-old": 50.0, "BEST-new": 60.0, "calibration": 45.0}
    rows = [
        (f"w{worker}", system, f"{system[-3:]}{segment}", kind, true, true + rng.normal(0, 6))
        for worker in range(6)
        for system, mean in systems.items()
        for segment in range(5 if system == "calibration" else 10)
        for kind in ["calibration" if system == "calibration" else "regular"]
        for true in [mean + 4 * segment - 18]
    ]
    names = ["worker", "system", "segment", "kind", "known", "rating"]
    table = pl.DataFrame(rows, schema=names, orient="row").with_columns(pl.col("rating").clip(0, 100))
    table.write_csv("years.csv")
    table.write_csv("gold.csv")
    folder = ["--metric-folder", "metric-scores", "--pair", "de-en", "--check", "none"]
    assert run(["analyse", "years.csv", *folder]) == 0
    scores = Path("metric-scores/human-scores/de-en.da.seg.score")
    metric = Path("metric-scores/metric-scores/de-en/echo-src.seg.score")
    metric.parent.mkdir(parents=True)
    metric.write_bytes(scores.read_bytes())
