"""How long HITs took: on the rows of judgements, in batches of results, or as a table of their own."""

from __future__ import annotations

import gzip
import json
from datetime import UTC, datetime
from pathlib import Path

import polars as pl
import pytest

from steelyard.domain.errors import SourceError
from steelyard.formats import judgements_file
from steelyard.formats.hit_times_file import read_hit_times
from steelyard.formats.judgements_file import read_judgements
from steelyard.frames import HIT_TIMES_SCHEMA

DATA = Path(__file__).parents[3] / "shared" / "data"
JUDGED = "worker,segment,rating,hit,{}\nw1,1,5,h1,900\nw1,2,6,h1,900\nw1,1,7,h2,\nw2,1,8,h1,30.5\n"
ACCEPTED = datetime(2020, 3, 3, 9, 30, 5, tzinfo=UTC)
# What only a server counts: answers, those unread, and seconds claimed beyond its clock.
NO_ANSWERS = (None, None, None)
SUBMITTED = datetime(2020, 3, 3, 9, 40, 5, tzinfo=UTC)
# Ten minutes.
TABLE = (
    "worker,hit,work_seconds,accept_time,submit_time,approval\n"
    "w1,h1,600,2020-03-03 09:30:05,2020-03-03 09:40:05,Submitted\n"
)


def _file(folder: Path, content: str | bytes, name: str = "j.csv") -> Path:
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def _seconds(times: pl.DataFrame) -> list[tuple[str, str, float | None]]:
    return times.select("worker_id", "hit_id", "work_seconds").rows()


def _problems(path: Path) -> tuple[str, ...]:
    with pytest.raises(SourceError) as caught:
        read_hit_times(path)
    return caught.value.problems


@pytest.mark.parametrize(
    "name",
    ["hit_seconds", "Hit_Seconds", "work_seconds", "work-seconds", "WorkTimeInSeconds", "hit_time", "time"],
)
def test_a_column_of_judgements_gives_one_time_per_worker_and_hit(tmp_path: Path, name: str) -> None:
    found = read_judgements(_file(tmp_path, JUDGED.format(name)))

    assert _seconds(found.hit_times) == [("w1", "h1", 900.0), ("w1", "h2", None), ("w2", "h1", 30.5)]
    assert found.hit_times.schema == pl.Schema(HIT_TIMES_SCHEMA)
    assert found.warnings == ()


def test_without_such_a_column_nothing_is_known_of_any_hit(tmp_path: Path) -> None:
    found = read_judgements(_file(tmp_path, "worker,segment,rating,hit\nw,1,5,h\n"))

    assert found.hit_times.is_empty()
    assert found.hit_times.schema == pl.Schema(HIT_TIMES_SCHEMA)


def test_tables_in_memory_have_hit_times_too() -> None:
    table = pl.DataFrame({"worker": ["w"], "segment": [1], "rating": [5], "hit": ["h"], "hit_seconds": [60]})

    assert _seconds(judgements_file.from_table(table).hit_times) == [("w", "h", 60.0)]


def test_of_several_times_of_a_hit_the_largest_counts_with_a_warning(tmp_path: Path) -> None:
    text = JUDGED.format("hit_seconds").replace("w1,2,6,h1,900", "w1,2,6,h1,901")

    found = read_judgements(_file(tmp_path, text))

    assert _seconds(found.hit_times)[0] == ("w1", "h1", 901.0)
    assert found.warnings == (
        "The rows of 1 of 3 HITs disagree on how long the HIT took (HIT 'h1' of worker 'w1' is one): "
        "the longest time counts.",
    )


@pytest.mark.parametrize("written", ["-12", "", " "])
def test_negative_and_empty_times_are_unknown(tmp_path: Path, written: str) -> None:
    text = f"worker,segment,rating,hit,hit_seconds\nw,1,5,h,{written}\n"

    assert _seconds(read_judgements(_file(tmp_path, text)).hit_times) == [("w", "h", None)]


