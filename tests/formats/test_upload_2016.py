from __future__ import annotations

import csv
import gzip
import re
from pathlib import Path

import polars as pl
import pytest

from steelyard.domain.campaign import GivenItem
from steelyard.domain.errors import SourceError
from steelyard.domain.work import ItemKind
from steelyard.formats.upload_2016 import read_upload, write_upload

HEADER = "src,trg,item,hit,sys_0,sid_0,tst_0,rid_0,sys_1,sid_1,tst_1,rid_1\n"
# As the scripts of 2016 write it: all but the number of the HIT in single quotes.
UPLOAD = HEADER + (
    "'cs','en','ad',0,'online-B','12','SYSTEM','1000007','online-B','12','BAD_REF','1000003'\n"
    "'cs','en','ad',1,'uedin_nmt','7','REPEAT','1000001','uedin_nmt','7','REF','1000009'\n"
)
GIVEN = (
    (GivenItem(ItemKind.REGULAR, "online-B", "12"), GivenItem(ItemKind.DEGRADED, "online-B", "12")),
    (GivenItem(ItemKind.REPEAT, "uedin_nmt", "7"), GivenItem(ItemKind.REFERENCE, "uedin_nmt", "7")),
)


@pytest.fixture
def audit() -> pl.DataFrame:
    """Two HITs, the second shorter and with its items out of order; names of every sort."""
    places = [
        ("h-2", 1, "regular", "online.B", "doc-1:4", "Good."),
        ("h-2", 2, "degraded", "online.B", "doc-1:4", "Bad."),
        ("h-2", 3, "repeat", "online.B", "doc-1:4", "Good."),
        ("h-2", 4, "gold", "my system_1", "doc-1:5", 'She said "no", twice.'),
        ("h-1", 2, "reference", "Ωmega", "doc-2:1", "Right."),
        ("h-1", 1, "calibration", "old", "calibration:7", "Früher."),
    ]
    return pl.DataFrame(
        [
            {
                "hit": hit,
                "position": position,
                "kind": kind,
                "system": system,
                "segment": segment,
                "document": segment.partition(":")[0],
                "base_position": None,
                "text": text,
                "item_id": f"i-{number}",
                "source": f"source of {segment}",
                "reference": f"reference of {segment}",
            }
            for number, (hit, position, kind, system, segment, text) in enumerate(places)
        ],
        infer_schema_length=None,
    )


def _written(audit: pl.DataFrame, folder: Path) -> dict[str, list[dict[str, str]]]:
    """The rows of the three files, by the middle of their names."""
    write_upload(audit, folder / "up.csv", source_language="de", target_language="en")
    found = {}
    for path in folder.glob("*.csv"):
        with path.open(encoding="utf-8", newline="") as file:
            found[path.name] = list(csv.DictReader(file))
    return found


def _file(folder: Path, text: str | bytes, name: str = "up.csv") -> Path:
    path = folder / name
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


def _problems(path: Path) -> tuple[str, ...]:
    with pytest.raises(SourceError) as caught:
        read_upload(path)
    return caught.value.problems


@pytest.mark.parametrize(
    "text",
    [
        UPLOAD,
        UPLOAD.replace("'", ""),
        UPLOAD.replace("\n", "\r\n"),
        "\ufeff" + UPLOAD,
        UPLOAD.replace("sys_", "sys_id_"),
        re.sub(r"^([^,]*,[^,]*,[^,]*),[^,]*", r"\1", UPLOAD, flags=re.M),
        UPLOAD.replace("SYSTEM", "system").replace("BAD_REF", "cal").replace("REPEAT", "repeat"),
    ],
    ids=["2016", "no quotes", "crlf", "bom", "sys_id as in 2015", "no number as in 2015", "kinds of 2015"],
)
def test_ways_of_writing_the_same_upload(tmp_path: Path, text: str) -> None:
    assert read_upload(_file(tmp_path, text)) == GIVEN


def test_a_gzipped_upload_is_read(tmp_path: Path) -> None:
    assert read_upload(_file(tmp_path, gzip.compress(UPLOAD.encode()), "up.csv.gz")) == GIVEN


def test_a_hit_may_be_shorter_than_others(tmp_path: Path) -> None:
    text = HEADER + "de,en,ad,0,A,1,SYSTEM,1000001,A,1,REPEAT,1000002\nde,en,ad,1,B,2,SYSTEM,1000003,,,,\n"

    assert [len(hit) for hit in read_upload(_file(tmp_path, text))] == [2, 1]


