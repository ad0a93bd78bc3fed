from __future__ import annotations

import gzip
import json
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from steelyard.domain.errors import SourceError
from steelyard.domain.scale import Scale
from steelyard.domain.work import ItemKind
from steelyard.formats.judgements_file import from_table, read_judgements
from steelyard.formats.judgements_writing import write_judgements
from steelyard.frames import RATINGS_SCHEMA, gather_credit, ratings_frame, spread_credit

PLAIN = "worker,segment,rating,system,kind\nw1,1,70,A,regular\nw2,1,30.5,A,degraded\n"


@pytest.fixture
def frame() -> pl.DataFrame:
    """Ratings with everything a file can hold, awkward texts and missing cells included."""
    return ratings_frame(
        pl.DataFrame(
            {
                "worker_id": ["w1", 'say "hi"', "w,3"],
                "segment_id": ["1", "two\nlines", "3\t3"],
                "rating": [70.0, 100 / 3, 0.0],
                "system_id": ["A", "B", "Ω"],
                "item_kind": ["regular", "repeat", "degraded"],
                "hit_id": ["h1", "", "h2"],
                "position": [1, None, 3],
                "document_id": ["d1", None, "d2"],
                "attribute": ["fluency", "fluency", ""],
                "seconds": [1.5, None, 20.0],
                "submitted_at": [
                    datetime(2024, 5, 6, 7, 8, 9, 123456, UTC),
                    None,
                    datetime(2024, 1, 1, tzinfo=UTC),
                ],
                "judgement_id": ["j1", "j2", "j3"],
            }
        )
    )


def _problems(path: Path, **options: object) -> tuple[str, ...]:
    with pytest.raises(SourceError) as caught:
        read_judgements(path, **options)  # type: ignore[arg-type]
    return caught.value.problems


def _file(folder: Path, text: str | bytes, name: str = "j.csv") -> Path:
    path = folder / name
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


def test_the_plain_columns_become_a_ratings_frame(tmp_path: Path) -> None:
    found = read_judgements(_file(tmp_path, PLAIN))

    assert found.frame.schema == pl.Schema(RATINGS_SCHEMA)
    assert found.frame["rating"].to_list() == [70.0, 30.5]
    assert found.frame["item_kind"].to_list() == ["regular", "degraded"]
    assert found.frame["judgement_id"].to_list() == [None, None]
    assert found.warnings == ()


def test_absent_optional_columns_get_their_defaults(tmp_path: Path) -> None:
    found = read_judgements(_file(tmp_path, "worker,segment,rating\nw,1,5\n")).frame

    row = found.row(0, named=True)
    assert (row["system_id"], row["item_kind"], row["hit_id"], row["attribute"]) == ("all", "regular", "", "")
    assert row["document_id"] is row["position"] is row["seconds"] is row["submitted_at"] is None


@pytest.mark.parametrize(
    "text",
    [
        PLAIN.replace("\n", "\r\n"),
        "\ufeff" + PLAIN,
        PLAIN.replace("\n", "\r"),
        PLAIN.replace("w1", '"w1"').replace("worker", '"worker"'),
        PLAIN + "\n\n",
        PLAIN.removesuffix("\n"),
        PLAIN.replace("70", " 70 ").replace("30.5", "+3.05e1"),
        "kind,system,rating,segment,worker\nregular,A,70,1,w1\ndegraded,A,30.5,1,w2\n",
        PLAIN.replace("worker", " worker ").replace("rating", "Rating"),
    ],
    ids=["crlf", "bom", "cr", "quotes", "blank lines", "no last newline", "numbers", "order", "header"],
)
def test_ways_of_writing_the_same_csv(tmp_path: Path, text: str) -> None:
    expected = read_judgements(_file(tmp_path, PLAIN, "plain.csv"))

    assert read_judgements(_file(tmp_path, text)).frame.equals(expected.frame)


@pytest.mark.parametrize("name", ["j.tsv", "j.tsv.gz", "j.csv.gz", "j.jsonl", "j.jsonl.gz", "j.parquet"])
def test_all_formats_say_the_same(tmp_path: Path, name: str) -> None:
    expected = read_judgements(_file(tmp_path, PLAIN, "plain.csv"))
    rows = [
        {"worker": "w1", "segment": 1, "rating": 70, "system": "A", "kind": "regular"},
        {"worker": "w2", "segment": 1, "rating": 30.5, "system": "A", "kind": "degraded"},
    ]
    content = {
        ".tsv": PLAIN.replace(",", "\t").encode(),
        ".csv": PLAIN.encode(),
        ".jsonl": "\n".join(json.dumps(row) for row in rows).encode(),
    }
    path = tmp_path / name
    if name == "j.parquet":
        pl.DataFrame(rows, strict=False).write_parquet(path)
    else:
        plain = content[Path(name.removesuffix(".gz")).suffix]
        path.write_bytes(gzip.compress(plain) if name.endswith(".gz") else plain)

    assert read_judgements(path).frame.equals(expected.frame)


