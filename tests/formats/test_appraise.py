from __future__ import annotations

import csv
import gzip
import io
import json
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

from steelyard.control_pairs import control_pairs
from steelyard.domain.campaign import GivenItem
from steelyard.domain.errors import SourceError
from steelyard.domain.scale import Scale
from steelyard.domain.text import Segment
from steelyard.domain.work import ItemKind
from steelyard.formats import judgements_file
from steelyard.formats.appraise import read_batches, write_batches
from steelyard.formats.judgements_file import read_judgements
from steelyard.frames import gather_credit

DATA = Path(__file__).parents[3] / "shared" / "data"
SEGMENTS = [
    "engliv01,NiuTrans.liv,20,TGT,eng,liv,61,1665513497.5,1665513507.5",
    "engliv01,A_b c,7,TGT,eng,liv,16,1665513508.0,1665513510.0",
    "engliv01,NiuTrans.liv,20,BAD,eng,liv,9,1665513511.0,1665513512.0",
    "engliv02,NiuTrans.liv,20,TGT,eng,liv,70,1665513513.0,1665513514.5",
]
SEGMENT_HEADER = "username,system,itemId,itemType,srcLang,trgLang,score,timeStart,timeEnd"
# Items numbered within documents from 0; the last row scores the whole document.
DOCUMENTS = [
    "engces01,Online-G,0,TGT,eng,ces,80,t3_q8#1-10,False,100.5,110.5",
    "engces01,Online-G,1,TGT,eng,ces,75,t3_q8#1-10,False,111.0,112.0",
    "engces01,Online-G,2,TGT,eng,ces,90,t3_q8#1-10,True,113.0,114.0",
    "engces01,Online-B,0,TGT,eng,ces,55,t1_hm#3-13,False,115.0,116.0",
]
DOCUMENT_HEADER = "username,system,itemId,itemType,srcLang,trgLang,score,docId,isDocScore,timeStart,timeEnd"
# Items numbered through the HIT: a tutorial, a document of two systems, degraded copies of it.
ESA = [
    ("wmt23.ende-tutorial1", 1, "TGT", 100, "ende-tutorial1"),
    ("wmt23.sys-A", 2, "TGT", 81, "rt.com.1#sys-A"),
    ("wmt23.sys-A", 3, "TGT", 82, "rt.com.1#sys-A"),
    ("wmt23.B_2", 4, "TGT", 83, "rt.com.1#B_2"),
    ("wmt23.B_2", 5, "TGT", 84, "rt.com.1#B_2"),
    ("wmt23.sys-A", 6, "BAD", 16, "rt.com.1#sys-A#bad1"),
    ("wmt23.sys-A", 7, "BAD", 17, "rt.com.1#sys-A#bad1"),
    ("wmt23.B_2", 8, "TGT", 88, "rt.com.1#B_2#duplicate1"),
    ("wmt23.B_2", 9, "BAD", 19, "rt.com.1#B_2#bad3#duplicate1"),
]