@pytest.mark.parametrize(
    ("cells", "problem"),
    [
        (",1,SYSTEM,1000001", "column sys_1: is empty, though the item's other cells are not."),
        ("A,,SYSTEM,1000001", "column sid_1: is empty, though the item's other cells are not."),
        ("A,1,,1000001", "column tst_1: is empty, though the item's other cells are not."),
        ("A,1,SYSTEM,", "column rid_1: is empty, though the item's other cells are not."),
        ("A,one,SYSTEM,1000001", "column sid_1: the segment 'one' is not a whole number."),
        (
            "A,1,ODD,1000001",
            "column tst_1: the kind 'ODD' is unknown; "
            "use one of SYSTEM, REPEAT, BAD_REF, REF, GOLD, CALIBRATION.",
        ),
    ],
)
def test_a_bad_cell_is_refused_with_row_and_column(tmp_path: Path, cells: str, problem: str) -> None:
    text = HEADER + f"de,en,ad,0,A,1,SYSTEM,1000000,{cells}\n"

    assert _problems(_file(tmp_path, text)) == (f"line 2, {problem}",)


def test_all_problems_are_listed_at_once(tmp_path: Path) -> None:
    text = HEADER + "de,en,ad,0,A,1,ODD,1,A,x,SYSTEM,2\nde,en,ad,1,,1,SYSTEM,3,A,1,SYSTEM,4\n"

    assert [problem.split(":")[0] for problem in _problems(_file(tmp_path, text))] == [
        "line 2, column tst_0",
        "line 2, column sid_1",
        "line 3, column sys_0",
    ]


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (
            "a,b\n1,2\n",
            "there is no column sys_0: the layout has sys_i, sid_i, tst_i and rid_i for each item.",
        ),
        ("sys_0,sid_0,rid_0\nA,1,1000001\n", "there is no column tst_0."),
        (HEADER, "holds no HIT: one row per HIT must follow the header."),
        (HEADER + "de,en,ad,0,,,,,,,,\n", "line 2: holds no item."),
        ("", "is empty: the first line must name the columns."),
    ],
)
def test_files_without_hits_are_refused(tmp_path: Path, text: str, problem: str) -> None:
    assert _problems(_file(tmp_path, text)) == (problem,)


def test_what_is_written_reads_back_as_the_same_hits(tmp_path: Path, audit: pl.DataFrame) -> None:
    write_upload(audit, tmp_path / "up.csv", source_language="de", target_language="en")

    # Segments get numbers in the order in which they appear: doc-1:4, doc-1:5, calibration:7, doc-2:1.
    assert read_upload(tmp_path / "up.csv") == (
        (
            GivenItem(ItemKind.REGULAR, "online.B", "1"),
            GivenItem(ItemKind.DEGRADED, "online.B", "1"),
            GivenItem(ItemKind.REPEAT, "online.B", "1"),
            GivenItem(ItemKind.GOLD, "my system_1", "2"),
        ),
        (GivenItem(ItemKind.CALIBRATION, "old", "3"), GivenItem(ItemKind.REFERENCE, "Ωmega", "4")),
    )


def test_the_layout_is_that_of_2016(tmp_path: Path, audit: pl.DataFrame) -> None:
    rows = _written(audit, tmp_path)["up.csv"]

    assert list(rows[0])[:8] == ["src", "trg", "item", "hit", "sys_0", "sid_0", "tst_0", "rid_0"]
    assert len(rows[0]) == 4 + 4 * 4
    first = [rows[0][name] for name in ("src", "trg", "item", "hit", "sys_1", "sid_1", "tst_1")]
    assert first == ["'de'", "'en'", "'ad'", "0", "'online.B'", "'1'", "'BAD_REF'"]
    assert [rows[1][f"sys_{i}"] for i in range(4)] == ["'old'", "'Ωmega'", "", ""]


@pytest.mark.parametrize(("attribute", "item"), [("fluency", "'fl'"), ("style", "'style'")])
def test_the_attribute_is_named_as_the_scripts_do(
    tmp_path: Path, audit: pl.DataFrame, attribute: str, item: str
) -> None:
    path = tmp_path / "up.csv"

    write_upload(audit, path, source_language="de", target_language="en", attribute=attribute)

    assert pl.read_csv(path)["item"].unique().to_list() == [item]


def test_keys_are_opaque_and_unlike_for_a_base_and_its_repeat(tmp_path: Path, audit: pl.DataFrame) -> None:
    rows = _written(audit, tmp_path)["up.csv"]

    keys = [row[name].strip("'") for row in rows for name in row if name.startswith("rid_") and row[name]]
    assert len(set(keys)) == len(keys) == 6
    assert all(re.fullmatch(r"[1-9]\d{6}", key) for key in keys)
    # Neither in the order of items, nor close to one another.
    assert keys != sorted(keys)


def test_the_same_hits_get_the_same_keys_again(tmp_path: Path, audit: pl.DataFrame) -> None:
    (tmp_path / "again").mkdir()

    first, again = _written(audit, tmp_path), _written(audit, tmp_path / "again")

    assert first == again


