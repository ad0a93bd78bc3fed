"""The words of the protocols: what is shared, which languages there are, checking an organiser's own."""

from __future__ import annotations

import copy
import re
from pathlib import Path
from typing import Any

import pytest

from steelyard.protocols import check_words, languages_of, protocols, words_in
from steelyard.protocols._words import read_words

DA, DA_SOURCE, SQM, LIKERT, ADEQUACY4 = (
    protocols()[name] for name in ("da", "da-source", "sqm", "likert", "adequacy4")
)
ENGLISH: dict[str, Any] = words_in(DA, "en") or {}


def folders(tmp_path: Path, **files: str) -> dict[str, Path]:
    """A folder with an English file for each protocol name."""
    for name, text in files.items():
        (tmp_path / name / "instructions").mkdir(parents=True)
        (tmp_path / name / "instructions" / "en.toml").write_text(text, "utf-8")
    return {name: tmp_path / name for name in files}


def test_what_a_file_does_not_give_comes_from_the_one_it_is_like(tmp_path: Path) -> None:
    found = folders(
        tmp_path,
        first='a = "A"\nb = "B"\n[t]\nx = "X"\ny = "Y"',
        second='like = "first"\nb = "own B"\n[t]\ny = "own Y"',
    )

    words = read_words(found, "second", "en")

    assert words == {"a": "A", "b": "own B", "t": {"x": "X", "y": "own Y"}}


def test_likeness_goes_on_through_several_files(tmp_path: Path) -> None:
    found = folders(tmp_path, first='a = "A"', second='like = "first"\nb = "B"', third='like = "second"')

    words = read_words(found, "third", "en")

    assert words == {"a": "A", "b": "B"}


def test_what_is_left_out_is_gone_and_can_be_given_anew(tmp_path: Path) -> None:
    found = folders(
        tmp_path,
        first='a = "A"\n[t]\nx = "X"\ny = "Y"\n[u]\n1 = "one"',
        second='like = "first"\nwithout = ["a", "t.x", "u"]\n[u]\n2 = "two"',
    )

    words = read_words(found, "second", "en")

    assert words == {"t": {"y": "Y"}, "u": {"2": "two"}}


def test_a_list_is_replaced_as_a_whole(tmp_path: Path) -> None:
    found = folders(tmp_path, first='a = ["one", "two"]', second='like = "first"\na = ["three"]')

    words = read_words(found, "second", "en")

    assert words == {"a": ["three"]}


def test_english_and_german_are_there() -> None:
    assert {"de", "en"} <= set(languages_of(DA))


def test_a_language_we_do_not_have_is_none() -> None:
    assert words_in(DA, "tlh") is None


@pytest.mark.parametrize("code", ["de-AT", "de-Latn", "de-Latn-CH"])
def test_a_region_or_script_falls_back_to_the_language(code: str) -> None:
    assert words_in(DA, code) == words_in(DA, "de")


def test_the_likert_scale_asks_what_direct_assessment_asks() -> None:
    words = words_in(LIKERT, "en") or {}

    assert words["statements"] == ENGLISH["statements"]
    assert words["lead_in"] == ENGLISH["lead_in"]


def test_words_of_a_scale_that_is_not_shown_are_left_out() -> None:
    words = words_in(LIKERT, "en") or {}

    assert {"anchors", "marks", "position", "unanswered"}.isdisjoint(words)


@pytest.mark.parametrize("language", languages_of(SQM))
def test_the_marks_of_the_quality_metric_are_at_nothing_a_third_two_thirds_and_all(language: str) -> None:
    words = words_in(SQM, language) or {}

    assert sorted(map(int, words["marks"])) == [0, 33, 66, 100]


@pytest.mark.parametrize("language", languages_of(DA))
def test_places_on_the_line_are_spoken_without_numbers(language: str) -> None:
    words = words_in(DA, language) or {}

    spoken = " ".join([*words["marks"].values(), *words["position"].values()])

    assert not any(character.isdigit() for character in spoken)


