"""Marked errors: which fit their texts, what they say, and what simulated workers mark."""

from __future__ import annotations

from importlib.resources import files
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from steelyard.domain.errors import AnswerError
from steelyard.domain.judgement import RatingRow, Span
from steelyard.domain.plugin import Protocol
from steelyard.domain.span_weights import WEIGHTS
from steelyard.domain.work import ShownItem, ShownText
from steelyard.protocols import handling_of, protocols
from steelyard.protocols._simulated_spans import marking_units

ESA, CONTRASTIVE, MQM, HELPED = (protocols()[name] for name in ("esa", "esa-contrastive", "mqm", "esa-ai"))
# The dog is one code point, though two units of what JavaScript counts; the flag is two code points.
TEXT = "Der 🐕 bellt 🇩🇪."
SOURCE = "The dog barks."


def item(
    *texts: str, prefilled: tuple[tuple[Span, ...], ...] = (), original: str = SOURCE, **spans: Any
) -> ShownItem:
    """An item with these translations, in a campaign that chose these settings."""
    shown = tuple(ShownText(f"system {number}", "s1", text) for number, text in enumerate(texts or [TEXT]))
    return ShownItem(
        "overall", shown, (original,) * len(shown), {"spans": spans}, prefilled, (None,) * len(shown)
    )


def part(*spans: dict[str, Any], rating: float = 60) -> dict[str, Any]:
    return {"spans": list(spans), "rating": rating}


def mark(start: int, end: int, severity: str = "minor", **more: Any) -> dict[str, Any]:
    return {"start": start, "end": end, "severity": severity, **more}


def refusal(protocol: Protocol, shown: ShownItem, answer: dict[str, Any]) -> tuple[str | None, str]:
    """The field and the words of a refusal."""
    with pytest.raises(AnswerError) as caught:
        protocol.check(shown, answer)
    return caught.value.field, str(caught.value)


