"""HITs in the upload layout of the 2016 direct-assessment scripts for Mechanical Turk.

One row per HIT: `src, trg, item, hit`, then `sys_i, sid_i, tst_i, rid_i` for each item, i from 0:
system, number of the segment, kind and an opaque key of seven digits that names the picture of the
text. The kinds are SYSTEM, REPEAT, BAD_REF and REF; ours that the scripts did not have, GOLD and
CALIBRATION, travel under their own names, which their page hands through and their scoring leaves
out. The page pastes the cells into a script, so texts stand in single quotes.

The layout holds no texts. Beside NAME.csv we write NAME.texts.csv, for the program that draws or shows
them, and NAME.key.csv, which leads from a key back to our item and must stay private. Note that
the page's own source shows systems and kinds to anyone who looks: that is the layout's weakness.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain, islice
from pathlib import Path

import polars as pl

from steelyard.domain.campaign import GivenItem
from steelyard.domain.errors import SourceError
from steelyard.domain.work import ItemKind
from steelyard.formats._judgement_columns import KINDS
from steelyard.formats._key_file import beside, places, write_key
from steelyard.formats._records import MOST_COLUMNS
from steelyard.formats._segment_numbers import segment_numbers
from steelyard.formats.table_file import CellTable, read_table, write_table

KIND_NAMES = {
    ItemKind.REGULAR: "SYSTEM",
    ItemKind.REPEAT: "REPEAT",
    ItemKind.DEGRADED: "BAD_REF",
    ItemKind.REFERENCE: "REF",
    ItemKind.GOLD: "GOLD",
    ItemKind.CALIBRATION: "CALIBRATION",
}
# What the scripts call an attribute.
ATTRIBUTE_NAMES = {"adequacy": "ad", "fluency": "fl"}
# Keys of seven digits that do not begin with 0.
_FIRST_KEY, _N_KEYS = 1_000_000, 9_000_000
_FIELDS = ("sys", "sid", "tst", "rid")
# The scripts of 2015 called the system sys_id_i.
_COLUMN = re.compile(r"(sys|sys_id|sid|tst|rid)_(\d+)")
# The page puts names between single quotes and joins answers by bars.
_UNWRITABLE = re.compile(r"""['"\\|<>\x00-\x1f\x7f\u2028\u2029]""")


def read_upload(path: Path) -> tuple[tuple[GivenItem, ...], ...]:
    """The HITs of an upload file, without texts; SourceError lists every problem with row and column."""
    table = read_table(path)
    columns = _item_columns(table, str(path))
    problems: list[str] = []
    hits = [tuple(_items(table, row, columns=columns, problems=problems)) for row in range(len(table))]
    if not hits:
        problems.append("holds no HIT: one row per HIT must follow the header.")
    if not problems:
        problems = [f"{table.place(row)}: holds no item." for row, hit in enumerate(hits) if not hit]
    if problems:
        raise SourceError(str(path), problems)
    return tuple(hits)


def unquoted(cell: str | None) -> str:
    """A cell without the single quotes that the page needs.

    >>> unquoted("'online-B'"), unquoted("online-B")
    ('online-B', 'online-B')
    """
    text = (cell or "").strip()
    return text[1:-1] if len(text) > 1 and text[0] == text[-1] == "'" else text


def _item_columns(table: CellTable, where: str) -> list[dict[str, str]]:
    """For each item of a HIT the columns that hold its four cells."""
    found: dict[int, dict[str, str]] = {}
    for column in table.columns:
        if match := _COLUMN.fullmatch(column.strip()):
            field = "sys" if match[1] == "sys_id" else match[1]
            found.setdefault(int(match[2]), {})[field] = column
    if not found:
        raise SourceError(
            where, ["there is no column sys_0: the layout has sys_i, sid_i, tst_i and rid_i for each item."]
        )
    if max(found) >= MOST_COLUMNS:
        raise SourceError(
            where, [f"no HIT has an item number {max(found):,}: correct the names of the columns."]
        )
    problems = [
        f"there is no column {field}_{number}."
        for number in range(max(found) + 1)
        for field in _FIELDS
        if field not in found.get(number, {})
    ]
    if problems:
        raise SourceError(where, problems)
    return [found[number] for number in range(max(found) + 1)]


def _items(
    table: CellTable, row: int, *, columns: Sequence[Mapping[str, str]], problems: list[str]
) -> Iterable[GivenItem]:
    """The items of one HIT; places that are empty throughout are none."""
    for fields in columns:
        cells = {field: unquoted(table.columns[column][row]) for field, column in fields.items()}
        if not any(cells.values()):
            continue
        found = [
            f"{table.place(row)}, column {fields[field]}: {problem}" for field, problem in _problems(cells)
        ]
        problems += found
        if not found:
            yield GivenItem(KINDS[cells["tst"].lower()], cells["sys"], cells["sid"])


def _problems(cells: Mapping[str, str]) -> Iterable[tuple[str, str]]:
    """What is wrong with the cells of one item: the field and a sentence."""
    for field in _FIELDS:
        if not cells[field]:
            yield field, "is empty, though the item's other cells are not."
    if cells["tst"] and cells["tst"].lower() not in KINDS:
        kinds = ", ".join(KIND_NAMES.values())
        yield "tst", f"the kind {cells['tst']!r} is unknown; use one of {kinds}."
    if cells["sid"] and not re.fullmatch(r"[0-9]+", cells["sid"]):
        yield "sid", f"the segment {cells['sid']!r} is not a whole number."


def write_upload(
    frame: pl.DataFrame,
    path: Path,
    *,
    source_language: str,
    target_language: str,
    attribute: str = "adequacy",
) -> None:
    """Write the HITs of an audit table as an upload file, with NAME.texts.csv and NAME.key.csv.

    `frame` has one row per item place: hit, position, item_id, kind, system, segment, text, source,
    reference; where identical outputs are judged once also `credited`, a list of further systems,
    and where qualities are known beforehand `known` and `known_sd`. A segment keeps its number if
    it has one; others get new numbers, which the key translates.
    """
    hits = list(places(frame))
    every = [place for hit in hits for place in hit]
    _refuse(path, every)
    keys = _opaque_keys(every)
    numbers = segment_numbers(str(place["segment"]) for place in every)
    cells = [_item_cells(place, numbers, key) for place, key in zip(every, keys, strict=True)]
    languages = [_quoted(source_language), _quoted(target_language)]
    item = _quoted(ATTRIBUTE_NAMES.get(attribute, attribute))
    size = max(map(len, hits))
    header = ["src", "trg", "item", "hit", *(f"{name}_{i}" for i in range(size) for name in _FIELDS)]
    rows, rest = [], iter(cells)
    for number, hit in enumerate(hits):
        row = [*languages, item, str(number), *chain.from_iterable(islice(rest, len(hit)))]
        rows.append(row + [None] * (len(header) - len(row)))
    # The upload comes last: where it is, its companions are.
    write_key(path, every, {"rid": keys})
    write_table(_texts(every, numbers, keys), beside(path, "texts"), raw=True)
    write_table(pl.DataFrame(rows, schema=dict.fromkeys(header, pl.String), orient="row"), path, raw=True)


def _item_cells(place: Mapping[str, object], numbers: Mapping[str, int], key: str) -> list[str]:
    kind = KIND_NAMES[ItemKind(str(place["kind"]))]
    return [_quoted(str(cell)) for cell in (place["system"], numbers[str(place["segment"])], kind, key)]


def _texts(
    every: Sequence[Mapping[str, object]], numbers: Mapping[str, int], keys: Sequence[str]
) -> pl.DataFrame:
    """What is drawn or shown for each key. The page asks for the picture of a reference by `sid`."""
    return pl.DataFrame(
        {
            "rid": keys,
            "sid": [numbers[str(place["segment"])] for place in every],
            **{name: [place[name] for place in every] for name in ("text", "reference", "source")},
        }
    )


def _quoted(text: str) -> str:
    return f"'{text}'"


def _refuse(path: Path, every: Sequence[Mapping[str, object]]) -> None:
    """SourceError if the layout cannot hold these places."""
    problems = []
    if path.suffix != ".csv":
        problems.append("the upload layout is a .csv file; end the name in .csv.")
    if not every:
        problems.append("there is no HIT to write.")
    if len(every) > _N_KEYS:
        problems.append(f"the layout has keys for {_N_KEYS:,} items, but there are {len(every):,}.")
    problems += [
        f"the system {name!r} cannot be written: its page would misread the character {found[0]!r}. "
        "Rename the system."
        for name in sorted({str(place["system"]) for place in every})
        if (found := _UNWRITABLE.search(name))
    ]
    if problems:
        raise SourceError(str(path), problems)


def _opaque_keys(every: Sequence[Mapping[str, object]]) -> list[str]:
    """A key of seven digits for each place, the same every time, different for a base and its repeat.

    Made from our item ids, which are random and stay here: nobody else can tell a key's kind.
    """
    taken: set[int] = set()
    keys = []
    for place in every:
        name = "\n".join(str(place[column]) for column in ("hit", "position", "item_id"))
        number = int.from_bytes(hashlib.sha256(name.encode()).digest()[:8]) % _N_KEYS
        while number in taken:
            number = (number + 1) % _N_KEYS
        taken.add(number)
        keys.append(str(_FIRST_KEY + number))
    return keys
