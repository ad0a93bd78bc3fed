"""The four studies from Python: the same answers as from the command line, as data frames."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import steelyard as sy
from steelyard.cli.main import run
from steelyard.domain.errors import ChoiceError
from steelyard.flows.longitudinal import LongitudinalSettings

SYSTEMS = {"CURR-old": 80.0, "CURR-new": 70.0, "BEST-old": 50.0, "BEST-new": 60.0}


def _judged(seed: int = 1, *, shift: float = 0.0) -> pl.DataFrame:
    """Six workers judge four systems' translations of ten segments; an expert half of them, all of five texts
    from an earlier campaign."""
    rng = np.random.default_rng(seed)
    rows = []
    for worker in range(6):
        for system, quality in SYSTEMS.items():
            for segment in range(10):
                true = quality + 2 * segment - 10
                known = true if segment % 2 else None
                rows.append((f"w{worker}", system, f"s{segment}", "regular", known, true + shift))
        for text in range(5):
            true = 20.0 + 15 * text
            rows.append((f"w{worker}", "calibration", f"t{text}", "calibration", true, true + shift))
    names = ["worker", "system", "segment", "kind", "known", "true"]
    table = pl.DataFrame(rows, schema=names, orient="row")
    noise = pl.Series(rng.normal(0, 6, len(table)))
    return table.with_columns(rating=(pl.col("true") + noise).clip(0, 100).round()).drop("true")


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("judged") / "judged.csv"
    _judged().write_csv(path)
    return path


def _printed(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, object]:
    assert run([*arguments, "--json", "-"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert isinstance(document, dict)
    return document


def test_normalise_gives_a_row_for_each_method(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = sy.normalise(file)

    assert found.rows["method"].to_list()[0] == "mean-rating"
    assert found.n_gold == 20
    assert _printed(capsys, "normalise", str(file))["signature"] == found.signature


def test_replicate_splits_the_workers_of_one_source(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = sy.replicate(file, check="none")

    assert found.is_split
    assert _printed(capsys, "replicate", str(file), "--check", "none")["signature"] == found.signature


def test_replicate_holds_two_sources_against_each_other(file: Path) -> None:
    found = sy.replicate(file, _judged(2), check="none")

    assert not found.is_split
    assert len(found.collections) == 2


def test_compare_years_takes_judgements_by_language_pair(
    file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = sy.compare_years({"de-en": file}, check="none")

    document = _printed(capsys, "longitudinal", f"de-en={file}", "--check", "none")
    assert document["signature"] == found.signature


def test_compare_years_takes_a_pair_twice(file: Path) -> None:
    fluent, adequate = (
        _judged(seed).with_columns(attribute=pl.lit(name))
        for seed, name in enumerate(("fluency", "adequacy"))
    )

    found = sy.compare_years([("de-en", fluent), ("de-en", adequate)], check="none")

    assert {"fluency", "adequacy"} <= set(found.rows["measure"])


def test_compare_years_settings_name_the_cells(file: Path) -> None:
    cells = (
        ("curr_old", ("CURR-old",)),
        ("curr_new", ("CURR-new",)),
        ("best_old", ("BEST-old",)),
        ("best_new", ("BEST-new",)),
    )

    named = sy.compare_years({"x": file}, check="none", settings=LongitudinalSettings(cells=cells))

    assert named.rows.equals(sy.compare_years({"x": file}, check="none").rows)


def test_link_brings_campaigns_onto_the_scale_of_the_first(file: Path) -> None:
    # The second crowd is eight points more generous, which the texts in common tell.
    found = sy.link([file, _judged(2, shift=8.0)], check="none", method="mean-rating", slope="one")

    old, new = (part["score"].mean() for part in found.systems.partition_by("campaign", maintain_order=True))
    assert found.links["n_items"].to_list() == [5]
    assert new - old == pytest.approx(8.0, abs=2.0)  # type: ignore[operator]
    linked = found.systems.partition_by("campaign", maintain_order=True)
    assert linked[1]["linked"].mean() == pytest.approx(linked[0]["linked"].mean(), abs=2.5)


def test_judge_metrics_takes_the_metrics_of_a_folder(
    file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert (
        run(["analyse", str(file), "--check", "none", "--metric-folder", str(tmp_path), "--pair", "de-en"])
        == 0
    )
    capsys.readouterr()
    scores = tmp_path / "human-scores" / "de-en.da.seg.score"
    metric = tmp_path / "metric-scores" / "de-en" / "mirror-src.seg.score"
    metric.parent.mkdir(parents=True)
    metric.write_bytes(scores.read_bytes())

    found = sy.judge_metrics(tmp_path, pair="de-en", gold="da")

    assert found.rows["seg_pearson_none"].to_list() == pytest.approx([1.0])
    document = _printed(capsys, "meta", str(tmp_path), "--pair", "de-en", "--gold", "da")
    assert document["signature"] == found.signature


@pytest.mark.parametrize(
    ("study", "wrong"),
    [(sy.link, []), (sy.link, "old.db"), (sy.compare_years, {}), (sy.compare_years, "years.db")],
)
def test_judgements_given_in_another_shape_are_told_the_right_one(study: Any, wrong: object) -> None:
    with pytest.raises(ChoiceError, match=r"such as [\[{]"):
        study(wrong)
