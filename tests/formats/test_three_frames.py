"""Files of preferences and spans: recognised, checked, written and read back as ratings are."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from steelyard.domain.errors import SourceError
from steelyard.domain.judgement import PREFERENCES, SPAN_SIDES, FrameName
from steelyard.domain.running import Exclusion
from steelyard.domain.work import SCORED_KINDS, ItemKind
from steelyard.formats.judgements_file import from_table, read_judgements
from steelyard.formats.judgements_writing import neighbour, write_judgements
from steelyard.frames import preferences_frame, ratings_frame, spans_frame

ENDINGS = ["csv", "tsv", "jsonl", "parquet"]
PREFERRED = (
    "worker,segment,system_a,system_b,preference,kind,control_side\n"
    "w1,1,A,B,a,regular,\n"
    "w1,1,B,A,Both bad,regular,\n"
    "w2,1,A,A,b,degraded,a\n"
)
MARKED = (
    "worker,system,segment,start,end,severity,category,side\n"
    "w1,A,1,0,4,minor,style,\n"
    "w1,A,1,,,major,omission,source\n"
    "w2,A,1,,,,,\n"
)


def _file(folder: Path, text: str, name: str = "j.csv") -> Path:
    path = folder / name
    path.write_text(text, "utf-8")
    return path


def _problems(path: Path) -> tuple[str, ...]:
    with pytest.raises(SourceError) as caught:
        read_judgements(path)
    return caught.value.problems


def test_a_file_of_preferences_is_recognised_by_its_columns(tmp_path: Path) -> None:
    found = read_judgements(_file(tmp_path, PREFERRED))

    assert found.preferences.select("worker_id", "system_a", "system_b", "preference").rows() == [
        ("w1", "A", "B", "a"),
        ("w1", "B", "A", "both_bad"),
        ("w2", "A", "A", "b"),
    ]
    assert found.preferences["control_side"].to_list() == [None, None, "a"]
    assert (len(found.frame), len(found.spans), found.warnings) == (0, 0, ())


MARKS = "worker,segment,rating,hit,excluded,simulated\nw1,1,5,a,copied,\nw1,2,5,a,copied,\nw2,1,5,b,,true\n"


def test_a_file_says_what_a_person_excluded_and_who_is_simulated(tmp_path: Path) -> None:
    found = read_judgements(_file(tmp_path, MARKS))

    assert found.exclusions == (Exclusion("w1", "a", "copied"),)
    assert (found.simulated, found.warnings) == ({"w2"}, ())


@pytest.mark.parametrize(
    ("cell", "reasons"),
    [("false", []), ("No", []), ("0", []), (" ", []), ("yes", ["no reason given"]), ("12", ["12"])],
)
def test_a_plain_yes_or_no_for_excluded_is_understood(tmp_path: Path, cell: str, reasons: list[str]) -> None:
    table = f"worker,segment,rating,excluded\nw1,1,5,{cell}\nw1,2,5,{cell}\n"

    assert [each.reason for each in read_judgements(_file(tmp_path, table)).exclusions] == reasons


def test_truth_values_for_excluded_are_understood() -> None:
    table = pl.DataFrame(
        {"worker": ["a", "b"], "segment": [1, 1], "rating": [5, 5], "excluded": [True, False]}
    )

    assert [each.worker_id for each in from_table(table).exclusions] == ["a"]


def test_a_hit_of_which_only_some_rows_are_excluded_is_refused(tmp_path: Path) -> None:
    problems = _problems(_file(tmp_path, MARKS.replace("w1,2,5,a,copied", "w1,2,5,a,")))

    assert problems == (
        "line 3: excluded differs from above for the same worker and HIT; a HIT is excluded as a whole.",
    )


def test_simulated_is_true_or_false(tmp_path: Path) -> None:
    problems = _problems(_file(tmp_path, MARKS.replace("true", "perhaps")))

    assert problems == ("line 4: simulated perhaps is neither true nor false.",)


@pytest.mark.parametrize("text", [PREFERRED, MARKED])
@pytest.mark.parametrize("ending", ENDINGS)
def test_marks_of_preferences_and_spans_come_back(tmp_path: Path, text: str, ending: str) -> None:
    found = read_judgements(_file(tmp_path, text))
    name: FrameName = "preferences" if len(found.preferences) else "spans"
    frame = getattr(found, name)
    of_first = pl.col("worker_id") == "w1"
    marked = frame.with_columns(
        excluded=pl.when(of_first).then(pl.lit('said "no"')),
        simulated=pl.when(~of_first).then(pl.lit("true")),
    )
    write_judgements(marked, tmp_path / f"marked.{ending}", name=name)

    again = read_judgements(tmp_path / f"marked.{ending}")

    assert again.exclusions == (Exclusion("w1", "", 'said "no"'),)
    assert again.simulated == {"w2"}
    assert getattr(again, name).equals(frame)


def test_a_file_of_spans_is_recognised_by_its_columns(tmp_path: Path) -> None:
    found = read_judgements(_file(tmp_path, MARKED))

    assert found.spans.select("start", "end", "severity", "category", "side").rows() == [
        (0, 4, "minor", "style", "target"),
        (None, None, "major", "omission", "source"),
        (None, None, None, None, "target"),
    ]
    assert (len(found.frame), len(found.preferences), found.warnings) == (0, 0, ())


def test_a_file_with_ratings_too_is_a_file_of_ratings(tmp_path: Path) -> None:
    text = "worker,system,segment,rating,start,end,severity\nw1,A,1,50,0,4,minor\n"

    found = read_judgements(_file(tmp_path, text))

    assert (len(found.frame), len(found.spans)) == (1, 0)
    assert found.warnings == ("Ignored columns: start, end, severity.",)


def test_columns_of_preferences_may_be_named(tmp_path: Path) -> None:
    path = _file(tmp_path, "who,segment,left,right,better\nw1,1,A,B,tie\n")
    columns = {"worker": "who", "system_a": "left", "system_b": "right", "preference": "better"}

    found = read_judgements(path, columns=columns)

    assert found.preferences["preference"].to_list() == ["tie"]


def test_tables_of_preferences_read_like_files(tmp_path: Path) -> None:
    table = pl.read_csv(_file(tmp_path, PREFERRED))

    found = from_table(table)

    assert found.preferences.equals(read_judgements(tmp_path / "j.csv").preferences)


@pytest.mark.parametrize(
    ("row", "problem"),
    [
        ("w1,1,A,B,left,,", "line 5: preference left is unknown; use one of a, b, tie, both_bad."),
        ("w1,1,A,B,,,", "line 5: preference is empty."),
        (",1,A,B,a,,", "line 5: worker is empty."),
        ("w1,1,,B,a,,", "line 5: system_a is empty."),
        ("w1,1,A,A,a,,", "line 5: system_b A is system_a too, and a system is not compared with itself."),
        ("w1,1,A,B,a,odd,", "line 5: kind odd is unknown; use one of regular, repeat, degraded, "),
        ("w1,1,A,B,a,degraded,left", "line 5: control_side left is unknown; use one of a, b."),
    ],
)
def test_a_bad_preference_is_refused_with_its_line(tmp_path: Path, row: str, problem: str) -> None:
    [found] = _problems(_file(tmp_path, f"{PREFERRED}{row}\n"))

    assert found.startswith(problem)


@pytest.mark.parametrize(
    ("row", "problem"),
    [
        ("w1,A,1,4,4,minor,,", "line 5: end 4 is not after start; a span ends after its last character."),
        ("w1,A,1,-1,4,minor,,", "line 5: start -1 is negative."),
        ("w1,A,1,0,1.5,minor,,", "line 5: end 1.5 is not a whole number."),
        ("w1,A,1,x,4,minor,,", "line 5: start x is not a number."),
        ("w1,A,1,3,,minor,,", "line 5: start 3 has no end: give both, or neither."),
        ("w1,A,1,,3,minor,,", "line 5: end 3 has no start: give both, or neither."),
        ("w1,A,1,0,4,,,", "line 5: severity is empty; only a translation without error has none."),
        ("w1,A,1,0,4,minor,,left", "line 5: side left is unknown; use one of target, source."),
        ("w1,,1,0,4,minor,,", "line 5: system is empty."),
    ],
)
def test_a_bad_span_is_refused_with_its_line(tmp_path: Path, row: str, problem: str) -> None:
    found = _problems(_file(tmp_path, f"{MARKED}{row}\n"))

    assert found[0] == problem


@pytest.mark.parametrize(
    ("place", "problem"),
    [
        ("9,4", "line 2: injected_end 4 is not after injected_start."),
        ("4,", "line 2: injected_start 4 has no injected_end: give both."),
        (",4", "line 2: injected_end 4 has no injected_start: give both."),
    ],
)
def test_a_bad_place_of_an_injected_error_is_refused(tmp_path: Path, place: str, problem: str) -> None:
    columns = "worker,system,segment,start,end,severity,injected_start,injected_end"

    assert _problems(_file(tmp_path, f"{columns}\nw1,A,1,0,4,minor,{place}\n")) == (problem,)


def test_all_problems_are_listed_at_once(tmp_path: Path) -> None:
    rows = "w1,1,A,B,left,,\nw1,1,A,,a,,\n"

    problems = _problems(_file(tmp_path, PREFERRED + rows))

    assert [problem.partition(":")[0] for problem in problems] == ["line 5", "line 6"]


def test_the_same_pair_twice_in_one_judgement_is_refused(tmp_path: Path) -> None:
    text = "worker,segment,system_a,system_b,preference,judgement_id\nw1,1,A,B,a,j1\nw1,1,A,B,b,j1\n"

    [problem] = _problems(_file(tmp_path, text))

    assert problem == "line 3: judgement_id j1 compares A with B twice; keep one of the rows."


IDS = "worker,segment,system_a,system_b,preference,judgement_id,credited_a,credited_b\n"


@pytest.mark.parametrize(
    ("row", "problem"),
    [
        ("w1,1,B,A,b,j1,,", "line 3: judgement_id j1 compares B with A twice; keep one of the rows."),
        ("w2,1,A,C,a,j1,,", "line 3: judgement_id j1 has another worker than above."),
        (
            'w1,2,A,B,a,j2,"[""B""]",',
            'line 3: credited_a ["B"] names a system that the row has already.',
        ),
        (
            'w1,2,A,B,a,j2,"[""C""]","[""C""]"',
            'line 3: credited_a ["C"] names a system that the row has already.',
        ),
    ],
)
def test_rows_that_contradict_each_other_are_refused(tmp_path: Path, row: str, problem: str) -> None:
    text = f"{IDS}w1,1,A,B,a,j1,,\n{row}\n"

    assert _problems(_file(tmp_path, text)) == (problem,)


def test_a_side_of_a_control_is_not_for_regular_rows(tmp_path: Path) -> None:
    [problem] = _problems(_file(tmp_path, f"{PREFERRED}w1,1,A,B,a,regular,b\n"))

    assert problem == "line 5: control_side b is for degraded and reference rows only; check the kind."


@pytest.mark.parametrize(
    ("row", "problem"),
    [
        (
            "w1,A,1,,,,j1",
            "line 3: severity is empty, which means no error, but judgement_id j1 has other rows for it.",
        ),
        ("w2,A,1,5,6,minor,j1", "line 3: judgement_id j1 has another worker than above."),
        ("w1,A,1,1e30,2e30,minor,j2", "line 3: start 1e30 is too large."),
    ],
)
def test_spans_that_contradict_each_other_are_refused(tmp_path: Path, row: str, problem: str) -> None:
    text = f"worker,system,segment,start,end,severity,judgement_id\nw1,A,1,0,4,minor,j1\n{row}\n"

    assert _problems(_file(tmp_path, text))[0] == problem


def test_two_omissions_of_one_translation_may_look_the_same(tmp_path: Path) -> None:
    rows = "w1,A,1,,,major,j1\n" * 2
    text = f"worker,system,segment,start,end,severity,judgement_id\n{rows}"

    assert len(read_judgements(_file(tmp_path, text)).spans) == 2


@pytest.mark.parametrize(
    ("header", "column"),
    [
        ("worker,segment,system_a,preference", "system_b"),
        ("worker,segment,system_a,system_b", "preference"),
        ("worker,system,segment,start,end", "severity"),
    ],
)
def test_what_is_missing_is_a_column_of_the_frame_that_the_others_are_of(
    tmp_path: Path, header: str, column: str
) -> None:
    [problem] = _problems(_file(tmp_path, f"{header}\n"))

    assert problem.startswith(f"there is no column {column}. ")


def test_a_control_that_hides_which_side_it_is_on_is_worth_a_warning(tmp_path: Path) -> None:
    found = read_judgements(_file(tmp_path, PREFERRED.replace("degraded,a", "degraded,")))

    assert found.warnings == (
        "1 of 1 degraded and reference rows do not say in control_side which translation is the control: "
        "they count for nothing.",
    )


@pytest.mark.parametrize(
    ("text", "column"), [(PREFERRED, "worker"), (PREFERRED, "segment"), (MARKED, "system")]
)
def test_a_missing_column_is_refused(tmp_path: Path, text: str, column: str) -> None:
    [problem] = _problems(_file(tmp_path, text.replace(column, "other", 1)))

    assert problem.startswith(f"there is no column {column}.")


# Names are texts that are not empty; a cell of one format is a cell of all.
names = st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=8).filter(str.strip)
moments = st.integers(0, 2**32).map(lambda number: datetime(2020, 1, 1, tzinfo=UTC) + timedelta(0, number, 7))
judged = {
    "worker_id": names,
    "segment_id": names,
    "item_kind": st.sampled_from([str(kind) for kind in ItemKind]),
    "hit_id": names,
    "attribute": names,
    "document_id": st.none() | names,
    "position": st.none() | st.integers(1, 1000),
    "seconds": st.none() | st.floats(0, 1e6),
    "submitted_at": st.none() | moments,
}
credited = st.none() | st.lists(names, min_size=1, max_size=3)


def _distinct(row: dict[str, Any]) -> bool:
    """Whether a row names every system once."""
    named = [row[name] for name in ("system_a", "system_b", "system_id") if name in row]
    for name in ("credited_a", "credited_b", "credited"):
        named += row.get(name) or []
    return len(set(named)) == len(named)


def _sided(row: dict[str, Any]) -> dict[str, Any]:
    """The row, without the side of a control where there is none."""
    return row if row["item_kind"] not in SCORED_KINDS else row | {"control_side": None}


preference_rows = st.fixed_dictionaries(
    {
        **judged,
        "system_a": names,
        "system_b": names,
        "preference": st.sampled_from(PREFERENCES),
        "control_side": st.sampled_from([None, "a", "b"]),
        "credited_a": credited,
        "credited_b": credited,
    }
)
preference_rows = preference_rows.filter(_distinct).map(_sided)
spans = st.tuples(st.integers(0, 10**6), st.integers(1, 10**6)).map(lambda pair: (pair[0], sum(pair)))
span_rows = st.one_of(
    st.fixed_dictionaries({**judged, "severity": names, "span": spans}),
    st.fixed_dictionaries({**judged, "severity": st.none() | names}),
).flatmap(
    lambda row: st.fixed_dictionaries(
        {
            **{name: st.just(value) for name, value in row.items() if name != "span"},
            "start": st.just(row.get("span", (None, None))[0]),
            "end": st.just(row.get("span", (None, None))[1]),
            "system_id": names,
            "category": st.none() | names,
            "side": st.sampled_from(SPAN_SIDES),
            "credited": credited,
        }
    ).filter(_distinct)
)


def _numbered(rows: list[dict[str, Any]]) -> pl.DataFrame:
    return pl.DataFrame(
        [{**row, "judgement_id": f"j{number}"} for number, row in enumerate(rows)], infer_schema_length=None
    )


@settings(max_examples=25)
@given(rows=st.lists(preference_rows, min_size=1, max_size=6))
def test_preferences_read_back_as_they_were_written(rows: list[dict[str, Any]]) -> None:
    frame = preferences_frame(_numbered(rows))

    with TemporaryDirectory() as folder:
        for ending in ENDINGS:
            path = Path(folder) / f"out.{ending}"
            write_judgements(frame, path, name="preferences")
            assert read_judgements(path).preferences.equals(frame), ending


@settings(max_examples=25)
@given(rows=st.lists(span_rows, min_size=1, max_size=6))
def test_spans_read_back_as_they_were_written(rows: list[dict[str, Any]]) -> None:
    frame = spans_frame(_numbered(rows))

    with TemporaryDirectory() as folder:
        for ending in ENDINGS:
            path = Path(folder) / f"out.{ending}"
            write_judgements(frame, path, name="spans")
            assert read_judgements(path).spans.equals(frame), ending


RATED = "worker,segment,rating,system,judgement_id\nw1,1,70,A,{}\n"


@pytest.mark.parametrize("judgement_id", ["j1", "j1/2"])
def test_ratings_come_with_the_spans_of_the_same_judgements(tmp_path: Path, judgement_id: str) -> None:
    path = _file(tmp_path, RATED.format(judgement_id))
    spans = "worker,system,segment,start,end,severity,judgement_id\nw1,A,1,0,4,minor,j1\n"
    _file(tmp_path, spans, "j.spans.csv")

    found = read_judgements(path)

    assert (len(found.frame), len(found.spans), found.warnings) == (1, 1, ())


def test_files_of_something_else_beside_the_ratings_are_left_out(tmp_path: Path) -> None:
    path = _file(tmp_path, "worker,segment,rating\nw1,1,50\n", "news.csv")
    _file(tmp_path, "name,length\nbridge,300\n", "news.spans.csv")

    found = read_judgements(path)

    assert found.spans.is_empty()
    assert found.warnings == ("news.spans.csv was left out: its columns are not those of spans.",)


def test_files_of_other_judgements_beside_the_ratings_are_left_out(tmp_path: Path) -> None:
    path = _file(tmp_path, RATED.format("j1"))
    _file(tmp_path, "worker,segment,system_a,system_b,preference\nw1,1,A,B,a\n", "j.preferences.csv")

    found = read_judgements(path)

    assert (len(found.frame), len(found.preferences)) == (1, 0)
    assert found.warnings == ("j.preferences.csv was left out: it shares no judgement_id with j.csv.",)


@pytest.mark.parametrize("ending", ENDINGS)
def test_without_ratings_the_neighbours_are_all_there_is(tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"out.{ending}"
    frame = read_judgements(_file(tmp_path, PREFERRED)).preferences
    write_judgements(ratings_frame(), path)
    write_judgements(frame, neighbour(path, "preferences"), name="preferences")

    found = read_judgements(path)

    assert len(found.frame) == 0
    assert found.preferences.equals(frame)


def test_named_columns_are_those_of_one_file(tmp_path: Path) -> None:
    path = _file(tmp_path, RATED.format("j1"))
    _file(tmp_path, "worker,segment,system_a,system_b,preference\nnonsense\n", "j.preferences.csv")

    found = read_judgements(path, columns={"rating": "rating"})

    assert len(found.frame) == 1


@pytest.mark.parametrize(
    ("name", "frame", "beside"),
    [
        ("news.csv", "spans", "news.spans.csv"),
        ("a.b.parquet", "preferences", "a.b.preferences.parquet"),
        ("News.TSV.gz", "spans", "News.spans.TSV.gz"),
    ],
)
def test_neighbours_are_named_after_the_ratings(name: str, frame: FrameName, beside: str) -> None:
    assert neighbour(Path("folder") / name, frame) == Path("folder") / beside