@pytest.mark.parametrize(
    ("written", "kind"),
    [
        *[(name, "regular") for name in ("regular", "SYSTEM", "system", "TGT", "")],
        *[(name, "repeat") for name in ("repeat", "REPEAT", "CHK")],
        *[(name, "degraded") for name in ("degraded", "BAD_REF", "BAD", "cal")],
        *[(name, "reference") for name in ("reference", "REF", "ref")],
    ],
)
def test_kinds_of_earlier_systems_are_recognised(tmp_path: Path, written: str, kind: str) -> None:
    found = read_judgements(_file(tmp_path, f"worker,segment,rating,item_type\nw,1,5,{written}\n"))

    assert found.frame["item_kind"].to_list() == [kind]


@pytest.mark.parametrize(
    ("header", "ours"),
    [
        ("WorkerId,segment,rating", "worker_id"),
        ("login,segment,rating", "worker_id"),
        ("annotator,segment,rating", "worker_id"),
        ("worker,item,rating", "segment_id"),
    ],
)
def test_names_of_earlier_systems_are_recognised(tmp_path: Path, header: str, ours: str) -> None:
    found = read_judgements(_file(tmp_path, f"{header}\n7,7,7\n"))

    assert found.frame[ours].to_list() == ["7"]
    assert found.warnings == ()


@pytest.mark.parametrize(
    ("header", "ours", "warning"),
    [
        ("score,raw_score,worker,segment", "rating", "Took column 'raw_score' as rating, not 'score'."),
        ("annotator,login,segment,rating", "worker_id", "Took column 'login' as worker, not 'annotator'."),
        ("item,segment,worker,rating", "segment_id", "Took column 'segment' as segment, not 'item'."),
    ],
)
def test_of_several_candidates_the_better_is_taken_and_named(
    tmp_path: Path, header: str, ours: str, warning: str
) -> None:
    found = read_judgements(_file(tmp_path, f"{header}\n1,2,3,4\n"))

    assert float(found.frame[ours].item()) == 2
    assert found.warnings == (warning,)


def test_items_numbered_within_documents_become_segments_of_their_own(tmp_path: Path) -> None:
    found = read_judgements(_file(tmp_path, "worker,item,rating,doc\nw,0,5,d1\nw,0,6,d2\n"))

    assert found.frame["segment_id"].to_list() == ["d1:0", "d2:0"]
    assert "together as segment" in found.warnings[0]


def test_other_columns_are_ignored_with_one_warning(tmp_path: Path) -> None:
    found = read_judgements(_file(tmp_path, "worker,segment,rating,size,colour\nw,1,5,900,red\n"))

    assert found.warnings == ("Ignored columns: size, colour.",)
    assert found.frame["seconds"].to_list() == [None]


def test_the_time_of_a_hit_is_not_that_of_a_judgement(tmp_path: Path) -> None:
    found = read_judgements(_file(tmp_path, "worker,segment,rating,hit,hit_seconds\nw,1,5,h,900\n"))

    assert found.frame["seconds"].to_list() == [None]
    assert found.hit_times["work_seconds"].to_list() == [900.0]


def test_the_caller_may_name_the_columns(tmp_path: Path) -> None:
    path = _file(tmp_path, "person,segment,points,score\nw,1,5,6\n")

    found = read_judgements(path, columns={"worker": "person", "rating": "points"})

    assert found.frame.select("worker_id", "rating").row(0) == ("w", 5.0)


def test_naming_a_column_that_is_not_there_is_refused(tmp_path: Path) -> None:
    problems = _problems(_file(tmp_path, PLAIN), columns={"rating": "points", "colour": "kind"})

    assert problems == (
        "there is no column 'colour' to choose: use one of worker, segment, rating, system, kind, hit, "
        "position, document, domain, attribute, seconds, hit_seconds, submitted_at, judgement_id, excluded, "
        "simulated, revision, joined, filler, known, known_sd, first_touch_seconds, moves, first_rating, "
        "hidden_seconds, straightness, pastes, automated.",
        "there is no column 'points' to take as rating. "
        "Columns found: worker, segment, rating, system, kind.",
    )


