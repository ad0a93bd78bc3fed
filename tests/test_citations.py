"""Every citation key exists in src/steelyard/report/references.bib, and every entry there is cited."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parent.parent
KEY = re.compile(r"\b([A-Z][a-z]+(?:19|20)\d\d[a-z]?)\b")
CITING_FILES = [*ROOT.glob("src/**/*.py"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("*.md")]


def cited_keys() -> set[str]:
    """Keys such as Graham2017 in code and documents."""
    return {key for path in CITING_FILES for key in KEY.findall(path.read_text("utf-8"))}


def listed_keys() -> list[str]:
    """Keys of the bibliography."""
    text = (ROOT / "src" / "steelyard" / "report" / "references.bib").read_text("utf-8")
    return re.findall(r"^@\w+\{([^,]+),", text, flags=re.M)


def test_every_cited_key_is_in_the_bibliography() -> None:
    assert cited_keys() - set(listed_keys()) == set()


def test_every_entry_of_the_bibliography_is_cited() -> None:
    assert set(listed_keys()) - cited_keys() == set()


def test_no_key_stands_for_two_entries() -> None:
    keys = listed_keys()

    assert [key for key in keys if keys.count(key) > 1] == []