def test_offsets_count_code_points_whatever_browsers_count() -> None:
    # D e r _ dog _ b e l l t _ D E . are fifteen code points and eighteen units of UTF-16.
    assert (len(TEXT), len(TEXT.encode("utf-16-le")) // 2) == (15, 18)
    answer = part(mark(4, 5), mark(12, 14, "major"), mark(14, 15))

    assert ESA.check(item(), answer) == answer
    spans = ESA.rows(item(), answer).spans
    assert [TEXT[span.start : span.end] for span in spans] == ["🐕", "🇩🇪", "."]
    field, said = refusal(ESA, item(), part(mark(14, 16)))
    assert (field, said) == (
        "spans.0.end",
        "Error 1: it ends at 16, and the translation has 15 characters. Mark it again.",
    )


def test_an_answer_says_its_errors_and_its_rating() -> None:
    answer = part(mark(0, 3, at_ms=2500), {"token": "[missing]", "severity": "major"}, rating=72.5)

    said = ESA.rows(item(), ESA.check(item(), answer))

    assert said.ratings == (RatingRow(0, "overall", 72.5),)
    assert said.spans == (
        Span(0, 0, 3, "minor", marked_ms=2500),
        Span(0, None, None, "major"),
    )
    assert said.n_removed == ()


def test_a_translation_without_errors_has_one_row_that_says_so() -> None:
    answer = {"translations": [part(rating=95), part(mark(0, 1))]}

    said = CONTRASTIVE.rows(item("ab", "cd"), CONTRASTIVE.check(item("ab", "cd"), answer))

    assert said.spans == (Span(0), Span(1, 0, 1, "minor"))
    assert said.ratings == (RatingRow(0, "overall", 95), RatingRow(1, "overall", 60))


def test_a_token_beyond_the_first_is_the_category_of_its_error() -> None:
    shown = item(tokens=["[missing]", "[instructions fault]"])
    answer = part(*({"token": name, "severity": "minor"} for name in ("[instructions fault]", "[missing]")))

    said = ESA.rows(shown, ESA.check(shown, answer))

    assert [span.category for span in said.spans] == ["[instructions fault]", None]


def test_whole_numbers_may_be_spelt_with_a_point() -> None:
    [span] = ESA.rows(item(), ESA.check(item(), part(mark(0.0, 3.0, at_ms=7.0)))).spans  # type: ignore[arg-type]

    assert (span.start, span.end, span.marked_ms) == (0, 3, 7)
    assert all(isinstance(value, int) for value in (span.start, span.end, span.marked_ms))


@pytest.mark.parametrize(
    ("span", "field", "words"),
    [
        (mark(3, 3), "start", "it goes from 3 to 3; the end must be after the start"),
        (mark(5, 2), "start", "it goes from 5 to 2"),
        ({"start": 3, "severity": "minor"}, "end", "its end is missing"),
        ({"end": 3, "severity": "minor"}, "start", "its start is missing"),
        ({"severity": "minor"}, "start", "its start is missing"),
        (mark(0, 3, "critical"), "severity", "must be one of minor, major"),
        (mark(0, 3, side="source"), "side", "errors are not marked in the original here"),
        ({"token": "[lost]", "severity": "minor"}, "token", "there is no [lost] after this text"),
        ({"token": "[missing]", "severity": "minor", "start": 0}, "start", "on [missing] has no start"),
        (mark(0, 3, category="style"), "category", "'category' is not a field of this answer"),
        (mark(0, 3, prefilled=0), "prefilled", "'prefilled' is not a field of this answer"),
        (mark(-1, 3), "start", "must be a whole number, 0 or more"),
    ],
)
def test_what_does_not_fit_is_refused_by_its_field(span: dict[str, Any], field: str, words: str) -> None:
    found, said = refusal(ESA, item(), part(mark(0, 3), span))

    assert found == f"spans.1.{field}"
    assert words in said


def test_a_refusal_names_the_translation_where_there_are_several() -> None:
    shown = item("ab", "cd")

    found, said = refusal(CONTRASTIVE, shown, {"translations": [part(mark(0, 2)), part(mark(1, 3))]})
    missing = refusal(CONTRASTIVE, shown, {"translations": [part(mark(0, 2))]})

    assert found == "translations.1.spans.0.end"
    assert said.startswith("Translation 2, error 1: it ends at 3, and the translation has 2 characters.")
    assert missing[0] == "translations"
    assert "2 translations are shown, and the answer is about 1" in missing[1]


def test_a_low_rating_without_an_error_is_refused_where_the_campaign_says_so() -> None:
    shown = item("ab")
    low, at = ({"translations": [part(rating=rating)]} for rating in (84.9, 85))

    field, said = refusal(CONTRASTIVE, shown, low)

    assert field == "translations.0.spans"
    assert "mark it, or rate the translation higher" in said
    assert CONTRASTIVE.check(shown, at) == at
    assert CONTRASTIVE.check(item("ab", refuse_below=0), low) == low
    # Only asked about in the browser.
    assert ESA.check(item(), part(rating=0)) == part(rating=0)
    # There is nothing to mark in an empty text without tokens.
    assert CONTRASTIVE.check(item("", tokens=[]), low) == low


def test_no_more_errors_than_the_campaign_allows() -> None:
    answer = part(mark(0, 1), mark(1, 2), mark(2, 3))

    field, said = refusal(ESA, item(most=2), answer)

    assert (field, said) == ("spans", "At most 2 errors can be marked here. Keep the 2 gravest ones.")
    assert ESA.check(item(most=3), answer) == answer


def test_errors_in_the_source_lie_in_the_source() -> None:
    shown = item("ab", original="A longer text", source=True)

    said = ESA.rows(shown, ESA.check(shown, part(mark(2, 8, side="source"))))

    assert said.spans == (Span(0, 2, 8, "minor", side="source"),)
    assert refusal(ESA, shown, part(mark(2, 14, side="source")))[0] == "spans.0.end"


PREFILLED = (Span(0, 0, 3, "minor"), Span(0, 6, 11, "major"), Span(0, None, None, "major"))


def test_what_became_of_errors_marked_beforehand_is_recorded() -> None:
    shown = item(prefilled=(PREFILLED,))
    answer = part(
        mark(0, 3, prefilled=0),
        mark(6, 12, "major", prefilled=1),
        mark(6, 11, "major"),
    )

    said = HELPED.rows(shown, HELPED.check(shown, answer))

    assert [span.origin for span in said.spans] == ["accepted", "changed", None]
    assert said.n_removed == (1,)


@pytest.mark.parametrize(
    ("span", "origin"),
    [
        (mark(6, 11, "major", prefilled=1), "accepted"),
        (mark(6, 11, "minor", prefilled=1), "changed"),
        (mark(5, 11, "major", prefilled=1), "changed"),
        ({"token": "[missing]", "severity": "major", "prefilled": 2}, "accepted"),
        ({"token": "[missing]", "severity": "major", "prefilled": 1}, "changed"),
    ],
)
def test_an_error_is_accepted_only_as_it_was(span: dict[str, Any], origin: str) -> None:
    shown = item(prefilled=(PREFILLED,))

    said = HELPED.rows(shown, HELPED.check(shown, part(span)))

    assert said.spans[0].origin == origin
    assert said.n_removed == (2,)


def test_removing_everything_leaves_a_clean_translation() -> None:
    said = HELPED.rows(item(prefilled=(PREFILLED,)), part())

    assert (said.spans, said.n_removed) == ((Span(0),), (3,))
    assert HELPED.rows(item(prefilled=((),)), part()).n_removed == ()


def test_an_error_marked_beforehand_exists_and_is_used_once() -> None:
    shown = item(prefilled=(PREFILLED,))

    unknown = refusal(HELPED, shown, part(mark(0, 3, prefilled=3)))
    twice = refusal(HELPED, shown, part(mark(0, 3, prefilled=0), mark(0, 4, prefilled=0)))

    assert (unknown[0], twice[0]) == ("spans.0.prefilled", "spans.1.prefilled")
    assert "there is no error number 4" in unknown[1]


def of_category(category: str | None, severity: str = "minor", **more: Any) -> dict[str, Any]:
    return {**mark(0, 3, severity), **({} if category is None else {"category": category}), **more}


@pytest.mark.parametrize("category", [None, "accuracy", "accuracy/punctuation", "Accuracy/Addition", "x"])
def test_a_category_is_one_of_those_at_the_end_of_the_tree(category: str | None) -> None:
    field, _ = refusal(MQM, item(), {"spans": [of_category(category)]})

    assert field == "spans.0.category"


def test_a_campaign_may_have_categories_of_its_own() -> None:
    shown = item(categories={"tone": [], "facts": ["wrong"]})
    answer = {"spans": [of_category("tone"), of_category("facts/wrong")]}

    said = MQM.rows(shown, MQM.check(shown, answer))

    assert [span.category for span in said.spans] == ["tone", "facts/wrong"]
    assert refusal(MQM, shown, {"spans": [of_category("facts")]})[0] == "spans.0.category"


def test_no_translation_at_all_is_grave_and_stands_alone() -> None:
    whole = of_category("non-translation!", "major")
    source = of_category("source issue", side="source")

    assert MQM.check(item(), {"spans": [whole, source]}) == {"spans": [whole, source]}
    mild = refusal(MQM, item(), {"spans": [of_category("non-translation!")]})
    beside = refusal(MQM, item(), {"spans": [of_category("other"), whole]})
    assert mild[0] == "spans.0.severity"
    assert beside[0] == "spans.1.category"
    assert "Remove the other errors, or this one." in beside[1]


def test_an_issue_of_the_source_is_marked_there() -> None:
    assert refusal(MQM, item(), {"spans": [of_category("source issue")]})[0] == "spans.0.side"


def test_a_rating_is_given_where_the_campaign_asks_for_it() -> None:
    errors = {"spans": [of_category("other")]}

    assert MQM.rows(item(), MQM.check(item(), errors)).ratings == ()
    assert refusal(MQM, item(), {**errors, "rating": 50})[0] == "rating"
    assert refusal(MQM, item(score=True), errors)[0] == "rating"
    rated = MQM.check(item(score=True), {**errors, "rating": 50})
    assert MQM.rows(item(score=True), rated).ratings == (RatingRow(0, "overall", 50),)


def test_handling_of_several_translations_is_that_of_all_together() -> None:
    answer = {
        "translations": [
            {**part(), "first_touch_ms": 4000, "n_moves": 2, "first_rating": 3},
            {**part(), "first_touch_ms": 2500},
        ]
    }

    assert handling_of(answer) == (2.5, 2, None)
    assert handling_of({"translations": [part()]}) == (None, None, None)


@pytest.mark.parametrize(
    ("severity", "category", "weights"),
    [
        ("major", "non-translation!", {"mtme": 25, "marot": 25, "wmt24": 25}),
        ("minor", "fluency/punctuation", {"mtme": 0.1, "marot": 0.1, "wmt24": 0.1}),
        ("minor", "source issue", {"mtme": 1, "marot": 0, "wmt24": 0}),
        ("major", "accuracy/creative reinterpretation", {"mtme": 5, "marot": 0, "wmt24": 0}),
        ("major", "accuracy/mistranslation", {"mtme": 5, "marot": 5, "wmt24": 5}),
    ],
)
def test_the_published_weights_know_the_categories(
    severity: str, category: str, weights: dict[str, float]
) -> None:
    shown = item()
    side = {"side": "source"} if category == "source issue" else {}
    [span] = MQM.rows(shown, MQM.check(shown, {"spans": [of_category(category, severity, **side)]})).spans

    found = {name: WEIGHTS[name].weigh(span.severity or "", span.category or "") for name in weights}

    assert found == weights


def test_the_marks_of_the_demo_lie_where_they_say() -> None:
    demo = files("steelyard") / "demo"
    head, *rows = (line.split("\t") for line in (demo / "spans.tsv").read_text("utf-8").splitlines())
    names = {row[0] for row in rows}
    texts = {name: (demo / f"{name}.en.txt").read_text("utf-8").splitlines() for name in names}

    assert head == ["system", "segment", "start", "end", "severity", "marked"]
    assert all(
        texts[name][int(segment) - 1][int(start) : int(end)] == marked
        for name, segment, start, end, _, marked in rows
    )
    assert len(names) == 5


# Simulated workers.

LONG = "Er ging am Abend noch einmal zum Hafen, doch das Schiff war schon fort und niemand wusste wohin."
WITHOUT_SPACES = "彼は夕方もう一度港へ下りたが船はもう出ていた"
settings_of_campaigns = st.fixed_dictionaries(
    {},
    optional={
        "severities": st.sampled_from([["minor"], ["minor", "major"], ["a", "b", "c"]]),
        "tokens": st.sampled_from([[], ["[missing]"], ["[gone]", "[added]"]]),
        "by": st.sampled_from(["word", "character"]),
        "source": st.booleans(),
        "most": st.sampled_from([None, 1, 3]),
    },
)


@given(
    name=st.sampled_from(["esa", "esa-contrastive", "mqm", "esa-ai"]),
    text=st.text(max_size=30),
    chosen=settings_of_campaigns,
    quality=st.floats(0, 1),
    seed=st.integers(0, 2**32),
)
def test_simulated_errors_fit_any_text_and_any_campaign(
    name: str, text: str, chosen: dict[str, Any], quality: float, seed: int
) -> None:
    protocol = protocols()[name]
    shown = item(text, original=text[::-1], **chosen)
    if text:
        shown = shown._replace(damaged=((0, 1),))
    if name == "esa-ai" and text:
        severity = (chosen.get("severities") or ["minor"])[0]
        shown = shown._replace(prefilled=((Span(0, 0, len(text), severity),),))

    answer = protocol.simulate(shown, [quality], np.random.default_rng(seed))

    assert protocol.check(shown, answer) == answer
    parts: Any = answer.get("translations", [answer])
    times = [span["at_ms"] for span in parts[0]["spans"]]
    assert times == sorted(set(times))


def simulated(protocol: Protocol, shown: ShownItem, quality: float, n: int = 300) -> list[tuple[Span, ...]]:
    rng = np.random.default_rng(5)
    answers = (protocol.simulate(shown, [quality], rng) for _ in range(n))
    return [protocol.rows(shown, answer).spans for answer in answers]


def test_worse_texts_have_more_and_graver_errors() -> None:
    found = [simulated(ESA, item(LONG), quality) for quality in (0.9, 0.6, 0.3)]

    errors = [[span for spans in each for span in spans if span.severity] for each in found]
    counts = [len(each) for each in errors]
    graver = [sum(span.severity == "major" for span in each) / len(each) for each in errors]
    assert counts[0] < counts[1] < counts[2]
    assert graver[0] < graver[1] < graver[2]
    # WMT24 has 0.7 errors in a segment; this quality is about that of its translations.
    assert 0.3 < len([s for each in simulated(ESA, item(LONG), 0.8) for s in each if s.severity]) / 300 < 1.5


def test_errors_begin_and_end_with_words() -> None:
    starts, ends = zip(*marking_units(LONG, "word"), strict=True)
    spans = [span for each in simulated(ESA, item(LONG), 0.4) for span in each if span.start is not None]

    assert {span.start for span in spans} <= set(starts)
    assert {span.end for span in spans} <= set(ends)
    shorter = [
        span.end - span.start
        for each in simulated(ESA, item(WITHOUT_SPACES, by="character"), 0.4)
        for span in each
        if span.start is not None and span.end is not None
    ]
    assert min(shorter) == 1
    assert max(shorter) < len(WITHOUT_SPACES)


def test_damage_is_found_by_those_who_look() -> None:
    start = LONG.index("Schiff")
    place = (start, start + 6)
    shown = item(LONG)

    def share(each: ShownItem, quality: float) -> float:
        return float(
            np.mean([any(_covers(span, place) for span in spans) for spans in simulated(ESA, each, quality)])
        )

    looked = shown._replace(damaged=(place,))
    low, high = share(looked, 0.4), share(looked, 0.9)
    assert low > 0.9
    assert low > high > share(shown, 0.9) + 0.3
    assert share(shown, 0.4) < 0.4


def _covers(span: Span, place: tuple[int, int]) -> bool:
    return span.start is not None and span.end is not None and span.start < place[1] and place[0] < span.end


def test_errors_marked_beforehand_are_mostly_kept() -> None:
    shown = item(LONG, prefilled=((Span(0, 3, 7, "minor"), Span(0, None, None, "major")),))

    spans = simulated(HELPED, shown, 0.7)

    origins = [span.origin for each in spans for span in each if span.origin]
    # Of 600: three quarters are kept as they are, an eighth is changed; five standard deviations.
    assert abs(origins.count("accepted") - 450) < 5 * (600 * 0.75 * 0.25) ** 0.5
    assert abs(origins.count("changed") - 75) < 5 * (600 * 0.125 * 0.875) ** 0.5