def test_a_time_that_is_no_number_is_refused_with_its_line(tmp_path: Path) -> None:
    path = _file(tmp_path, JUDGED.format("hit_seconds").replace("30.5", "long"))

    with pytest.raises(SourceError) as caught:
        read_judgements(path)

    assert caught.value.problems == ("line 5: hit_seconds long is not a number.",)


@pytest.mark.parametrize(
    "text",
    [
        JUDGED.format("time").replace("30.5", "12:30"),
        JUDGED.format("time").replace("w1,2,6,h1,900", "w1,2,6,h1,14"),
        "worker,segment,rating,time\nw,1,5,12\nw,2,5,12\n",
    ],
    ids=["of day", "of each judgement", "no hit"],
)
def test_a_column_called_time_may_be_something_else(tmp_path: Path, text: str) -> None:
    found = read_judgements(_file(tmp_path, text))

    assert found.hit_times.is_empty()
    assert found.warnings == (
        "Ignored column 'time': it is not the seconds that each HIT took (if it is, call it hit_seconds).",
    )


def test_the_caller_may_name_the_column(tmp_path: Path) -> None:
    path = _file(tmp_path, JUDGED.format("duration"))

    found = read_judgements(path, columns={"hit_seconds": "duration"})

    assert _seconds(found.hit_times)[0] == ("w1", "h1", 900.0)


def test_a_batch_of_results_tells_all_about_its_hits(tmp_path: Path) -> None:
    names = "HITId,WorkerId,AssignmentStatus,AcceptTime,SubmitTime,WorkTimeInSeconds"
    items = "Input.sys_0,Input.sid_0,Input.tst_0,Input.rid_0,Answer.Q1"
    item = "A,1,SYSTEM,1000001,A_1_SYSTEM_0__5"
    row = f"H1,A1,{{}},Fri May 29 09:55:29 PDT 2015,Fri May 29 10:18:25 PDT 2015,1376,{item}"
    rows = [row.format("Rejected"), row.format("Approved").replace("H1", "H2").replace("1376", "")]

    found = read_judgements(_file(tmp_path, "\n".join([f"{names},{items}", *rows])))

    # Seven hours west of Greenwich.
    accepted = datetime(2015, 5, 29, 16, 55, 29, tzinfo=UTC)
    submitted = datetime(2015, 5, 29, 17, 18, 25, tzinfo=UTC)
    assert found.hit_times.rows() == [
        ("A1", "H1", 1376.0, accepted, submitted, True, *NO_ANSWERS),
        ("A1", "H2", None, accepted, submitted, False, *NO_ANSWERS),
    ]


def test_hits_that_were_not_fully_judged_have_no_time(tmp_path: Path) -> None:
    text = "HITId,WorkerId,WorkTimeInSeconds,Input.sys_0,Input.sid_0,Input.tst_0,Input.rid_0,Answer.Q1\n"

    found = read_judgements(_file(tmp_path, f"{text}H1,A1,60,A,1,SYSTEM,1000001,\n"))

    assert found.hit_times.is_empty()


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("t.csv", TABLE),
        ("t.tsv", TABLE.replace(",", "\t")),
        ("t.csv.gz", gzip.compress(TABLE.encode(), mtime=0)),
        ("t.csv", "\ufeff" + TABLE.replace("\n", "\r\n")),
        ("t.csv", "\n".join(",".join(reversed(line.split(","))) for line in TABLE.split("\n"))),
        (
            "t.jsonl",
            json.dumps(dict(zip(*(line.split(",") for line in TABLE.split("\n")[:2]), strict=True))),
        ),
    ],
    ids=["csv", "tsv", "gz", "windows", "order", "jsonl"],
)
def test_a_table_of_times_is_read_in_any_format(tmp_path: Path, name: str, content: str | bytes) -> None:
    found = read_hit_times(_file(tmp_path, content, name))

    assert found.schema == pl.Schema(HIT_TIMES_SCHEMA)
    assert found.rows() == [("w1", "h1", 600.0, ACCEPTED, SUBMITTED, False, *NO_ANSWERS)]


