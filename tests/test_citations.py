"""Every citation key exists in src/steelyard/report/references.bib, and every entry there is cited."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parent.parent
BIBLIOGRAPHY = ROOT / "src" / "steelyard" / "report" / "references.bib"
KEY = re.compile(r"\b([A-Z][a-z]+(?:19|20)\d\d[a-z]?)\b")
CITING_FILES = [*ROOT.glob("src/**/*.py"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("*.md")]


def cited_keys() -> set[str]:
    """Keys such as Graham2017 in code and documents."""
    return {key for path in CITING_FILES for key in KEY.findall(path.read_text("utf-8"))}


def listed_keys() -> list[str]:
    """Keys of the bibliography."""
    text = BIBLIOGRAPHY.read_text("utf-8")
    return re.findall(r"^@\w+\{([^,]+),", text, flags=re.M)


def test_every_cited_key_is_in_the_bibliography() -> None:
    assert cited_keys() - set(listed_keys()) == set()


def test_every_entry_of_the_bibliography_is_cited() -> None:
    assert set(listed_keys()) - cited_keys() == set()


def test_no_key_stands_for_two_entries() -> None:
    keys = listed_keys()

    assert [key for key in keys if keys.count(key) > 1] == []


# What BibTeX's own styles ask for, beyond author, title and year.
VENUE = {
    "article": "journal",
    "book": "publisher",
    "inproceedings": "booktitle",
    "misc": "eprint",
    "techreport": "institution",
}


def entries() -> dict[str, tuple[str, dict[str, str]]]:
    """Kind and fields of every entry."""
    text = BIBLIOGRAPHY.read_text("utf-8")
    found = re.findall(r"^@(\w+)\{([^,]+),\n(.*?)^\}$", text, flags=re.M | re.S)
    return {
        key: (kind, dict(re.findall(r"^  ([\w-]+) = \{(.+)\},$", body, flags=re.M)))
        for kind, key, body in found
    }


def test_every_entry_has_the_fields_of_its_kind() -> None:
    found = entries()

    assert set(found) == set(listed_keys())
    wanted = {key: {"author", "title", "year", VENUE[kind]} for key, (kind, _) in found.items()}
    # Software is nowhere but itself.
    wanted["Steelyard2026"] = {"author", "title", "year", "howpublished"}
    assert {
        key: wanted[key] - set(fields) for key, (_, fields) in found.items() if wanted[key] - set(fields)
    } == {}


def test_every_entry_names_all_authors_and_the_year_of_its_key() -> None:
    found = {key: fields for key, (_, fields) in entries().items()}

    assert [key for key, fields in found.items() if "others" in fields["author"]] == []
    assert [key for key, fields in found.items() if fields["year"] not in key] == []


def test_every_entry_says_whether_it_was_compared_with_the_paper() -> None:
    marks = {key: fields.get("x-checked", "") for key, (_, fields) in entries().items()}

    assert [
        key for key, mark in marks.items() if not mark.startswith(("unverified", "title, authors, year"))
    ] == []
