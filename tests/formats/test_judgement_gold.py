"""Known ratings in a judgements file: their column, their scale, and one for each translation."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from steelyard.domain.errors import SourceError
from steelyard.domain.scale import Scale
from steelyard.formats.judgements_file import JudgementsFile, from_table, read_judgements


def _read(folder: Path, *lines: str, **options: object) -> JudgementsFile:
    path = folder / "j.csv"
    path.write_text("\n".join(lines) + "\n", "utf-8")
    return read_judgements(path, **options)  # type: ignore[arg-type]


def _problems(folder: Path, *lines: str, **options: object) -> tuple[str, ...]:
    with pytest.raises(SourceError) as caught:
        _read(folder, *lines, **options)
    return caught.value.problems


def test_a_column_called_gold_holds_known_ratings(tmp_path: Path) -> None:
    found = _read(tmp_path, "worker,item,response,gold", "w,1,25,37", "w,2,30,")

    assert found.frame["known"].to_list() == [37.0, None]
    assert found.warnings == ()


def test_known_is_preferred_to_gold(tmp_path: Path) -> None:
    found = _read(tmp_path, "worker,segment,rating,gold,known", "w,1,25,yes,37")

    assert found.frame["known"].to_list() == [37.0]
    assert found.warnings == ("Took column 'known' as known, not 'gold'.",)


def test_known_ratings_outside_the_scale_are_refused_all_with_their_lines(tmp_path: Path) -> None:
    problems = _problems(
        tmp_path,
        "worker,segment,rating,kind,known",
        *("w,1,5,regular,0.5", "w,2,5,gold,7", "w,3,5,repeat,5", "w,4,5,,-1"),
        scale=Scale(1, 5),
    )

    told = "is outside the scale 1 to 5 (of an expert on another: gold_scale=(MIN, MAX))."
    assert problems == (f"line 2: known 0.5 {told}", f"line 3: known 7 {told}", f"line 5: known -1 {told}")


def test_scores_of_an_earlier_campaign_are_on_no_scale(tmp_path: Path) -> None:
    rows = ("worker,segment,rating,kind,known,known_sd", "w,1,5,calibration,-0.4,0.2", "w,2,3,gold,4,1")

    plain = _read(tmp_path, *rows, scale=Scale(1, 5)).frame
    moved = _read(tmp_path, *rows, scale=Scale(1, 5), gold_scale=Scale(0, 10)).frame

    assert plain.select("known", "known_sd").rows() == [(-0.4, 0.2), (4.0, 1.0)]
    # 4 of 0..10 is 1 + 4 * 4/10, and one point of ten 4/10 of four.
    assert moved.select("known", "known_sd").rows() == [(-0.4, 0.2), (2.6, 0.4)]


def test_gold_on_a_scale_of_its_own_comes_on_that_of_the_ratings(tmp_path: Path) -> None:
    found = _read(
        tmp_path,
        "worker,segment,rating,gold",
        *("w,1,10,0", "w,2,9,4", "w,3,8,3.62", "w,4,0,1", "w,5,0,"),
        scale=Scale(0, 10),
        gold_scale=Scale(0, 4),
    )

    assert found.frame["known"].to_list() == pytest.approx([0.0, 10.0, 9.05, 2.5, None])
    assert found.frame["rating"].to_list() == [10, 9, 8, 0, 0]


@pytest.mark.parametrize(("low", "high"), [(0.1, 0.7), (-3.0, 1.9), (1.0, 6.0)])
def test_the_ends_of_the_gold_scale_are_the_ends_of_the_scale(
    tmp_path: Path, low: float, high: float
) -> None:
    found = _read(
        tmp_path,
        "worker,segment,rating,gold",
        *(f"w,1,1,{low}", f"w,2,1,{high}"),
        scale=Scale(0.3, 1.1),
        gold_scale=Scale(low, high),
    )

    assert found.frame["known"].to_list() == pytest.approx([0.3, 1.1], rel=1e-12)
    assert found.frame["known"].is_between(0.3, 1.1).all()


def test_gold_outside_its_own_scale_is_refused(tmp_path: Path) -> None:
    problems = _problems(
        tmp_path, "worker,segment,rating,gold", "w,1,5,4.5", scale=Scale(0, 10), gold_scale=Scale(0, 4)
    )

    assert problems == ("line 2: known 4.5 is outside the gold scale 0 to 4.",)


def test_a_gold_scale_without_gold_is_told(tmp_path: Path) -> None:
    found = _read(tmp_path, "worker,segment,rating", "w,1,5", gold_scale=Scale(0, 4))

    assert found.warnings == ("No item has a known rating, so the gold scale was not used.",)


def test_two_known_ratings_of_one_translation_are_refused_by_name(tmp_path: Path) -> None:
    problems = _problems(
        tmp_path,
        "worker,system,segment,rating,kind,known",
        *(
            "v,A,1,50,gold,40",
            "w,A,1,50,regular,41",
            "w,A,2,50,regular,7",
            "x,A,1,50,repeat,40",
            "y,A,1,50,,39",
        ),
        gold_scale=Scale(0, 50),
    )

    assert problems == (
        "line 3: known 41 differs from 40 above, for the same translation (system A, segment 1); give one "
        "known rating each.",
        "line 6: known 39 differs from 40 above, for the same translation (system A, segment 1); give one "
        "known rating each.",
    )


def test_attributes_systems_and_segments_have_gold_of_their_own(tmp_path: Path) -> None:
    found = _read(
        tmp_path,
        "worker,system,segment,attribute,rating,known",
        *("w,A,1,adequacy,50,40", "w,A,1,fluency,50,50", "w,B,1,fluency,50,60", "w,A,2,fluency,50,70"),
    )

    assert found.frame["known"].to_list() == [40, 50, 60, 70]


def test_the_attribute_is_named_if_there_is_one(tmp_path: Path) -> None:
    (problem,) = _problems(
        tmp_path, "worker,segment,attribute,rating,known", "v,1,fluency,50,40", "w,1,fluency,50,50"
    )

    assert "(system all, segment 1 in fluency)" in problem


def test_a_degraded_copy_is_no_translation_and_may_be_known_otherwise(tmp_path: Path) -> None:
    found = _read(
        tmp_path,
        "worker,segment,rating,kind,known",
        "w,1,50,regular,40",
        "w,1,10,degraded,5",
        "w,2,60,regular,",
    )

    assert found.frame["known"].to_list() == [40, 5, None]


def test_tables_take_gold_as_files_do() -> None:
    table = pl.DataFrame({"worker": ["v", "w"], "segment": [1, 1], "rating": [5, 6], "gold": [2, 2]})

    found = from_table(table, scale=Scale(0, 10), gold_scale=Scale(0, 4)).frame

    assert found["known"].to_list() == [5, 5]
    with pytest.raises(SourceError, match="row 1: known 2 is outside the gold scale 0 to 1"):
        from_table(table, scale=Scale(0, 10), gold_scale=Scale(0, 1))
