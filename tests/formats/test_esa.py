"""Error span annotation as it was published: degraded copies of documents, items submitted again."""

from __future__ import annotations

import csv
import gzip
import io
import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from scipy.stats import ttest_rel

from steelyard.control_pairs import control_pairs
from steelyard.domain.work import ItemKind
from steelyard.formats import judgements_file
from steelyard.formats.judgements_file import read_judgements

DATA = Path(__file__).parents[3] / "shared" / "data" / "esa-wmt23-en-de"
HEADER = (
    *("login", "annotator", "system", "item", "item_type", "score", "doc", "doc_base"),
    *("n_minor", "n_major", "error_spans", "start", "end"),
)
SPANS = '[{"start_i":"missing","end_i":"missing","severity":"major"}]'
# Login, system, item, type, score, document, end.
Row = tuple[str, str, int, str, int, str, float]
# One HIT: two systems' translations of a document, a third document, degraded copies of two.
ROWS: list[Row] = [
    ("log1", "sys-A", 1, "TGT", 81, "news.1#sys-A", 10.0),
    ("log1", "sys-A", 2, "TGT", 82, "news.1#sys-A", 20.0),
    ("log1", "B_2", 3, "TGT", 83, "news.1#B_2", 30.0),
    ("log1", "B_2", 4, "TGT", 84, "news.1#B_2", 40.0),
    ("log1", "B_2", 5, "TGT", 85, "chat-7#B_2", 50.0),
    ("log1", "sys-A", 6, "BAD", 16, "news.1#sys-A#bad1", 60.0),
    ("log1", "sys-A", 7, "BAD", 17, "news.1#sys-A#bad1", 70.0),
    ("log1", "B_2", 8, "BAD", 18, "chat-7#B_2#bad12", 80.0),
    ("log2", "sys-A", 1, "TGT", 91, "news.1#sys-A", 11.0),
    ("log2", "sys-A", 2, "TGT", 92, "news.1#sys-A", 21.0),
    ("log2", "sys-A", 3, "BAD", 26, "news.1#sys-A#bad1", 31.0),
    ("log2", "sys-A", 4, "BAD", 27, "news.1#sys-A#bad1", 41.0),
]
# Login, system, segment, base, control.
PAIRS = [
    ("log1", "B_2", "chat-7:1", 85.0, 18.0),
    ("log1", "sys-A", "news.1:1", 81.0, 16.0),
    ("log1", "sys-A", "news.1:2", 82.0, 17.0),
    ("log2", "sys-A", "news.1:1", 91.0, 26.0),
    ("log2", "sys-A", "news.1:2", 92.0, 27.0),
]


def _tidy(rows: Sequence[Row] = ROWS, *, without: Sequence[str] = ()) -> str:
    """A table with all columns of the published ones but some."""
    text = io.StringIO()
    writer = csv.DictWriter(text, [name for name in HEADER if name not in without], extrasaction="ignore")
    writer.writeheader()
    for login, system, item, kind, score, document, end in rows:
        cells = (login, "", system, item, kind, score, document, document.partition("#bad")[0])
        writer.writerow(dict(zip(HEADER, (*cells, 0, 1, SPANS, end - 5, end), strict=True)))
    return text.getvalue()


def _export(rows: Sequence[Row] = ROWS) -> str:
    """The same as Appraise exports it."""
    text = io.StringIO()
    csv.writer(text).writerows(
        (login, system, item, kind, "eng", "deu", score, document, "False", SPANS, end - 5, end)
        for login, system, item, kind, score, document, end in rows
    )
    return text.getvalue()


def _read(folder: Path, text: str) -> judgements_file.JudgementsFile:
    (folder / "scores.csv").write_text(text, "utf-8")
    return read_judgements(folder / "scores.csv")


def _pairs(frame: pl.DataFrame) -> list[tuple[object, ...]]:
    pairs = control_pairs(frame, ItemKind.DEGRADED)
    return sorted(
        pairs.select("worker_id", "system_id", "segment_id", "base_rating", "control_rating").rows()
    )


@pytest.mark.parametrize(
    "text",
    [
        _tidy(),
        _tidy(list(reversed(ROWS))),
        _tidy(without=("annotator", "doc_base", "n_minor", "n_major", "error_spans")),
        _tidy(without=("start", "end")),
        _export(),
        _export(list(reversed(ROWS))),
    ],
    ids=["tidy", "newest first", "few columns", "no times", "export", "export newest first"],
)
def test_a_degraded_document_pairs_with_its_base_item_by_item(tmp_path: Path, text: str) -> None:
    assert _pairs(_read(tmp_path, text).frame) == PAIRS


def test_items_may_begin_at_any_number(tmp_path: Path) -> None:
    later = [(login, system, item + 6, *rest) for login, system, item, *rest in ROWS]

    assert _pairs(_read(tmp_path, _tidy(later)).frame) == PAIRS  # type: ignore[arg-type]


