"""Texts as a table: a row per translation (long), or a row per segment and a column per system (wide)."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from pathlib import Path

from steelyard.domain.errors import SourceError
from steelyard.domain.text import Segment
from steelyard.domain.wording import listed
from steelyard.formats.table_file import CellTable, read_table
from steelyard.formats.texts import Texts, absent_if_blank

# Our name, then the names of other tools, best first, in lower case.
ALIASES: dict[str, tuple[str, ...]] = {
    "segment": ("segment", "segment_id", "segmentid", "id", "seg", "seg_id", "sid", "line"),
    "system": ("system", "system_id", "systemid", "system_name", "mt_system", "model", "engine"),
    "translation": ("translation", "text", "target", "mt", "output", "tgt", "hyp", "hypothesis", "candidate"),
    "document": ("document", "document_id", "documentid", "doc", "doc_id", "docid"),
    "source": ("source", "src", "source_text"),
    "reference": ("reference", "ref", "reference_text"),
}


def read_texts_table(
    path: Path,
    *,
    columns: Mapping[str, str] | None = None,
    systems: Collection[str] = (),
    incomplete: bool = False,
) -> Texts:
    """The texts of a .csv, .tsv, .jsonl or .parquet table, long or wide.

    A table with a column `system` is long: `segment`, `system`, `translation`. Any other is wide:
    `systems` name its columns of translations, or all columns are that mean nothing else. Both may
    have `document`, `source` and `reference`. `columns` maps these names to the file's. With
    `incomplete` an empty cell of a wide table is a translation that does not exist, else one that
    is empty. SourceError lists all problems, each with its line.
    """
    table = read_table(path)
    where = str(path)
    taken, problems = _choose(list(table.columns), columns or {})
    if problems:
        raise SourceError(where, problems)
    if "system" in taken:
        texts = _long(_Rows(table, taken, where))
    else:
        texts = _wide(_Rows(table, taken, where), systems, incomplete=incomplete)
    return replace(texts, warnings=(*table.warnings, *texts.warnings))


def _choose(found: Sequence[str], wanted: Mapping[str, str]) -> tuple[dict[str, str], list[str]]:
    """Our names with the columns taken for them, and what is wrong with the caller's choices."""
    problems = []
    for name, column in wanted.items():
        if name not in ALIASES:
            close = get_close_matches(name, ALIASES, n=1)
            hint = f'did you mean "{close[0]}"?' if close else f"use {', '.join(ALIASES)}."
            problems.append(f'columns: there is no "{name}" to choose; {hint}')
        elif column not in found:
            problems.append(f'there is no column "{column}" to take as {name}; it has: {listed(found)}.')
    taken = {name: column for name, column in wanted.items() if column in found and name in ALIASES}
    for name, aliases in ALIASES.items():
        free = [column for column in found if column not in taken.values()]
        matches = [column for column in free if column.lower() in aliases]
        if name not in taken and matches:
            taken[name] = min(matches, key=lambda column: aliases.index(column.lower()))
    return taken, problems


@dataclass
class _Rows:
    """The rows of a table under our names of columns, and the problems found in them."""

    table: CellTable
    taken: Mapping[str, str]
    where: str
    problems: list[tuple[int, str]] = field(default_factory=list)

    def cells(self, name: str) -> Sequence[str | None]:
        """A column of the table by our name for it; all None if the table has none."""
        return self.table.columns[self.taken[name]] if name in self.taken else [None] * len(self.table)

    def names(self, name: str) -> list[str]:
        """A column of names, without space around them."""
        return [cell.strip() if cell else "" for cell in self.cells(name)]

    def refuse(self, row: int, problem: str) -> None:
        """Note what is wrong in a row."""
        self.problems.append((row, problem))

    def stop_if_problems(self) -> None:
        """Raise what was noted, in order of rows."""
        if self.problems:
            self.problems.sort(key=lambda problem: problem[0])
            problems = [f"{self.table.place(row)}: {problem}" for row, problem in self.problems]
            raise SourceError(self.where, problems)