@pytest.mark.parametrize(
    "header",
    [
        "WorkerId,HITId,WorkTimeInSeconds,AcceptTime,SubmitTime,AssignmentStatus",
        "worker_id,hit_id,work-seconds,accept,submit,approval",
        "worker,hit,hit_seconds,accepted_at,submitted_at,approval",
    ],
)
def test_names_of_other_systems_are_recognised(tmp_path: Path, header: str) -> None:
    text = "\n".join([header, *TABLE.split("\n")[1:]])

    assert read_hit_times(_file(tmp_path, text)).rows() == [
        ("w1", "h1", 600.0, ACCEPTED, SUBMITTED, False, *NO_ANSWERS)
    ]


RELEASE_HEADER = "HITId WorkerId  src trg item  hit work-seconds  accept  submit  approval"


@pytest.mark.parametrize(
    "text",
    [
        RELEASE_HEADER
        + '\nh1 w1 xx en ad 1 600.0 "Tue Mar 03 09:30:05 2020" "Tue Mar 03 09:40:05 2020" Submitted\n',
        "HITId\tWorkerId\tsrc\ttrg\titem\thit work-seconds\taccept\tsubmit\tapproval\n"
        'h1\tw1\txx\ten\tad\t1\t600\t"Tue Mar  3 09:30:05 2020"\t"Tue Mar 03 09:40:05 2020"\tSubmitted\n',
        RELEASE_HEADER
        + "\nh1\tw1\txx\ten\tad\t1\t600\t2020-03-03 09:30:05\tTue Mar 03 09:40:05 2020\tapproved\n",
    ],
    ids=["release", "scripts", "tabs without quotes"],
)
def test_the_file_of_a_release_is_read(tmp_path: Path, text: str) -> None:
    found = read_hit_times(_file(tmp_path, text, "ad-hit-time.csv"))

    # HITId is the HIT, not the organisers' number.
    assert found.rows() == [("w1", "h1", 600.0, ACCEPTED, SUBMITTED, False, *NO_ANSWERS)]


@pytest.mark.parametrize(
    ("written", "moment"),
    [
        ("2020-03-03T09:30:05Z", datetime(2020, 3, 3, 9, 30, 5, tzinfo=UTC)),
        ("2020-03-03 09:30:05", datetime(2020, 3, 3, 9, 30, 5, tzinfo=UTC)),
        ("2020-03-03T11:30:05.5+02:00", datetime(2020, 3, 3, 9, 30, 5, 500000, UTC)),
        ("1583227805", datetime(2020, 3, 3, 9, 30, 5, tzinfo=UTC)),
        ("1583227805.25", datetime(2020, 3, 3, 9, 30, 5, 250000, UTC)),
        ("Tue Mar 03 09:30:05 2020", datetime(2020, 3, 3, 9, 30, 5, tzinfo=UTC)),
        ("Tue Mar 03 09:30:05 PDT 2020", datetime(2020, 3, 3, 16, 30, 5, tzinfo=UTC)),
        ("Tue Mar 03 09:30:05 GMT 2020", datetime(2020, 3, 3, 9, 30, 5, tzinfo=UTC)),
        ("Thu Dec 02 23:15:05 PST 2021", datetime(2021, 12, 3, 7, 15, 5, tzinfo=UTC)),
        ("", None),
    ],
)
def test_times_are_read_in_all_ways_in_use(tmp_path: Path, written: str, moment: datetime | None) -> None:
    found = read_hit_times(_file(tmp_path, f"worker,hit,accept\nw,h,{written}\n"))

    assert found["accepted_at"].to_list() == [moment]


@pytest.mark.parametrize(
    ("written", "is_rejected"),
    [("Rejected", True), ("REJECTED", True), ("Submitted", False), ("approved", False), ("", None)],
)
def test_approval_says_whether_work_was_rejected(
    tmp_path: Path, written: str, is_rejected: bool | None
) -> None:
    found = read_hit_times(_file(tmp_path, f"worker,hit,approval\nw,h,{written}\n"))

    assert found["is_rejected"].to_list() == [is_rejected]


