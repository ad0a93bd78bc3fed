"""Export: the judgements as a ratings frame, and as files that anyone can read."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Literal

import polars as pl

from steelyard.domain.campaign import CampaignSettings
from steelyard.domain.errors import SourceError
from steelyard.domain.work import AssignmentStatus, ItemKind, ShownItem, ShownText
from steelyard.flows.open import OpenCampaign
from steelyard.formats import appraise
from steelyard.formats.judgements_file import write_judgements
from steelyard.formats.table_file import write_table
from steelyard.formats.upload_2016 import write_upload
from steelyard.frames import hit_times_frame, ratings_frame
from steelyard.protocols import protocols
from steelyard.store import campaigns, judgements

HitsLayout = Literal["audit", "upload-2016", "appraise"]
AUDIT_COLUMNS = (
    *("hit", "position", "group", "kind", "system", "segment"),
    *("document", "base_position", "text", "round"),
)


def ratings(campaign: OpenCampaign) -> pl.DataFrame:
    """All current judgements of the campaign as a ratings frame."""
    with campaign.store.read() as connection:
        columns = judgements.rating_rows(connection)
    rows = protocols()[campaign.settings.protocol].rows
    attribute = campaign.settings.attribute
    said = [
        rows(ShownItem(attribute, (ShownText(system, segment, "", ItemKind(kind)),)), answer)
        for system, segment, kind, answer in zip(
            columns.system_id, columns.segment_id, columns.item_kind, columns.answer, strict=True
        )
    ]
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
            "rating": [each.ratings[0].rating for each in said],
            "seconds": [shown_ms / 1000 for shown_ms in columns.shown_ms],
            "submitted_at": columns.submitted_at,
            "known": columns.known,
            "known_sd": columns.known_sd,
            "credited": columns.credited,
        },
        strict=False,
    ).with_columns(attribute=pl.lit(campaign.settings.attribute))
    return ratings_frame(frame)


def hit_times(campaign: OpenCampaign, frame: pl.DataFrame) -> pl.DataFrame:
    """When each HIT was taken and handed in; its work is the time its items were on the screen.

    The hours between acceptance and submission would count the night that someone slept over it.
    """
    with campaign.store.read() as connection:
        rows = judgements.assignment_times(connection)
    taken = pl.DataFrame(
        rows, schema=["worker_id", "hit_id", "accepted_at", "submitted_at", "status"], orient="row"
    )
    work = frame.group_by("worker_id", "hit_id").agg(work_seconds=pl.col("seconds").sum())
    times = taken.cast({"worker_id": pl.String, "hit_id": pl.String}).join(
        work, on=["worker_id", "hit_id"], how="left"
    )
    is_rejected = pl.col("status").cast(pl.String) == AssignmentStatus.REJECTED.value
    return hit_times_frame(times.with_columns(is_rejected=is_rejected))


def export(campaign: OpenCampaign, path: Path) -> int:
    """Write the judgements of a campaign to a file that `analyse` reads; returns their number."""
    frame = ratings(campaign)
    write_judgements(frame, path)
    return frame.height


def export_hits(campaign: OpenCampaign, path: Path, *, layout: HitsLayout = "audit") -> int:
    """Write every HIT; returns the number of items placed. Not for workers' eyes.

    `audit` is one row per place, `upload-2016` and `appraise` are files with which other systems
    can run the campaign; their results come back through `analyse`.
    """
    with campaign.store.read() as connection:
        rows = campaigns.audit_rows(connection)
    frame = pl.DataFrame([asdict(row) for row in rows], infer_schema_length=None)
    settings = campaign.settings
    source, target = settings.source_language, settings.target_language
    if layout == "audit":
        write_table(frame.select(AUDIT_COLUMNS), path)
    elif layout == "upload-2016":
        write_upload(
            frame, path, source_language=source, target_language=target, attribute=settings.attribute
        )
    else:
        by_reference = _is_judged_by_reference(settings)
        appraise.write_batches(
            frame, path, source_language=source, target_language=target, reference_based=by_reference
        )
    return len(rows)


def _is_judged_by_reference(settings: CampaignSettings) -> bool:
    """Whether workers see the reference beside the translation, or the source; SourceError if neither."""
    roles = protocols()[settings.protocol].shows[settings.attribute]
    if roles == ("text",):
        problem = (
            f"Appraise always shows a second text beside the translation, so {settings.attribute} judged "
            "from the translation alone cannot run there. Use --as upload-2016."
        )
        raise SourceError(settings.name, [problem])
    return "reference" in roles