def _long(rows: _Rows) -> Texts:
    for name in ("segment", "translation"):
        if name not in rows.taken:
            raise SourceError(rows.where, [_missing(name, list(rows.table.columns))])
    order: dict[str, int] = {}
    numbers: list[int] = []
    found: dict[str, dict[int, int]] = {}
    texts = rows.cells("translation")
    names = zip(rows.names("segment"), rows.names("system"), texts, strict=True)
    for row, (segment_id, system_id, text) in enumerate(names):
        if not segment_id or not system_id or text is None:
            given = {"segment": segment_id, "system": system_id, "translation": text is not None}
            absent = [name for name, value in given.items() if not value]
            rows.refuse(row, f"has no {' and no '.join(absent)}.")
            numbers.append(-1)
            continue
        number = order.setdefault(segment_id, len(order))
        numbers.append(number)
        before = found.setdefault(system_id, {}).setdefault(number, row)
        if before != row:
            place = rows.table.place(before)
            rows.refuse(
                row, f'system "{system_id}" has a translation of segment {segment_id} in {place} too.'
            )
    documents, sources, references = (
        _of_segments(rows, name, numbers, list(order)) for name in ("document", "source", "reference")
    )
    rows.stop_if_problems()
    segments = tuple(
        Segment(segment_id, document.strip() or segment_id, *shown_beside)
        for segment_id, document, *shown_beside in zip(order, documents, sources, references, strict=True)
    )
    translations = {
        system_id: [texts[at[number]] if number in at else None for number in range(len(order))]
        for system_id, at in found.items()
    }
    return Texts(segments, translations)


def _of_segments(rows: _Rows, name: str, numbers: Sequence[int], ids: Sequence[str]) -> list[str]:
    """What a long table says about each segment; rows of one segment must say the same or nothing."""
    said = [""] * len(ids)
    if name not in rows.taken:
        return said
    said_at = [0] * len(ids)
    for row, (number, value) in enumerate(zip(numbers, rows.cells(name), strict=True)):
        if not value or value.isspace() or number < 0:
            continue
        if not said[number]:
            said[number], said_at[number] = value, row
        elif said[number] != value:
            place = rows.table.place(said_at[number])
            rows.refuse(row, f"segment {ids[number]} has a different {name} in {place}.")
    return said


def _wide(rows: _Rows, systems: Collection[str], *, incomplete: bool) -> Texts:
    columns = rows.table.columns
    mine = {column for name, column in rows.taken.items() if name != "translation"}
    # Where the campaign names its systems the other columns may hold anything.
    named = [name for name in columns if name in systems]
    names = named if named and len(named) == len(systems) else [name for name in columns if name not in mine]
    if not names:
        raise SourceError(rows.where, [_no_systems(list(columns))])
    segment_ids = _segment_ids(rows)
    rows.stop_if_problems()
    about = zip(rows.names("document"), rows.cells("source"), rows.cells("reference"), strict=True)
    segments = tuple(
        Segment(segment_id, document or segment_id, source or "", reference or "")
        for segment_id, (document, source, reference) in zip(segment_ids, about, strict=True)
    )
    translations = {
        name: absent_if_blank(columns[name]) if incomplete else list(columns[name]) for name in names
    }
    return Texts(segments, translations)


def _segment_ids(rows: _Rows) -> list[str]:
    """The segments of a wide table; without their own column they are numbered."""
    if "segment" not in rows.taken:
        return [str(row + 1) for row in range(len(rows.table))]
    ids = rows.names("segment")
    first: dict[str, int] = {}
    for row, segment_id in enumerate(ids):
        if not segment_id:
            rows.refuse(row, "has no segment.")
        elif first.setdefault(segment_id, row) != row:
            rows.refuse(row, f"segment {segment_id} is in {rows.table.place(first[segment_id])} too.")
    return ids


def _missing(name: str, found: Sequence[str]) -> str:
    return (
        f"has a column for systems but none for the {name}; it has: {listed(found)}. "
        f'Name the right one: columns = {{ {name} = "COLUMN" }}.'
    )


def _no_systems(found: Sequence[str]) -> str:
    return (
        f"has no translations; it has: {listed(found)}. Give a row per translation with the columns segment, "
        "system and translation, or a row per segment with a column per system."
    )
