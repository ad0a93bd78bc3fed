"""Export: the judgements as a ratings frame, and as files that anyone can read."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import polars as pl

from steelyard.flows.open import OpenCampaign
from steelyard.formats import judgements_file
from steelyard.formats.table_file import write_table
from steelyard.frames import ratings_frame
from steelyard.protocols import protocols
from steelyard.store import campaigns, judgements


def ratings(campaign: OpenCampaign) -> pl.DataFrame:
    """All current judgements of the campaign as a ratings frame."""
    with campaign.store.read() as connection:
        columns = judgements.rating_rows(connection)
    rating = protocols()[campaign.settings.protocol].rating
    frame = pl.DataFrame(
        {
            "judgement_id": columns.judgement_id,
            "worker_id": columns.worker_id,
            "assignment_id": columns.assignment_id,
            "hit_id": columns.hit_id,
            "item_id": columns.item_id,
            "item_kind": columns.item_kind,
            "document_id": columns.document_id,
            "segment_id": columns.segment_id,
            "system_id": columns.system_id,
            "position": columns.position,
            "rating": [rating(answer) for answer in columns.answer],
            "seconds": [shown_ms / 1000 for shown_ms in columns.shown_ms],
            "submitted_at": columns.submitted_at,
        },
        strict=False,
    ).with_columns(attribute=pl.lit(campaign.settings.attribute))
    return ratings_frame(frame)


def export(campaign: OpenCampaign, path: Path) -> int:
    """Write the judgements of a campaign to a file that `analyse` reads; returns their number."""
    frame = ratings(campaign)
    judgements_file.write(frame, path)
    return frame.height


def export_hits(campaign: OpenCampaign, path: Path) -> int:
    """Write every HIT as a table for audit; returns the number of rows. Not for workers' eyes."""
    with campaign.store.read() as connection:
        rows = campaigns.audit_rows(connection)
    write_table(pl.DataFrame([asdict(row) for row in rows]), path)
    return len(rows)
