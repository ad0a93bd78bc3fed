"""Data frames in and out: pandas without pyarrow, the same rows whatever the library."""

from __future__ import annotations

import subprocess
import sys
from datetime import UTC, datetime

import pandas as pd
import polars as pl
import pytest

import steelyard as sy
from steelyard.api.frame import Frame
from steelyard.formats._pandas_table import from_pandas

WITHOUT_PYARROW = """
import sys
sys.modules["pyarrow"] = None
import pandas as pd, polars as pl, steelyard as sy
table = pd.DataFrame({
    "worker": ["a", "a", "b", "b"] * 6, "system": ["good", "bad"] * 12,
    "segment": [k // 4 for k in range(24)], "rating": [90, 20, 70, 35] * 6,
})
try:
    pl.DataFrame({"x": [1]}).to_pandas()
except ModuleNotFoundError:
    print("Polars alone cannot")
analysis = sy.analyse(table, check="none", draws=0)
for frame in (analysis.systems, analysis.workers, analysis.pairs, analysis.segments, analysis.hits):
    found = frame.to_pandas()
    assert list(found.columns) == frame.columns and len(found) == len(frame)
assert list(analysis.table("ranking").to_pandas()["system_id"]) == ["good", "bad"]
assert len(sy.read(table).frame.filter(pl.col("rating") > 80).to_pandas()) == 6
print(analysis.systems.to_pandas()["system_id"].tolist())
"""


def test_pandas_goes_in_and_comes_out_without_pyarrow() -> None:
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT_PYARROW], capture_output=True, text=True, check=False, timeout=120
    )

    assert done.stderr == ""
    assert done.stdout.splitlines() == ["Polars alone cannot", "['good', 'bad']"]


MIXED = {
    "text": ["a", None],
    "whole": [1, 2],
    "gap": [1, None],
    "share": [0.5, None],
    "truth": [True, None],
    "time": [datetime(2026, 5, 1, 12, tzinfo=UTC), None],
    "names": [["x", "y"], []],
}


def test_a_frame_of_every_kind_of_column_becomes_what_pandas_has_for_it() -> None:
    found = Frame(MIXED).with_columns(pl.col("text").cast(pl.Categorical).alias("kind")).to_pandas()

    assert found["text"].tolist() == ["a", None]
    assert found["whole"].dtype == "int64"
    assert found["gap"].dtype == "float64"
    assert found["gap"].isna().tolist() == [False, True]
    assert found["truth"].tolist() == [True, None]
    assert found["time"][0] == pd.Timestamp("2026-05-01 12:00", tz="UTC")
    assert pd.isna(found["time"][1])
    assert found["names"].tolist() == [["x", "y"], []]
    assert found["kind"].cat.categories.tolist() == ["a"]


def test_a_frame_agrees_with_polars_and_pyarrow_where_both_can() -> None:
    frame = Frame({name: MIXED[name] for name in ("whole", "gap", "share", "time")})

    pd.testing.assert_frame_equal(frame.to_pandas(), pl.DataFrame(frame).to_pandas(), check_dtype=False)
    assert frame.to_pandas(use_pyarrow_extension_array=True)["whole"].dtype == "int64[pyarrow]"


@pytest.mark.parametrize("unknown", [None, float("nan"), pd.NA, pd.NaT])
def test_what_pandas_does_not_know_is_null(unknown: object) -> None:
    table = pd.DataFrame({"text": pd.Series(["a", unknown], dtype=object), "number": [1.0, float("nan")]})

    assert from_pandas(table).rows() == [("a", 1.0), (None, None)]


def test_an_index_with_names_is_read_and_one_without_is_not() -> None:
    table = pd.DataFrame({"worker": ["a", "b"], "rating": [1, 2]}, index=[7, 7])

    assert from_pandas(table).columns == ["worker", "rating"]
    assert from_pandas(table.set_index("worker")).rows() == [("a", 1), ("b", 2)]
    assert from_pandas(table.set_index("worker", drop=False)).columns == ["worker", "rating"]


def test_times_and_categories_of_pandas_are_kept() -> None:
    times = pd.to_datetime(["2026-05-01 12:00", "2026-05-02 12:00"], utc=True)
    table = pd.DataFrame(
        {"time": times, "kind": pd.Categorical(["x", "y"]), "n": pd.array([1, None], "Int64")}
    )

    assert from_pandas(table).rows() == [
        (datetime(2026, 5, 1, 12, tzinfo=UTC), "x", 1),
        (datetime(2026, 5, 2, 12, tzinfo=UTC), "y", None),
    ]


def test_frames_of_the_interface_stay_what_they_are_when_cut() -> None:
    frame = Frame({"a": [2, 1], "b": ["x", "y"]})

    cut = [frame.filter(pl.col("a") > 1), frame.select("a"), frame.sort("a"), frame.head(1), frame.drop("b")]

    assert [type(each) for each in cut] == [Frame] * 5
    assert frame.sort("a")["a"].to_list() == [1, 2]


def test_only_public_names_are_listed() -> None:
    assert dir(sy) == sorted(sy.__all__)
    assert {"Any", "annotations", "version"}.isdisjoint(dir(sy))
    assert all(getattr(sy, name) is not None for name in dir(sy))
    assert sy.analyze is sy.analyse


def test_a_table_of_marked_errors_keeps_the_texts_they_were_marked_in() -> None:
    rows = {"worker": ["w1"], "system": ["A"], "segment": ["1"], "start": [0], "end": [4]}

    found = sy.read(pl.DataFrame({**rows, "severity": ["minor"], "text": ["Some words"]}))

    assert found.source.texts["text"].to_list() == ["Some words"]
