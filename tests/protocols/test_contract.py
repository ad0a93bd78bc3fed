"""What every registered protocol must keep to."""

from __future__ import annotations

import copy
import re
import tomllib
import unicodedata
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import permutations
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from jsonschema import Draft7Validator

from steelyard.domain.errors import AnswerError
from steelyard.domain.judgement import FRAME_NAMES, Answer
from steelyard.domain.plugin import Protocol
from steelyard.domain.work import ItemKind, SegmentTexts, ShownItem, ShownText
from steelyard.flows.shown import blinded, shown_order
from steelyard.frames import preferences_frame, ratings_frame, spans_frame
from steelyard.protocols import check_words, languages_of, protocols, words_in
from steelyard.protocols._words import PLACEHOLDER
from steelyard.store.work import PlacedTexts

FILES = ("widget.js", "widget.css", "instructions/en.toml", "example.toml", "README.md")

every_protocol = pytest.mark.parametrize("protocol", protocols().values(), ids=list(protocols()))
every_protocol_of_ratings = pytest.mark.parametrize(
    "protocol",
    [each for each in protocols().values() if "ratings" in each.gives],
    ids=lambda each: each.name,
)
every_quality = pytest.mark.parametrize("quality", [0.0, 0.01, 0.25, 0.5, 0.75, 0.99, 1.0])

# How the letters of a language are named in Unicode, where it is not written in Latin ones.
SCRIPTS = {
    "ar": ("ARABIC",),
    "he": ("HEBREW",),
    "hi": ("DEVANAGARI",),
    "ja": ("HIRAGANA", "KATAKANA", "CJK"),
    "ru": ("CYRILLIC",),
    "zh": ("CJK",),
}
# Words that no page of the language does without, where letters alone do not tell it from its neighbours.
COMMON = {
    "cs": ("a", "na", "je"),
    "de": ("die", "und", "der"),
    "en": ("the", "and", "is"),
    "es": ("el", "la", "que"),
    "fr": ("le", "la", "est"),
    "ru": ("и", "не", "на"),
    "tr": ("bir", "ve"),
}


def script_of(letter: str) -> str:
    """The first word of a letter's name in Unicode: LATIN, CYRILLIC, CJK."""
    return unicodedata.name(letter, "UNKNOWN").split()[0].partition("-")[0]


def texts_of_words(words: Any, path: str = "") -> Iterator[tuple[str, str]]:
    """Every text that workers may read, with where it is."""
    if isinstance(words, str):
        yield path, words
        return
    entries = words.items() if isinstance(words, dict) else enumerate(words)
    for key, inner in entries:
        yield from texts_of_words(inner, f"{path}.{key}")


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)


@st.composite
def mutated(draw: st.DrawFn, answer: Answer) -> Answer:
    """An answer in which something was lost, added or replaced, anywhere; or nothing at all."""
    changed: Any = copy.deepcopy(dict(answer))
    inside: Any = changed
    while True:
        keys = list(inside) if isinstance(inside, dict) else list(range(len(inside)))
        if not keys:
            return changed
        key = draw(st.sampled_from(keys))
        if isinstance(inside[key], dict | list) and draw(st.booleans()):
            inside = inside[key]
            continue
        match draw(st.sampled_from(["keep", "lose", "replace", "add"])):
            case "lose":
                del inside[key]
            case "replace":
                inside[key] = draw(json_values | st.integers(-1, 101))
            case "add" if isinstance(inside, dict):
                inside[draw(st.text(max_size=8))] = draw(json_values)
        return changed


def refusal_of(protocol: Protocol, answer: Answer) -> AnswerError | None:
    """Why a protocol does not take an answer; None if it does, as it is."""
    try:
        accepted = protocol.check(shown(protocol), answer)
    except AnswerError as error:
        return error
    assert accepted == answer
    return None


