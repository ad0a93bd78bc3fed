"""Results of the 2015 and 2016 direct-assessment scripts for Mechanical Turk, as judgements.

A batch of results has one row per submitted HIT: HITId, WorkerId, ..., the columns of the upload as
Input.*, and all answers in one cell of an Answer.* column, joined by bars. In 2016 an answer was
system, segment, kind, index, nothing and rating joined by underscores; in 2015 index, key and rating.
Since names hold underscores too, an answer is matched with the items of its HIT; where the batch does
not name these, it is cut from the right, at the kind.

A HIT with too few or too many answers, or with `undefined` in them (a picture failed to load), was
never fully judged: it is left out whole and named in a warning. Its worker is to be paid all the same.

The scripts' own flat tables (ad-latest.csv and the like), one row per rating, are in `_flat_2016`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import polars as pl

from steelyard.domain.errors import SourceError
from steelyard.domain.wording import Note, counted
from steelyard.formats._answers_2016 import (
    HitItem,
    IncompleteError,
    UnreadableError,
    answers_of,
    is_number,
)
from steelyard.formats._hit_times import IS_REJECTED, combined
from steelyard.formats._judgement_columns import as_text, named
from steelyard.formats._judgement_table import (
    JudgementTable,
    is_nested,
    with_languages_apart,
)
from steelyard.formats._key_file import Key, KeyEntry, keys_in
from steelyard.formats._moments import moment
from steelyard.formats.upload_2016 import ATTRIBUTE_NAMES, unquoted
from steelyard.frames import HIT_TIMES_SCHEMA, hit_times_frame

_ITEM_COLUMN = re.compile(r"Input\.(sys|sys_id|sid|tst|rid)_(\d+)")
_CELLS = (
    *("worker", "segment", "rating", "system", "kind", "hit", "position", "document", "attribute"),
    *(
        "seconds",
        "submitted_at",
        "judgement_id",
        "assignment_id",
        "item_id",
        "known",
        "known_sd",
        "languages",
    ),
)
_ATTRIBUTES = {short: attribute for attribute, short in ATTRIBUTE_NAMES.items()}


@dataclass(slots=True)
class _Found:
    """What the rows of a batch amount to so far."""

    cells: list[dict[str, str | None]] = field(default_factory=list)
    places: list[tuple[int, int]] = field(default_factory=list)
    """The row of the batch, and the number of the answer in it, from 1."""
    times: list[dict[str, object]] = field(default_factory=list)
    """One for each submitted HIT that was fully judged."""
    problems: list[tuple[int, str]] = field(default_factory=list)
    incomplete: list[str] = field(default_factory=list)
    keys_used: set[str] = field(default_factory=set)


def is_batch(columns: Sequence[str]) -> bool:
    """Whether these are the columns of a batch of results."""
    return {"HITId", "WorkerId"} <= set(columns) and any(name.startswith("Answer.") for name in columns)


def from_batch(table: JudgementTable, where: str, *, folder: Path | None) -> JudgementTable:
    """The answers of a batch under our names. A key in `folder` that knows the items names them."""
    batch = _Batch(table.cells.columns, where, keys_in(folder, ("rid",)))
    single = [as_text(column) for column in table.cells if not is_nested(column.dtype)]
    rows: list[dict[str, str | None]] = pl.DataFrame(single).to_dicts()
    found = _Found()
    for number, row in enumerate(rows):
        batch.add(number, row, found)
    if found.problems:
        lines = table.places([row for row, _ in found.problems])
        texts = [f"{line}, {text}" for line, (_, text) in zip(lines, found.problems, strict=True)]
        raise SourceError(where, texts)

    def places(chosen: Sequence[int]) -> list[str]:
        lines = table.places([found.places[row][0] for row in chosen])
        return [f"{line}, answer {found.places[row][1]}" for line, row in zip(lines, chosen, strict=True)]

    cells = pl.DataFrame(found.cells, schema=dict.fromkeys(_CELLS, pl.String))
    apart, warnings = with_languages_apart(cells)
    times = combined(hit_times_frame(pl.DataFrame(found.times, schema=HIT_TIMES_SCHEMA)))
    return JudgementTable(apart, places, (*_warnings(rows, found), *warnings), times)


class _Batch:
    """Reads the rows of one batch: knows its columns, and the keys that may belong to it."""

    def __init__(self, columns: Sequence[str], where: str, keys: Sequence[Key]) -> None:
        self.keys = keys
        self.answers = _answer_column(columns, where)
        self.slots: dict[int, dict[str, str]] = {}
        for column in columns:
            if match := _ITEM_COLUMN.fullmatch(column):
                name = "sys" if match[1] == "sys_id" else match[1]
                self.slots.setdefault(int(match[2]), {})[name] = column

    def add(self, number: int, row: Mapping[str, str | None], found: _Found) -> None:
        """Add the judgements of one submitted HIT, or note why there are none."""
        try:
            answered = answers_of(row[self.answers] or "", self._items(row))
            entries = self._entries([answer.item for answer in answered], found)
        except IncompleteError:
            found.incomplete.append(f"{row['HITId']} by {row['WorkerId']}")
            return
        except UnreadableError as error:
            found.problems.append((number, f"answer {error.number}: {error}"))
            return
        shared = _shared_cells(row, len(answered))
        for place, (answer, known_as) in enumerate(zip(answered, entries, strict=True), start=1):
            own = {
                "rating": answer.rating,
                "position": str(answer.turn + 1),
                "judgement_id": f"{shared['assignment_id']}:{answer.turn}",
            }
            found.cells += [{**shared, **own, **cells} for cells in known_as]
            found.places += [(number, place)] * len(known_as)
        found.times.append(_time(row, found.cells[-1]["hit"]))

    def _items(self, row: Mapping[str, str | None]) -> list[HitItem]:
        """The items of the HIT in the order of the upload; empty places are none."""
        items = []
        for _, columns in sorted(self.slots.items()):
            cells = {name: unquoted(row[column]) for name, column in columns.items()}
            if any(cells.values()):
                items.append(HitItem(*(cells.get(name, "") for name in ("sys", "sid", "tst", "rid"))))
        return items

    def _entries(self, items: Sequence[HitItem], found: _Found) -> list[list[dict[str, str | None]]]:
        """For each item the cells that say what it is: from the key that knows them all, else its own."""
        for key in self.keys:
            entries = [key.entries.get((item.key,), ()) for item in items]
            if all(map(_is_the_same, entries, items)):
                found.keys_used.add(key.name)
                return [[_ours(entry) for entry in known] for known in entries]
        for number, item in enumerate(items, start=1):
            if not item.system:
                raise UnreadableError(
                    number,
                    f"only its key {item.key} says what was judged. Put the key file that knows it "
                    "(NAME.key.csv) beside this file, or keep the batch's Input columns.",
                )
        return [[{"system": item.system, "segment": item.segment, "kind": item.kind}] for item in items]


def _answer_column(columns: Sequence[str], where: str) -> str:
    """The column with the ratings; workers' remarks may stand in another."""
    answers = [name for name in columns if name.startswith("Answer.") and name != "Answer.comments"]
    if "Answer.Q1" in answers:
        return "Answer.Q1"
    if len(answers) == 1:
        return answers[0]
    raise SourceError(
        where,
        [
            f"cannot tell which column holds the answers ({', '.join(answers) or 'none'}): the scripts call "
            "it Answer.Q1. Rename it; or, if each row is one rating, name the columns with "
            "{columns=OURS=THEIRS}."
        ],
    )


