"""Pearmut's log, in the shape that its documentation and its page give it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from steelyard.control_pairs import control_pairs
from steelyard.domain.errors import SourceError
from steelyard.domain.work import ItemKind
from steelyard.formats.judgements_file import JudgementsFile, read_judgements

Json = dict[str, Any]
# Places in the page: 0-2 "The", 4 and 5 the two halves of the dog, 7-10 "runs", none for the line end,
# 11-13 "far", 14 [missing].
DOG = "The \U0001f436 runs\nfar"


def span(start: int, end: int, severity: str | None = "minor", category: str | None = None) -> Json:
    return {"start_i": start, "end_i": end, "severity": severity, "category": category}


def line(
    answers: list[Any], items: list[Json], *, user: str = "anna", number: int | str = 0, **more: Any
) -> Json:
    actions = [{"time": 1000.0, "action": "load"}, {"time": 1060.0, "action": "submit"}]
    return {
        "annotation": answers,
        "actions": actions,
        "item": items,
        "user_id": user,
        "item_i": number,
        **more,
    }


def item(name: str | None = "d1", *, tgt: Json | None = None, **more: Any) -> Json:
    return {**({"item_id": name} if name else {}), "src": f"Quelle {name}", "tgt": tgt or {"A": DOG}, **more}


def answer(score: float | None, *spans: Json) -> Json:
    return {"score": score, "error_spans": list(spans), "textfield": None}


def read(tmp_path: Path, *lines: Json, name: str = "log.jsonl") -> JudgementsFile:
    path = tmp_path / name
    path.write_text("".join(json.dumps(each, ensure_ascii=False) + "\n" for each in lines), "utf-8")
    return read_judgements(path)


def places(found: JudgementsFile) -> list[tuple[Any, ...]]:
    return found.spans.select("start", "end", "severity", "category").rows()


def test_marks_are_places_of_whole_characters_in_the_text_with_its_line_ends(tmp_path: Path) -> None:
    marks = (span(0, 2), span(4, 5, "major"), span(7, 13), span(14, 14, "major"))
    found = read(tmp_path, line([{"A": answer(40, *marks)}], [item()]))
    assert places(found) == [
        (0, 3, "minor", None),
        (4, 5, "major", None),
        (6, 14, "minor", None),
        (None, None, "major", None),
    ]
    assert [DOG[start:end] for start, end, *_ in places(found)[:3]] == ["The", "\U0001f436", "runs\nfar"]
    assert found.texts["text"].to_list() == [DOG]
    assert found.frame.select("worker_id", "system_id", "segment_id", "rating").rows() == [
        ("anna", "A", "d1", 40)
    ]


def test_half_a_character_is_taken_as_the_whole_and_counted(tmp_path: Path) -> None:
    found = read(tmp_path, line([{"A": answer(40, span(0, 4), span(5, 8))}], [item()]))
    assert places(found) == [(0, 5, "minor", None), (4, 8, "minor", None)]
    assert any("2 marked errors began or ended within a character" in note for note in found.warnings)


@pytest.mark.parametrize(
    ("mark", "said"),
    [
        (span(3, 14), "goes from 3 to 14, but the last character of the text is 13; end_i names the last"),
        (span(3, 20), "goes from 3 to 20, but the last character of the text is 13."),
        (span(15, 15), "14 characters, followed by [missing]; if there were other special tokens"),
        (span(7, 4), "ends before it starts"),
        (span(-1, 4), "must be two whole numbers from 0 on"),
        ({"start_i": "missing", "end_i": "missing", "severity": "minor"}, "must be two whole numbers"),
        (span(0, 2, "awful"), 'severity "awful" is unknown'),
    ],
)
def test_what_cannot_be_a_mark_is_refused_with_its_line(tmp_path: Path, mark: Json, said: str) -> None:
    good = line([{"A": answer(90)}], [item()], number=1)
    with pytest.raises(SourceError) as error:
        read(tmp_path, good, line([{"A": answer(40, mark)}], [item()]))
    assert "line 2: item 1, A: " in str(error.value)
    assert said in str(error.value)


def test_all_problems_are_listed_at_once(tmp_path: Path) -> None:
    wrong = [
        line([{"B": answer(40)}], [item()]),
        line([{"A": answer(40)}, {"A": answer(50)}], [item()], number=1),
        line([{"A": {**answer(0), "score": "high"}}], [item()], number=2),
        {"annotation": [{"A": answer(40)}], "user_id": "anna", "item_i": 3},
        line([{"A": answer(40)}], [item()], user="", number=4),
    ]
    with pytest.raises(SourceError) as error:
        read(tmp_path, *wrong)
    said = str(error.value)
    for number, problem in enumerate(
        (
            "an answer to 'B', but no text",
            "1 item, but answers to 2",
            "not a number",
            "no list item",
            "user_id",
        ),
        1,
    ):
        assert f"line {number}: " in said
        assert problem in said


def test_tokens_after_the_text_are_named_by_the_campaign_beside_the_log(tmp_path: Path) -> None:
    info = {"special_tokens": ["[missing]", "[instructions fault]"], "mqm_severities": ["Minor", "Grave"]}
    (tmp_path / "log.json").write_text(json.dumps({"info": info, "campaign_id": "c", "data": []}), "utf-8")
    marks = (span(14, 14), span(15, 15, "grave"))
    assert places(read(tmp_path, line([{"A": answer(40, *marks)}], [item()]))) == [
        (None, None, "minor", None),
        (None, None, "grave", "[instructions fault]"),
    ]


def test_a_reset_takes_back_and_the_last_submission_counts(tmp_path: Path) -> None:
    both = {"A": "eins", "B": "zwei"}
    found = read(
        tmp_path,
        line([{"A": answer(10)}], [item()]),
        {"annotation": "__RESET__", "user_id": "anna", "item_i": 0},
        line([{"A": answer(20), "B": answer(21)}], [item(tgt=both)]),
        line([{"A": answer(30)}], [item()]),
        line([{"A": answer(40)}], [item()], user="ben"),
        {"annotation": "__RESET__", "user_id": "ben", "item_i": 1},
    )
    ratings = found.frame.select("worker_id", "system_id", "rating").rows()
    assert sorted(ratings) == [("anna", "A", 30), ("anna", "B", 21), ("ben", "A", 40)]
    assert any("Left out 1 submission: taken back" in note for note in found.warnings)
    assert any("Left out 1 answer: the translation was submitted again" in note for note in found.warnings)


def test_welcome_forms_skipped_and_idle_checks_are_left_out_and_counted(tmp_path: Path) -> None:
    skip = [{"time": 1.0, "action": "load"}, {"time": 2.0, "action": "submit_skip"}]
    found = read(
        tmp_path,
        line([{"A": answer(50)}], [item()]),
        line([{"A": answer(10)}], [item("t")], number="welcome_0"),
        line(["de"], [{"text": "Language?", "form": "string"}], number=1),
        line([{"A": answer(10)}], [item("r")], number="random_2"),
        line([{"A": answer(None)}, None], [item("s"), item("s2")], number=2, actions=skip),
    )
    assert found.frame["segment_id"].to_list() == ["d1"]
    text = " ".join(found.warnings)
    for said in (
        "1 document: shown to everybody",
        "1 document: a form",
        "1 document: shown at random",
        "2 answers: s",
    ):
        assert f"Left out {said}" in text


def test_a_rule_says_which_translation_was_spoiled(tmp_path: Path) -> None:
    texts = {"A": "gut", "B": "gut schlecht", "C": "auch gut"}
    rules = {"A": [{"warning": "Look!", "score_greaterthan": "B"}], "C": {"score_greaterthan": "B"}}
    answers = {"A": answer(80), "B": answer(15, span(4, 11)), "C": answer(70)}
    found = read(tmp_path, line([answers], [item(tgt=texts, validation=rules)], number="random_0"))
    kinds = dict(zip(found.frame["rating"], found.frame["item_kind"], strict=True))
    assert kinds == {80: "regular", 15: "degraded", 70: "regular"}
    pairs = control_pairs(found.frame, ItemKind.DEGRADED)
    assert pairs.select("system_id", "base_rating", "control_rating").rows() == [("A", 80, 15)]
    assert any("2 answers to translations beside a spoiled one" in warning for warning in found.warnings)


def test_times_come_from_the_actions(tmp_path: Path) -> None:
    def done(time: float, action: str, start: int = 0, end: int = 2) -> Json:
        return {"time": time, "action": action, "index": 1, "model": "A", "start_i": start, "end_i": end}

    actions = [
        {"time": 100.0, "action": "load"},
        done(110.0, "create_span"),
        done(111.0, "delete_span"),
        done(125.5, "create_span"),
        {"time": 160.0, "action": "submit"},
    ]
    answers = [{"A": answer(40, span(0, 2))}, {"A": answer(50, span(0, 2), span(4, 5))}]
    found = read(tmp_path, line(answers, [item("d1"), item("d2")], actions=actions))
    assert found.frame["seconds"].to_list() == [30, 30]
    assert {moment.timestamp() for moment in found.frame["submitted_at"]} == {160.0}
    assert found.spans["marked_seconds"].to_list() == [None, 25.5, None]


def test_errors_marked_beforehand_are_accepted_changed_or_removed(tmp_path: Path) -> None:
    before = [span(0, 2), span(4, 5), span(7, 10), span(11, 13)]
    marks = (span(0, 2), span(4, 5, "major"), span(7, 8))
    found = read(tmp_path, line([{"A": answer(40, *marks)}], [item(error_spans={"A": before})]))
    assert found.spans["origin"].to_list() == ["accepted", "changed", None]
    assert found.spans["n_removed"].to_list() == [2, 2, 2]


def test_categories_without_any_below_them_stand_once(tmp_path: Path) -> None:
    marks = (span(0, 0, "minor", "Other/Other"), span(1, 1, "minor", "Style/Awkward"))
    found = read(tmp_path, line([{"A": answer(None, *marks)}], [item()]))
    assert found.spans["category"].to_list() == ["Other", "Style/Awkward"]
    assert found.frame.is_empty()


def test_scores_alone_give_ratings_and_no_spans(tmp_path: Path) -> None:
    found = read(tmp_path, line([{"A": answer(40)}, {"A": answer(50)}], [item("d1"), item("d2")]))
    assert found.frame["rating"].to_list() == [40, 50]
    assert found.spans.is_empty()


def test_sliders_are_attributes(tmp_path: Path) -> None:
    found = read(
        tmp_path, line([{"A": {**answer(None), "sliders": {"fluency": 4, "adequacy": 70}}}], [item()])
    )
    assert dict(found.frame.select("attribute", "rating").iter_rows()) == {"fluency": 4, "adequacy": 70}


def test_items_of_a_document_that_share_a_name_are_numbered(tmp_path: Path) -> None:
    found = read(tmp_path, line([{"A": answer(40)}, {"A": answer(50)}], [item("d"), item("d")]))
    assert found.frame["segment_id"].to_list() == ["d:1", "d:2"]
    assert set(found.frame["document_id"]) == {"d:1"}


def test_items_without_names_are_told_apart_by_their_sources(tmp_path: Path) -> None:
    other = {**item(None), "src": "Anderes"}
    found = read(
        tmp_path,
        line([{"A": answer(40)}, {"A": answer(50)}], [item(None), other]),
        line([{"A": answer(60)}], [other], user="ben"),
    )
    assert found.frame["segment_id"].to_list() == ["s1", "s2", "s2"]
    assert any("2 segments without item_id" in note for note in found.warnings)


def test_the_download_of_the_server_is_read_like_the_log(tmp_path: Path) -> None:
    path = tmp_path / "annotations.json"
    path.write_text(json.dumps({"wmt": [line([{"A": answer(40, span(4, 5))}], [item()])]}), "utf-8")
    assert places(read_judgements(path)) == [(4, 5, "minor", None)]
    path.write_text(json.dumps({"wmt": [line([{"A": answer(40, span(9, 5))}], [item()])]}), "utf-8")
    with pytest.raises(SourceError, match="wmt, submission 1: item 1, A: a marked error ends before"):
        read_judgements(path)
    path.write_text('{"a": 1}', "utf-8")
    with pytest.raises(SourceError, match="holds no judgements"):
        read_judgements(path)


def test_people_who_saw_different_texts_are_counted(tmp_path: Path) -> None:
    found = read(
        tmp_path,
        line([{"A": answer(40, span(0, 1))}], [item()]),
        line([{"A": answer(60)}], [item(tgt={"A": "Ganz anders"})], user="ben"),
    )
    assert any("Of 1 translation people saw different texts" in warning for warning in found.warnings)
