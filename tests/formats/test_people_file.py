from __future__ import annotations

from pathlib import Path

import pytest

from steelyard.domain.errors import SourceError
from steelyard.domain.people import Person
from steelyard.formats.people_file import read_people


def people_in(tmp_path: Path, text: str) -> list[Person]:
    path = tmp_path / "people.csv"
    path.write_text(text, "utf-8")
    return read_people(path)


@pytest.mark.parametrize(
    "text",
    [
        "name,email\nAna,ana@example.org\n,bo@example.org\nCy,\n",
        "E-Mail;Name\nana@example.org;Ana\nbo@example.org;\n;Cy\n",
        "id,name,email,city\n1, Ana , ana@example.org ,Rome\n2,,bo@example.org,\n,,,\n3,Cy,,\n",
    ],
    ids=["plain", "a spreadsheet's", "other columns and blank rows"],
)
def test_people_are_read_by_their_columns(tmp_path: Path, text: str) -> None:
    expected = [Person("Ana", "ana@example.org"), Person("", "bo@example.org"), Person("Cy", "")]

    assert people_in(tmp_path, text) == expected


def test_one_column_is_enough(tmp_path: Path) -> None:
    assert people_in(tmp_path, "email\nana@example.org\n") == [Person("", "ana@example.org")]


def test_an_address_in_the_column_of_names_is_an_address(tmp_path: Path) -> None:
    assert people_in(tmp_path, "name,email\nana@example.org,\n") == [Person("", "ana@example.org")]


def test_problems_are_listed_with_their_lines(tmp_path: Path) -> None:
    with pytest.raises(SourceError) as caught:
        people_in(tmp_path, f"name,email\nAna,nowhere\nBo,bo@example.org\n{'x' * 201},\n")

    problems = "\n".join(caught.value.problems)
    assert 'line 2: "nowhere" is not an e-mail address' in problems
    assert "line 4: the name has more than 200 characters" in problems


@pytest.mark.parametrize(
    ("text", "problem"),
    [("who,where\nAna,Rome\n", 'there is no column "name"'), ("name,email\n,\n", "there is nobody in it")],
)
def test_a_file_without_people_says_what_it_needs(tmp_path: Path, text: str, problem: str) -> None:
    with pytest.raises(SourceError, match=problem):
        people_in(tmp_path, text)