def test_a_missing_column_is_refused_with_those_found(tmp_path: Path) -> None:
    problems = _problems(_file(tmp_path, "worker,points\nw,5\n"))

    assert problems == (
        "there is no column segment and no column rating. Columns found: worker, points. "
        'Name the right one with columns={"segment": "COLUMN"}.',
    )


def test_a_wrong_separator_is_guessed_at(tmp_path: Path) -> None:
    problems = _problems(_file(tmp_path, PLAIN.replace(",", "|")))

    assert "by commas or semicolons in a .csv file" in problems[0]


@pytest.mark.parametrize(
    ("cells", "problem"),
    [
        ("w,1,,A,regular", "rating is empty."),
        ("w,1,high,A,regular", "rating high is not a number."),
        ("w,1,NaN,A,regular", "rating NaN is not a number."),
        ("w,1,inf,A,regular", "rating inf is not a number."),
        ("w,1,NA,A,regular", "rating NA is not a number."),
        ("w,1, ,A,regular", "rating is empty."),
        ("w,1,101,A,regular", "rating 101 is outside the scale 0 to 100 (for another: scale=(MIN, MAX))."),
        ("w,1,-1,A,regular", "rating -1 is outside the scale 0 to 100 (for another: scale=(MIN, MAX))."),
        (",1,5,A,regular", "worker is empty."),
        ("w,,5,A,regular", "segment is empty."),
        ("w,1,5,,regular", "system is empty."),
        (
            "w,1,5,A,odd",
            "kind odd is unknown; use one of regular, repeat, degraded, reference, gold, calibration.",
        ),
        ("w,1", "rating is empty."),
    ],
)
def test_a_bad_cell_is_refused_with_its_line(tmp_path: Path, cells: str, problem: str) -> None:
    problems = _problems(_file(tmp_path, PLAIN + cells + "\n"))

    assert problems[0] == f"line 4: {problem}"


@pytest.mark.parametrize(
    ("column", "value", "problem"),
    [
        ("position", "1.5", "position 1.5 is not a whole number."),
        ("seconds", "-3", "seconds -3 is negative."),
        ("seconds", "long", "seconds long is not a number."),
        ("submitted_at", "noon", "submitted_at noon is neither ISO 8601 nor Unix seconds."),
        ("known", "good", "known good is not a number."),
        ("known_sd", "-1", "known_sd -1 is negative."),
    ],
)
def test_optional_columns_are_checked_too(tmp_path: Path, column: str, value: str, problem: str) -> None:
    problems = _problems(_file(tmp_path, f"worker,segment,rating,{column}\nw,1,5,{value}\n"))

    assert problems == (f"line 2: {problem}",)


def test_all_problems_are_collected_in_order_and_twenty_shown(tmp_path: Path) -> None:
    bad = "".join(f"w,{row},{'' if row % 2 else 'x'},A,regular\n" for row in range(30))

    with pytest.raises(SourceError) as caught:
        read_judgements(_file(tmp_path, PLAIN + bad))

    assert len(caught.value.problems) == 30
    assert caught.value.problems[:2] == ("line 4: rating x is not a number.", "line 5: rating is empty.")
    assert str(caught.value).endswith("… and 10 more.")


def test_line_numbers_allow_for_blank_lines_and_cells_of_several_lines(tmp_path: Path) -> None:
    text = 'worker,segment,rating\nw,"a\nb",5\n\nw,c,bad\n'

    assert _problems(_file(tmp_path, text)) == ("line 5: rating bad is not a number.",)


def test_blank_lines_count_without_quotes_too(tmp_path: Path) -> None:
    text = "worker,segment,rating\nw,a,5\n\nw,c,bad\n"

    assert _problems(_file(tmp_path, text)) == ("line 4: rating bad is not a number.",)


def test_a_line_with_too_many_cells_is_refused(tmp_path: Path) -> None:
    problems = _problems(_file(tmp_path, PLAIN + "w,1,5,A,regular,more\n"))

    assert problems == ("line 4: 6 cells, but the header names 5 columns.",)


def test_a_stray_quote_inside_a_cell_is_a_character_like_others(tmp_path: Path) -> None:
    found = read_judgements(_file(tmp_path, 'worker,segment,rating\nw,12" disc,5\nw,14" disc,6\n'))

    assert found.frame["segment_id"].to_list() == ['12" disc', '14" disc']


