from __future__ import annotations

import csv
import gzip
import io
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from steelyard.control_pairs import control_pairs
from steelyard.domain.errors import SourceError
from steelyard.domain.scale import Scale
from steelyard.domain.work import ItemKind
from steelyard.formats import judgements_file
from steelyard.formats._answers_2016 import HitItem, answers_of
from steelyard.formats.judgements_file import read_judgements
from steelyard.formats.upload_2016 import write_upload
from steelyard.frames import gather_credit

Item = tuple[str, ...]
# System, segment, kind, key. Names with underscores, one that ends like a kind.
ITEMS: list[Item] = [
    ("uedin_nmt", "12", "SYSTEM", "1000007"),
    ("uedin_nmt", "12", "BAD_REF", "1000003"),
    ("X_7_BAD", "5", "REF", "1000001"),
    ("online-B", "12", "REPEAT", "1000009"),
]
ANSWERS_2016 = [
    "X_7_BAD_5_REF_0__99",
    "uedin_nmt_12_BAD_REF_1__8",
    "online-B_12_REPEAT_2__61",
    "uedin_nmt_12_SYSTEM_3__77",
]
ANSWERS_2015 = ["0_1000007_77", "1_1000003_8", "2_1000001_99", "3_1000009_61"]


def _row(items: Sequence[Item], answers: Sequence[str], **cells: str) -> dict[str, str]:
    """One submitted HIT as Mechanical Turk reports it."""
    row = {
        "HITId": "HIT1",
        "HITTypeId": "T1",
        "AssignmentId": "ASG1",
        "WorkerId": "A1",
        "AssignmentStatus": "Approved",
        "AcceptTime": "Fri May 29 09:55:29 PDT 2015",
        "SubmitTime": "Fri May 29 10:18:25 PDT 2015",
        "WorkTimeInSeconds": "1376",
        "Input.src": "'cs'",
        "Input.trg": "'en'",
        "Input.item": "'ad'",
        "Input.hit": "0",
    }
    for i, (system, segment, kind, key) in enumerate(items):
        row |= {f"Input.sys_{i}": f"'{system}'", f"Input.sid_{i}": f"'{segment}'"}
        row |= {f"Input.tst_{i}": f"'{kind}'", f"Input.rid_{i}": f"'{key}'"}
    return {**row, "Answer.Q1": "|".join(answers), "Answer.comments": "", **cells}


def _without_input(row: dict[str, str]) -> dict[str, str]:
    return {name: cell for name, cell in row.items() if not name.startswith("Input.")}


def _batch(folder: Path, *rows: dict[str, str], name: str = "Batch_1_batch_results.csv") -> Path:
    """A batch of results: every cell in quotes, and two more columns than the rows have cells."""
    names = dict.fromkeys(name for row in rows for name in row)
    text = io.StringIO()
    writer = csv.writer(text, quoting=csv.QUOTE_ALL)
    writer.writerow([*names, "Approve", "Reject"])
    writer.writerows([row.get(name, "") for name in names] for row in rows)
    path = folder / name
    path.write_bytes(text.getvalue().encode())
    return path


def _problems(path: Path) -> tuple[str, ...]:
    with pytest.raises(SourceError) as caught:
        read_judgements(path)
    return caught.value.problems


def _said(frame: pl.DataFrame) -> list[tuple[str, str, str, float]]:
    return frame.select("system_id", "segment_id", "item_kind", "rating").sort(pl.all()).rows()


EXPECTED = sorted(
    [
        ("uedin_nmt", "12", "regular", 77.0),
        ("uedin_nmt", "12", "degraded", 8.0),
        ("X_7_BAD", "5", "reference", 99.0),
        ("online-B", "12", "repeat", 61.0),
    ]
)