def test_a_system_may_have_been_taken_out(tmp_path: Path) -> None:
    rest = [row for row in ROWS if row[5] != "news.1#B_2"]

    assert _pairs(_read(tmp_path, _tidy(rest)).frame) == PAIRS


def test_ordinary_segments_are_the_same_for_all_systems_and_logins(tmp_path: Path) -> None:
    found = _read(tmp_path, _tidy()).frame.filter(item_kind="regular")

    assert found.sort("worker_id", "position").select("worker_id", "system_id", "segment_id").rows() == [
        ("log1", "sys-A", "news.1:1"),
        ("log1", "sys-A", "news.1:2"),
        ("log1", "B_2", "news.1:1"),
        ("log1", "B_2", "news.1:2"),
        ("log1", "B_2", "chat-7:1"),
        ("log2", "sys-A", "news.1:1"),
        ("log2", "sys-A", "news.1:2"),
    ]


def test_a_login_is_worker_and_hit(tmp_path: Path) -> None:
    found = _read(tmp_path, _tidy())

    assert found.frame["worker_id"].equals(found.frame["hit_id"], check_names=False)
    assert set(found.frame["worker_id"]) == {"log1", "log2"}
    assert "Took column 'login' as worker, not 'annotator'." in found.warnings


AGAIN = ("log1", "sys-A", 2, "TGT", 35, "news.1#sys-A", 99.0)


@pytest.mark.parametrize(
    "rows",
    [[*ROWS, AGAIN], [AGAIN, *ROWS], [AGAIN, *reversed(ROWS)]],
    ids=["after", "before", "newest first"],
)
def test_of_several_submissions_the_last_by_time_counts(tmp_path: Path, rows: list[Row]) -> None:
    found = _read(tmp_path, _tidy(rows))

    assert found.frame.filter(worker_id="log1", position=2)["rating"].to_list() == [35.0]
    assert ("log1", "sys-A", "news.1:2", 35.0, 17.0) in _pairs(found.frame)
    assert "Left out 1 row: the item was submitted again later, which counts." in found.warnings


@pytest.mark.parametrize(
    ("rows", "without"),
    [
        ([*ROWS, (*AGAIN[:6], 20.0)], ()),
        ([(*AGAIN[:6], 20.0), *reversed(ROWS)], ()),
        ([*ROWS, AGAIN], ("start", "end")),
    ],
    ids=["equal times", "equal times, newest first", "no times"],
)
def test_where_times_do_not_tell_the_order_of_rows_does(
    tmp_path: Path, rows: list[Row], without: Sequence[str]
) -> None:
    found = _read(tmp_path, _tidy(rows, without=without))

    assert found.frame.filter(worker_id="log1", position=2)["rating"].to_list() == [35.0]
    assert "Left out 1 row: the item was submitted again later, which counts." in found.warnings


def test_every_row_is_a_judgement_or_counted_in_a_warning(tmp_path: Path) -> None:
    tutorial = ("log1", "sys-A", 9, "TGT", 100, "ende-tutorial1", 5.0)

    found = _read(tmp_path, _tidy([*ROWS, AGAIN, tutorial, ROWS[0]]))

    assert len(found.frame) == len(ROWS)
    assert [warning for warning in found.warnings if warning.startswith("Left out")] == [
        "Left out 1 row: ratings in tutorials.",
        "Left out 1 row: the same row appears before.",
        "Left out 1 row: the item was submitted again later, which counts.",
    ]


def test_a_table_without_marked_copies_and_times_stays_a_plain_one(tmp_path: Path) -> None:
    regular = [row for row in ROWS if row[3] == "TGT"]

    found = _read(tmp_path, _tidy(regular, without=("start", "end")))

    assert found.frame["segment_id"][:2].to_list() == ["news.1#sys-A:1", "news.1#sys-A:2"]


OFFICIAL = ("login", "item_bad", "item_target", "score_bad", "score_target")


def _places(frame: pl.DataFrame) -> list[tuple[object, ...]]:
    """The pairs as the official list has them."""
    ours = ("worker_id", "control_position", "base_position", "control_rating", "base_rating")
    return sorted(control_pairs(frame, ItemKind.DEGRADED).select(ours).rows())


published = pytest.mark.skipif(not DATA.is_dir(), reason="the folder of real data is absent")
every_campaign = pytest.mark.parametrize("campaign", ["ESA-1", "ESA-2b", "ESAAI-2a", "ESAAI-2b"])


@published
@every_campaign
def test_real_degraded_items_pair_as_published(campaign: str) -> None:
    official = pl.read_csv(DATA / "expected" / f"{campaign}.bad_pairs.csv.gz")

    frame = read_judgements(DATA / f"{campaign}.judgements.csv.gz").frame

    assert _places(frame) == sorted(official.select(OFFICIAL).rows())


