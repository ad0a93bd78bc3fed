"""Batch results of Mechanical Turk's requester site in which a row holds one rating, as judgements.

The site writes one row for each assignment that somebody has submitted: what the HIT was (HITId, HITTypeId,
Title, …), whose assignment it is and what became of it (AssignmentId, WorkerId, AssignmentStatus, AcceptTime,
SubmitTime, …, WorkTimeInSeconds), the columns of the requester's own upload as Input.* and the fields of the
form as Answer.*. The names are those at the head of files that requesters have published; the guide of the
site, Reviewing Assignments Offline (docs.aws.amazon.com/AWSMechTurk/latest/RequesterUI), says how such a file
is downloaded.

Which of the Input.* columns is the segment, the system and so on, and which Answer.* the rating, the caller
says; those with a usual name, such as Input.segment or Answer.rating, are found without that. Batches of the
scripts of 2015 and 2016, with all ratings of a HIT in one cell, are in `results_2016`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

import polars as pl

from steelyard.domain.judgement import FrameName
from steelyard.domain.wording import Note, counted
from steelyard.domain.work import ItemKind
from steelyard.formats._hit_times import IS_REJECTED, KEYS
from steelyard.formats._judgement_columns import ALIASES, KINDS, as_text, frame_of
from steelyard.formats._moments import moments
from steelyard.frames import hit_times_frame

# What the site itself writes of an assignment, and what it is to us.
_OF_ASSIGNMENT = {"worker": "WorkerId", "hit": "HITId", "submitted_at": "SubmitTime"}
_ASSIGNMENT, _SECONDS, _HIT_TYPE = "AssignmentId", "WorkTimeInSeconds", "HITTypeId"
# Ours that a form or an upload may hold under a usual name, with what the site writes before it.
_PREFIXES = ("Answer.", "Input.")
# An item of a HIT in the uploads of 2015 and 2016.
_ITEM_OF_2016 = re.compile(r"Input\.(?:sys|sys_id|sid|tst|rid)_\d+")
_TOGETHER = Note(
    "Took all HITs of a type together as one, so that controls, which are HITs by themselves, are compared "
    "with what they are controls of."
)


def is_turk_batch(columns: Sequence[str]) -> bool:
    """Whether these are the columns of a batch of the requester site, whatever its rows hold.

    >>> is_turk_batch(["HITId", "AssignmentId", "WorkerId", "Input.id", "Answer.rating"])
    True
    """
    return {"HITId", _ASSIGNMENT, "WorkerId"} <= set(columns) and any(
        name.startswith("Answer.") for name in columns
    )


def usual_columns(columns: Sequence[str]) -> dict[str, str]:
    """Ours among the Answer.* and Input.* columns of a batch, by their usual names.

    >>> usual_columns(["HITId", "Input.segment", "Input.text", "Answer.Rating"])
    {'segment': 'Input.segment', 'rating': 'Answer.Rating'}
    """
    bare = {
        name.removeprefix(prefix).strip().lower(): name
        for prefix in reversed(_PREFIXES)
        for name in columns
        if name.startswith(prefix)
    }
    ours = ALIASES[frame_of(list(bare), {})]
    found = {
        name: next((bare[each] for each in aliases if each in bare), None) for name, aliases in ours.items()
    }
    return {name: column for name, column in found.items() if column is not None}


def has_single_ratings(cells: pl.DataFrame) -> bool:
    """Whether a row of a batch holds one rating or preference: by usual names, or since it holds no list."""
    if not is_turk_batch(cells.columns) or any(map(_ITEM_OF_2016.fullmatch, cells.columns)):
        return False
    found = usual_columns(cells.columns)
    if "segment" in found and {"rating", "preference"} & set(found):
        return True
    answers = [as_text(cells[name]) for name in cells.columns if name.startswith("Answer.")]
    # Lists of answers are joined by bars, each of them by underscores.
    return len(cells) > 0 and not any(column.str.contains(r"[|_]").any() for column in answers)


def columns_of_batch(cells: pl.DataFrame, wanted: Mapping[str, str]) -> dict[str, str]:
    """All that is known of a batch's columns: what the caller says, the usual names, the site's own."""
    names = cells.columns
    usual = usual_columns(names)
    known = {ours: name for ours, name in _OF_ASSIGNMENT.items() if name in names}
    if cells[_ASSIGNMENT].is_unique().all():
        # Otherwise somebody has taken the rows apart, and no row is an assignment any more.
        known |= {"judgement_id": _ASSIGNMENT} | ({"seconds": _SECONDS} if _SECONDS in names else {})
    merged = {**known, **usual, **wanted}
    if "hit" not in {**usual, **wanted} and _HIT_TYPE in names and _has_controls(cells, merged.get("kind")):
        merged["hit"] = _HIT_TYPE
    # A column that the caller takes for something else is not taken twice.
    named_by_caller = set(wanted.values())
    frame: FrameName = frame_of([], merged)
    return {
        ours: name
        for ours, name in merged.items()
        if ours in wanted or (name not in named_by_caller and ours in ALIASES[frame])
    }


def times_of_batch(cells: pl.DataFrame, columns: Mapping[str, str]) -> pl.DataFrame:
    """How long each assignment took and whether it was rejected; none where a HIT of ours is several."""
    given = {"worker_id": columns.get("worker"), "hit_id": columns.get("hit"), "assignment": _ASSIGNMENT}
    if None in given.values() or not set(given.values()) <= set(cells.columns):
        return hit_times_frame()

    def column(name: str) -> pl.Series:
        known = (
            as_text(cells[name]) if name in cells.columns else pl.Series([None] * len(cells), dtype=pl.String)
        )
        return known.alias(name)

    rows = pl.DataFrame(
        {
            **{ours: column(str(theirs)) for ours, theirs in given.items()},
            "work_seconds": column(_SECONDS).cast(pl.Float64, strict=False),
            "accepted_at": moments(column("AcceptTime")),
            "submitted_at": moments(column("SubmitTime")),
            "is_rejected": column("AssignmentStatus")
            .str.strip_chars()
            .str.to_lowercase()
            .replace_strict(IS_REJECTED, default=None, return_dtype=pl.Boolean),
        }
    ).unique("assignment", maintain_order=True)
    if rows.select(pl.struct(KEYS).is_duplicated().any()).item():
        return hit_times_frame()
    return hit_times_frame(rows.drop("assignment"))


def remarks_on_batch(cells: pl.DataFrame, columns: Mapping[str, str]) -> tuple[str, ...]:
    """What a reader of a batch should know."""
    remarks: list[str] = [_TOGETHER] if columns.get("hit") == _HIT_TYPE else []
    if "AssignmentStatus" in cells.columns:
        rejected = cells.filter(pl.col("AssignmentStatus") == "Rejected")[_ASSIGNMENT].n_unique()
        if rejected:
            remarks.append(
                f"{counted(rejected, 'assignment')} had been rejected; the ratings are kept, and checks "
                "decide."
            )
    return tuple(remarks)


def _has_controls(cells: pl.DataFrame, kind: str | None) -> bool:
    if kind is None or kind not in cells.columns:
        return False
    written = as_text(cells[kind]).drop_nulls().unique()
    return any(KINDS.get(each.strip().lower(), ItemKind.REGULAR) is not ItemKind.REGULAR for each in written)