def of_places(rows: Sequence[Any]) -> Iterator[tuple[int, dict[str, Any]]]:
    """Rows about one translation each, as the place and the rest."""
    for row in rows:
        fields = row._asdict()
        yield fields.pop("place"), fields


def shown(protocol: Protocol) -> ShownItem:
    """An item of a protocol, with as many translations as it shows."""
    names = [f"system {number}" for number in range(protocol.n_translations)]
    texts = tuple(ShownText(name, "s1", f"A translation by {name}.") for name in names)
    sources = tuple("Ein Satz." for _ in names)
    return ShownItem(protocol.attributes[0], texts, sources, protocol.presentation)


def simulated(protocol: Protocol, quality: float, rng: np.random.Generator) -> Answer:
    return protocol.simulate(shown(protocol), [quality] * protocol.n_translations, rng)


def simulated_ratings(protocol: Protocol, quality: float, rng: np.random.Generator) -> list[float]:
    said = protocol.rows(shown(protocol), simulated(protocol, quality, rng))
    return [row.rating for row in said.ratings]


def on_scale(protocol: Protocol, rating: float) -> bool:
    return protocol.scale is not None and protocol.scale.minimum <= rating <= protocol.scale.maximum


@every_protocol
@pytest.mark.parametrize("name", FILES)
def test_folder_holds_what_the_server_and_the_command_line_look_for(protocol: Protocol, name: str) -> None:
    path = protocol.folder / name

    content = path.read_text("utf-8")

    assert content.strip()


@every_protocol
def test_example_is_a_campaign_of_this_protocol(protocol: Protocol) -> None:
    text = (protocol.folder / "example.toml").read_text("utf-8")

    campaign = tomllib.loads(text)["campaign"]

    assert campaign["protocol"] == protocol.name
    assert campaign["attribute"] in protocol.attributes


@every_protocol
def test_the_example_gives_the_examples_that_workers_are_to_see(protocol: Protocol) -> None:
    text = (protocol.folder / "example.toml").read_text("utf-8")

    examples = tomllib.loads(text).get("examples", [])

    assert tuple(example["rating"] for example in examples) == protocol.examples_at


@every_protocol
@every_quality
def test_simulated_answers_pass_the_check(protocol: Protocol, quality: float) -> None:
    rng = np.random.default_rng(7)

    answers = [simulated(protocol, quality, rng) for _ in range(200)]

    assert all(protocol.check(shown(protocol), answer) == answer for answer in answers)


@every_protocol
@every_quality
def test_simulated_ratings_stay_on_the_scale(protocol: Protocol, quality: float) -> None:
    rng = np.random.default_rng(7)

    ratings = [rating for _ in range(200) for rating in simulated_ratings(protocol, quality, rng)]

    assert bool(ratings) == ("ratings" in protocol.gives)
    assert all(on_scale(protocol, rating) for rating in ratings)


@every_protocol_of_ratings
def test_better_translations_get_higher_simulated_ratings(protocol: Protocol) -> None:
    rng = np.random.default_rng(7)

    poor, good = (
        np.mean([simulated_ratings(protocol, quality, rng) for _ in range(50)]) for quality in (0.2, 0.8)
    )

    assert poor < good


@every_protocol
def test_the_same_seed_simulates_the_same_answer(protocol: Protocol) -> None:
    first = simulated(protocol, 0.6, np.random.default_rng(3))

    again = simulated(protocol, 0.6, np.random.default_rng(3))

    assert first == again


@every_protocol
def test_the_translation_is_shown_for_every_attribute(protocol: Protocol) -> None:
    assert set(protocol.shows) == set(protocol.attributes)
    assert all("text" in roles for roles in protocol.shows.values())


@every_protocol
def test_the_time_of_an_item_is_known_for_every_attribute(protocol: Protocol) -> None:
    assert set(protocol.seconds_per_item) == set(protocol.attributes)
    assert min(protocol.seconds_per_item.values()) > 0


