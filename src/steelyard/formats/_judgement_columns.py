"""Columns of a judgements file: their names, those that earlier systems gave them, and which is which."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import polars as pl

from steelyard.domain.judgement import FrameName
from steelyard.domain.scale import Scale
from steelyard.domain.wording import Note
from steelyard.domain.work import ItemKind

REQUIRED: dict[FrameName, tuple[str, ...]] = {
    "ratings": ("worker", "segment", "rating"),
    "preferences": ("worker", "segment", "system_a", "system_b", "preference"),
    "spans": ("worker", "system", "segment", "start", "end", "severity"),
}
# What is peculiar to files of preferences and of spans: all of these, and they are that.
_PECULIAR: dict[FrameName, tuple[str, ...]] = {
    "preferences": ("system_a", "system_b", "preference"),
    "spans": ("start", "end", "severity"),
}
# How a judgement came about. For people who look into it: of these, flags look at `automated` alone.
HANDLING = (
    *("first_touch_seconds", "moves", "first_rating"),
    *("hidden_seconds", "straightness", "pastes", "automated"),
)
# How an error came to be marked, where the text was damaged on purpose, and the text on the span's side.
MARKING = ("marked_seconds", "origin", "n_removed", "injected_start", "injected_end", "text")
# Our name, then the names of earlier systems, best first, in lower case.
_NAMES: dict[str, tuple[str, ...]] = {
    "worker": ("worker", "login", "annotator", "workerid", "worker_id"),
    "segment": ("segment", "item", "segment_id"),
    "rating": ("rating", "raw_score", "score", "response"),
    "system": ("system", "system_id"),
    "kind": ("kind", "item_type", "item_kind"),
    "hit": ("hit", "hitid", "hit_id"),
    "position": ("position",),
    "document": ("document", "doc_key", "doc", "document_id"),
    "domain": ("domain",),
    "attribute": ("attribute",),
    "seconds": ("seconds",),
    # Of the whole HIT, on each of its rows.
    "hit_seconds": (
        *("hit_seconds", "work_seconds", "work-seconds", "worktimeinseconds"),
        *("hit_time", "work_time", "time"),
    ),
    "submitted_at": ("submitted_at",),
    "judgement_id": ("judgement_id",),
    "excluded": ("excluded",),
    "simulated": ("simulated",),
    # For people who look into it: no analysis depends on the words that were shown.
    "revision": ("revision",),
    "joined": ("joined",),
    # Whether the item was there only to fill up a HIT.
    "filler": ("filler",),
    "known": ("known", "known_rating", "gold"),
    "known_sd": ("known_sd",),
    **{
        name: (name,)
        for name in (
            *("system_a", "system_b", "preference", "control_side", "credited_a", "credited_b"),
            *("start", "end", "severity", "category", "side", "credited"),
            *MARKING,
            *HANDLING,
        )
    },
}
_JUDGED = (
    *("worker", "segment", "kind", "hit", "position", "document", "domain", "attribute"),
    *("seconds", "hit_seconds", "submitted_at", "judgement_id", "excluded", "simulated", "revision"),
    "filler",
    *HANDLING,
)
_COLUMNS: dict[FrameName, tuple[str, ...]] = {
    "ratings": (*_JUDGED, "rating", "system", "joined", "known", "known_sd"),
    "preferences": (
        *(*_JUDGED, "system_a", "system_b", "preference"),
        *("control_side", "credited_a", "credited_b"),
    ),
    "spans": (*_JUDGED, "system", "start", "end", "severity", "category", "side", "credited", *MARKING),
}
# By frame, the columns of its files and the names they may have.
ALIASES: dict[FrameName, dict[str, tuple[str, ...]]] = {
    frame: {name: aliases for name, aliases in _NAMES.items() if name in columns}
    for frame, columns in _COLUMNS.items()
}
KINDS: dict[str, ItemKind] = {
    **dict.fromkeys(("regular", "system", "tgt"), ItemKind.REGULAR),
    **dict.fromkeys(("repeat", "chk"), ItemKind.REPEAT),
    **dict.fromkeys(("degraded", "bad_ref", "bad", "cal"), ItemKind.DEGRADED),
    **dict.fromkeys(("reference", "ref"), ItemKind.REFERENCE),
    "gold": ItemKind.GOLD,
    "calibration": ItemKind.CALIBRATION,
}
DEFAULT_SCALE = Scale(0.0, 100.0)
ONE_SYSTEM = "all"
# Our choice: enough to recognise them, few enough to read.
MOST_NAMED = 20
LONGEST_SHOWN = 60


@dataclass(frozen=True, slots=True)
class ColumnChoice:
    """Which frame a file holds, and which of its columns is taken for which of ours."""

    frame: FrameName
    taken: dict[str, str] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()


def frame_of(found: Sequence[str], wanted: Mapping[str, str]) -> FrameName:
    """What a table with these columns holds, given what the caller takes some of them for.

    >>> frame_of(["worker", "segment", "a", "b", "preference"], {"system_a": "a", "system_b": "b"})
    'preferences'
    """
    names = {column.strip().lower() for column in found} | set(wanted)
    if "rating" in names:
        return "ratings"
    whole = [frame for frame, peculiar in _PECULIAR.items() if names.issuperset(peculiar)]
    # Some of these, and nothing that could be a rating: what is missing is a column of that frame.
    parts = [frame for frame, peculiar in _PECULIAR.items() if names.intersection(peculiar)]
    return next(iter(whole or (() if names.intersection(_NAMES["rating"]) else parts)), "ratings")


def choose_columns(found: Sequence[str], wanted: Mapping[str, str]) -> ColumnChoice:
    """Match the file's columns with ours by what the caller wants, then by name, then by alias."""
    frame = frame_of(found, wanted)
    ours = ALIASES[frame]
    problems = [
        f"there is no column {name!r} to choose: use one of {', '.join(ours)}."
        for name in wanted
        if name not in ours
    ]
    problems += [
        f"there is no column {shown(column)!r} to take as {name}. Columns found: {named(found)}."
        for name, column in wanted.items()
        if column not in found
    ]
    taken = {name: column for name, column in wanted.items() if column in found and name in ours}
    free = [column for column in found if column not in taken.values()]
    warnings: list[str] = []
    passed_over: set[str] = set()
    for name, aliases in ours.items():
        matches = sorted(
            (column for column in free if column.strip().lower() in aliases),
            key=lambda column: aliases.index(column.strip().lower()),
        )
        if name not in taken and matches:
            taken[name] = matches.pop(0)
            if matches:
                warnings.append(Note(f"Took column {taken[name]!r} as {name}, not {_quoted(matches)}."))
                passed_over.update(matches)
    missing = [name for name in REQUIRED[frame] if name not in taken]
    if missing and not problems:
        problems.append(_missing(missing, found))
    extra = [column for column in free if column not in {*taken.values(), *passed_over}]
    if extra:
        warnings.append(Note(f"Ignored columns: {named(extra)}."))
    return ColumnChoice(frame, taken=taken, warnings=tuple(warnings), problems=tuple(problems))


