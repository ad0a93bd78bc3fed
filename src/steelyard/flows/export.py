"""Export: the judgements and the HITs of a campaign as files that anyone can read."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Literal

import polars as pl

from steelyard.domain.campaign import CampaignSettings
from steelyard.domain.errors import SourceError
from steelyard.domain.judgement import FRAME_NAMES, PLACE_OF_JUDGEMENT, FrameName
from steelyard.domain.running import Exclusion
from steelyard.domain.scale import VAS
from steelyard.domain.work import AssignmentStatus
from steelyard.flows.campaign_texts import translations_of
from steelyard.flows.excluded import excluded_of
from steelyard.flows.judged import JudgedFrames, judged_pieces
from steelyard.flows.open import OpenCampaign
from steelyard.flows.retention import erased_notes
from steelyard.formats import appraise, pearmut
from steelyard.formats.anthea import write_project
from steelyard.formats.judgements_spool import JudgementsSpool
from steelyard.formats.judgements_writing import NEIGHBOURS, neighbour
from steelyard.formats.table_file import write_table
from steelyard.formats.texts import LanguagePair
from steelyard.formats.upload_2016 import write_upload
from steelyard.frames import hit_times_frame, spread_credit
from steelyard.protocols import protocols, roles_shown
from steelyard.review.hit_times import total_seconds
from steelyard.store import judgements
from steelyard.store.audit import audit_rows

HitsLayout = Literal["audit", "upload-2016", "appraise", "pearmut", "anthea"]
AUDIT_COLUMNS = (
    *("hit", "position", "group", "kind", "system", "segment"),
    *("document", "base_position", "text", "round"),
)


def hit_times(campaign: OpenCampaign, frames: JudgedFrames) -> pl.DataFrame:
    """When each HIT was taken and handed in; its work is the time its items were on the screen.

    The hours between acceptance and submission would count the night that someone slept over it.
    """
    with campaign.store.read() as connection:
        rows = judgements.assignment_times(connection)
    taken = pl.DataFrame(
        rows, schema=["worker_id", "hit_id", "accepted_at", "submitted_at", "status"], orient="row"
    )
    judged = [
        frame.select("worker_id", "hit_id", "assignment_id", "position", "seconds")
        for frame in (frames.ratings, frames.preferences, frames.spans)
    ]
    # One judgement may say several things, in several frames.
    each = pl.concat(judged).unique(["assignment_id", "position"], maintain_order=True)
    work = each.group_by("worker_id", "hit_id").agg(work_seconds=total_seconds())
    times = taken.cast({"worker_id": pl.String, "hit_id": pl.String}).join(
        work, on=["worker_id", "hit_id"], how="left"
    )
    times = times.join(frames.haste, on=["worker_id", "hit_id"], how="left")
    is_rejected = pl.col("status").cast(pl.String) == AssignmentStatus.REJECTED.value
    return hit_times_frame(times.with_columns(is_rejected=is_rejected))


@dataclass(frozen=True, slots=True)
class Exported:
    """How many judgements were written, to which files, and what their reader should know."""

    n_judgements: int
    files: tuple[Path, ...]
    notes: tuple[str, ...] = ()


def export(campaign: OpenCampaign, path: Path, *, progress: Callable[[int], None] | None = None) -> Exported:
    """Write the judgements of a campaign to a file that `analyse` reads.

    The file holds the ratings; preferences and spans go into files beside it, if there are any.
    `progress` is called with the number of judgements just read.
    """
    with _spooled(campaign, FRAME_NAMES, progress) as spool:
        spool.write(path, "ratings")
        files = [path]
        for name in NEIGHBOURS:
            if spool.n_rows(name):
                files.append(neighbour(path, name))
                spool.write(files[-1], name)
        with campaign.store.read() as connection:
            return Exported(spool.n_judgements, tuple(files), erased_notes(connection))


def export_frame(campaign: OpenCampaign, path: Path, name: FrameName) -> None:
    """Write the ratings, preferences or spans of a campaign to a file."""
    with _spooled(campaign, [name]) as spool:
        spool.write(path, name)


def n_to_export(campaign: OpenCampaign) -> int:
    """How many judgements an export has to read."""
    with campaign.store.read() as connection:
        return judgements.n_current(connection)


@contextmanager
def _spooled(
    campaign: OpenCampaign, names: Sequence[FrameName], progress: Callable[[int], None] | None = None
) -> Iterator[JudgementsSpool]:
    """What is to be written, read piece by piece into temporary files: never more than one is in memory.

    The database is let go of once all is read, however slowly the files are written or sent afterwards.
    """
    with JudgementsSpool() as spool:
        for piece in judged_pieces(campaign):
            for name in names:
                spool.add(_marked_rows(piece, name), name)
            spool.n_judgements += piece.n_judgements
            if progress is not None:
                progress(piece.n_judgements)
        yield spool


def _marked_rows(piece: JudgedFrames, name: FrameName) -> pl.DataFrame:
    """A frame as it is exported, with marks: what people excluded, simulated workers, systems added later.

    Where title or instructions were corrected, each row has the revision that its worker saw; and what is
    known of how the worker handled page and scale.
    """
    frame: pl.DataFrame = getattr(piece, name)
    if name == "spans":
        frame = frame.with_columns(piece.marked_texts)
    marks = RowMarks(piece.exclusions, piece.simulated, piece.joined)
    frame = with_marks(frame, name, marks)
    frame = frame.with_columns(judged=pl.col("judgement_id").str.replace(PLACE_OF_JUDGEMENT, ""))
    frame = frame.join(piece.handling, on="judged", how="left", maintain_order="left")
    if piece.revisions is None:
        return frame.with_columns(revision=pl.lit(None, pl.Int64))
    return frame.join(piece.revisions, on="judged", how="left", maintain_order="left")


@dataclass(frozen=True, slots=True)
class RowMarks:
    """What files say of rows: excluded, by simulated workers, of systems that were added later."""

    exclusions: tuple[Exclusion, ...]
    simulated: frozenset[str]
    joined: tuple[str, ...]


def with_marks(frame: pl.DataFrame, name: FrameName, marks: RowMarks) -> pl.DataFrame:
    """A frame of ratings, preferences or spans with the marks that `analyse` reads from a file."""
    excluded = excluded_of(frame, marks.exclusions)
    frame = frame.join(excluded.hits, on=["worker_id", "hit_id"], how="left", maintain_order="left")
    is_simulated = pl.col("worker_id").is_in(sorted(marks.simulated))
    frame = frame.with_columns(simulated=pl.when(is_simulated).then(pl.lit("true")))
    if name == "ratings" and marks.joined:
        # A rating may be credited to systems of both sorts.
        frame = spread_credit(frame)
        has_joined = pl.col("system_id").is_in(list(marks.joined))
        frame = frame.with_columns(joined=pl.when(has_joined).then(pl.lit("true")))
    return frame


def export_hits(campaign: OpenCampaign, path: Path, *, layout: HitsLayout = "audit") -> int:
    """Write every HIT; returns the number of items placed. Not for workers' eyes.

    `audit` is one row per place, the others are files with which other systems can run the campaign; their
    results come back through `analyse`. For Anthea the campaign's translations are written and counted.
    """
    with campaign.store.snapshot() as connection:
        rows = audit_rows(connection)
    frame = pl.DataFrame([asdict(row) for row in rows], infer_schema_length=None)
    settings = campaign.settings
    several = any(row.place > 1 for row in rows)
    if several and layout in ("upload-2016", "appraise"):
        problem = (
            f"{settings.protocol} shows several translations at once, which the layout {layout} cannot "
            "hold; audit and pearmut can."
        )
        raise SourceError(settings.name, [problem])
    languages = {
        "source_language": settings.source_language,
        "target_language": settings.target_language,
    }
    match layout:
        case "audit":
            write_table(frame.select(*AUDIT_COLUMNS, *(["place"] if several else [])), path)
        case "upload-2016":
            write_upload(frame, path, **languages, attribute=settings.attribute)
        case "appraise":
            by_reference = _is_judged_by_reference(settings)
            marks = "spans" in protocols()[settings.protocol].gives
            appraise.write_batches(frame, path, **languages, reference_based=by_reference, marks_errors=marks)
        case "pearmut":
            pearmut.write_pearmut(frame, path, _in_pearmut(settings))
        case "anthea":
            return _write_for_anthea(campaign, path)
    return sum(row.place == 1 for row in rows)


def _write_for_anthea(campaign: OpenCampaign, path: Path) -> int:
    """Write the campaign's texts: a project there has documents and systems, neither HITs nor controls."""
    texts = translations_of(campaign)
    spans = campaign.settings.presentation.get("spans") or {}
    return write_project(
        texts.segments,
        texts.translations,
        path,
        pair=LanguagePair(texts.source_language, texts.target_language),
        by_character=spans.get("by") == "character",
    )