@pytest.mark.parametrize("language", languages_of(LIKERT))
def test_a_likert_scale_has_five_answers(language: str) -> None:
    words = words_in(LIKERT, language) or {}

    assert sorted(words["choices"]) == ["1", "2", "3", "4", "5"]


@pytest.mark.parametrize("language", languages_of(ADEQUACY4))
def test_each_of_the_four_answers_is_defined(language: str) -> None:
    words = words_in(ADEQUACY4, language) or {}

    assert set(words["choices"]) == set(words["definitions"]) == {"1", "2", "3", "4"}


@pytest.mark.parametrize("language", languages_of(DA_SOURCE))
def test_the_source_is_never_called_what_is_meant(language: str) -> None:
    ours, others = (words_in(protocol, language) or {} for protocol in (DA_SOURCE, DA))

    assert ours["instructions"]["adequacy"][0] != others["instructions"]["adequacy"][0]


@pytest.mark.parametrize("protocol", protocols().values(), ids=list(protocols()))
def test_only_places_on_a_line_and_what_is_said_of_marks_are_filled_in(protocol: Any) -> None:
    words = words_in(protocol, "en") or {}
    labels = {**words["labels"], "numbered": ""}

    names = set(re.findall(r"\{\w+\}", str({**words, "position": {}, "spans": {}, "labels": labels})))

    assert names == set()


def changed(path: str, value: Any) -> dict[str, Any]:
    """The English words with one replaced, or removed where the value is None."""
    words = copy.deepcopy(ENGLISH)
    *tables, last = path.split(".")
    place = words
    for table in tables:
        place = place[table]
    if value is None:
        del place[last]
    else:
        place[last] = value
    return words


@pytest.mark.parametrize(
    ("path", "value", "problem"),
    [
        ("hint", None, 'hint: missing; translate "Click or tap'),
        ("statements", None, "statements: missing."),
        ("statements.fluency", None, 'statements.fluency: missing; translate "the text is fluent'),
        ("hints", "x", "hints: unknown; remove it."),
        ("anchors.middle", "x", "anchors.middle: unknown; remove it."),
        ("hint", "", "hint: must be a text in quotes, and not an empty one."),
        ("hint", 3, "hint: must be a text in quotes"),
        ("anchors", "x", "anchors: must be a table with low, high."),
        ("answering", "x", "answering: must be a list of paragraphs"),
        ("answering", [], "answering: must be a list of paragraphs"),
        ("answering", ["x", " "], "answering: must be a list of paragraphs"),
        ("position.between", "halfway after {mark}", "position.between: {next} is lost"),
        ("position.at", "at {mark} of {next}", "position.at: {next} is not filled in here; remove it."),
        ("answering", ["{language}"], "answering: {language} is not filled in here"),
    ],
)
def test_a_problem_with_own_words_is_named_by_its_place(path: str, value: Any, problem: str) -> None:
    [found] = check_words(changed(path, value), like=ENGLISH)

    assert found.startswith(problem)


def test_all_problems_are_named_at_once() -> None:
    words = {**changed("anchors.low", None), "hint": "", "extra": "x"}

    problems = check_words(words, like=ENGLISH)

    assert {problem.partition(":")[0] for problem in problems} == {"anchors.low", "hint", "extra"}


def test_the_number_of_paragraphs_is_free() -> None:
    words = changed("answering", ["All in one."])

    assert check_words(words, like=ENGLISH) == []


@pytest.mark.parametrize("language", ["de-AT", "en-Latn-GB", "zh-Hans-CN", "zh-SG"])
def test_a_region_may_be_left_out(language: str) -> None:
    assert words_in(DA, language) is not None


@pytest.mark.parametrize("language", ["zh-Hant", "zh-TW", "zh-Hant-HK"])
def test_a_script_is_never_left_out(language: str) -> None:
    assert words_in(DA, language) is None