def test_answers_of_2016_become_judgements(tmp_path: Path) -> None:
    found = read_judgements(_batch(tmp_path, _row(ITEMS, ANSWERS_2016)))

    assert _said(found.frame) == EXPECTED
    first = found.frame.row(0, named=True)
    assert (first["worker_id"], first["hit_id"], first["assignment_id"]) == ("A1", "HIT1", "ASG1")
    assert (first["judgement_id"], first["position"], first["attribute"]) == ("ASG1:0", 1, "adequacy")
    # 10:18:25 in California in summer is seven hours later in Greenwich.
    assert first["submitted_at"] == datetime(2015, 5, 29, 17, 18, 25, tzinfo=UTC)
    # Four answers in 1376 seconds.
    assert first["seconds"] == 344.0
    assert found.warnings == (
        "Only whole HITs were timed: each judgement got an equal share of the seconds.",
    )


def test_positions_are_the_order_of_answering(tmp_path: Path) -> None:
    found = read_judgements(_batch(tmp_path, _row(ITEMS, ANSWERS_2016))).frame

    assert found.sort("position")["system_id"].to_list() == ["X_7_BAD", "uedin_nmt", "online-B", "uedin_nmt"]


def test_answers_of_2015_become_judgements(tmp_path: Path) -> None:
    row = _row(ITEMS, ANSWERS_2015)
    row = {name.replace("Input.sys_", "Input.sys_id_"): cell.strip("'") for name, cell in row.items()}

    found = read_judgements(_batch(tmp_path, row)).frame

    assert _said(found) == EXPECTED
    assert found["position"].to_list() == [1, 2, 3, 4]


@pytest.mark.parametrize(
    ("written", "kind"),
    [("system", "regular"), ("cal", "degraded"), ("ref", "reference"), ("repeat", "repeat")],
)
def test_kinds_of_2015_are_recognised(tmp_path: Path, written: str, kind: str) -> None:
    row = _row([("A", "0", written, "37113")], ["0_37113_50"])

    assert read_judgements(_batch(tmp_path, row)).frame["item_kind"].to_list() == [kind]