def test_an_open_quote_is_refused_where_it_begins(tmp_path: Path) -> None:
    problems = _problems(_file(tmp_path, PLAIN + 'w,"open,5,A,regular\nw,2,5,A,regular\n'))

    assert problems[0].startswith("line 4: cannot be split into cells")


def test_a_column_named_twice_is_refused(tmp_path: Path) -> None:
    problems = _problems(_file(tmp_path, "worker,segment,rating,rating\nw,1,5,6\n"))

    assert problems == ("line 1: the column 'rating' appears twice.",)


def test_another_scale_is_accepted_when_given(tmp_path: Path) -> None:
    path = _file(tmp_path, "worker,segment,rating\nw,1,-100\n")

    assert read_judgements(path, scale=Scale(-100, 100)).frame["rating"].to_list() == [-100.0]


def test_another_encoding_is_refused_with_line_and_likely_name(tmp_path: Path) -> None:
    problems = _problems(_file(tmp_path, (PLAIN + "これはテスト,1,5,A,regular\n").encode("shift-jis")))

    assert problems[0].startswith("line 4 is not UTF-8 (the file looks like Shift-JIS")


def test_utf_32_is_refused_by_name(tmp_path: Path) -> None:
    assert "UTF-32" in _problems(_file(tmp_path, PLAIN.encode("utf-32")))[0]


@pytest.mark.parametrize(
    ("written", "moment"),
    [
        ("2024-05-06T07:08:09Z", datetime(2024, 5, 6, 7, 8, 9, tzinfo=UTC)),
        ("2024-05-06 09:08:09+02:00", datetime(2024, 5, 6, 7, 8, 9, tzinfo=UTC)),
        ("2024-05-06T07:08:09", datetime(2024, 5, 6, 7, 8, 9, tzinfo=UTC)),
        ("1714979289.5", datetime(2024, 5, 6, 7, 8, 9, 500000, UTC)),
        ("", None),
    ],
)
def test_times_are_iso_8601_or_unix_seconds(tmp_path: Path, written: str, moment: datetime | None) -> None:
    found = read_judgements(_file(tmp_path, f"worker,segment,rating,submitted_at\nw,1,5,{written}\n"))

    assert found.frame["submitted_at"].to_list() == [moment]


def test_a_file_with_a_header_only_is_an_empty_frame(tmp_path: Path) -> None:
    assert read_judgements(_file(tmp_path, "worker,segment,rating\n")).frame.is_empty()


PACKED = gzip.compress(PLAIN.encode(), mtime=0)


@pytest.mark.parametrize(
    ("name", "content", "problem"),
    [
        ("j.csv", b"", "is empty: the first line must name the columns."),
        ("j.csv", b"\n\r\n  \n", "is empty: the first line must name the columns."),
        ("j.csv", b"worker\nw\n", "there is no column segment and no column rating. Columns found: worker."),
        ("j.csv.gz", b"not gzip", "is named .gz but is not a complete gzip file."),
        (
            "j.csv.gz",
            PACKED[:-9],
            "is named .gz but is not a complete gzip file.",
        ),
        (
            "j.csv.gz",
            PACKED[:15],
            "is named .gz but is not a complete gzip file.",
        ),
        ("j.csv", PACKED, "is compressed; end its name in .gz."),
        ("j.parquet", b"not parquet", "is not a readable Parquet file"),
        ("j.docx", b"", "cannot tell the format; end the name in .csv, .tsv"),
        ("j.jsonl", b'{"worker": 1\n[1]\n', "line 1: not JSON"),
        ("j.jsonl", b'{"worker": "\\ud800"}\n', "line 1: holds \\u0000 or half a character"),
    ],
)
def test_unusable_files_are_refused(tmp_path: Path, name: str, content: bytes, problem: str) -> None:
    assert _problems(_file(tmp_path, content, name))[0].startswith(problem)


@pytest.mark.parametrize("name", ["j.csv", "j.parquet", "j.jsonl.gz"])
def test_a_file_that_is_not_there_is_refused(tmp_path: Path, name: str) -> None:
    assert _problems(tmp_path / name) == ("there is no such file.",)


@pytest.mark.parametrize("rating", ["true", '"x"', "[1]", "NaN", "null"])
def test_json_lines_are_checked_like_other_cells(tmp_path: Path, rating: str) -> None:
    path = _file(tmp_path, f'\n{{"worker": 1, "segment": 1, "rating": {rating}}}\n', "j.jsonl")

    assert _problems(path)[0].startswith("line 2: rating ")