def _esa(rows: Sequence[tuple[str, int, str, int, str]] = ESA, *, spans: bool = True) -> str:
    """An export as Appraise writes it, last item first."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    marks = ['[{"start_i":0,"end_i":4,"severity":"major"}]'] if spans else []
    for system, item, kind, score, document in reversed(rows):
        times = [str(1000.5 + 10 * item), str(1004.5 + 10 * item)]
        writer.writerow(
            ["engdeu01", system, item, kind, "eng", "deu", score, document, "False", *marks, *times]
        )
    return text.getvalue()


def _file(folder: Path, content: str | bytes | Sequence[str], name: str = "scores.csv") -> Path:
    path = folder / name
    if not isinstance(content, str | bytes):
        content = "\n".join(content) + "\n"
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def _problems(path: Path) -> tuple[str, ...]:
    with pytest.raises(SourceError) as caught:
        read_judgements(path)
    return caught.value.problems


SAID = [
    ("engliv01", "NiuTrans.liv", "20", "regular", 61.0),
    ("engliv01", "A_b c", "7", "regular", 16.0),
    ("engliv01", "NiuTrans.liv", "20", "degraded", 9.0),
    ("engliv02", "NiuTrans.liv", "20", "regular", 70.0),
]


def _said(frame: pl.DataFrame) -> list[tuple[str, str, str, str, float]]:
    return frame.select("worker_id", "system_id", "segment_id", "item_kind", "rating").rows()


@pytest.mark.parametrize(
    "content",
    [
        SEGMENTS,
        "\r\n".join(SEGMENTS),
        "\ufeff" + "\n".join(SEGMENTS),
        [SEGMENT_HEADER, *SEGMENTS],
        [SEGMENT_HEADER.replace("username", "annotator").replace("itemId", "item"), *SEGMENTS],
        [SEGMENT_HEADER.replace("system", "targetID").replace("timeStart,timeEnd", "start,end"), *SEGMENTS],
        [row.replace("A_b c", '"A_b c"') for row in SEGMENTS],
        [SEGMENTS[3], *reversed(SEGMENTS[:3])],
    ],
    ids=["bare", "crlf", "bom", "header", "other names", "yet others", "quotes", "another order"],
)
def test_ways_of_writing_the_same_export(tmp_path: Path, content: str | list[str]) -> None:
    assert _said(read_judgements(_file(tmp_path, content)).frame) == SAID


@pytest.mark.parametrize("name", ["scores.csv.gz", "scores.tsv", "scores.tsv.gz"])
def test_an_export_may_be_zipped_or_have_tabs(tmp_path: Path, name: str) -> None:
    text = "\n".join(SEGMENTS)
    content = (text.replace(",", "\t") if ".tsv" in name else text).encode()

    found = read_judgements(_file(tmp_path, gzip.compress(content) if "gz" in name else content, name))

    assert _said(found.frame) == SAID


def test_times_of_an_export_tell_seconds_and_submission(tmp_path: Path) -> None:
    found = read_judgements(_file(tmp_path, SEGMENTS))

    first = found.frame.row(0, named=True)
    assert first["seconds"] == 10.0
    assert first["submitted_at"] == datetime(2022, 10, 11, 18, 38, 27, 500000, UTC)
    assert found.warnings == ()


def test_a_login_is_a_hit_where_the_export_has_none(tmp_path: Path) -> None:
    found = read_judgements(_file(tmp_path, SEGMENTS)).frame

    assert found["hit_id"].to_list() == ["engliv01", "engliv01", "engliv01", "engliv02"]
    assert control_pairs(found, ItemKind.DEGRADED).select("base_rating", "control_rating").rows() == [(61, 9)]


def test_a_batch_is_a_hit_where_the_export_tells_it(tmp_path: Path) -> None:
    found = read_judgements(_file(tmp_path, [f"{row},{3 + i},{900 + i}" for i, row in enumerate(SEGMENTS)]))

    assert found.frame["hit_id"].to_list() == ["3", "4", "5", "6"]
    assert found.warnings == ("Ignored columns: databaseID.",)


@pytest.mark.parametrize("extra", ["", ",17,900"])
@pytest.mark.parametrize("spans", ["", "[],"])
def test_scores_of_whole_documents_are_left_out_and_counted(tmp_path: Path, spans: str, extra: str) -> None:
    rows = [
        row.replace("False,", f"False,{spans}").replace("True,", f"True,{spans}") + extra for row in DOCUMENTS
    ]

    found = read_judgements(_file(tmp_path, rows))

    assert "Left out 1 row: scores of whole documents." in found.warnings
    assert found.frame["segment_id"].to_list() == ["t3_q8#1-10:0", "t3_q8#1-10:1", "t1_hm#3-13:0"]
    assert found.frame["document_id"].to_list() == ["t3_q8#1-10", "t3_q8#1-10", "t1_hm#3-13"]
    assert found.frame["rating"].to_list() == [80.0, 75.0, 55.0]


def test_a_document_export_may_have_a_header(tmp_path: Path) -> None:
    bare = read_judgements(_file(tmp_path, DOCUMENTS))

    assert read_judgements(_file(tmp_path, [DOCUMENT_HEADER, *DOCUMENTS], "h.csv")).frame.equals(bare.frame)


def test_a_document_judged_twice_is_kept_twice(tmp_path: Path) -> None:
    again = [row.replace("1.", "9.").replace("100.5", "900.5") for row in DOCUMENTS[:2]]

    found = read_judgements(_file(tmp_path, [*DOCUMENTS, *again])).frame

    assert found.filter(segment_id="t3_q8#1-10:0").height == 2


@pytest.mark.parametrize("spans", [True, False])
def test_degraded_documents_pair_with_their_bases_item_by_item(tmp_path: Path, spans: bool) -> None:
    found = read_judgements(_file(tmp_path, _esa(spans=spans)))

    pairs = control_pairs(found.frame, ItemKind.DEGRADED)
    assert pairs.select("system_id", "segment_id", "base_rating", "control_rating").rows() == [
        ("wmt23.sys-A", "rt.com.1:1", 81, 16),
        ("wmt23.sys-A", "rt.com.1:2", 82, 17),
        ("wmt23.B_2", "rt.com.1:1", 83, 19),
    ]
    assert pairs["base_position"].to_list() == [2, 3, 4]


def test_a_copy_that_fills_up_a_hit_is_a_repeat(tmp_path: Path) -> None:
    found = read_judgements(_file(tmp_path, _esa())).frame

    repeats = control_pairs(found, ItemKind.REPEAT)
    assert repeats.select("system_id", "base_rating", "control_rating").rows() == [("wmt23.B_2", 83, 88)]


def test_a_copy_without_its_base_is_a_regular_item(tmp_path: Path) -> None:
    found = read_judgements(_file(tmp_path, _esa([ESA[1], ESA[2], *ESA[5:8]]))).frame

    assert found.filter(system_id="wmt23.B_2")["item_kind"].to_list() == ["regular"]


def test_systems_of_one_document_share_its_segments(tmp_path: Path) -> None:
    found = read_judgements(_file(tmp_path, _esa())).frame

    regular = found.filter(item_kind="regular").select("system_id", "segment_id").rows()
    assert regular == [(f"wmt23.{system}", f"rt.com.1:{k}") for system in ("sys-A", "B_2") for k in (1, 2)]


def test_tutorials_are_left_out_and_counted(tmp_path: Path) -> None:
    found = read_judgements(_file(tmp_path, _esa()))

    assert "Left out 1 row: ratings in tutorials." in found.warnings
    assert len(found.spans) >= len(found.frame) > 0
    assert set(found.frame["system_id"]) == {"wmt23.sys-A", "wmt23.B_2"}


def test_of_several_submissions_of_an_item_the_last_counts(tmp_path: Path) -> None:
    later = "engdeu01,wmt23.sys-A,3,TGT,eng,deu,35,rt.com.1#sys-A,False,[],2000.0,2001.0\n"

    found = read_judgements(_file(tmp_path, later + _esa()))

    assert found.frame.filter(position=3)["rating"].to_list() == [35.0]
    assert "Left out 1 row: the item was submitted again later, which counts." in found.warnings


def test_the_same_row_twice_counts_once(tmp_path: Path) -> None:
    found = read_judgements(_file(tmp_path, [*SEGMENTS, SEGMENTS[1]]))

    assert sorted(_said(found.frame)) == sorted(SAID)
    assert found.warnings == ("Left out 1 row: the same row appears before.",)


def test_systems_with_the_same_text_share_one_judgement(tmp_path: Path) -> None:
    found = read_judgements(_file(tmp_path, [*SEGMENTS, SEGMENTS[0].replace("NiuTrans.liv", "twin")])).frame

    shared = found.filter(pl.col("judgement_id").is_duplicated())
    assert shared["system_id"].to_list() == ["NiuTrans.liv", "twin"]
    gathered = gather_credit(found)
    assert (len(gathered), gathered["credited"].drop_nulls().to_list()) == (4, [["twin"]])


def test_language_pairs_of_one_export_share_no_segments(tmp_path: Path) -> None:
    found = read_judgements(_file(tmp_path, [*SEGMENTS, SEGMENTS[0].replace("eng,liv", "liv,eng")]))

    assert set(found.frame["segment_id"]) == {"eng-liv:20", "eng-liv:7", "liv-eng:20"}
    assert "There are 2 language pairs (eng-liv, liv-eng)" in found.warnings[0]


def test_a_judgement_that_ends_before_it_starts_has_no_duration(tmp_path: Path) -> None:
    found = read_judgements(_file(tmp_path, [SEGMENTS[0].replace("507.5", "490.0"), *SEGMENTS[1:]]))

    assert found.frame["seconds"].null_count() == 1
    assert found.warnings == ("1 judgements end before they start; their seconds are unknown.",)


def test_rows_without_times_are_judgements_of_their_own(tmp_path: Path) -> None:
    rows = [SEGMENT_HEADER, *("w,A,1,TGT,eng,liv,50,," for _ in range(2)), "w,B,1,TGT,eng,liv,50,,"]

    found = read_judgements(_file(tmp_path, rows)).frame

    assert found["judgement_id"].n_unique() == 3


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        (
            ",61,",
            ",161,",
            "line 1: rating 161 is outside the scale 0 to 100 (for another: scale=(MIN, MAX)).",
        ),
        (",61,", ",,", "line 1: rating is empty."),
        (",7,TGT", ",,TGT", "line 2: segment is empty."),
        ("20,BAD", "20,SRC", "line 3: kind SRC is unknown; use one of "),
        ("1665513514.5", "noon", "line 4: submitted_at noon is neither ISO 8601 nor Unix seconds."),
        ("engliv02,NiuTrans.liv", "engliv02,", "line 4: system is empty."),
        ("1665513514.5", "1665513514.5,1", "line 4: 10 cells, but line 1 has 9."),
    ],
)
def test_a_bad_cell_is_refused_with_its_line(tmp_path: Path, old: str, new: str, problem: str) -> None:
    rows = [row.replace(old, new) for row in SEGMENTS]

    assert _problems(_file(tmp_path, rows))[0].startswith(problem)


@pytest.mark.parametrize(
    "row",
    [
        "engliv01,A,20,TGT,eng,liv,61,1.5",
        "engliv01,A,20,XXX,eng,liv,61,1.5,2.5",
        "engliv01,A,20,TGT,eng,liv,61,soon,later",
        "engliv01,A,20,TGT,eng,liv,61,doc,maybe,1.5,2.5",
        "engliv01,A,20,TGT,eng,liv,61,doc,True,[],1.5,2.5,3,4,5",
        '"engliv01,A',
    ],
)
def test_other_tables_without_a_header_get_the_usual_error(tmp_path: Path, row: str) -> None:
    problem = _problems(_file(tmp_path, [row, row.replace("20", "21")]))[0]

    assert (
        "there is no column worker" in problem or "cannot be split" in problem or "appears twice" in problem
    )


def test_the_json_lines_of_newer_versions_are_read(tmp_path: Path) -> None:
    common = {"annotator": "w1", "item_type": "TGT", "document_id": "d1", "is_complete_document": False}
    rows = [
        {**common, "target_id": "A+B", "item_id": 1, "score": 60, "start_time": 1.5, "end_time": 4.0},
        {**common, "target_id": "A", "item_id": 2, "score": 70, "start_time": 5.0, "end_time": 6.0},
    ]
    lines = [json.dumps({**row, "batch_number": 9, "task_type": "Document"}) for row in rows]

    found = read_judgements(_file(tmp_path, lines, "scores.jsonl")).frame

    assert found.select("hit_id", "system_id", "segment_id", "rating").rows() == [
        ("9", "A", "d1:1", 60),
        ("9", "B", "d1:1", 60),
        ("9", "A", "d1:2", 70),
    ]
    assert found["judgement_id"].n_unique() == 2


def test_an_export_may_be_a_data_frame() -> None:
    table = pd.DataFrame(
        [row.split(",") for row in SEGMENTS], columns=pd.Index(SEGMENT_HEADER.split(","))
    ).astype({"itemId": float, "score": float, "timeStart": float, "timeEnd": float})

    assert _said(judgements_file.from_table(table).frame) == SAID


def test_another_scale_may_be_given(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="outside the scale 0 to 5"):
        read_judgements(_file(tmp_path, SEGMENTS), scale=Scale(0, 5))


@pytest.mark.skipif(not DATA.is_dir(), reason="the folder of real data is absent")
@pytest.mark.parametrize(("shown", "n_pairs"), [("src", 638), ("ref", 144)])
def test_real_degraded_segments_all_pair(shown: str, n_pairs: int) -> None:
    found = read_judgements(DATA / "wmt22-livonian" / f"{shown}.judgements.csv.gz").frame

    assert len(control_pairs(found, ItemKind.DEGRADED)) == n_pairs


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
            "segment": f"news-{hit}",
            "document": f"news {hit}",
            "base_position": 1 if 0 < place < 4 else None,
            "text": f"{'regular' if kind == 'repeat' else kind} «{hit}»",
            "source": f"Quelle {hit}",
            "reference": f"reference {hit}",
            "item_id": f"i-{hit}-{place}",
            "credited": ["twin"] if kind in ("regular", "repeat") else [],
            "known": 62.5 if kind == "gold" else None,
            "known_sd": 4.0 if kind == "gold" else None,
        }
        for hit in (1, 2)
        for place, kind in enumerate(kinds)
    ]
    return pl.DataFrame(rows, infer_schema_length=None)


Write = Callable[..., list[dict[str, Any]]]


@pytest.fixture
def written(tmp_path: Path, audit: pl.DataFrame) -> Write:
    """Writes the audit table as batches and gives them as parsed."""

    def write(frame: pl.DataFrame = audit, *, reference_based: bool = True) -> list[dict[str, Any]]:
        path = tmp_path / "batches.json"
        write_batches(
            frame, path, source_language="deu", target_language="eng", reference_based=reference_based
        )
        batches: list[dict[str, Any]] = json.loads(path.read_text("utf-8"))
        return batches

    return write


def test_batches_have_what_appraise_loads(written: Write) -> None:
    batches = written()

    assert [batch["task"] for batch in batches] == [
        {
            "batchNo": number,
            "randomSeed": 0,
            "requiredAnnotations": 1,
            "sourceLanguage": "deu",
            "targetLanguage": "eng",
        }
        for number in (1, 2)
    ]
    loaded = ("itemID", "itemType", "sourceID", "sourceText", "targetID", "targetText")
    assert [tuple(item[name] for name in loaded) for item in batches[0]["items"]] == [
        (1, "TGT", "reference", "reference 1", "my system+twin", "regular «1»"),
        (1, "BAD", "reference", "reference 1", "my system", "degraded «1»"),
        (1, "CHK", "reference", "reference 1", "my system+twin", "regular «1»"),
        (1, "REF", "reference", "reference 1", "my system", "reference «1»"),
        # A gold item is a target to Appraise, under a number of its own.
        (2, "TGT", "reference", "reference 1", "Ω_REF", "gold «1»"),
    ]


def test_a_source_based_campaign_shows_the_source(written: Write) -> None:
    items = written(reference_based=False)[0]["items"]

    assert {(item["sourceID"], item["sourceText"]) for item in items} == {("source", "Quelle 1")}


def test_our_own_notes_are_marked_as_such(written: Write) -> None:
    item = written()[0]["items"][0]

    loaded = {"itemID", "itemType", "sourceID", "sourceText", "targetID", "targetText"}
    assert all(name.startswith("_") for name in set(item) - loaded)


def test_segments_that_are_numbers_keep_them(written: Write, audit: pl.DataFrame) -> None:
    numbered = audit.with_columns(pl.col("segment").replace({"news-1": "40", "news-2": "7"}))

    batches = written(numbered)

    assert [[item["itemID"] for item in batch["items"]] for batch in batches] == [
        [40, 40, 40, 40, 41],
        [7, 7, 7, 7, 42],
    ]


def _export(
    batches: Sequence[dict[str, Any]], rng: np.random.Generator, *, batch_info: bool
) -> tuple[list[str], dict[tuple[int, int], int]]:
    """What Appraise would export of the batches, and the scores given, by batch and place."""
    rows, scores, clock = [], {}, 1000.0
    for number, batch in enumerate(batches, start=1):
        for place, item in enumerate(batch["items"], start=1):
            score = scores[number, place] = int(rng.integers(0, 101))
            clock += 8.25
            for system in item["targetID"].split("+"):
                row = f"engdeu{number:02},{system},{item['itemID']},{item['itemType']},deu,eng,{score}"
                row += f",{clock - 5},{clock}" + (f",{number},{1000 + place}" if batch_info else "")
                rows.append(row)
    return rows, scores


@pytest.mark.parametrize("batch_info", [True, False])
def test_a_campaign_that_ran_in_appraise_comes_back_as_it_went(
    tmp_path: Path, audit: pl.DataFrame, written: Write, batch_info: bool
) -> None:
    rows, scores = _export(written(), np.random.default_rng(3), batch_info=batch_info)

    found = read_judgements(_file(tmp_path, rows))

    back = gather_credit(found.frame).sort("submitted_at")
    assert back["rating"].to_list() == [float(score) for _, score in sorted(scores.items())]
    columns = {
        "item_kind": "kind",
        "system_id": "system",
        "segment_id": "segment",
        "document_id": "document",
        "item_id": "item_id",
        "known": "known",
        "known_sd": "known_sd",
    }
    assert back.select(columns.keys()).rows() == audit.select(columns.values()).rows()
    assert [names or [] for names in back["credited"].to_list()] == audit["credited"].to_list()
    hits = audit["hit"].to_list() if batch_info else [f"engdeu0{hit[1:]}" for hit in audit["hit"]]
    assert back["hit_id"].to_list() == hits
    assert "Took HITs, segments and kinds from batches.key.csv." in found.warnings


def test_without_its_key_a_campaign_comes_back_under_numbers(tmp_path: Path, written: Write) -> None:
    rows, _ = _export(written(), np.random.default_rng(3), batch_info=False)
    (tmp_path / "batches.key.csv").unlink()

    found = read_judgements(_file(tmp_path, rows)).frame

    assert set(found["segment_id"]) == {"1", "2", "3", "4"}
    pairs = control_pairs(found, ItemKind.DEGRADED)
    assert pairs["system_id"].to_list() == ["my system", "Ω_REF"]


def test_a_key_that_does_not_know_all_is_not_used_and_said(tmp_path: Path, written: Write) -> None:
    rows, _ = _export(written(), np.random.default_rng(3), batch_info=False)

    found = read_judgements(_file(tmp_path, [*rows, "w,stranger,1,TGT,deu,eng,5,1.5,2.5"]))

    assert found.warnings[0].startswith("batches.key.csv does not know 1 of 7 items and was not used")


@pytest.mark.parametrize("reference_based", [True, False])
def test_what_is_written_reads_back_as_texts_and_hits(
    tmp_path: Path, audit: pl.DataFrame, written: Write, reference_based: bool
) -> None:
    written(reference_based=reference_based)

    texts = read_batches(tmp_path / "batches.json")

    assert texts.segments == (
        Segment("news-1", "news 1", "Quelle 1", "reference 1"),
        Segment("news-2", "news 2", "Quelle 2", "reference 2"),
    )
    assert texts.translations == {
        "my system": ["regular «1»", None],
        "plain": [None, "gold «2»"],
        "twin": ["regular «1»", "regular «2»"],
        "Ω_REF": ["gold «1»", "regular «2»"],
    }
    given = [
        GivenItem(ItemKind(kind), system, segment, text)
        for kind, system, segment, text in audit.select("kind", "system", "segment", "text").rows()
    ]
    assert texts.given == (tuple(given[:5]), tuple(given[5:]))
    assert texts.warnings == ()


@pytest.mark.parametrize(
    ("name", "match"), [("a+b", "Appraise splits names"), ("twin+", "Appraise splits names")]
)
def test_a_name_that_would_come_back_as_two_is_refused(
    tmp_path: Path, audit: pl.DataFrame, written: Write, name: str, match: str
) -> None:
    renamed = audit.with_columns(pl.lit([name]).alias("credited"))

    with pytest.raises(SourceError, match=match):
        written(renamed)

    assert list(tmp_path.iterdir()) == []


def test_no_hits_cannot_be_written(audit: pl.DataFrame, written: Write) -> None:
    with pytest.raises(SourceError, match="there is no HIT to write"):
        written(audit.clear())


@pytest.mark.parametrize(
    ("name", "match"), [("b.csv", r"end the name in \.json"), ("nowhere/b.json", "cannot be written")]
)
def test_a_file_that_cannot_be_written_is_refused(
    tmp_path: Path, audit: pl.DataFrame, name: str, match: str
) -> None:
    with pytest.raises(SourceError, match=match):
        write_batches(
            audit, tmp_path / name, source_language="de", target_language="en", reference_based=True
        )


def _item(number: object, kind: str, system: str, text: str, **more: object) -> dict[str, object]:
    return {
        "itemID": number,
        "itemType": kind,
        "sourceID": "newstest-ref.de",
        "sourceText": f"shown {number}",
        "targetID": system,
        "targetText": text,
        **more,
    }


def _batches(folder: Path, *hits: Sequence[dict[str, object]], name: str = "b.json") -> Path:
    content = json.dumps([{"items": hit, "task": {"batchNo": k}} for k, hit in enumerate(hits, start=1)])
    return _file(folder, gzip.compress(content.encode()) if name.endswith(".gz") else content, name)


@pytest.mark.parametrize("name", ["b.json", "b.json.gz"])
def test_batches_of_appraise_itself_are_read(tmp_path: Path, name: str) -> None:
    hit = [
        _item(12, "TGT", "A+B", "text 12"),
        _item(3, "TGT", "A", "text 3"),
        _item(12, "BAD", "A", "damaged 12"),
        _item("12", "CHK", "A+B", "text 12"),
        _item(3, "REF", "newstest-ref.de", "shown 3"),
    ]

    texts = read_batches(_batches(tmp_path, hit, name=name))

    # Items of type REF show the same text twice: what is shown as source is the reference.
    assert texts.segments == (Segment("3", "3", "", "shown 3"), Segment("12", "12", "", "shown 12"))
    assert texts.translations == {"A": ["text 3", "text 12"], "B": [None, "text 12"]}
    assert texts.given == (
        (
            GivenItem(ItemKind.REGULAR, "A", "12", "text 12"),
            GivenItem(ItemKind.REGULAR, "A", "3", "text 3"),
            GivenItem(ItemKind.DEGRADED, "A", "12", "damaged 12"),
            GivenItem(ItemKind.REPEAT, "A", "12", "text 12"),
            GivenItem(ItemKind.REFERENCE, "A", "3", "shown 3"),
        ),
    )
    assert texts.warnings == ("The batches lack the source of 2 of 2 segments.",)


def test_where_references_differ_from_what_is_shown_that_is_the_source(tmp_path: Path) -> None:
    hit = [
        _item(1, "TGT", "A", "text 1"),
        _item(1, "REF", "ref", "the reference"),
        _item(2, "TGT", "A", "t 2"),
    ]

    texts = read_batches(_batches(tmp_path, hit))

    assert texts.segments == (Segment("1", "1", "shown 1", "the reference"), Segment("2", "2", "shown 2", ""))
    assert texts.warnings == ("The batches lack the reference of 1 of 2 segments.",)


def test_a_reference_takes_the_place_of_the_base_half_a_hit_away(tmp_path: Path) -> None:
    filler = [_item(k, "TGT", "C", f"text {k}") for k in range(2, 51)]
    hit = [
        _item(1, "TGT", "A", "a 1"),
        *filler,
        _item(1, "REF", "ref", "shown 1"),
        _item(1, "TGT", "B", "b 1"),
    ]

    texts = read_batches(_batches(tmp_path, hit))

    assert [item.system_id for item in texts.given[0] if item.kind == ItemKind.REFERENCE] == ["A"]


def test_a_reference_without_a_base_is_left_out_and_counted(tmp_path: Path) -> None:
    hit = [_item(1, "TGT", "A", "a 1"), _item(2, "REF", "ref", "shown 2")]

    texts = read_batches(_batches(tmp_path, hit))

    assert len(texts.given[0]) == 1
    assert "Left out 1 item of type REF without a regular item of their segment." in texts.warnings


def test_batches_of_documents_number_segments_as_their_export_does(tmp_path: Path) -> None:
    def item(number: int, kind: str, system: str, document: str, shown: str) -> dict[str, object]:
        more = {"documentID": document, "isCompleteDocument": False, "sourceText": shown}
        return _item(number, kind, f"wmt23.{system}", f"{system} {shown} {kind}", **more)

    hit = [
        item(1, "TGT", "sys-A", "ende-tutorial1", "t"),
        item(2, "TGT", "sys-A", "rt.com.1#sys-A", "one"),
        item(3, "TGT", "sys-A", "rt.com.1#sys-A", "two"),
        item(4, "TGT", "B_2", "rt.com.1#B_2", "one"),
        item(5, "TGT", "B_2", "rt.com.1#B_2", "two"),
        item(6, "BAD", "sys-A", "rt.com.1#sys-A#bad1", "one"),
        {**item(7, "TGT", "sys-A", "rt.com.1#sys-A", "whole"), "isCompleteDocument": True},
    ]

    texts = read_batches(_batches(tmp_path, hit))

    assert [(segment.segment_id, segment.document_id) for segment in texts.segments] == [
        ("rt.com.1:1", "rt.com.1"),
        ("rt.com.1:2", "rt.com.1"),
    ]
    assert [item.segment_id for item in texts.given[0]] == [f"rt.com.1:{k}" for k in (1, 2, 1, 2, 1)]
    assert "Left out 1 item that show whole documents." in texts.warnings
    assert "Left out 1 item of tutorials." in texts.warnings


def test_items_of_an_earlier_campaign_are_left_out_and_counted(tmp_path: Path) -> None:
    hit = [_item(1, "TGT", "A", "a 1"), _item(2, "TGT", "old", "b", _kind="calibration")]

    texts = read_batches(_batches(tmp_path, hit))

    assert list(texts.translations) == ["A"]
    assert "Left out 1 item of an earlier campaign" in texts.warnings[0]


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"targetText": None}, "targetText is missing or not a text."),
        ({"sourceText": 7}, "sourceText is missing or not a text."),
        ({"targetID": ""}, "targetID is empty."),
        ({"itemID": "x"}, "itemID is missing or not a whole number."),
        ({"itemID": True}, "itemID is missing or not a whole number."),
        ({"itemID": None}, "itemID is missing or not a whole number."),
        ({"itemType": "SRC"}, "itemType 'SRC' is none of TGT, CHK, BAD, REF."),
        ({"documentID": 5}, "documentID is not a text."),
        (
            {"_kind": "odd"},
            "_kind 'odd' is none of regular, repeat, degraded, reference, gold, calibration.",
        ),
        (
            {"itemID": 1, "targetText": "text 1"},
            "another sourceText for segment 1 than in an item before.",
        ),
        (
            {"itemID": 1, "sourceText": "shown 1"},
            "another targetText of A for segment 1 than before.",
        ),
    ],
)
def test_a_bad_item_is_refused_with_its_place(
    tmp_path: Path, change: dict[str, object], problem: str
) -> None:
    hit = [_item(1, "TGT", "A", "text 1"), {**_item(2, "TGT", "A", "text 2"), **change}]

    with pytest.raises(SourceError) as caught:
        read_batches(_batches(tmp_path, [_item(9, "TGT", "A", "nine")], hit))

    assert caught.value.problems == (f"batch 2, item 2: {problem}",)


def test_all_problems_of_batches_are_listed_at_once(tmp_path: Path) -> None:
    bad: Any = [1, {**_item(2, "TGT", "A", "x"), "itemType": "?"}]

    with pytest.raises(SourceError) as caught:
        read_batches(_batches(tmp_path, bad, []))

    assert [problem.split(":")[0] for problem in caught.value.problems] == [
        "batch 1, item 1",
        "batch 1, item 2",
        "batch 2",
    ]


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        ("", "is not JSON"),
        ("{}", "is not a list of batches"),
        ("[]", "is not a list of batches"),
        ("[1]", 'batch 1: has no list "items"'),
        ('[{"items": {}}]', 'batch 1: has no list "items"'),
    ],
)
def test_files_that_are_no_batches_are_refused(tmp_path: Path, content: str, problem: str) -> None:
    with pytest.raises(SourceError) as caught:
        read_batches(_file(tmp_path, content, "b.json"))

    assert caught.value.problems[0].startswith(problem)


MARKED = "  Der \U0001f436 läuft weg"


@pytest.fixture
def marking(tmp_path: Path, audit: pl.DataFrame) -> list[dict[str, Any]]:
    """Batches of a campaign in which errors are marked; in the first item some are beforehand."""
    before = [
        {"start": 6, "end": 7, "severity": "minor", "category": None},
        {"start": None, "end": None, "severity": "major", "category": "Accuracy/Omission"},
    ]
    first = pl.col("item_id") == "i-1-0"
    frame = audit.with_columns(
        text=pl.when(first).then(pl.lit(MARKED)).otherwise("text"),
        prefilled=pl.Series([before if name == "i-1-0" else [] for name in audit["item_id"]]),
    )
    path = tmp_path / "esa.json"
    write_batches(
        frame, path, source_language="deu", target_language="eng", reference_based=False, marks_errors=True
    )
    batches: list[dict[str, Any]] = json.loads(path.read_text("utf-8"))
    return batches


def _scores(batches: list[dict[str, Any]], errors: dict[str, str]) -> str:
    """An export of one login per batch, with these errors marked by document, in Appraise's own columns."""
    rows = [
        [
            *(f"login{batch['task']['batchNo']}", item["targetID"], item["itemID"], item["itemType"]),
            *("deu", "eng", 60 + place, item["documentID"], False),
            *(errors.get(item["documentID"], "[]"), 100 + place, 110 + place),
            *(batch["task"]["batchNo"], 1000 + place),
        ]
        for batch in batches
        for place, item in enumerate(batch["items"])
    ]
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue()


