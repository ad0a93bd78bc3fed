"""JSON lines that other systems write: recognised by the keys of the first, and read as judgements."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from steelyard.formats import _toolkit_ratings, _wmt_jsonl
from steelyard.formats._judgement_table import JudgementTable

# Takes the objects, their lines, and the name of the file.
JsonlReader = Callable[[Sequence[Mapping[str, Any]], Sequence[int], str], JudgementTable]
_READERS: tuple[tuple[Callable[[Sequence[str]], bool], JsonlReader], ...] = (
    (_wmt_jsonl.is_of_2024, _wmt_jsonl.from_2024),
    (_wmt_jsonl.is_of_2025, _wmt_jsonl.from_2025),
    (_toolkit_ratings.is_standalone, _toolkit_ratings.from_standalone),
)


def jsonl_reader(keys: Sequence[str]) -> JsonlReader | None:
    """The reader of files whose lines have these keys; None if they are no other system's."""
    return next((reader for recognises, reader in _READERS if recognises(keys)), None)


def keys_of_first_line(text: str) -> list[str]:
    """The keys of the first object of a file with one on each line; none if that is none."""
    line = text.lstrip()
    end = line.find("\n")
    try:
        record = json.loads(line[: end if end >= 0 else None])
    except ValueError:
        return []
    return list(record) if isinstance(record, dict) else []
