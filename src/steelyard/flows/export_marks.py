"""Export of marked errors: the judgements of a campaign in layouts that other programs read."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from steelyard.domain.wording import counted
from steelyard.domain.work import ItemKind
from steelyard.flows.excluded import excluded_of
from steelyard.flows.export import Exported
from steelyard.flows.judged import judged_frames
from steelyard.flows.open import OpenCampaign
from steelyard.formats.marks_to_write import MarksToWrite
from steelyard.formats.span_writing import write_marked_errors
from steelyard.frames import texts_frame
from steelyard.store import campaigns
from steelyard.store.audit import audit_rows


def export_marks(campaign: OpenCampaign, path: Path, layout: str) -> Exported:
    """Write the errors that workers marked in regular items, in the layout of this name.

    What people excluded is left out: other programs would count it.
    """
    frames = judged_frames(campaign)
    with campaign.store.snapshot() as connection:
        rows = audit_rows(connection)
        segments = campaigns.segments(connection)
    excluded = excluded_of(frames.spans, frames.exclusions)
    spans, ratings = (
        frame.join(excluded.hits, on=["worker_id", "hit_id"], how="anti", maintain_order="left")
        for frame in (frames.spans, frames.ratings)
    )
    texts = [
        (system, row.segment, str(row.kind), side, text)
        for row in rows
        if row.kind == ItemKind.REGULAR
        for system in (row.system, *row.credited)
        for side, text in (("target", row.text), ("source", row.source))
    ]
    settings = campaign.settings
    errors = MarksToWrite(
        spans,
        settings.source_language,
        settings.target_language,
        segments=tuple(segments),
        name=settings.protocol,
        ratings=ratings,
        texts=texts_frame(pl.DataFrame(texts, schema=list(texts_frame().columns), orient="row")),
    )
    files, notes = write_marked_errors(errors, path, layout)
    if excluded.n_judgements:
        notes.append(f"{counted(excluded.n_judgements, 'judgement')} left out: a person excluded them.")
    return Exported(errors.n_judged, files, tuple(notes))
