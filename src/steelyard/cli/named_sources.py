"""Sources under names that the user chooses: TITLE=SOURCE."""

from __future__ import annotations

import re
from pathlib import Path

_NAMED = re.compile(r"([\w.+-]+)=(.+)")


def split_name(argument: str) -> tuple[str | None, str]:
    """The name and the address in an argument; None where it has no name.

    An argument that is itself a file's name has none, and neither has a database's address.

    >>> split_name("de-en=fluency.csv"), split_name("postgresql://host/db?user=me")
    (('de-en', 'fluency.csv'), (None, 'postgresql://host/db?user=me'))
    """
    match = _NAMED.fullmatch(argument)
    if match is None or Path(argument).exists():
        return None, argument
    return match[1], match[2]