@pytest.mark.parametrize("ending", ["csv", "tsv", "jsonl", "parquet"])
def test_what_is_written_reads_back_the_same(tmp_path: Path, frame: pl.DataFrame, ending: str) -> None:
    path = tmp_path / f"out.{ending}"

    write_judgements(frame, path)

    assert read_judgements(path).frame.equals(frame)
    # One row has neither a HIT nor an attribute.
    assert [warning.partition(":")[0] for warning in read_judgements(path).warnings] == [
        "1 of 3 rows have an empty cell for hit",
        "1 of 3 rows have an empty cell for attribute",
    ]
    assert [file.name for file in tmp_path.iterdir()] == [path.name]


@pytest.mark.parametrize("ending", ["csv", "tsv", "jsonl", "parquet"])
def test_known_qualities_round_trip(tmp_path: Path, frame: pl.DataFrame, ending: str) -> None:
    path = tmp_path / f"out.{ending}"
    known = frame.with_columns(
        pl.Series("item_kind", ["gold", "calibration", "regular"]),
        pl.Series("known", [62.5, 100 / 3, None]),
        pl.Series("known_sd", [None, 4.25, None], pl.Float64),
    )

    write_judgements(known, path)

    assert read_judgements(path).frame.equals(known)


@pytest.mark.parametrize("ending", ["csv", "jsonl", "parquet"])
def test_domains_of_documents_round_trip(tmp_path: Path, frame: pl.DataFrame, ending: str) -> None:
    path = tmp_path / f"out.{ending}"
    of_domains = frame.with_columns(pl.Series("domain", ["news", None, "social"]))

    write_judgements(of_domains, path)

    assert read_judgements(path).frame.equals(of_domains)


def test_columns_of_known_qualities_are_written_only_if_there_are_any(
    tmp_path: Path, frame: pl.DataFrame
) -> None:
    write_judgements(frame, tmp_path / "out.csv")

    assert "known" not in (tmp_path / "out.csv").read_text("utf-8")


def test_a_known_quality_may_be_called_a_known_rating(tmp_path: Path) -> None:
    found = read_judgements(_file(tmp_path, "worker,segment,rating,kind,known_rating\nw,1,5,gold,7.5\n"))

    assert found.frame["known"].to_list() == [7.5]
    assert found.warnings == ()


CREDITED = (
    "worker,segment,rating,system,kind,hit,judgement_id\n"
    "w1,1,70,A,regular,h1,j1\n"
    "w1,1,70,B,regular,h1,j1\n"
    "w1,1,30,A,repeat,h1,j2\n"
)


def test_rows_that_share_an_id_are_one_judgement_credited_to_several_systems(tmp_path: Path) -> None:
    found = read_judgements(_file(tmp_path, CREDITED)).frame

    assert found.select("judgement_id", "system_id").rows() == [("j1", "A"), ("j1", "B"), ("j2", "A")]
    assert gather_credit(found)["credited"].to_list() == [["B"], None]


@pytest.mark.parametrize("ending", ["csv", "jsonl", "parquet"])
def test_credits_round_trip(tmp_path: Path, ending: str) -> None:
    gathered = gather_credit(read_judgements(_file(tmp_path, CREDITED)).frame)

    write_judgements(gathered, tmp_path / f"out.{ending}")

    found = read_judgements(tmp_path / f"out.{ending}").frame
    assert found.equals(spread_credit(gathered))
    assert gather_credit(found).equals(gathered)


@pytest.mark.parametrize(
    ("row", "problem"),
    [
        ("w2,1,70,B,regular,h1,j1", "has another worker than above"),
        ("w1,2,70,B,regular,h1,j1", "has another segment than above"),
        ("w1,1,71,B,regular,h1,j1", "has another rating than above"),
        ("w1,1,70,B,repeat,h1,j1", "has another kind than above"),
        ("w1,1,70,B,regular,h2,j1", "has another hit than above"),
        ("w2,1,71,B,regular,h1,j1", "has another worker and another rating than above"),
        ("w1,1,70,A,regular,h1,j1", "appears twice for system A"),
    ],
)
def test_rows_that_share_an_id_but_disagree_are_refused(tmp_path: Path, row: str, problem: str) -> None:
    text = CREDITED.replace("w1,1,70,B,regular,h1,j1", row)

    assert _problems(_file(tmp_path, text)) == (
        f"line 3: judgement_id j1 {problem}; "
        "rows that share an id are one judgement credited to several systems.",
    )