def test_where_errors_are_marked_controls_have_documents_of_their_own(marking: list[dict[str, Any]]) -> None:
    items = marking[0]["items"]
    documents = ["news 1", "news 1#bad", "news 1#chk", "news 1#ref", "news 1"]
    assert [item["documentID"] for item in items] == documents
    assert not any(item["isCompleteDocument"] for item in items)
    # Units from the first character on that is no space; the dog is two of them.
    assert items[0]["mqm"] == [
        {"start_i": 4, "end_i": 5, "severity": "minor"},
        {
            "start_i": "missing",
            "end_i": "missing",
            "severity": "major",
            "error_type": ["Accuracy", "Omission"],
        },
    ]


def test_errors_marked_in_our_batches_come_back_in_characters(
    tmp_path: Path, marking: list[dict[str, Any]]
) -> None:
    # What the page shows begins with the D: units 4 and 5 are the dog, 7 to 11 "läuft".
    marks = [
        {"start_i": 4, "end_i": 5, "severity": "major"},
        {"start_i": 7, "end_i": 11, "severity": "minor"},
    ]
    first = [{**batch, "items": batch["items"][:4]} for batch in marking]
    found = read_judgements(_file(tmp_path, _scores(first, {"news 1": json.dumps(marks)})))

    ours = found.frame.filter(hit_id="h1").select("item_kind", "segment_id", "document_id", "rating").unique()
    assert ours.sort("rating").rows() == [
        ("regular", "news-1", "news 1", 60),
        ("degraded", "news-1", "news 1", 61),
        ("repeat", "news-1", "news 1", 62),
        ("reference", "news-1", "news 1", 63),
    ]
    spans = found.spans.filter(pl.col("start").is_not_null(), item_kind="regular").select("start", "end")
    assert {MARKED[start:end] for start, end in spans.rows()} == {"\U0001f436", "läuft"}
    assert MARKED in set(found.texts["text"])
    assert len(control_pairs(found.frame, ItemKind.DEGRADED)) == 2