@pytest.mark.parametrize("written", ["-1", "", "NA"])
def test_negative_and_missing_seconds_are_unknown(tmp_path: Path, written: str) -> None:
    found = read_hit_times(_file(tmp_path, f"worker,hit,work_seconds\nw,h,{written}\n"))

    assert found["work_seconds"].to_list() == [None]


def test_without_seconds_they_are_the_time_from_acceptance_to_submission(tmp_path: Path) -> None:
    text = "worker,hit,accept,submit\nw,h1,100,160.5\nw,h2,100,\nw,h3,100,90\n"

    found = read_hit_times(_file(tmp_path, text))

    assert found["work_seconds"].to_list() == [60.5, None, None]


def test_a_hit_that_is_there_twice_is_one(tmp_path: Path) -> None:
    text = (
        "worker,hit,work_seconds,accept,submit,approval\n"
        "w,h,50,100,150,Approved\nw,h,60,90,150,Rejected\nw,h,,110,170,\n"
    )

    found = read_hit_times(_file(tmp_path, text))

    assert found.rows() == [
        ("w", "h", 60.0, datetime.fromtimestamp(90, UTC), datetime.fromtimestamp(170, UTC), True, *NO_ANSWERS)
    ]


def test_all_problems_of_a_table_are_listed_with_their_lines(tmp_path: Path) -> None:
    text = (
        "worker,hit,work_seconds,accept,submit,approval\n"
        ",h1,5,,,\n\nw,,high,noon,1,Maybe\nw,h2,inf,Fri Jun 31 19:15:05 GMT 2014,1,Approved\n"
    )

    problems = _problems(_file(tmp_path, text))

    ways = "is not a time: write ISO 8601, Unix seconds or Tue Mar 03 09:30:05 PDT 2020."
    assert problems == (
        "line 2: worker is empty.",
        "line 4: hit is empty.",
        "line 4: work_seconds high is not a number.",
        f"line 4: accept_time noon {ways}",
        "line 4: approval Maybe is unknown; use Submitted, Approved or Rejected.",
        "line 5: work_seconds inf is not a number.",
        f"line 5: accept_time Fri Jun 31 19:15:05 GMT 2014 {ways}",
    )


@pytest.mark.parametrize(
    ("header", "problem"),
    [
        ("hit,work_seconds", "there is no column worker (or workerid, worker_id)."),
        ("worker,work_seconds", "there is no column hit (or hitid, hit_id)."),
        ("worker,hit,colour", "there is no work_seconds, accept_time, submit_time and approval"),
    ],
)
def test_missing_columns_are_refused(tmp_path: Path, header: str, problem: str) -> None:
    assert _problems(_file(tmp_path, f"{header}\n"))[0].startswith(problem)


def test_a_folder_or_nothing_at_all_is_refused(tmp_path: Path) -> None:
    assert _problems(tmp_path) == ("is a folder; name the file with the HIT times.",)
    assert _problems(tmp_path / "t.csv") == ("there is no such file.",)


@pytest.mark.skipif(not DATA.is_dir(), reason="the folder of real data is absent")
@pytest.mark.parametrize("campaign", ["wmt21-toen", "wmt22-toen"])
def test_real_times_of_a_table_are_those_on_the_judgements(campaign: str) -> None:
    table = read_hit_times(DATA / campaign / "expected" / "cs-en.hit_times.csv.gz")

    judged = read_judgements(DATA / campaign / "cs-en.judgements.csv.gz").hit_times

    both = judged.join(table, on=["worker_id", "hit_id"])
    assert len(both) == len(judged) > 100
    assert both["work_seconds"].equals(both["work_seconds_right"], check_names=False)
    # The platform measures from acceptance to submission.
    lasted = (both["submitted_at_right"] - both["accepted_at_right"]).dt.total_seconds()
    assert ((lasted - both["work_seconds"]).abs() <= 1).all()