def test_rows_without_an_id_stand_for_themselves(tmp_path: Path) -> None:
    text = CREDITED.replace("j1", "").replace("j2", "")

    found = read_judgements(_file(tmp_path, text)).frame

    assert found["judgement_id"].to_list() == [None] * 3
    assert gather_credit(found).equals(found)


def test_one_judgement_may_rate_several_attributes(tmp_path: Path) -> None:
    text = "worker,segment,rating,attribute,judgement_id\nw,1,70,fun,j1\nw,1,30,fluent,j1\n"

    assert read_judgements(_file(tmp_path, text)).frame["rating"].to_list() == [70.0, 30.0]


@pytest.mark.parametrize("ending", ["csv", "tsv", "jsonl", "parquet"])
def test_no_judgements_round_trip_too(tmp_path: Path, frame: pl.DataFrame, ending: str) -> None:
    path = tmp_path / f"out.{ending}"

    write_judgements(frame.clear(), path)

    assert read_judgements(path).frame.is_empty()


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, pa.table], ids=["pandas", "polars", "pyarrow"])
def test_tables_in_memory_read_like_files(tmp_path: Path, make: type) -> None:
    columns = {"worker": ["w1", "w2"], "segment": [1, 1], "rating": [70.0, 30.5], "system": ["A", "A"]}
    table = make({**columns, "kind": ["regular", "degraded"]})

    found = from_table(table)

    assert found.frame.equals(read_judgements(_file(tmp_path, PLAIN)).frame)


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, pa.table], ids=["pandas", "polars", "pyarrow"])
def test_problems_of_tables_name_the_row(make: type) -> None:
    table = make({"worker": ["w1", "w2"], "segment": ["1", None], "rating": [70.0, 200.0]})

    with pytest.raises(SourceError) as caught:
        from_table(table)

    assert [problem.split(" (")[0] for problem in caught.value.problems] == [
        "row 2: rating 200.0 is outside the scale 0 to 100",
        "row 2: segment is empty.",
    ]


def test_something_that_is_no_table_is_refused() -> None:
    with pytest.raises(SourceError, match="cannot be read as a table"):
        from_table([1, 2])  # type: ignore[arg-type]


def test_a_line_of_a_million_cells_is_refused_at_once(tmp_path: Path) -> None:
    path = tmp_path / "wide.csv"
    path.write_text("worker,segment,rating" + ",x" * 1_000_000 + "\na,1,50\n", "utf-8")

    with pytest.raises(SourceError, match="line 1 has 1,000,003 cells"):
        read_judgements(path)


def test_a_row_of_a_million_cells_is_refused_at_once(tmp_path: Path) -> None:
    problems = _problems(_file(tmp_path, PLAIN + "w" + ",x" * 999_999 + "\n"))

    assert problems == ("line 4: 1,000,000 cells, but the header names 5 columns.",)


@pytest.mark.parametrize("name", ["j.csv", "j.tsv", "j.jsonl", "j.parquet", "j.csv.gz"])
def test_junk_is_refused_in_a_few_words(tmp_path: Path, name: str) -> None:
    junk = np.random.default_rng(3).bytes(100_000)

    problems = _problems(_file(tmp_path, junk, name))

    assert len(problems) == 1
    assert len(problems[0]) < 300


def test_a_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "j.parquet").mkdir()

    assert _problems(tmp_path / "j.parquet")[0].startswith("is a folder")


@pytest.mark.parametrize("name", ["j.csv", "j.jsonl"])
def test_a_long_cell_is_cut_short_in_messages(tmp_path: Path, name: str) -> None:
    long = "x" * 1_000_000
    csv = f"worker,segment,rating\nw,1,{long}\n"
    text = csv if name == "j.csv" else json.dumps({"worker": "w", "segment": 1, "rating": long})

    problems = _problems(_file(tmp_path, text, name))

    assert problems == (f"line {2 if name == 'j.csv' else 1}: rating {'x' * 60}… is not a number.",)


def test_a_cell_of_several_lines_is_shown_on_one(tmp_path: Path) -> None:
    problems = _problems(_file(tmp_path, 'worker,segment,rating\nw,1,"a\nb"\n'))

    assert problems == ("line 2: rating a b is not a number.",)