@every_protocol
def test_an_empty_answer_is_refused_with_its_field(protocol: Protocol) -> None:
    with pytest.raises(AnswerError) as caught:
        protocol.check(shown(protocol), {})

    assert caught.value.field is not None


@every_protocol
def test_the_schema_of_answers_is_a_schema_of_an_object(protocol: Protocol) -> None:
    Draft7Validator.check_schema(protocol.answer_schema)

    assert protocol.answer_schema["type"] == "object"
    assert protocol.answer_schema["additionalProperties"] is False


@every_protocol
@given(data=st.data())
def test_what_the_schema_refuses_is_refused_with_its_field(protocol: Protocol, data: st.DataObject) -> None:
    rng = np.random.default_rng(data.draw(st.integers(0, 99)))
    qualities = [float(quality) for quality in rng.random(protocol.n_translations)]
    answer = data.draw(mutated(protocol.simulate(shown(protocol), qualities, rng)))
    fits = Draft7Validator(protocol.answer_schema).is_valid(answer)

    refusal = refusal_of(protocol, answer)

    # What fits the schema may still not fit the item.
    assert fits or refusal is not None
    assert refusal is None or refusal.field is not None


@every_protocol
@given(data=st.data())
def test_what_the_schema_accepts_is_accepted_if_no_text_is_too_short_for_it(
    protocol: Protocol, data: st.DataObject
) -> None:
    rng = np.random.default_rng(data.draw(st.integers(0, 99)))
    qualities = [float(quality) for quality in rng.random(protocol.n_translations)]
    answer = data.draw(mutated(protocol.simulate(shown(protocol), qualities, rng)))
    assume(Draft7Validator(protocol.answer_schema).is_valid(answer))

    refusal = refusal_of(protocol, answer)

    assert refusal is None or "spans" in protocol.gives


@every_protocol
@every_quality
def test_an_answer_says_something_in_every_frame_that_the_protocol_gives(
    protocol: Protocol, quality: float
) -> None:
    said = protocol.rows(shown(protocol), simulated(protocol, quality, np.random.default_rng(7)))

    assert {name for name in FRAME_NAMES if getattr(said, name)} == set(protocol.gives)


@every_protocol
@every_quality
def test_what_an_answer_says_fits_the_frames(protocol: Protocol, quality: float) -> None:
    item = shown(protocol)
    said = protocol.rows(item, simulated(protocol, quality, np.random.default_rng(7)))
    judged = {"worker_id": "W1", "hit_id": "h1", "item_kind": "regular", "segment_id": "s1"}
    one = {**judged, "attribute": item.attribute}

    def system(place: int) -> str:
        assert place >= 0
        return item.translations[place].system_id

    ratings = [{**one, "system_id": system(place), **row} for place, row in of_places(said.ratings)]
    spans = [{**one, "system_id": system(place), **row} for place, row in of_places(said.spans)]
    preferences = [
        {**one, "system_a": system(row.place_a), "system_b": system(row.place_b), **row._asdict()}
        for row in said.preferences
    ]

    assert len(ratings_frame(pl.DataFrame(ratings) if ratings else None)) == len(said.ratings)
    assert len(spans_frame(pl.DataFrame(spans) if spans else None)) == len(said.spans)
    assert len(preferences_frame(pl.DataFrame(preferences) if preferences else None)) == len(preferences)


@every_protocol
def test_nothing_of_system_kind_or_place_leaves_the_server(protocol: Protocol) -> None:
    texts = [
        ShownText(f"secret-{number}", "s-secret", f"Text {number}.", ItemKind.DEGRADED, ("secret-other",))
        for number in range(protocol.n_translations)
    ]
    segments = [SegmentTexts("Quelle.", "Reference.")] * protocol.n_translations
    placed = PlacedTexts("opaque", tuple(texts), tuple(segments))
    order = shown_order(protocol, "assignment", "opaque")

    item = blinded(placed, order, protocol.shows[protocol.attributes[0]])

    allowed = {"text", "source", "reference"}
    assert set(item.texts) <= allowed
    assert all(set(each) <= allowed for each in item.translations)
    values = [*item.texts.values(), *(text for each in item.translations for text in each.values())]
    assert set(values) <= {*(text.text for text in texts), "Quelle.", "Reference."}
    assert item.item_id == "opaque"
    assert len(item.translations) == (protocol.n_translations if protocol.n_translations > 1 else 0)


