"""Key files: what leads back from another system's results to our own items. Kept private.

A campaign that runs elsewhere goes out as NAME with a key beside it, NAME.key.csv: one row per
item place, or one per credited system where identical outputs are judged once. Put the
results into the key's folder to get them back as judgements of our own HITs, systems and segments.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from steelyard.domain.errors import SourceError
from steelyard.formats.table_file import CellTable, read_table, write_table

ENDING = ".key.csv"
# Of an item place, in every key; before them stands what the other system calls it.
COLUMNS = ("hit", "position", "item_id", "kind", "system", "segment", "document")
_IF_KNOWN = ("known", "known_sd")


@dataclass(frozen=True, slots=True)
class KeyEntry:
    """One item place of ours, and one system that is credited with it."""

    hit: str
    item_id: str
    kind: str
    system: str
    segment: str
    document: str | None = None
    known: str | None = None
    known_sd: str | None = None


@dataclass(frozen=True, slots=True)
class Key:
    """The entries of a key file by what the other system calls them."""

    name: str
    entries: Mapping[tuple[str, ...], Sequence[KeyEntry]]


def beside(path: Path, what: str) -> Path:
    """The name of a companion: upload.csv has upload.key.csv beside it.

    >>> beside(Path("en-cs.upload.csv"), "key").name
    'en-cs.upload.key.csv'
    """
    return path.with_name(f"{path.stem}.{what}.csv")


def places(frame: pl.DataFrame) -> Iterator[list[dict[str, object]]]:
    """The rows of an audit table, HIT by HIT in their order, each in the order of positions.

    Raises ValueError if a column is missing: the table is our own.
    """
    needed = {*COLUMNS, "text", "source", "reference"}
    if missing := needed - set(frame.columns):
        raise ValueError(f"the audit table lacks the columns {sorted(missing)}")
    for hit in frame.partition_by("hit", maintain_order=True):
        yield hit.sort("position").to_dicts()


def systems_of_place(place: Mapping[str, object]) -> list[str]:
    """The systems that an item's ratings count for: its own first, then those with the same text."""
    others = place.get("credited") or ()
    assert isinstance(others, Iterable)
    return [str(place["system"]), *map(str, others)]


def write_key(
    path: Path, places: Sequence[Mapping[str, object]], names: Mapping[str, Sequence[object]]
) -> None:
    """Write the key of `path`: what the other system calls each place (by column), then our own names."""
    rows = [
        {
            **{column: str(values[number]) for column, values in names.items()},
            **{column: place[column] for column in COLUMNS},
            "system": system,
            **{column: place.get(column) for column in _IF_KNOWN},
        }
        for number, place in enumerate(places)
        for system in systems_of_place(place)
    ]
    order = [*names, *COLUMNS]
    table = pl.DataFrame(rows, schema=[*order, *_IF_KNOWN], infer_schema_length=None)
    known = [column for column in _IF_KNOWN if table[column].count()]
    write_table(table.select(*order, *known), beside(path, "key"), raw=True)


def keys_in(folder: Path | None, columns: Sequence[str]) -> list[Key]:
    """The keys in a folder that name items by these columns; SourceError if one of them is damaged."""
    if folder is None:
        return []
    keys = []
    for path in sorted(folder.glob(f"*{ENDING}")):
        table = read_table(path)
        if set(columns) <= set(table.columns):
            keys.append(_key(path, table, columns))
    return keys


def _key(path: Path, table: CellTable, columns: Sequence[str]) -> Key:
    missing = [column for column in COLUMNS if column not in table.columns]
    if missing:
        raise SourceError(str(path), [f"there is no column {column}; export it again." for column in missing])
    empty = [
        f"{table.place(row)}: {column} is empty; export the key again."
        for column in (*columns, "hit", "kind", "system", "segment")
        for row, cell in enumerate(table.columns[column])
        if not cell
    ]
    if empty:
        raise SourceError(str(path), empty)
    optional = ("document", *_IF_KNOWN)
    entries: dict[tuple[str, ...], list[KeyEntry]] = {}
    for row in range(len(table)):
        entry = KeyEntry(
            *(table.columns[name][row] or "" for name in ("hit", "item_id", "kind", "system", "segment")),
            *(table.columns[name][row] or None if name in table.columns else None for name in optional),
        )
        entries.setdefault(tuple(table.columns[name][row] or "" for name in columns), []).append(entry)
    return Key(path.name, entries)
