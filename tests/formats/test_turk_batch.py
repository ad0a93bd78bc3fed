"""Batches of Mechanical Turk's requester site in which each row is one rating."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import polars as pl
import pytest

from steelyard.cli.main import run
from steelyard.domain.errors import SourceError
from steelyard.formats.judgements_file import JudgementsFile, read_judgements

# As the site writes them, in its order.
HEADER = (
    *("HITId", "HITTypeId", "Title", "Description", "Keywords", "Reward", "CreationTime", "MaxAssignments"),
    *("RequesterAnnotation", "AssignmentDurationInSeconds", "AutoApprovalDelayInSeconds", "Expiration"),
    *("NumberOfSimilarHITs", "LifetimeInSeconds", "AssignmentId", "WorkerId", "AssignmentStatus"),
    *("AcceptTime", "SubmitTime", "AutoApprovalTime", "ApprovalTime", "RejectionTime", "RequesterFeedback"),
    *("WorkTimeInSeconds", "LifetimeApprovalRate", "Last30DaysApprovalRate", "Last7DaysApprovalRate"),
)


def write(path: Path, *rows: dict[str, str]) -> Path:
    """A batch of one HIT type; a row says what is its own, by the names of the columns."""
    usual = {"HITTypeId": "T1", "AssignmentStatus": "Approved"}
    names = [*HEADER, *(name for name in rows[0] if name not in HEADER), "Approve", "Reject"]
    pl.DataFrame([{name: (usual | row).get(name, "") for name in names} for row in rows]).write_csv(path)
    return path


def row(number: int, worker: str, **own: str) -> dict[str, str]:
    return {
        "HITId": f"H{number}",
        "AssignmentId": f"S{number}{worker}",
        "WorkerId": worker,
        "AcceptTime": "Wed Nov 04 09:00:00 PST 2026",
        "SubmitTime": "Wed Nov 04 09:01:30 PST 2026",
        "WorkTimeInSeconds": "90",
        **own,
    }


def item(segment: str, rating: str, system: str = "online-A", **more: str) -> dict[str, str]:
    return {"Input.segment": segment, "Input.system": system, **more, "Answer.rating": rating}


@pytest.fixture
def batch(tmp_path: Path) -> Path:
    return write(
        tmp_path / "Batch_1_batch_results.csv",
        row(1, "A1", **item("12", "80")),
        row(1, "A2", **item("12", "60"), AssignmentStatus="Rejected"),
        row(2, "A1", **item("13", "20", "online-B")),
    )


def rows_of(found: JudgementsFile, *names: str) -> list[tuple[object, ...]]:
    return found.frame.select(pl.col(names).cast(pl.String) if names[0] != "rating" else pl.col(names)).rows()


def test_a_batch_with_usual_names_is_read_without_a_word(batch: Path) -> None:
    found = read_judgements(batch)

    names = ("worker_id", "hit_id", "segment_id", "system_id", "judgement_id")
    assert rows_of(found, *names) == [
        ("A1", "H1", "12", "online-A", "S1A1"),
        ("A2", "H1", "12", "online-A", "S1A2"),
        ("A1", "H2", "13", "online-B", "S2A1"),
    ]
    assert rows_of(found, "rating", "seconds") == [(80.0, 90.0), (60.0, 90.0), (20.0, 90.0)]
    # Pacific time is eight hours behind Greenwich in November.
    assert found.frame["submitted_at"][0] == datetime(2026, 11, 4, 17, 1, 30, tzinfo=UTC)


def test_what_was_rejected_is_known_as_rejected_and_kept(batch: Path) -> None:
    found = read_judgements(batch)

    times = found.hit_times.sort("worker_id", "hit_id")
    assert times.select("worker_id", "hit_id", "is_rejected", "work_seconds").rows() == [
        ("A1", "H1", False, 90.0),
        ("A1", "H2", False, 90.0),
        ("A2", "H1", True, 90.0),
    ]
    assert times["accepted_at"][0] == datetime(2026, 11, 4, 17, 0, tzinfo=UTC)
    assert "1 assignment had been rejected; the ratings are kept, and checks decide." in found.warnings


def test_other_names_are_named_by_the_caller_and_the_site_s_own_are_filled_in(tmp_path: Path) -> None:
    path = write(
        tmp_path / "batch.csv",
        row(1, "A1", **{"Input.id": "12", "Input.mt": "A", "Answer.slider": "80"}),
        row(2, "A1", **{"Input.id": "13", "Input.mt": "B", "Answer.slider": "20"}),
    )

    found = read_judgements(
        path, columns={"segment": "Input.id", "rating": "Answer.slider", "system": "Input.mt"}
    )

    assert rows_of(found, "worker_id", "segment_id", "system_id", "judgement_id") == [
        ("A1", "12", "A", "S1A1"),
        ("A1", "13", "B", "S2A1"),
    ]
    assert found.hit_times["is_rejected"].to_list() == [False, False]
    # Nothing is guessed from names that say nothing.
    with pytest.raises(SourceError, match="there is no column segment and no column rating"):
        read_judgements(path)


def test_controls_are_compared_with_their_bases_though_each_is_a_hit(tmp_path: Path) -> None:
    path = write(
        tmp_path / "batch.csv",
        row(1, "A1", **item("12", "80", **{"Input.kind": "regular"})),
        row(2, "A1", **item("12", "10", **{"Input.kind": "BAD_REF"})),
    )

    found = read_judgements(path)

    assert rows_of(found, "hit_id", "item_kind") == [("T1", "regular"), ("T1", "degraded")]
    # One HIT of ours is several of the site's: none of these times is that of all.
    assert found.hit_times.is_empty()
    assert any("one, so that controls" in warning for warning in found.warnings)


def test_rows_that_were_taken_apart_share_an_assignment_and_are_ratings_of_their_own(tmp_path: Path) -> None:
    path = write(
        tmp_path / "batch.csv",
        row(1, "A1", **item("12", "80")),
        row(1, "A1", **item("13", "70")),
    )

    found = read_judgements(path)

    assert rows_of(found, "rating", "seconds") == [(80.0, None), (70.0, None)]
    assert found.frame["judgement_id"].null_count() == 2
    assert found.hit_times.select("hit_id", "work_seconds").rows() == [("H1", 90.0)]


def test_preferences_are_read_as_such(tmp_path: Path) -> None:
    own = {"Input.segment": "12", "Input.system_a": "A", "Input.system_b": "B", "Answer.preference": "b"}

    found = read_judgements(write(tmp_path / "batch.csv", row(1, "A1", **own)))

    assert found.preferences.select("worker_id", "system_a", "preference").rows() == [("A1", "A", "b")]


def test_a_batch_is_analysed_by_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = [
        row(number, worker, **item(str(number), str(rating - 30 * (number % 2)), "AB"[number % 2]))
        for worker, rating in (("A1", 80), ("A2", 75))
        for number in range(8)
    ]
    path = write(tmp_path / "batch.csv", *rows)

    assert run(["analyse", str(path), "--check", "none", "--method", "mean-rating"]) == 0

    printed = capsys.readouterr().out
    assert printed.index("A ") < printed.index("B ")