def _in_pearmut(settings: CampaignSettings) -> pearmut.PearmutSettings:
    """What the campaign is in Pearmut; SourceError if nothing there asks for the same."""
    protocol, spans = protocols()[settings.protocol], settings.presentation.get("spans")
    name: Literal["DA", "ESA", "cESA", "MQM"] = "DA"
    if spans is not None:
        name = "MQM" if spans.get("categories") else "cESA" if protocol.most_translations else "ESA"
    elif protocol.gives != ("ratings",) or protocol.scale != VAS:
        problem = (
            "Pearmut asks for a score from 0 to 100, with or without marked errors, so "
            f"{settings.protocol} cannot run there."
        )
        raise SourceError(settings.name, [problem])
    return pearmut.PearmutSettings(
        settings.name, name, shuffles=protocol.shuffles, shows=roles_shown(settings), spans=spans
    )


def _is_judged_by_reference(settings: CampaignSettings) -> bool:
    """Whether workers see the reference beside the translation, or the source; SourceError if neither."""
    roles = roles_shown(settings)
    if roles == ("text",):
        problem = (
            f"Appraise always shows a second text beside the translation, so {settings.attribute} judged "
            "from the translation alone cannot run there. Use the layout upload-2016."
        )
        raise SourceError(settings.name, [problem])
    return "reference" in roles
