"""Metrics' scores of the four cells: read in any form of table, refused with every line that is wrong."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from steelyard.domain.cells import CellMetric, FourCells
from steelyard.domain.errors import SourceError
from steelyard.formats.cell_metrics_file import read_cell_metrics

HEADER = "pair,metric,curr_old,curr_new,best_old,best_new\n"
ROWS = (
    CellMetric("de-en", "BLEU", FourCells(38.3, 26.5, 21.1, 23.8)),
    CellMetric("de-en", "METEOR", FourCells(40.3, 32.7, 33.4, 31.7)),
)


def written(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.write_text(text, "utf-8")
    return path


def test_a_csv_file_is_read(tmp_path: Path) -> None:
    text = HEADER + "de-en,BLEU,38.3,26.5,21.1,23.8\nde-en,METEOR,40.3,32.7,33.4,31.7\n"

    assert read_cell_metrics(written(tmp_path, "scores.csv", text)) == ROWS


def test_columns_may_be_in_any_order_and_spelling_and_others_are_ignored(tmp_path: Path) -> None:
    header = "Metric\tBEST-new\tBEST-old\tPair\tCURR_new\tnote\tCURR_old\n"

    found = read_cell_metrics(
        written(tmp_path, "scores.tsv", header + " BLEU \t23.8\t21.1\tde-en\t26.5\tx\t38.3\n")
    )

    assert found == ROWS[:1]


def test_a_parquet_file_is_read(tmp_path: Path) -> None:
    table = pl.DataFrame([{"pair": row.pair, "metric": row.metric, **row.values._asdict()} for row in ROWS])
    table.write_parquet(tmp_path / "scores.parquet")

    assert read_cell_metrics(tmp_path / "scores.parquet") == ROWS


def test_every_problem_is_listed_with_its_line(tmp_path: Path) -> None:
    text = HEADER + (
        "de-en,BLEU,1,2,3,4\nde-en,BLEU,1,2,3,4\n,BLEU,1,2,3,4\nfr-en,,1,2,x,nan\ncs-en,BLEU,1,2,3,\n"
    )

    with pytest.raises(SourceError) as caught:
        read_cell_metrics(written(tmp_path, "scores.csv", text))

    assert caught.value.problems == (
        "line 3: BLEU of de-en appears twice; each pair has one row for a metric.",
        "line 4: has no pair.",
        "line 5: has no metric.",
        "line 5: best_old is 'x', which is not a number.",
        "line 5: best_new is 'nan', which is not a number.",
        "line 6: has no best_new; a gain needs all four cells.",
    )


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("pair,metric,curr_old,curr_new\n", "there is no column best_new. Columns found: pair, metric,"),
        (HEADER, "has no rows"),
        ("", "is empty"),
    ],
)
def test_what_is_no_table_of_scores_is_refused(text: str, said: str, tmp_path: Path) -> None:
    with pytest.raises(SourceError) as caught:
        read_cell_metrics(written(tmp_path, "scores.csv", text))

    assert said in str(caught.value)


def test_a_folder_or_nothing_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="is a folder"):
        read_cell_metrics(tmp_path)
    with pytest.raises(SourceError, match="no such file"):
        read_cell_metrics(tmp_path / "absent.csv")
