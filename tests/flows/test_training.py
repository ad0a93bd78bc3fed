"""What is said about answers to training items in which errors are to be found."""

from __future__ import annotations

from typing import Any

from steelyard.domain.campaign import CampaignSettings
from steelyard.domain.entry import CampaignEntry, TrainingItem
from steelyard.domain.judgement import Span
from steelyard.flows.training import FoundTargets, Tried, training_items, tried_out

ITEM = TrainingItem(
    ("The train after Marl.",),
    "So.",
    source="Der Zug nach Marl.",
    expected=((40, 60),),
    spans=((Span(0, 10, 15, "major"), Span(0, severity="minor")),),
)


def campaign(protocol: str, item: TrainingItem = ITEM, **spans: Any) -> CampaignSettings:
    presentation = {"spans": spans, "entry": CampaignEntry(training=(item,)).recorded}
    return CampaignSettings("c", "C", protocol, "overall", "de", "en", presentation=presentation)


def tried(*spans: dict[str, Any], rating: float = 50, item: TrainingItem = ITEM, **chosen: Any) -> Tried:
    answer = {"spans": list(spans), "rating": rating}
    return tried_out(campaign("esa", item, **chosen), item, answer)[1]


MISSING = {"token": "[missing]", "severity": "major"}


def test_an_error_is_found_if_a_mark_touches_it_whatever_its_severity() -> None:
    found = tried({"start": 14, "end": 20, "severity": "minor"}, MISSING)

    assert found.targets == FoundTargets(2, 0, 0)
    assert (found.is_expected, found.side) == (True, None)
    assert found.spans == (
        (
            {"start": 10, "end": 15, "severity": "major"},
            {"token": "[missing]", "severity": "minor"},
        ),
    )


def test_marks_that_only_stand_beside_an_error_are_extra() -> None:
    found = tried({"start": 15, "end": 20, "severity": "minor"}, {"start": 4, "end": 10, "severity": "major"})

    assert found.targets == FoundTargets(0, 2, 2)
    assert (found.is_expected, found.side) == (False, None)


def test_the_rating_counts_as_well() -> None:
    marks = ({"start": 10, "end": 15, "severity": "major"}, MISSING)

    low, high = tried(*marks, rating=39), tried(*marks, rating=61)

    assert [(each.is_expected, each.side, each.expected) for each in (low, high)] == [
        (False, "low", (40, 60)),
        (False, "high", (40, 60)),
    ]


def test_a_token_is_found_on_itself_only() -> None:
    tokens = ["[missing]", "[fault]"]
    item = TrainingItem(("A text.",), "So.", spans=((Span(0, None, None, "minor", "[fault]"),),))

    right, wrong = (
        tried({"token": token, "severity": "minor"}, item=item, tokens=tokens) for token in reversed(tokens)
    )

    assert right.targets == FoundTargets(1, 0, 0)
    assert wrong.targets == FoundTargets(0, 1, 1)
    assert right.spans == (({"token": "[fault]", "severity": "minor"},),)


def test_nothing_to_be_found_asks_for_nothing_marked() -> None:
    clean = TrainingItem(("A text.",), "So.", spans=((),))

    assert tried(item=clean).is_expected is True
    assert tried({"start": 0, "end": 1, "severity": "minor"}, item=clean).is_expected is False
    assert tried(item=TrainingItem(("A text.",), "So.")).is_expected is None


def test_translations_are_looked_at_one_by_one() -> None:
    item = TrainingItem(
        ("Yes.", "No."), "So.", expected=((90, 100), (0, 10)), spans=((), (Span(1, 0, 2, "major"),))
    )
    mark = {"start": 0, "end": 2, "severity": "major"}

    def both(*parts: dict[str, Any]) -> Tried:
        return tried_out(campaign("esa-contrastive", item), item, {"translations": list(parts)})[1]

    right = both({"spans": [], "rating": 95}, {"spans": [mark], "rating": 5})
    # In the other one, the same place is no error.
    swapped = both({"spans": [mark], "rating": 89}, {"spans": [mark], "rating": 11})

    assert (right.is_expected, right.targets) == (True, FoundTargets(1, 0, 0))
    assert right.expected == ((90, 100), (0, 10))
    assert (swapped.is_expected, swapped.side, swapped.targets) == (False, None, FoundTargets(1, 0, 1))


def test_no_target_leaves_the_server_before_the_answer() -> None:
    [item] = training_items(campaign("esa"))

    assert (dict(item.texts), item.translations) == (
        {"text": "The train after Marl.", "source": "Der Zug nach Marl."},
        (),
    )