@every_protocol
def test_the_order_of_translations_follows_from_the_ids_and_is_fair(protocol: Protocol) -> None:
    orders = [shown_order(protocol, f"a{number}", "item") for number in range(400)]

    again = [shown_order(protocol, f"a{number}", "item") for number in range(400)]

    assert orders == again
    if protocol.shuffles:
        counts = Counter(orders)
        assert set(counts) == set(permutations(range(1, protocol.n_translations + 1)))
        # Five standard deviations of a fair draw.
        share = 1 / len(counts)
        assert max(abs(n - 400 * share) for n in counts.values()) < 5 * (400 * share * (1 - share)) ** 0.5
    else:
        assert set(orders) == {None}


@every_protocol
def test_a_protocol_speaks_every_language_that_direct_assessment_speaks(protocol: Protocol) -> None:
    assert languages_of(protocol) == languages_of(protocols()["da"])


@every_protocol
def test_a_language_has_every_word_of_the_english_file(protocol: Protocol) -> None:
    for language in languages_of(protocol):
        words = words_in(protocol, language)

        problems = check_words(words or {}, like=words_in(protocol, "en") or {})

        assert problems == [], language


@every_protocol
def test_a_file_says_its_own_language(protocol: Protocol) -> None:
    for language in languages_of(protocol):
        words = words_in(protocol, language)

        assert words is not None, language
        assert words["language"] == language


@every_protocol
def test_words_are_in_the_script_of_their_language(protocol: Protocol) -> None:
    for language in languages_of(protocol):
        text = " ".join(text for _, text in texts_of_words(words_in(protocol, language)))
        scripts = Counter(script_of(letter) for letter in PLACEHOLDER.sub("", text) if letter.isalpha())

        wanted = SCRIPTS.get(language, ("LATIN",))

        # Names such as "Tab" and "Enter" stay as they are on the keys.
        assert sum(scripts[script] for script in wanted) > 0.85 * scripts.total(), (language, scripts)


@every_protocol
def test_words_are_those_of_their_language(protocol: Protocol) -> None:
    for language in languages_of(protocol):
        text = " ".join(text for _, text in texts_of_words(words_in(protocol, language))).casefold()

        missing = [word for word in COMMON.get(language, ()) if not re.search(rf"(?<!\w){word}(?!\w)", text)]

        assert missing == [], language


@every_protocol
def test_no_sentence_is_left_in_english(protocol: Protocol) -> None:
    for language in languages_of(protocol):
        english = {text for _, text in texts_of_words(words_in(protocol, "en")) if len(text.split()) > 2}

        found = [path for path, text in texts_of_words(words_in(protocol, language)) if text in english]

        assert found == [] or language == "en", language


@every_protocol
def test_every_attribute_has_its_words_and_no_other(protocol: Protocol) -> None:
    words = words_in(protocol, "en")

    assert words is not None
    tables = [words[name] for name in ("attributes", "statements", "instructions")]
    assert all(tuple(table) == protocol.attributes for table in tables)


@every_protocol
def test_every_word_is_used_by_the_page_or_a_widget(protocol: Protocol) -> None:
    package = protocol.folder.parent.parent
    scripts = [*(package / "web" / "static").rglob("*.js"), *(package / "protocols").rglob("*.js")]
    code = " ".join(path.read_text("utf-8") for path in scripts)

    unused = [name for name in words_in(protocol, "en") or {} if not re.search(rf"\b{name}\b", code)]

    assert unused == []
