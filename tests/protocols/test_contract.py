"""What every registered protocol must keep to."""

from __future__ import annotations

import tomllib

import numpy as np
import pytest

from steelyard.domain.errors import AnswerError
from steelyard.domain.plugin import Protocol
from steelyard.protocols import protocols

FILES = ("widget.js", "widget.css", "instructions/en.toml", "example.toml", "README.md")

every_protocol = pytest.mark.parametrize("protocol", protocols().values(), ids=list(protocols()))
every_quality = pytest.mark.parametrize("quality", [0.0, 0.01, 0.25, 0.5, 0.75, 0.99, 1.0])


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
@every_quality
def test_simulated_answers_pass_the_check(protocol: Protocol, quality: float) -> None:
    rng = np.random.default_rng(7)

    answers = [protocol.simulate(quality, rng) for _ in range(200)]

    assert all(protocol.check(answer) == answer for answer in answers)


@every_protocol
@every_quality
def test_simulated_ratings_stay_on_the_scale(protocol: Protocol, quality: float) -> None:
    rng = np.random.default_rng(7)

    ratings = [protocol.rating(protocol.simulate(quality, rng)) for _ in range(200)]

    assert protocol.scale.minimum <= min(ratings)
    assert max(ratings) <= protocol.scale.maximum


@every_protocol
def test_better_translations_get_higher_simulated_ratings(protocol: Protocol) -> None:
    rng = np.random.default_rng(7)

    poor, good = (
        np.mean([protocol.rating(protocol.simulate(q, rng)) for _ in range(50)]) for q in (0.2, 0.8)
    )

    assert np.mean(poor) < np.mean(good)


@every_protocol
def test_the_same_seed_simulates_the_same_answer(protocol: Protocol) -> None:
    first = protocol.simulate(0.6, np.random.default_rng(3))

    again = protocol.simulate(0.6, np.random.default_rng(3))

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
        protocol.check({})

    assert caught.value.field is not None


@every_protocol
def test_every_language_has_every_word_of_the_english_file(protocol: Protocol) -> None:
    files = sorted((protocol.folder / "instructions").glob("*.toml"))

    words = {path.stem: _paths(tomllib.loads(path.read_text("utf-8"))) for path in files}

    missing_or_unknown = {language: paths ^ words["en"] for language, paths in words.items()}
    assert not any(missing_or_unknown.values()), missing_or_unknown


@every_protocol
def test_every_attribute_has_instructions(protocol: Protocol) -> None:
    words = tomllib.loads((protocol.folder / "instructions" / "en.toml").read_text("utf-8"))

    instructed = {attribute for attribute in protocol.attributes if words["instructions"].get(attribute)}

    assert instructed == set(protocol.attributes)


def _paths(words: object, prefix: str = "") -> set[str]:
    """Dotted names of all words; a list counts once, for languages may cut paragraphs differently."""
    if not isinstance(words, dict):
        return {prefix}
    return {path for key, value in words.items() for path in _paths(value, f"{prefix}.{key}")}