def test_an_error_outside_its_text_is_refused_with_its_line(
    tmp_path: Path, marking: list[dict[str, Any]]
) -> None:
    errors = {"news 1#bad": '[{"start_i":3,"end_i":12,"severity":"minor"}]'}
    # The damaged text has the places 0 to 11.
    with pytest.raises(SourceError, match=r"line 2: a marked error goes from 3 to 12, .* is 11\."):
        read_judgements(_file(tmp_path, _scores(marking, errors)))


def test_batches_of_esa_are_read_without_tutorials_and_marks(tmp_path: Path) -> None:
    teaching = {"tutorial": {"instruction": "Mark it.", "score_target": 70}, "payload": []}
    mark = {"start_i": 0, "end_i": 2, "severity": "minor"}
    hit = [
        _item(1, "TGT", "A", "text 1", documentID="first steps", mqm=teaching),
        _item(2, "TGT", "A", "text 2", documentID="d1", mqm=[mark]),
        _item(2, "BAD", "A", "text two", documentID="d1#bad", mqm={"payload": []}),
    ]
    texts = read_batches(_batches(tmp_path, hit))
    assert texts.translations == {"A": ["text 2"]}
    assert [item.kind for item in texts.given[0]] == [ItemKind.REGULAR, ItemKind.DEGRADED]
    assert "Left out 1 item of tutorials." in texts.warnings
    assert "Errors marked beforehand in 1 item were not read." in texts.warnings