def test_the_key_leads_back_to_our_item_and_hit(tmp_path: Path, audit: pl.DataFrame) -> None:
    files = _written(audit, tmp_path)

    upload, key = files["up.csv"], files["up.key.csv"]
    assert list(key[0]) == ["rid", "hit", "position", "item_id", "kind", "system", "segment", "document"]
    by_key = {row["rid"]: row for row in key}
    found = by_key[upload[0]["rid_3"].strip("'")]
    assert (found["hit"], found["position"], found["item_id"]) == ("h-2", "4", "i-3")
    assert (found["kind"], found["system"], found["segment"]) == ("gold", "my system_1", "doc-1:5")
    assert by_key[upload[1]["rid_0"].strip("'")]["segment"] == "calibration:7"


def test_the_texts_stand_beside_the_upload(tmp_path: Path, audit: pl.DataFrame) -> None:
    files = _written(audit, tmp_path)

    texts = {row["rid"]: row for row in files["up.texts.csv"]}
    found = texts[files["up.csv"][0]["rid_3"].strip("'")]
    assert list(found) == ["rid", "sid", "text", "reference", "source"]
    assert (found["sid"], found["text"]) == ("2", 'She said "no", twice.')
    assert (found["reference"], found["source"]) == ("reference of doc-1:5", "source of doc-1:5")
    # Kinds and systems are for the key alone.
    assert len(texts) == 6


def test_segments_that_are_numbers_keep_them(tmp_path: Path, audit: pl.DataFrame) -> None:
    numbers = {"doc-1:4": "40", "doc-1:5": "0", "doc-2:1": "7"}
    audit = audit.with_columns(pl.col("segment").replace(numbers))

    write_upload(audit, tmp_path / "up.csv", source_language="de", target_language="en")

    segments = [item.segment_id for hit in read_upload(tmp_path / "up.csv") for item in hit]
    # The one that is no number comes after the highest.
    assert segments == ["40", "40", "40", "0", "41", "7"]


def test_a_credited_system_and_a_known_quality_are_in_the_key(tmp_path: Path, audit: pl.DataFrame) -> None:
    credited = [["twin", "triplet"], [], None, [], [], []]
    known = [None, None, None, 62.5, None, 40.0]
    audit = audit.with_columns(
        pl.Series("credited", credited, pl.List(pl.String)),
        pl.Series("known", known),
        pl.Series("known_sd", [None, None, None, None, None, 3.0]),
    )

    key = _written(audit, tmp_path)["up.key.csv"]

    assert [row["system"] for row in key if row["item_id"] == "i-0"] == ["online.B", "twin", "triplet"]
    assert len({row["rid"] for row in key if row["item_id"] == "i-0"}) == 1
    assert [(row["known"], row["known_sd"]) for row in key if row["known"]] == [("62.5", ""), ("40.0", "3.0")]


@pytest.mark.parametrize("name", ["O'Brien", 'say "x"', "a|b", "a\\b", "<b>", "two\nlines"])
def test_a_name_that_the_page_would_misread_is_refused(
    tmp_path: Path, audit: pl.DataFrame, name: str
) -> None:
    audit = audit.with_columns(pl.col("system").replace({"old": name}))

    with pytest.raises(SourceError, match="Rename the system"):
        write_upload(audit, tmp_path / "up.csv", source_language="de", target_language="en")

    assert list(tmp_path.iterdir()) == []


def test_an_upload_is_a_csv_file(tmp_path: Path, audit: pl.DataFrame) -> None:
    with pytest.raises(SourceError, match=r"end the name in \.csv"):
        write_upload(audit, tmp_path / "up.tsv", source_language="de", target_language="en")


def test_no_hits_cannot_be_written(tmp_path: Path, audit: pl.DataFrame) -> None:
    with pytest.raises(SourceError, match="there is no HIT to write"):
        write_upload(audit.clear(), tmp_path / "up.csv", source_language="de", target_language="en")


def test_an_audit_table_without_a_column_is_our_own_mistake(tmp_path: Path, audit: pl.DataFrame) -> None:
    with pytest.raises(ValueError, match="item_id"):
        write_upload(audit.drop("item_id"), tmp_path / "up.csv", source_language="de", target_language="en")


def test_a_folder_that_is_not_there_is_refused(tmp_path: Path, audit: pl.DataFrame) -> None:
    with pytest.raises(SourceError, match="cannot be written"):
        write_upload(audit, tmp_path / "nowhere" / "up.csv", source_language="de", target_language="en")


def test_a_stray_number_of_a_column_is_named_once(tmp_path: Path) -> None:
    (tmp_path / "upload.csv").write_text("src,trg,item,hit,sys_3000000\ncs,en,1,1,a\n", "utf-8")

    with pytest.raises(SourceError, match="no HIT has an item number 3,000,000") as caught:
        read_upload(tmp_path / "upload.csv")

    assert len(caught.value.problems) == 1
