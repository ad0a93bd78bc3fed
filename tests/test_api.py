"""The Python interface, as the README shows it."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import steelyard as sy
from steelyard.domain.errors import ChoiceError, SourceError
from steelyard.flows.create import create
from steelyard.flows.open import open_campaign
from steelyard.flows.simulate import simulate

ROWS = {
    "worker": ["a", "a", "b", "b"] * 6,
    "system": ["good", "bad"] * 12,
    "segment": [k // 4 for k in range(24)],
    "rating": [
        90,
        20,
        70,
        35,
        88,
        25,
        71,
        30,
        95,
        15,
        80,
        33,
        85,
        28,
        66,
        31,
        92,
        12,
        79,
        38,
        91,
        22,
        75,
        36,
    ],
}


@pytest.mark.parametrize(
    "table", [pd.DataFrame(ROWS), pl.DataFrame(ROWS), pa.table(ROWS)], ids=["pandas", "polars", "pyarrow"]
)
def test_tables_of_three_libraries_give_the_same_analysis(table: Any) -> None:
    analysis = sy.analyse(sy.read(table), method="mean-z", check="none", seed=7)

    expected = sy.analyse(pl.DataFrame(ROWS), check="none")
    assert analysis.systems.equals(expected.systems)
    assert analysis.systems["system_id"].to_list() == ["good", "bad"]


def test_five_lines_of_the_readme(campaign_file: Path, tmp_path: Path, noon: datetime) -> None:
    address = str(tmp_path / "eval.db")
    create(campaign_file, address, now=noon)
    with open_campaign(address) as opened:
        simulate(opened, 10, seed=3)

    with sy.open(address) as campaign:
        analysis = campaign.analyse(method="mean-z", seed=7)
        n_judgements, text, view = len(campaign.judgements()), repr(campaign), campaign._repr_html_()

    assert text.splitlines()[0] == f"Campaign: {campaign.title}"
    assert str(n_judgements) in text
    assert len(text) < 600
    assert "Judgements over time" in view
    assert f">{n_judgements}</td>" in view
    assert "brass" in analysis.ranking
    assert analysis.signature.startswith("steelyard:")
    analysis.to_html(tmp_path / "report.html")
    assert analysis.signature in (tmp_path / "report.html").read_text("utf-8")
    assert analysis.pairs.columns == ["better", "worse", "p_value", "p_two_sided", "p_holm"]


def test_a_file_is_read_from_its_path(tmp_path: Path) -> None:
    pl.DataFrame(ROWS).write_csv(tmp_path / "judgements.csv")

    assert sy.read(tmp_path / "judgements.csv").frame.height == 24


def test_judgements_that_are_yet_to_be_read_take_what_read_takes(tmp_path: Path) -> None:
    other = pl.DataFrame(ROWS).rename({"worker": "who"}).with_columns(pl.col("rating") / 20)
    reading: dict[str, Any] = {"columns": {"worker": "who"}, "scale": (0, 5)}

    found = sy.analyse(other.lazy(), **reading, check="none", draws=0)

    assert found.systems.equals(sy.analyse(sy.read(other, **reading), check="none", draws=0).systems)
    assert sy.replicate(other, **reading, check="none", draws=20).rho.height > 0


def test_a_pilot_may_be_judgements_at_hand(tmp_path: Path) -> None:
    pl.DataFrame(ROWS).write_csv(tmp_path / "pilot.csv")
    given = [tmp_path / "pilot.csv", pd.DataFrame(ROWS), sy.read(pl.DataFrame(ROWS))]

    plans = [sy.plan(systems=5, ratings_per_system=100, pilot=pilot) for pilot in given]

    assert repr(plans[0]) == repr(plans[1]) == repr(plans[2])
    assert "The pilot has only 2 workers" in " ".join(plans[2].warnings)


def test_a_table_keeps_what_its_file_would_keep(tmp_path: Path) -> None:
    errors = {
        "system": ["x", "y"],
        "doc": ["d", "d"],
        "doc_id": [1, 1],
        "seg_id": [1, 1],
        "rater": ["r", "r"],
    }
    errors |= {"source": ["ein Haus", "ein Haus"], "target": ["a <v>mouse</v>", "a house"]}
    errors |= {"category": ["Accuracy", "No-error"], "severity": ["Major", "No-error"]}
    pl.DataFrame(errors).write_csv(tmp_path / "errors.tsv", separator="\t")

    from_file, from_table = (
        sy.read(given).source for given in (tmp_path / "errors.tsv", pd.DataFrame(errors))
    )

    assert len(from_table.texts) == 2 * len(["source", "target"])
    assert from_table.texts.equals(from_file.texts)
    assert from_table.spans.equals(from_file.spans)


def test_a_span_of_time_is_its_seconds() -> None:
    times = pd.to_timedelta([1.5] * 24, unit="s")

    assert sy.read(pd.DataFrame(ROWS).assign(seconds=times)).frame["seconds"].unique().to_list() == [1.5]


def test_all_problems_of_a_table_come_at_once() -> None:
    with pytest.raises(SourceError, match="2 problems"):
        sy.read(pl.DataFrame(ROWS | {"rating": [*ROWS["rating"][:-2], 101, -1]}))


def test_a_recipe_is_overruled_by_a_choice_beside_it() -> None:
    analysis = sy.analyse(pl.DataFrame(ROWS), check="none", recipe="wmt", clusters="strict")

    assert "|clusters:strict|" in analysis.signature
    assert "|least:2|" in analysis.signature


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        _ = sy.nonsense


def test_a_campaign_is_planned_explained_made_and_written_out(campaign_file: Path, tmp_path: Path) -> None:
    planned = sy.plan(campaign=campaign_file)
    report = sy.explain_layout(campaign_file)

    with sy.create(campaign_file, tmp_path / "eval.db") as campaign:
        n_items = campaign.export_hits(tmp_path / "hits.csv")
        n_judgements = campaign.export(tmp_path / "judgements.csv")

    assert planned.expected.outlay.hits * 50 == n_items
    assert report.n_hits * 50 == n_items
    assert pl.read_csv(tmp_path / "hits.csv").height == n_items
    assert n_judgements == 0


def test_an_option_that_no_exhibit_has_is_named_with_those_that_exist() -> None:
    analysis = sy.analyse(pl.DataFrame(ROWS), check="none")

    with pytest.raises(
        ChoiceError, match=r"There is no option 'categorys' in exhibits\. Did you mean 'categories'"
    ):
        analysis.table("agreement", categorys=(5, 2))
