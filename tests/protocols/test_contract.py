"""What every registered protocol must keep to."""

from __future__ import annotations

import re
import tomllib
from itertools import product

import numpy as np
import pytest

from steelyard.domain.errors import AnswerError
from steelyard.domain.judgement import Answer
from steelyard.domain.plugin import Protocol
from steelyard.domain.work import ShownItem, ShownText
from steelyard.protocols import check_words, languages_of, protocols, words_in

FILES = ("widget.js", "widget.css", "instructions/en.toml", "example.toml", "README.md")

every_protocol = pytest.mark.parametrize("protocol", protocols().values(), ids=list(protocols()))
every_protocol_of_ratings = pytest.mark.parametrize(
    "protocol",
    [each for each in protocols().values() if "ratings" in each.gives],
    ids=lambda each: each.name,
)
every_quality = pytest.mark.parametrize("quality", [0.0, 0.01, 0.25, 0.5, 0.75, 0.99, 1.0])
every_language = pytest.mark.parametrize(
    ("protocol", "language"),
    [pair for protocol in protocols().values() for pair in product([protocol], languages_of(protocol))],
    ids=lambda value: value if isinstance(value, str) else value.name,
)


def shown(protocol: Protocol) -> ShownItem:
    """An item of a protocol, with as many translations as it shows."""
    names = [f"system {number}" for number in range(protocol.n_translations)]
    texts = tuple(ShownText(name, "s1", f"A translation by {name}.") for name in names)
    return ShownItem(protocol.attributes[0], texts, tuple("Ein Satz." for _ in names))


def simulated(protocol: Protocol, quality: float, rng: np.random.Generator) -> Answer:
    return protocol.simulate([quality] * protocol.n_translations, rng)


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
def test_a_protocol_speaks_every_language_that_direct_assessment_speaks(protocol: Protocol) -> None:
    assert languages_of(protocol) == languages_of(protocols()["da"])


@every_language
def test_a_language_has_every_word_of_the_english_file(protocol: Protocol, language: str) -> None:
    words = words_in(protocol, language)

    problems = check_words(words or {}, like=words_in(protocol, "en") or {})

    assert problems == []


@every_language
def test_a_file_says_its_own_language(protocol: Protocol, language: str) -> None:
    words = words_in(protocol, language)

    assert words is not None
    assert words["language"] == language


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
