"""Sources: which are databases, and what a file is called in a report."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

import pytest

from steelyard.domain.errors import SourceError
from steelyard.domain.scale import Scale
from steelyard.flows.create import create
from steelyard.flows.source import is_database, read_source


@pytest.mark.parametrize("source", ["eval.db", "x.sqlite", "x.sqlite3", "postgresql://h/d", "postgres://h/d"])
def test_databases_are_known_by_their_address(source: str) -> None:
    assert is_database(source)


@pytest.mark.parametrize("source", ["judgements.csv", "a.parquet", "b.jsonl.gz", "."])
def test_files_are_not_taken_for_databases(source: str) -> None:
    assert not is_database(source)


def test_a_database_under_any_name_is_known_by_its_content(
    campaign_file: Path, tmp_path: Path, noon: datetime
) -> None:
    create(campaign_file, str(tmp_path / "campaign-without-ending"), now=noon)

    assert is_database(str(tmp_path / "campaign-without-ending"))


def test_a_file_that_only_calls_itself_a_database_is_named(tmp_path: Path) -> None:
    (tmp_path / "fake.db").write_bytes(b"\x7fELF" + b"x" * 5000)

    with pytest.raises(SourceError, match="not a database"):
        read_source(str(tmp_path / "fake.db"))


def test_a_file_lends_its_name_to_title_and_signature(tmp_path: Path) -> None:
    path = tmp_path / "cs en.judgements.csv"
    path.write_text("worker,segment,rating\na,1,50\n", "utf-8")

    source = read_source(str(path))

    assert (source.title, source.campaign) == ("cs en", "cs-en")


def test_columns_and_scale_are_for_files_only(campaign_file: Path, tmp_path: Path, noon: datetime) -> None:
    create(campaign_file, str(tmp_path / "eval.db"), now=noon)

    with pytest.raises(SourceError, match="known already"):
        read_source(str(tmp_path / "eval.db"), scale=Scale(0, 5))