@published
@every_campaign
def test_real_verdicts_by_login_follow_from_the_pairs(campaign: str) -> None:
    official = pl.read_csv(DATA / "expected" / f"{campaign}.login_qc.csv")

    frame = read_judgements(DATA / f"{campaign}.judgements.csv.gz").frame

    pairs = control_pairs(frame, ItemKind.DEGRADED)
    logins = {login: rows for (login,), rows in pairs.group_by(["worker_id"])}
    assert set(logins) == set(official["login"])
    found = [logins[login] for login in official["login"]]
    assert [len(rows) for rows in found] == official["n_pairs"].to_list()
    p_values = [
        ttest_rel(rows["control_rating"], rows["base_rating"], alternative="less").pvalue
        for rows in found
        if len(rows) > 1
    ]
    expected = official.filter(pl.col("n_pairs") > 1)["p_paired_t_less"]
    np.testing.assert_allclose(p_values, expected.cast(pl.Float64), rtol=1e-9)


@published
@pytest.mark.parametrize("campaign", ["ESA-1", "ESA-2b", "ESAAI-2a", "ESAAI-2b", "MQM-1"])
def test_every_real_row_is_a_judgement_or_counted_in_a_warning(campaign: str) -> None:
    path = DATA / f"{campaign}.judgements.csv.gz"

    found = read_judgements(path)

    left_out = [int(warning.split()[2]) for warning in found.warnings if warning.startswith("Left out")]
    # MQM has no scores: its judgements are those of the spans.
    n_judged = len(found.frame) or found.spans["judgement_id"].n_unique()
    assert n_judged + sum(left_out) == len(pl.read_csv(path))
    assert not found.frame.select(pl.struct("worker_id", "position").is_duplicated().any()).item()


@published
@every_campaign
def test_real_pairs_do_not_hang_on_times_or_tutorials(tmp_path: Path, campaign: str) -> None:
    official = pl.read_csv(DATA / "expected" / f"{campaign}.bad_pairs.csv.gz")
    rows = pl.read_csv(DATA / f"{campaign}.judgements.csv.gz", infer_schema=False)
    # In order of time, and without what was taken from the tutorial.
    rest = rows.sort(pl.col("end").cast(pl.Float64), maintain_order=True)
    rest = rest.filter(~pl.col("doc").str.contains("tutorial")).drop("start", "end")
    rest.write_csv(tmp_path / "rest.csv")

    frame = read_judgements(tmp_path / "rest.csv").frame

    assert _places(frame) == sorted(official.select(OFFICIAL).rows())


# In a tutorial workers were told which words of these texts to mark; one mark came with the batch.
TOLD = {
    ("ende-tutorial1", "2"): ("The dog walked outside.", "walked"),
    ("ende-tutorial1", "3"): ("The dog stayed inside.", "stayed inside"),
    ("ende-tutorial2", "6"): ("The dog ran outside.", "ran"),
}


def _tutorial_marks(campaign: str) -> Counter[tuple[str, bool, str, str]]:
    """The word to mark, whether a worker marked, and what is marked if the last character is, and if not."""
    found: Counter[tuple[str, bool, str, str]] = Counter()
    with gzip.open(DATA / f"{campaign}.judgements.csv.gz", "rt", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            text, word = TOLD.get((row["doc"], row["item"]), ("", ""))
            for mark in json.loads(row["error_spans"]) if text else []:
                if (start := mark["start_i"]) != "missing":
                    ends = mark["end_i"] + 1, mark["end_i"]
                    found[word, "error_type" in mark, text[start : ends[0]], text[start : ends[1]]] += 1
    return found


@published
def test_workers_marks_include_their_last_character_and_marks_of_the_batch_do_not() -> None:
    marks = sum((_tutorial_marks(name) for name in ("ESA-1", "ESA-2b", "ESAAI-2a", "MQM-1")), Counter())

    def n_whole(is_by_worker: bool, counting: int) -> int:
        return sum(n for mark, n in marks.items() if mark[1] is is_by_worker and mark[counting] == mark[0])

    # Four workers took the space or the full stop after the words as well.
    assert (n_whole(True, 2), n_whole(True, 3)) == (53, 4)
    assert (n_whole(False, 2), n_whole(False, 3)) == (0, 73)


@published
@pytest.mark.parametrize(
    ("campaign", "n_before", "n_single"), [("ESAAI-2a", 3001, 418), ("ESAAI-2b", 962, 244)]
)
def test_marks_of_one_character_are_workers_own(campaign: str, n_before: int, n_single: int) -> None:
    rows = pl.read_csv(DATA / f"{campaign}.judgements.csv.gz").filter(~pl.col("doc").str.contains("tutorial"))
    marks = [
        mark for cell in rows["error_spans"] for mark in json.loads(cell) if mark["start_i"] != "missing"
    ]

    before = [mark for mark in marks if "error_type" not in mark]
    single = [mark for mark in marks if mark["start_i"] == mark["end_i"]]

    assert (len(before), len(single)) == (n_before, n_single)
    assert all("error_type" in mark for mark in single)
    found = read_judgements(DATA / f"{campaign}.judgements.csv.gz")
    (note,) = [warning for warning in found.warnings if "without error_type" in warning]
    assert 0.9 * n_before < int(note.split()[0].replace(",", "")) <= n_before
