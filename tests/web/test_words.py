"""The words of the pages, in every language we have them in."""

from __future__ import annotations

import re
import tomllib
from importlib.resources import files

import pytest

from steelyard.domain.languages import is_right_to_left
from steelyard.protocols import languages_of, protocols

FOLDER = files("steelyard.web") / "words"
LANGUAGES = sorted(
    path.name.removesuffix(".toml") for path in FOLDER.iterdir() if path.name.endswith(".toml")
)


def words(language: str) -> dict[str, str]:
    return tomllib.loads((FOLDER / f"{language}.toml").read_text("utf-8"))


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_language_has_every_word_of_the_english_file(language: str) -> None:
    english = words("en")

    translated = words(language)

    assert translated.keys() == english.keys()


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_language_fills_in_the_same_names_as_english(language: str) -> None:
    def names(entries: dict[str, str]) -> dict[str, set[str]]:
        return {key: set(re.findall(r"\{(\w+)\}", text)) for key, text in entries.items()}

    translated = names(words(language))

    assert translated == names(words("en"))


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_file_says_its_own_language(language: str) -> None:
    own = words(language)

    assert own["language"] == language
    assert own["direction"] == ("rtl" if is_right_to_left(language) else "ltr")


def test_the_page_speaks_every_language_that_the_protocols_speak() -> None:
    assert tuple(LANGUAGES) == languages_of(protocols()["da"])