def test_long_lists_of_columns_are_cut_short(tmp_path: Path) -> None:
    names = [f"column{number}" for number in range(300)] + ["y" * 10_000]

    problems = _problems(_file(tmp_path, ",".join(["y" * 10_000, *names]).replace("y" * 10_000, "z", 1)))

    assert problems[0].startswith("there is no column worker and no column segment and no column rating.")
    assert "column18 and 282 more. Name the right one" in problems[0]


def test_thousands_of_problems_are_counted_and_twenty_shown(tmp_path: Path) -> None:
    n = 30_000
    rows = "".join(f"w,{row},{row % 3 * 100}\n" for row in range(n))

    with pytest.raises(SourceError) as caught:
        read_judgements(_file(tmp_path, f"worker,segment,rating\n{rows}"))

    # Every third rating is 200, from the third row on.
    shown = str(caught.value).split("\n")
    assert shown[0].endswith("j.csv: 10000 problems.")
    assert [line.split(":")[0] for line in shown[1:21]] == [f"  - line {4 + 3 * k}" for k in range(20)]
    assert shown[21:] == ["  … and 9980 more."]


def test_problems_beyond_those_that_are_told_are_counted(tmp_path: Path) -> None:
    rows = "".join(f"w,{row},high\n" for row in range(12_000))

    with pytest.raises(SourceError) as caught:
        read_judgements(_file(tmp_path, f"worker,segment,rating\n{rows}"))

    assert len(caught.value.problems) == 12_000
    assert caught.value.problems[9_999] == "line 10001: rating high is not a number."


def _case(value: object) -> str:
    """What tells a case from others: of a column its type."""
    return str(value.dtype) if isinstance(value, pl.Series) else str(value)


def _parquet(folder: Path, **columns: pl.Series) -> Path:
    """A good table of two rows with some columns replaced."""
    good = {"worker": ["w1", "w2"], "segment": [1, 1], "rating": [70.0, 30.5], "system": ["A", "A"]}
    kind = {"kind": ["regular", "degraded"]}
    pl.DataFrame({**good, **kind, **columns}).write_parquet(folder / "j.parquet")
    return folder / "j.parquet"


@pytest.mark.parametrize(
    ("column", "cells"),
    [
        ("rating", pl.Series([Decimal("70.0"), Decimal("30.5")], dtype=pl.Decimal(10, 2))),
        ("rating", pl.Series(["70", "30.5"], dtype=pl.Categorical)),
        ("rating", pl.Series([70, 30.5], dtype=pl.Float32)),
        ("worker", pl.Series(["w1", "w2"], dtype=pl.Categorical)),
        ("worker", pl.Series([b"w1", b"w2"])),
        ("system", pl.Series(["A", "A"], dtype=pl.Enum(["A", "B"]))),
        ("kind", pl.Series(["TGT", "BAD"], dtype=pl.Categorical)),
        ("kind", pl.Series(["regular", "degraded"], dtype=pl.Enum(["regular", "degraded"]))),
        ("segment", pl.Series([Decimal(1), Decimal(1)], dtype=pl.Decimal(30, 4))),
        ("segment", pl.Series([1, 1], dtype=pl.UInt8)),
        ("segment", pl.Series([1.0, 1.0])),
    ],
    ids=_case,
)
def test_types_of_parquet_that_mean_the_same(tmp_path: Path, column: str, cells: pl.Series) -> None:
    expected = read_judgements(_file(tmp_path, PLAIN))

    assert read_judgements(_parquet(tmp_path, **{column: cells})).frame.equals(expected.frame)


@pytest.mark.parametrize(
    ("column", "cells", "problem"),
    [
        ("rating", pl.Series([[1], [2]]), "the column 'rating' holds list values; a cell must be a number,"),
        ("rating", pl.Series([{"a": 1}, {"a": 2}]), "the column 'rating' holds struct values; a cell must"),
        ("worker", pl.Series([["w"], ["w"]]), "the column 'worker' holds list values; a cell must be"),
        ("worker", pl.Series([b"w", b"\xff"]), "the column 'worker' holds binary values; a cell must be"),
        ("rating", pl.Series([date(2024, 1, 2), None]), "row 1: rating 2024-01-02 is not a number."),
        ("rating", pl.Series([True, False]), "row 1: rating True is not a number."),
        ("rating", pl.Series([None, None]), "row 1: rating is empty."),
        ("rating", pl.Series([float("nan"), 5.0]), "row 1: rating nan is not a number."),
        ("rating", pl.Series([5.0, float("inf")]), "row 2: rating inf is not a number."),
        ("segment", pl.Series([1.0, float("nan")]), "row 2: segment is empty."),
        ("kind", pl.Series([1, 2]), "row 1: kind 1 is unknown; use one of regular, repeat,"),
        ("position", pl.Series([[1], [2]]), "the column 'position' holds list values; a cell must be"),
        ("submitted_at", pl.Series([1e300, None]), "row 1: submitted_at 1e+300 is neither ISO 8601 nor"),
    ],
    ids=_case,
)
def test_types_of_parquet_that_mean_nothing_are_refused(
    tmp_path: Path, column: str, cells: pl.Series, problem: str
) -> None:
    assert _problems(_parquet(tmp_path, **{column: cells}))[0].startswith(problem)


