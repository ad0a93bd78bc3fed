"""Remarks: what workers write to the organiser, and what the organiser reads."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from steelyard.domain.entry import Remark
from steelyard.domain.errors import AnswerError, Conflict, NotFound
from steelyard.flows.open import OpenCampaign
from steelyard.formats.table_file import write_table
from steelyard.store import assignments, remarks
from steelyard.store.remarks import PlacedRemark

__all__ = ["PlacedRemark", "WrittenRemarks", "add_remark", "campaign_remarks", "export_remarks"]

# What one worker may write: more than anyone needs, and too little to fill a disk [our choice].
MOST_REMARKS = 1000


# Columns of a file of remarks.
COLUMNS: dict[str, Any] = {
    "worker": pl.String,
    "kind": pl.String,
    "text": pl.String,
    "made_at": pl.Datetime("us", "UTC"),
    "hit": pl.String,
    "position": pl.Int64,
    "segment": pl.String,
    "item": pl.String,
    "remark_id": pl.String,
}


@dataclass(frozen=True, slots=True)
class WrittenRemarks:
    """The newest remarks, newest first, and how many there are in all."""

    remarks: tuple[PlacedRemark, ...]
    n_remarks: int


def add_remark(campaign: OpenCampaign, remark: Remark) -> bool:
    """Store a remark, once; whether it is new. In whatever state the campaign is.

    The browser makes the id, so that a retry is harmless; Conflict if something else has it.
    """
    with campaign.store.write() as connection:
        n_before = remarks.n_remarks(connection, remark.worker_id)
        stored = remarks.remark(connection, remark.remark_id)
        if stored is not None:
            if _content(stored) != _content(remark):
                raise Conflict("This remark_id belongs to another remark; make a new one for each.")
            return False
        if n_before >= MOST_REMARKS:
            raise Conflict("You have written more than can be kept; write to the organiser directly.")
        if remark.assignment_id is not None:
            found = assignments.assignment(connection, remark.assignment_id)
            if found is None or found.worker_id != remark.worker_id:
                raise NotFound("There is no such assignment under this link; reload the page.")
            if remark.item_id is not None and not remarks.has_item(connection, found.hit_id, remark.item_id):
                raise NotFound("There is no such item in this set; reload the page.")
        elif remark.item_id is not None:
            raise AnswerError("Say which assignment the item is in.", "assignment_id")
        remarks.append_remark(connection, remark)
        return True


def campaign_remarks(campaign: OpenCampaign, *, limit: int | None = None) -> WrittenRemarks:
    """What workers wrote, newest first."""
    with campaign.store.snapshot() as connection:
        found = remarks.placed_remarks(connection, limit=limit)
        return WrittenRemarks(tuple(found), remarks.n_remarks(connection))


def export_remarks(campaign: OpenCampaign, path: Path) -> int:
    """Write every remark to a file, oldest first; returns how many there are."""
    found = campaign_remarks(campaign).remarks
    rows = [
        (
            *(each.remark.worker_id, each.remark.kind, each.remark.text, each.remark.made_at),
            *(each.hit_id, each.position, each.segment_id, each.remark.item_id, each.remark.remark_id),
        )
        for each in reversed(found)
    ]
    write_table(pl.DataFrame(rows, schema=COLUMNS, orient="row"), path, private=True)
    return len(found)


def _content(remark: Remark) -> tuple[str | None, ...]:
    return (remark.worker_id, remark.kind, remark.text, remark.assignment_id, remark.item_id)