def test_without_input_columns_answers_are_cut_from_the_right(tmp_path: Path) -> None:
    names = ["uedin_nmt", "a_SYSTEM_b", "x.2_y z", "Ω_REF"]
    kinds = ["SYSTEM", "BAD_REF", "REF", "REPEAT"]
    answers = [f"{names[k % 4]}_{k}_{kinds[k // 4 % 4]}_{k}__{k % 101}" for k in range(100)]

    found = read_judgements(_batch(tmp_path, _without_input(_row([], answers)))).frame

    ours = {"SYSTEM": "regular", "BAD_REF": "degraded", "REF": "reference", "REPEAT": "repeat"}
    assert found.select("system_id", "segment_id", "item_kind", "rating").rows() == [
        (names[k % 4], str(k), ours[kinds[k // 4 % 4]], float(k)) for k in range(100)
    ]


# Names made of what answers are made of, to confuse whoever cuts them.
_names = st.lists(
    st.sampled_from(
        ["A", "b c", "Ω", "_", "__", "12", "SYSTEM", "BAD", "REF", "BAD_REF", "_7_REF_3__5", "."]
    ),
    min_size=1,
    max_size=5,
).map("".join)
_items = st.tuples(
    _names, st.integers(0, 99).map(str), st.sampled_from(["SYSTEM", "REPEAT", "BAD_REF", "REF"])
)


@given(
    st.lists(st.tuples(_items, st.integers(0, 100)), min_size=1, max_size=8, unique_by=lambda pair: pair[0])
)
def test_answers_find_their_items_whatever_these_are_called(judged: list[tuple[Item, int]]) -> None:
    items = [HitItem(*item, str(1000000 + k)) for k, (item, _) in enumerate(judged)]
    answers = [f"{'_'.join(item)}_{turn}__{rating}" for turn, (item, rating) in enumerate(judged)]

    found = answers_of("|".join(answers), items)

    assert [(answer.item, answer.turn, answer.rating) for answer in found] == [
        (item, turn, str(rating)) for turn, (item, (_, rating)) in enumerate(zip(items, judged, strict=True))
    ]


@given(_items, st.integers(0, 100))
def test_answers_that_stand_alone_are_cut_right_whatever_they_name(item: Item, rating: int) -> None:
    answers = "|".join(f"{'_'.join(item)}_{turn}__{rating}" for turn in range(100))

    found = answers_of(answers, [])

    assert {(*answer.item[:3], answer.rating) for answer in found} == {(*item, str(rating))}


def test_one_underscore_before_the_rating_is_read_as_well(tmp_path: Path) -> None:
    row = _row([("A_b", "1", "SYSTEM", "1000001")], ["A_b_1_SYSTEM_0_55"])

    assert _said(read_judgements(_batch(tmp_path, row)).frame) == [("A_b", "1", "regular", 55.0)]


def test_an_item_that_is_in_a_hit_twice_is_judged_twice(tmp_path: Path) -> None:
    items = [("A", "1", "SYSTEM", "1000001"), ("A", "1", "SYSTEM", "1000002")]

    found = read_judgements(_batch(tmp_path, _row(items, ["A_1_SYSTEM_0__10", "A_1_SYSTEM_1__20"])))

    assert found.frame["rating"].to_list() == [10.0, 20.0]
    assert found.frame["judgement_id"].n_unique() == 2


@pytest.mark.parametrize(
    "answers",
    [
        ANSWERS_2016[:3],
        [*ANSWERS_2016, "A_1_SYSTEM_4__5"],
        [*ANSWERS_2016[:3], "undefined_undefined_undefined_3__77"],
        [*ANSWERS_2016[:3], "uedin_nmt_12_SYSTEM_3__"],
        [],
    ],
    ids=["too few", "too many", "undefined", "no rating", "none"],
)
def test_a_hit_that_was_not_fully_judged_is_left_out_whole_and_named(
    tmp_path: Path, answers: list[str]
) -> None:
    whole = _row(ITEMS, ANSWERS_2016, HITId="HIT2", AssignmentId="ASG2")
    path = _batch(tmp_path, _row(ITEMS, answers), whole)

    found = read_judgements(path)

    assert found.frame["hit_id"].unique().to_list() == ["HIT2"]
    assert found.warnings[0] == (
        "1 HIT was not fully judged and left out whole (HIT1 by A1): pay it all the same."
    )


def test_several_incomplete_hits_are_counted(tmp_path: Path) -> None:
    rows = [_row(ITEMS, [], HITId=f"H{k}") for k in range(25)]

    found = read_judgements(_batch(tmp_path, *rows))

    assert found.frame.is_empty()
    assert found.warnings[0].startswith(
        "25 HITs were not fully judged and left out whole (H0 by A1, H1 by A1"
    )
    assert found.warnings[0].endswith("H19 by A1 and 5 more): pay them all the same.")


def test_without_input_columns_a_hit_has_a_hundred_answers(tmp_path: Path) -> None:
    path = _batch(tmp_path, _without_input(_row([], ANSWERS_2016)))

    assert "not fully judged" in read_judgements(path).warnings[0]


def test_rejected_work_is_kept_and_said(tmp_path: Path) -> None:
    path = _batch(tmp_path, _row(ITEMS, ANSWERS_2016, AssignmentStatus="Rejected"))

    found = read_judgements(path)

    assert found.frame.height == 4
    assert "1 HIT had been rejected; the ratings are kept, and checks decide." in found.warnings


@pytest.mark.parametrize(
    ("written", "moment"),
    [
        ("Fri Jun 06 19:15:05 GMT 2014", datetime(2014, 6, 6, 19, 15, 5, tzinfo=UTC)),
        ("Tue Dec 02 23:15:05 PST 2014", datetime(2014, 12, 3, 7, 15, 5, tzinfo=UTC)),
        ("2014-06-06T19:15:05+02:00", datetime(2014, 6, 6, 17, 15, 5, tzinfo=UTC)),
        ("", None),
    ],
)
def test_times_of_mechanical_turk_are_read(tmp_path: Path, written: str, moment: datetime | None) -> None:
    found = read_judgements(_batch(tmp_path, _row(ITEMS, ANSWERS_2016, SubmitTime=written)))

    assert found.frame["submitted_at"].unique().to_list() == [moment]


@pytest.mark.parametrize("written", ["soon", "Fri Jun 06 19:15:05 XYZ 2014", "Fri Jun 31 19:15:05 GMT 2014"])
def test_a_time_that_cannot_be_read_is_unknown_and_counted(tmp_path: Path, written: str) -> None:
    found = read_judgements(_batch(tmp_path, _row(ITEMS, ANSWERS_2016, SubmitTime=written)))

    assert found.frame["submitted_at"].null_count() == 4
    assert "The time of submission of 1 HIT could not be read." in found.warnings


def test_without_work_times_seconds_are_unknown(tmp_path: Path) -> None:
    found = read_judgements(_batch(tmp_path, _row(ITEMS, ANSWERS_2016, WorkTimeInSeconds="")))

    assert found.frame["seconds"].null_count() == 4
    assert found.warnings == ()


def test_fluency_is_named_in_full(tmp_path: Path) -> None:
    path = _batch(tmp_path, _row(ITEMS, ANSWERS_2016, **{"Input.item": "'fl'"}))

    assert read_judgements(path).frame["attribute"].unique().to_list() == ["fluency"]


def test_language_pairs_of_one_file_share_no_segments(tmp_path: Path) -> None:
    other = _row(ITEMS, ANSWERS_2016, HITId="HIT2", AssignmentId="ASG2", **{"Input.src": "'de'"})

    found = read_judgements(_batch(tmp_path, _row(ITEMS, ANSWERS_2016), other))

    assert set(found.frame["segment_id"]) == {"cs-en:12", "cs-en:5", "de-en:12", "de-en:5"}
    assert "There are 2 language pairs (cs-en, de-en)" in found.warnings[-1]


@pytest.mark.parametrize(
    ("answers", "problem"),
    [
        (["nonsense", *ANSWERS_2016[1:]], "answer 1: 'nonsense' does not answer an item of this HIT"),
        ([*ANSWERS_2016[:3], ANSWERS_2016[1]], "answer 4: 'uedin_nmt_12_BAD_REF_1__8' does not answer an"),
        ([*ANSWERS_2015[:3], "3_1000007_61"], "answer 4: item 3 of the HIT does not have the key 1000007."),
        ([*ANSWERS_2015[:3], "4_1000009_61"], "answer 4: item 4 of the HIT does not have the key 1000009."),
        ([*ANSWERS_2016[:3], "uedin_nmt_12_SYSTEM_3__high"], "answer 4: rating high is not a number."),
        ([*ANSWERS_2016[:3], "uedin_nmt_12_SYSTEM_3__101"], "answer 4: rating 101 is outside the scale"),
    ],
)
def test_a_bad_answer_is_refused_with_line_and_number(
    tmp_path: Path, answers: list[str], problem: str
) -> None:
    path = _batch(tmp_path, _row(ITEMS, ANSWERS_2016), _row(ITEMS, answers, AssignmentId="ASG2"))

    assert _problems(path)[0].startswith(f"line 3, {problem}")


def test_an_answer_that_stands_alone_must_be_whole(tmp_path: Path) -> None:
    path = _batch(tmp_path, _without_input(_row([], ["A_SYSTEM_0__5"] * 100)))

    assert _problems(path)[0] == (
        "line 2, answer 1: 'A_SYSTEM_0__5' is neither SYSTEM_SEGMENT_KIND_INDEX__RATING nor INDEX_KEY_RATING."
    )


def test_answers_by_key_need_someone_who_knows_the_keys(tmp_path: Path) -> None:
    answers = [f"{k}_{1000000 + k}_50" for k in range(100)]

    problems = _problems(_batch(tmp_path, _without_input(_row([], answers))))

    assert problems == (
        "line 2, answer 1: only its key 1000000 says what was judged. Put the key file that knows it "
        "(NAME.key.csv) beside this file, or keep the batch's Input columns.",
    )


def test_two_columns_of_answers_are_refused(tmp_path: Path) -> None:
    row = {name: cell for name, cell in _row(ITEMS, ANSWERS_2016).items() if name != "Answer.Q1"}

    problems = _problems(_batch(tmp_path, {**row, "Answer.a": "x", "Answer.b": "y"}))

    assert problems[0].startswith("cannot tell which column holds the answers (Answer.a, Answer.b)")


def test_the_only_column_of_answers_is_taken_whatever_its_name(tmp_path: Path) -> None:
    row = _row(ITEMS, ANSWERS_2016)
    row["Answer.final"] = row.pop("Answer.Q1")

    assert _said(read_judgements(_batch(tmp_path, row)).frame) == EXPECTED


def test_the_same_submission_twice_is_refused(tmp_path: Path) -> None:
    row = _row(ITEMS, ANSWERS_2016)

    assert "appears twice for system" in _problems(_batch(tmp_path, row, row))[0]


@pytest.mark.parametrize("change", ["crlf", "bom", "gz", "remark of two lines"])
def test_ways_of_writing_the_same_batch(tmp_path: Path, change: str) -> None:
    remark = "well,\nthat was long" if change == "remark of two lines" else ""
    path = _batch(tmp_path, _row(ITEMS, ANSWERS_2016, **{"Answer.comments": remark}))
    content = path.read_bytes().replace(b"\r\n", b"\r\n" if change == "crlf" else b"\n")
    path.write_bytes(b"\xef\xbb\xbf" + content if change == "bom" else content)
    if change == "gz":
        path = tmp_path / "b.csv.gz"
        path.write_bytes(gzip.compress(content))

    assert _said(read_judgements(path).frame) == EXPECTED


def test_a_batch_can_be_given_as_a_table() -> None:
    table = pl.DataFrame([_row(ITEMS, ANSWERS_2016)])

    assert _said(judgements_file.from_table(table).frame) == EXPECTED


FLAT_HEADER = "HITId WorkerId Input.src Input.trg Input.item hit sys_id rid type sid score time"
FLAT_ROWS = [
    "HIT1 A1 cs en ad 97 uedin_nmt 0 SYSTEM 12 77 1376",
    "HIT1 A1 cs en ad 97 uedin_nmt 1 BAD_REF 12 8 1376",
    "HIT1 A1 cs en ad 97 X_7_BAD 2 REF 5 99 1376",
    "HIT1 A1 cs en ad 97 online-B 3 REPEAT 12 61 1376",
]


@pytest.mark.parametrize(
    "text",
    [
        "\n".join([FLAT_HEADER, *(row.replace(" ", "\t") for row in FLAT_ROWS)]) + "\n",
        "\n".join([FLAT_HEADER, *FLAT_ROWS]).replace(" ", "\t") + "\n",
        "\n".join([FLAT_HEADER, *FLAT_ROWS]),
        "\r\n".join([FLAT_HEADER, *FLAT_ROWS]).replace(" ", "\t"),
        "\n".join([FLAT_HEADER, *FLAT_ROWS]).replace(" ", ","),
        "\n".join([FLAT_HEADER.replace("Input.", ""), *FLAT_ROWS]).replace(" ", "\t"),
        "\n".join([FLAT_HEADER.replace("hit ", ""), *(row.replace("97 ", "") for row in FLAT_ROWS)]),
    ],
    ids=["spaces above tabs", "tabs", "spaces", "crlf", "commas", "no Input", "2015"],
)
def test_the_scripts_own_flat_table_is_read(tmp_path: Path, text: str) -> None:
    path = tmp_path / "ad-latest.csv"
    path.write_bytes(text.encode())

    found = read_judgements(path)

    assert _said(found.frame) == EXPECTED
    assert found.frame.select("worker_id", "hit_id", "attribute").unique().rows() == [
        ("A1", "HIT1", "adequacy")
    ]
    # The organisers' number of the HIT; the tables of 2015 had none.
    assert found.warnings in ((), ("Ignored columns: hit.",))
    assert found.hit_times.select("worker_id", "hit_id", "work_seconds").rows() == [("A1", "HIT1", 1376.0)]


def test_a_flat_table_of_several_pairs_keeps_their_segments_apart(tmp_path: Path) -> None:
    path = tmp_path / "ad-latest.csv"
    path.write_text("\n".join([FLAT_HEADER, *FLAT_ROWS, FLAT_ROWS[0].replace(" cs ", " de ")]))

    found = read_judgements(path)

    assert found.frame["segment_id"].to_list() == ["cs-en:12", "cs-en:12", "cs-en:5", "cs-en:12", "de-en:12"]
    assert "2 language pairs" in found.warnings[1]


def test_standardised_scores_are_no_ratings(tmp_path: Path) -> None:
    path = tmp_path / "ad-good-stnd.csv"
    path.write_text("\n".join([FLAT_HEADER, *(row.replace(" 8 ", " -0.9 ") for row in FLAT_ROWS)]))

    assert _problems(path)[0].startswith("holds standardised scores, but raw ratings are needed.")


def test_columns_named_by_the_caller_win_over_recognition(tmp_path: Path) -> None:
    path = tmp_path / "mine.csv"
    path.write_text("HITId,WorkerId,Answer.rating,text\nH,W,70,t1\n", "utf-8")

    found = read_judgements(path, columns={"rating": "Answer.rating", "segment": "text"})

    assert found.frame.select("worker_id", "hit_id", "segment_id", "rating").row(0) == ("W", "H", "t1", 70.0)


def test_another_scale_may_be_given(tmp_path: Path) -> None:
    path = _batch(tmp_path, _row(ITEMS, ANSWERS_2016))

    with pytest.raises(SourceError, match="outside the scale 1 to 5"):
        read_judgements(path, scale=Scale(1, 5))


@pytest.fixture
def audit() -> pl.DataFrame:
    """Two HITs of five items; awkward names, segments that are no numbers, all kinds, a credited system."""
    names = ["uedin_nmt.4", "my system", "Ω_REF", "plain"]
    kinds = ["regular", "degraded", "repeat", "reference", "gold"]
    rows = [
        {
            "hit": f"h{hit}",
            "position": place + 1,
            "kind": kind,
            "system": names[(hit + (4 if place < 4 else 1)) % 4],
            "segment": f"news-{hit}" if place < 4 else "calibration:7",
            "document": f"news {hit}",
            "text": f"{kind} {hit}",
            "source": "s",
            "reference": "r",
            "item_id": f"i-{hit}-{place}",
            "credited": ["twin"] if kind in ("regular", "repeat") else [],
            "known": 62.5 if kind == "gold" else None,
            "known_sd": 4.0 if kind == "gold" else None,
        }
        for hit in (1, 2)
        for place, kind in enumerate(kinds)
    ]
    return pl.DataFrame(rows, infer_schema_length=None)


def _run_elsewhere(upload: Path, rng: np.random.Generator) -> list[tuple[dict[str, str], dict[str, int]]]:
    """What Mechanical Turk would report of an upload, answered in random order, and the ratings by key."""
    with upload.open(encoding="utf-8", newline="") as file:
        hits = list(csv.DictReader(file))
    reports = []
    for number, hit in enumerate(hits):
        n = sum(bool(hit[name]) for name in hit if name.startswith("rid_"))
        cells = [[hit[f"{field}_{i}"].strip("'") for field in ("sys", "sid", "tst", "rid")] for i in range(n)]
        ratings = {key: int(rng.integers(0, 101)) for *_, key in cells}
        answers = [
            f"{system}_{segment}_{kind}_{index}__{ratings[key]}"
            for index, (system, segment, kind, key) in enumerate(cells[i] for i in rng.permutation(n))
        ]
        uploaded = {f"Input.{name}": cell for name, cell in hit.items()}
        row = {**_row([], answers, HITId=f"M{number}", AssignmentId=f"G{number}"), **uploaded}
        reports.append((row, ratings))
    return reports


def test_a_campaign_that_ran_elsewhere_comes_back_as_it_went(tmp_path: Path, audit: pl.DataFrame) -> None:
    write_upload(audit, tmp_path / "up.csv", source_language="de", target_language="en")
    reports = _run_elsewhere(tmp_path / "up.csv", np.random.default_rng(5))

    found = read_judgements(_batch(tmp_path, *(row for row, _ in reports)))

    key = pl.read_csv(tmp_path / "up.key.csv", schema_overrides={"rid": pl.String})
    answers = {key: rating for _, ratings in reports for key, rating in ratings.items()}
    columns = ("hit", "item_id", "kind", "system", "segment", "document", "known", "known_sd")
    answered = key.select(*columns, pl.col("rid").replace_strict(answers, return_dtype=pl.Float64))
    ours = ("hit_id", "item_id", "item_kind", "system_id", "segment_id", "document_id", "known", "known_sd")
    assert found.frame.select(*ours, "rating").sort(pl.all()).rows() == answered.sort(pl.all()).rows()
    assert found.frame.height == len(audit) + 4
    assert "Took HITs, items, systems, segments and kinds from up.key.csv." in found.warnings


def test_what_came_back_is_one_judgement_per_item_and_pairs(tmp_path: Path, audit: pl.DataFrame) -> None:
    write_upload(audit, tmp_path / "up.csv", source_language="de", target_language="en")
    reports = _run_elsewhere(tmp_path / "up.csv", np.random.default_rng(5))

    found = read_judgements(_batch(tmp_path, *(row for row, _ in reports))).frame

    gathered = gather_credit(found)
    assert len(gathered) == len(audit)
    assert sorted(gathered["item_id"]) == sorted(audit["item_id"])
    # One control of each kind in each of two HITs.
    pairs = [
        control_pairs(gathered, kind) for kind in (ItemKind.DEGRADED, ItemKind.REPEAT, ItemKind.REFERENCE)
    ]
    assert [len(found) for found in pairs] == [2, 2, 2]


def test_keys_suffice_where_the_answers_have_nothing_else(tmp_path: Path, audit: pl.DataFrame) -> None:
    hundred = pl.concat(
        [
            audit.filter(hit="h1").with_columns(
                item_id=pl.format("{}-{}", "item_id", pl.lit(k)), position=pl.col("position") + 5 * k
            )
            for k in range(20)
        ]
    )
    write_upload(hundred, tmp_path / "up.csv", source_language="de", target_language="en")
    key = pl.read_csv(tmp_path / "up.key.csv").filter(pl.col("system") != "twin")
    answers = [f"{k}_{rid}_{k}" for k, rid in enumerate(key["rid"])]

    found = read_judgements(_batch(tmp_path, _without_input(_row([], answers)))).frame

    first = found.unique("item_id").sort("rating")
    assert first["item_id"].to_list() == key["item_id"].to_list()
    assert first["rating"].to_list() == [float(k) for k in range(100)]


def test_a_key_of_another_campaign_is_not_believed(tmp_path: Path, audit: pl.DataFrame) -> None:
    write_upload(audit, tmp_path / "up.csv", source_language="de", target_language="en")
    rid = pl.read_csv(tmp_path / "up.key.csv")["rid"][0]
    # The same key by chance, but another system's.
    row = _row([("other", "3", "SYSTEM", str(rid))], ["other_3_SYSTEM_0__40"])

    found = read_judgements(_batch(tmp_path, row))

    assert _said(found.frame) == [("other", "3", "regular", 40.0)]
    assert not any("Took" in warning for warning in found.warnings)


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ("segment", "phrase", "there is no column segment; export it again."),
        (",news-1,", ",,", "line 2: segment is empty; export the key again."),
    ],
)
def test_a_damaged_key_is_refused_by_name(
    tmp_path: Path, audit: pl.DataFrame, old: str, new: str, problem: str
) -> None:
    write_upload(audit, tmp_path / "up.csv", source_language="de", target_language="en")
    key = tmp_path / "up.key.csv"
    key.write_text(key.read_text("utf-8").replace(old, new, 1), "utf-8")

    with pytest.raises(SourceError) as caught:
        read_judgements(_batch(tmp_path, _row(ITEMS, ANSWERS_2016)))

    assert (caught.value.where, caught.value.problems) == (str(key), (problem,))
