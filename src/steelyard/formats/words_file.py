"""Words that workers read, as a TOML file to translate or to change."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

HEADING = """\
# What workers read. Translate the texts, keep the names before the equals signs and anything
# in {braces}. Name the file in the campaign file: [presentation] instructions = "this-file.toml"
"""


def to_toml(words: Mapping[str, Any]) -> str:
    """Words (texts, lists of paragraphs, tables of texts) as TOML that reads back the same.

    >>> print(to_toml({"hint": "Click.", "marks": {"0": "no", "100": "yes"}}).partition("\\n\\n")[2])
    hint = "Click."
    <BLANKLINE>
    [marks]
    0 = "no"
    100 = "yes"
    <BLANKLINE>
    """
    plain = {name: value for name, value in words.items() if not isinstance(value, Mapping)}
    tables = {name: value for name, value in words.items() if isinstance(value, Mapping)}
    lines = [HEADING, *_lines(plain)]
    for name, table in tables.items():
        lines += ["", f"[{name}]", *_lines(table)]
    return "\n".join(lines) + "\n"


def _lines(values: Mapping[str, Any]) -> list[str]:
    return [f"{name} = {_value(value)}" for name, value in values.items()]


def _value(value: Any) -> str:
    if isinstance(value, list):
        return "[\n" + "".join(f"  {_value(each)},\n" for each in value) + "]"
    # A JSON string is a basic string of TOML, for both escape the same characters the same way.
    return json.dumps(value, ensure_ascii=False)