def _is_the_same(entries: Sequence[KeyEntry], item: HitItem) -> bool:
    """Whether a key means this item. Keys are short: another campaign's may be the same by chance."""
    return bool(entries) and (not item.system or entries[0].system == item.system)


def _ours(entry: KeyEntry) -> dict[str, str | None]:
    return {
        "hit": entry.hit,
        "item_id": entry.item_id,
        "kind": entry.kind,
        "system": entry.system,
        "segment": entry.segment,
        "document": entry.document,
        "known": entry.known,
        "known_sd": entry.known_sd,
    }


def _shared_cells(row: Mapping[str, str | None], n_answers: int) -> dict[str, str | None]:
    """What all judgements of a submitted HIT have in common."""
    item = unquoted(row.get("Input.item"))
    seconds = row.get("WorkTimeInSeconds") or ""
    languages = [unquoted(row.get(name)) for name in ("Input.src", "Input.trg")]
    return {
        "worker": row["WorkerId"],
        "hit": row["HITId"],
        "attribute": _ATTRIBUTES.get(item, item),
        # Only the whole HIT was timed.
        "seconds": str(float(seconds) / n_answers) if is_number(seconds) else None,
        "submitted_at": _iso(row.get("SubmitTime")),
        "assignment_id": row.get("AssignmentId") or f"{row['HITId']}:{row['WorkerId']}",
        "languages": "-".join(languages) if all(languages) else None,
    }


def _iso(text: str | None) -> str | None:
    found = moment(text or "")
    return found.isoformat() if found else None


def _time(row: Mapping[str, str | None], hit: str | None) -> dict[str, object]:
    """How long a submitted HIT took and its status, as far as the batch says."""
    seconds = row.get("WorkTimeInSeconds") or ""
    return {
        "worker_id": row["WorkerId"],
        "hit_id": hit,
        "work_seconds": float(seconds) if is_number(seconds) else None,
        "accepted_at": moment(row.get("AcceptTime") or ""),
        "submitted_at": moment(row.get("SubmitTime") or ""),
        "is_rejected": IS_REJECTED.get((row.get("AssignmentStatus") or "").strip().lower()),
    }


def _warnings(rows: Sequence[Mapping[str, str | None]], found: _Found) -> list[str]:
    """What a reader of a batch should know."""
    warnings = []
    if found.incomplete:
        n = len(found.incomplete)
        warnings.append(
            f"{counted(n, 'HIT')} {'was' if n == 1 else 'were'} not fully judged and left out whole "
            f"({named(found.incomplete)}): pay {'it' if n == 1 else 'them'} all the same."
        )
    rejected = sum(row.get("AssignmentStatus") == "Rejected" for row in rows)
    if rejected:
        warnings.append(
            f"{counted(rejected, 'HIT')} had been rejected; the ratings are kept, and checks decide."
        )
    unread = sum(bool(row.get("SubmitTime")) and not _iso(row["SubmitTime"]) for row in rows)
    if unread:
        warnings.append(f"The time of submission of {counted(unread, 'HIT')} could not be read.")
    if any(cells["seconds"] is not None for cells in found.cells):
        warnings.append(Note("Only whole HITs were timed: each judgement got an equal share of the seconds."))
    if found.keys_used:
        warnings.append(
            Note(f"Took HITs, items, systems, segments and kinds from {named(sorted(found.keys_used))}.")
        )
    return warnings
