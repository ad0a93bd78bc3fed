"""Training items with errors to be found, in campaign files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from steelyard.domain.entry import CampaignEntry, TrainingItem, entry_in
from steelyard.domain.judgement import Span
from steelyard.domain.plugin import Protocol
from steelyard.formats.campaign_entry import entry_of
from steelyard.formats.campaign_files import CampaignFiles
from steelyard.formats.campaign_mistakes import parse_tables
from steelyard.protocols import protocols

ESA, CONTRASTIVE, MQM, DA = (protocols()[name] for name in ("esa", "esa-contrastive", "mqm", "da"))
TEXT = "Today the 🚂 train after Marl departs after ten."


def read(
    protocol: Protocol, *training: dict[str, Any], presentation: dict[str, Any] | None = None
) -> tuple[CampaignEntry | None, list[str]]:
    """What the training items of a file become, and what is wrong with them."""
    campaign = {"name": "a", "title": "A", "protocol": protocol.name, "attribute": protocol.attributes[0]}
    campaign |= {"source_language": "de", "target_language": "en"}
    parsed, mistakes = parse_tables({"campaign": campaign, "texts": {}, "training": list(training)})
    assert parsed is not None
    files = CampaignFiles(Path())
    roles = protocol.shows[protocol.attributes[0]]
    return entry_of(parsed, protocol, roles, files, presentation), [*mistakes, *files.problems]


def example(*spans: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"source": "Der Zug", "text": TEXT, "feedback": "So.", "spans": list(spans), **more}


def test_words_become_places_in_code_points() -> None:
    entry, problems = read(
        ESA,
        example(
            {"text": "after Marl", "severity": "major"},
            {"start": 10, "end": 11},
            {"token": "[missing]", "severity": "minor"},
            expected=[30, 75],
        ),
    )

    assert problems == []
    assert entry is not None
    [item] = entry.training
    assert item.expected == ((30, 75),)
    assert item.spans == ((Span(0, 18, 28, "major"), Span(0, 10, 11), Span(0, None, None, "minor")),)
    assert (TEXT[18:28], TEXT[10:11]) == ("after Marl", "🚂")


def test_nothing_to_be_found_is_not_the_same_as_anything_will_do() -> None:
    entry, _ = read(ESA, example(), {**example(), "spans": None})

    assert entry is not None
    assert [item.spans for item in entry.training] == [((),), ()]


def test_several_translations_have_their_own_errors_and_ranges() -> None:
    item = {"source": "Ja.", "texts": ["Yes.", "No.", "Yes!"], "feedback": "So."}
    spans = [{"translation": 2, "text": "No", "severity": "major"}]
    ranges = [[90, 100], [0, 10], [80, 100]]

    entry, problems = read(CONTRASTIVE, {**item, "spans": spans, "expected_each": ranges})

    assert problems == []
    assert entry is not None
    assert entry.training[0].spans == ((), (Span(1, 0, 2, "major"),), ())
    assert entry.training[0].expected == ((90, 100), (0, 10), (80, 100))


def test_what_is_recorded_is_read_back_and_so_is_what_earlier_versions_recorded() -> None:
    entry = CampaignEntry(
        training=(
            TrainingItem(("a",), "So.", expected=((1, 2),), spans=((Span(0, 0, 1, "minor"),),)),
            TrainingItem(("a",), "So."),
        )
    )

    assert entry_in({"entry": entry.recorded}) == entry
    before = {**entry.recorded["training"][0], "expected": [1, 2]}
    del before["spans"]
    older = entry_in({"entry": {**entry.recorded, "training": [before]}})
    assert older is not None
    assert older.training == (TrainingItem(("a",), "So.", expected=((1, 2),)),)


@pytest.mark.parametrize(
    ("target", "words"),
    [
        ({"text": "after"}, "“after” is in the text 2 times: give words that are there once, or start and"),
        ({"text": "After"}, "“After” is not in the text"),
        ({"severity": "minor"}, "needs one of three: text, or start and end, or token."),
        ({"text": "ten", "start": 3}, "needs one of three"),
        ({"start": 3}, "has only one of start and end; give both."),
        ({"start": 3, "end": 3}, "goes from 3 to 3, but the text has 47 characters."),
        ({"start": 3, "end": 48}, "goes from 3 to 48, but the text has 47 characters."),
        ({"text": "ten", "severity": "grave"}, 'severity "grave" is none of this campaign\'s: minor, major.'),
        (
            {"text": "ten", "category": "style"},
            'category "style" is none of this campaign\'s: there are none.',
        ),
        ({"token": "[lost]"}, 'token "[lost]" is none of this campaign\'s: [missing].'),
        ({"text": "Zug", "side": "source"}, "errors in the source are not marked in this campaign"),
        ({"text": "ten", "translation": 2}, "there is no translation 2; the item has 1."),
    ],
)
def test_a_target_that_does_not_fit_is_refused(target: dict[str, Any], words: str) -> None:
    assert len(TEXT) == 47

    _, problems = read(ESA, example({"text": "ten"}, target))

    assert len(problems) == 1
    assert problems[0].startswith("[[training]] number 1: spans, entry 2: ")
    assert words in problems[0]


def test_all_problems_of_all_targets_are_told_at_once() -> None:
    _, problems = read(ESA, example({"text": "x", "severity": "y"}), example({"token": "z"}, expected=[5, 1]))

    assert len(problems) == 4


def test_targets_follow_what_the_campaign_chose() -> None:
    chosen = {"spans": {"severities": ["bad"], "source": True, "tokens": ["[gone]", "[fault]"]}}
    spans = [{"text": "Zug", "side": "source", "severity": "bad"}, {"token": "[fault]", "severity": "bad"}]

    entry, problems = read(ESA, example(*spans), presentation=chosen)

    assert problems == []
    assert entry is not None
    assert entry.training[0].spans == (
        (Span(0, 4, 7, "bad", side="source"), Span(0, None, None, "bad", "[fault]")),
    )
    _, [problem] = read(ESA, example({"token": "[missing]"}), presentation={"spans": {"tokens": []}})
    assert problem.endswith("is none of this campaign's: there are none.")


def test_protocols_take_only_what_they_ask_for() -> None:
    _, none = read(DA, {"reference": "A.", "text": "A.", "feedback": "So.", "spans": []})
    _, unrated = read(MQM, example(expected=[1, 2]))
    _, rated = read(MQM, example(expected=[1, 2]), presentation={"spans": {"score": True}})
    _, unequal = read(
        CONTRASTIVE, {"source": "A", "texts": ["A", "B", "C"], "feedback": "So.", "expected": [1, 2]}
    )

    assert none == [
        "[[training]] number 1: spans are errors to be marked, and da marks none; leave them out."
    ]
    assert "expected is a range of ratings, and mqm gives none; leave it out." in unrated[0]
    assert rated == []
    assert "3 translations are rated: give a range for each" in unequal[0]
    assert read(MQM, example({"text": "ten", "category": "fluency/grammar"}))[1] == []


def test_an_unknown_key_of_a_target_is_named() -> None:
    _, [problem] = read(ESA, example({"text": "ten", "severty": "minor"}))

    assert 'does not know the key "severty". Did you mean "severity"?' in problem