def test_columns_of_any_type_may_be_ignored(tmp_path: Path) -> None:
    path = _parquet(tmp_path, colours=pl.Series([["red"], None]), raw=pl.Series([b"\xff", b""]))

    found = read_judgements(path)

    assert found.frame["rating"].to_list() == [70.0, 30.5]
    assert found.warnings == ("Ignored columns: colours, raw.",)


@pytest.mark.parametrize(
    "times",
    [
        pl.Series([datetime(2024, 5, 6, 7, 8, 9), None]),
        pl.Series([datetime(2024, 5, 6, 7, 8, 9, tzinfo=UTC), None]),
        pl.Series([datetime(2024, 5, 6, 7, 8, 9), None])
        .dt.replace_time_zone("UTC")
        .dt.convert_time_zone("Asia/Tokyo"),
        pl.Series([datetime(2024, 5, 6, 7, 8, 9), None], dtype=pl.Datetime("ns")),
        pl.Series([1714979289, None]),
        pl.Series(["Mon May 06 00:08:09 PDT 2024", ""]),
    ],
    ids=["no zone", "UTC", "Tokyo", "nanoseconds", "Unix", "Mechanical Turk"],
)
def test_times_of_parquet_are_moments(tmp_path: Path, times: pl.Series) -> None:
    found = read_judgements(_parquet(tmp_path, submitted_at=times)).frame

    assert found["submitted_at"].to_list() == [datetime(2024, 5, 6, 7, 8, 9, tzinfo=UTC), None]


def test_dates_of_parquet_are_moments(tmp_path: Path) -> None:
    found = read_judgements(_parquet(tmp_path, submitted_at=pl.Series([date(2024, 5, 6), None]))).frame

    assert found["submitted_at"].to_list() == [datetime(2024, 5, 6, tzinfo=UTC), None]


def test_items_and_documents_of_any_type_become_segments(tmp_path: Path) -> None:
    table = pl.DataFrame({"worker": ["w"], "item": [3.0], "rating": [5]}).with_columns(
        doc=pl.Series(["d"], dtype=pl.Categorical)
    )

    assert from_table(table).frame["segment_id"].to_list() == ["d:3"]


_ids = st.sampled_from(["a", "b c", "Ω", "7", "x,y", 'q"q', "1.0"])
_rows = st.lists(
    st.tuples(_ids, _ids, st.integers(0, 10_000).map(lambda k: k / 100), _ids, st.sampled_from([*ItemKind])),
    max_size=20,
)


@settings(max_examples=25)
@given(_rows)
def test_columns_of_numbers_and_of_texts_say_the_same(rows: list[tuple[str, str, float, str, str]]) -> None:
    names = ["worker", "segment", "rating", "system", "kind"]
    schema = {name: pl.Float64 if name == "rating" else pl.String for name in names}
    table = pl.DataFrame([(*row[:4], str(row[4])) for row in rows], schema=schema, orient="row")
    texts = table.with_columns(pl.col("rating").cast(pl.String))

    assert from_table(table).frame.equals(from_table(texts).frame)


@pytest.mark.parametrize(
    ("column", "fate"),
    [
        ("kind", "count as regular"),
        ("hit", "are taken as one HIT without a name"),
        ("attribute", "are taken as one attribute without a name"),
    ],
)
def test_empty_cells_among_names_are_counted(tmp_path: Path, column: str, fate: str) -> None:
    path = tmp_path / "gaps.csv"
    path.write_text(f"worker,segment,rating,{column}\nw,1,50,regular\nw,2,60,\n", "utf-8")

    assert read_judgements(path).warnings[-1] == f"1 of 2 rows have an empty cell for {column}: they {fate}."
