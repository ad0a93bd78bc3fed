"""Lists of people: who to invite, as a table with the columns `name` and `email`, and their links."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from pathlib import Path

from steelyard.domain.errors import SourceError
from steelyard.domain.people import Person, person_problems, tidy
from steelyard.domain.spreadsheet import as_cell, from_cell
from steelyard.formats.table_file import read_table

# How spreadsheets of people may name the columns.
COLUMNS = {"name": "name", "email": "email", "e-mail": "email", "mail": "email"}


def read_people(path: Path) -> list[Person]:
    """The people in a .csv, .tsv or other table; SourceError lists every problem.

    Rows without name and address are left out, other columns are not read.
    """
    table = read_table(path)
    found = {
        COLUMNS[name.strip().casefold()]: name for name in table.columns if name.strip().casefold() in COLUMNS
    }
    if not found:
        raise SourceError(
            str(path), ['there is no column "name" and none "email"; the first line names them.']
        )
    people, problems = [], []
    for row in range(len(table)):
        cells = {field: tidy(from_cell(table.columns[column][row] or "")) for field, column in found.items()}
        person = Person(**cells)
        if not person.email and not person_problems(Person(email=person.name)):
            # An address in the column of names.
            person = Person(email=person.name)
        problems += [f"{table.place(row)}: {problem}" for problem in person_problems(person)]
        if person != Person():
            people.append(person)
    if not people and not problems:
        problems.append("there is nobody in it; write one person per line below the names of the columns.")
    if problems:
        raise SourceError(str(path), problems)
    return people


def people_csv(rows: Sequence[Mapping[str, str]], columns: Sequence[str]) -> str:
    """People and their links as a table that mail programs and spreadsheets read; no cell can be a formula.

    >>> people_csv([{"name": "Ana, of Rome", "url": "http://here/w/W0001-x"}], ["name", "url"])
    'name,url\\n"Ana, of Rome",http://here/w/W0001-x\\n'
    """
    text = io.StringIO()
    writer = csv.DictWriter(text, columns, lineterminator="\n")
    writer.writeheader()
    writer.writerows({column: as_cell(row[column]) for column in columns} for row in rows)
    return text.getvalue()
