"""What workers read: one file per protocol and language, shared where protocols say the same.

A file may say `like = "da"`: whatever it does not give is taken from that protocol's file of the
same language, except for what it lists (dotted) in `without`.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from steelyard.domain.languages import written_language

# These tables have one entry per attribute; a protocol keeps the entries for its attributes.
BY_ATTRIBUTE = ("attributes", "statements", "instructions")
PLACEHOLDER = re.compile(r"\{\w+\}")


def file_of(folder: Path, language: str) -> Path | None:
    """The file for a language, or for the language without its region, or None."""
    files = (folder / "instructions" / f"{name}.toml" for name in (language, written_language(language)))
    return next((file for file in files if file.is_file()), None)


def read_words(folders: Mapping[str, Path], name: str, language: str) -> dict[str, Any] | None:
    """The words of the protocol `name`, with those of the protocol it is like; None if there are none."""
    file = file_of(folders[name], language)
    if file is None:
        return None
    own = tomllib.loads(file.read_text("utf-8"))
    left_out = own.pop("without", [])
    like = own.pop("like", None)
    if like is None:
        return own
    shared = read_words(folders, like, language)
    assert shared is not None, f"{name} has words in {language}, but {like} has none"
    for path in left_out:
        _remove(shared, path)
    return _merged(shared, own)


def for_attributes(words: Mapping[str, Any], attributes: tuple[str, ...]) -> dict[str, Any]:
    """The words without those of attributes the protocol does not ask for."""
    kept = dict(words)
    for table in BY_ATTRIBUTE:
        kept[table] = {attribute: words[table][attribute] for attribute in attributes}
    return kept


def check_words(words: Mapping[str, Any], *, like: Mapping[str, Any]) -> list[str]:
    """What is wrong with an organiser's own words, beside the English ones; nothing if they will do.

    Every word must be there, as text where English has text and as a list of paragraphs where
    English has one (their number is free), and every {placeholder} must be kept.

    >>> check_words({"next": "Weiter"}, like={"next": "Next", "done": "{n} done"})
    ['done: missing; translate "{n} done".']
    """
    return list(_problems(words, like, ""))


def _problems(words: Any, like: Any, path: str) -> Iterator[str]:
    match like:
        case Mapping():
            if not isinstance(words, Mapping):
                yield f"{path}: must be a table with {', '.join(like)}."
                return
            yield from _problems_of_table(words, like, f"{path}." if path else "")
        case list():
            paragraphs = words if isinstance(words, list) else []
            if not paragraphs or not all(_is_text(paragraph) for paragraph in paragraphs):
                yield f"{path}: must be a list of paragraphs, none of them empty."
            yield from _lost_or_unknown(" ".join(map(str, paragraphs)), " ".join(like), path)
        case _:
            if not _is_text(words):
                yield f"{path}: must be a text in quotes, and not an empty one."
            else:
                yield from _lost_or_unknown(words, like, path)


def _problems_of_table(words: Mapping[str, Any], like: Mapping[str, Any], prefix: str) -> Iterator[str]:
    for key, expected in like.items():
        if key not in words:
            example = f'; translate "{expected}"' if isinstance(expected, str) else ""
            yield f"{prefix}{key}: missing{example}."
        else:
            yield from _problems(words[key], expected, f"{prefix}{key}")
    for key in words:
        if key not in like:
            yield f"{prefix}{key}: unknown; remove it."


def _lost_or_unknown(text: str, like: str, path: str) -> Iterator[str]:
    given, wanted = set(PLACEHOLDER.findall(text)), set(PLACEHOLDER.findall(like))
    for name in sorted(wanted - given):
        yield f"{path}: {name} is lost; keep it where the value belongs."
    for name in sorted(given - wanted):
        yield f"{path}: {name} is not filled in here; remove it."


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and bool(value.strip())


def _remove(words: dict[str, Any], path: str) -> None:
    table, _, rest = path.partition(".")
    if rest:
        _remove(words[table], rest)
    else:
        del words[table]


def _merged(shared: Mapping[str, Any], own: Mapping[str, Any]) -> dict[str, Any]:
    merged = {**shared, **own}
    for key in shared.keys() & own.keys():
        if isinstance(shared[key], Mapping) and isinstance(own[key], Mapping):
            merged[key] = _merged(shared[key], own[key])
    return merged