def _quoted(names: Sequence[str]) -> str:
    return ", ".join(repr(shown(name)) for name in names)


def named(names: Sequence[str]) -> str:
    """A list for people to read, cut where it gets too long.

    >>> named(["a", "b"])
    'a, b'
    """
    hidden = len(names) - MOST_NAMED
    listed = ", ".join(shown(name) for name in names[:MOST_NAMED])
    return listed + (f" and {hidden:,} more" if hidden > 0 else "")


def shown(cell: str) -> str:
    """A cell for people to read: on one line, cut where it gets too long.

    >>> shown("two\\nlines")
    'two lines'
    """
    line = " ".join(cell[: 2 * LONGEST_SHOWN].splitlines())
    return f"{line[:LONGEST_SHOWN]}…" if len(cell) > LONGEST_SHOWN else line


def _missing(missing: Sequence[str], found: Sequence[str]) -> str:
    names = " and no column ".join(missing)
    text = f"there is no column {names}. Columns found: {named(found) or 'none'}."
    if len(found) == 1 and any(mark in found[0] for mark in ",;|\t"):
        return f"{text} Separate columns by commas or semicolons in a .csv file, by tabs in a .tsv file."
    return f"{text} Name the right one with {{columns={missing[0]}=COLUMN}}."


def as_text(column: pl.Series) -> pl.Series:
    """A column as strings, whole numbers without a point; NaN becomes null.

    >>> as_text(pl.Series("segment", [7.0, None])).to_list()
    ['7', None]
    """
    if column.dtype.is_decimal():
        return column.cast(pl.String).str.replace(r"\.0+$", "")
    if column.dtype.is_float():
        column = column.fill_nan(None)
        whole = column.drop_nulls()
        if ((whole % 1 == 0) & (whole.abs() < 2**53)).all():
            # Data frames turn whole numbers into floats where one is missing.
            column = column.cast(pl.Int64)
    return column.cast(pl.String)
