"""Background: who agreed to take part, what workers answered before their first set, how training went."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import groupby
from pathlib import Path
from typing import Any

import polars as pl

from steelyard.domain.entry import CampaignEntry, EntryQuestion, EntryRecord, entry_in
from steelyard.flows.entry import latest
from steelyard.flows.open import OpenCampaign
from steelyard.formats.table_file import write_table
from steelyard.store import entries, running


@dataclass(frozen=True, slots=True)
class TriedItem:
    """A training item that a worker has tried. Null: any answer is expected."""

    number: int
    n_tries: int
    first_expected: bool | None
    """Whether the first answer was as expected."""
    last_expected: bool | None


@dataclass(frozen=True, slots=True)
class Background:
    """What one worker did before the first set. `version`: which consent text they were last asked about.

    `is_current`: workers read that text now. `answers`: by name of the question, those left out are missing.
    """

    worker_id: str
    agrees: bool | None = None
    version: str | None = None
    is_current: bool | None = None
    decided_at: datetime | None = None
    answers: Mapping[str, Any] = field(default_factory=dict)
    is_accepted: bool | None = None
    answered_at: datetime | None = None
    training: tuple[TriedItem, ...] = ()


@dataclass(frozen=True, slots=True)
class Backgrounds:
    """The questions as they are asked, how many training items there are, and everybody who began."""

    questions: tuple[EntryQuestion, ...]
    n_training: int
    workers: tuple[Background, ...]


def backgrounds(campaign: OpenCampaign) -> Backgrounds:
    """What every worker did before the first set; those who did nothing yet are missing."""
    with campaign.store.snapshot() as connection:
        entry = entry_in(running.latest_revision(connection).presentation) or CampaignEntry()
        records = entries.all_entries(connection)
    workers = tuple(
        background_of(worker_id, list(of_worker), entry)
        for worker_id, of_worker in groupby(records, key=lambda record: record.worker_id)
    )
    return Backgrounds(entry.questions, len(entry.training), workers)


def background_of(worker_id: str, records: Sequence[EntryRecord], entry: CampaignEntry) -> Background:
    """What one worker did, from their records in order."""
    consent, answered = latest(records, "consent"), latest(records, "questions")
    tries = [record.content for record in records if record.step == "training"]
    return Background(
        worker_id=worker_id,
        agrees=consent.content["agrees"] if consent else None,
        version=consent.content["version"] if consent else None,
        is_current=consent.content["version"] == entry.consent.version if consent and entry.consent else None,
        decided_at=consent.made_at if consent else None,
        answers=answered.content["answers"] if answered else {},
        is_accepted=answered.content["is_accepted"] if answered else None,
        answered_at=answered.made_at if answered else None,
        training=tuple(_tried(number, tries) for number in sorted({each["number"] for each in tries})),
    )


def _tried(number: int, tries: Sequence[Mapping[str, Any]]) -> TriedItem:
    found = [each["is_expected"] for each in tries if each["number"] == number]
    return TriedItem(number, len(found), found[0], found[-1])


def background_frame(found: Backgrounds) -> pl.DataFrame:
    """One row for each worker; the answer to a question is in the column `answer.NAME`."""
    schema: dict[str, Any] = {
        "worker": pl.String,
        "agrees": pl.Boolean,
        "consent_version": pl.String,
        "consent_is_current": pl.Boolean,
        "decided_at": pl.Datetime("us", "UTC"),
        "is_accepted": pl.Boolean,
        "answered_at": pl.Datetime("us", "UTC"),
        **{
            f"answer.{question.name}": pl.Float64 if question.kind == "number" else pl.String
            for question in found.questions
        },
        "n_trained": pl.Int64,
        "n_expected_at_first": pl.Int64,
        "n_tries": pl.Int64,
    }
    rows = [
        (
            *(worker.worker_id, worker.agrees, worker.version, worker.is_current, worker.decided_at),
            *(worker.is_accepted, worker.answered_at),
            *(_cell(worker.answers.get(question.name)) for question in found.questions),
            len(worker.training),
            sum(item.first_expected is True for item in worker.training),
            sum(item.n_tries for item in worker.training),
        )
        for worker in found.workers
    ]
    return pl.DataFrame(rows, schema=schema, orient="row", strict=False)


def _cell(answer: Any) -> Any:
    return "; ".join(answer) if isinstance(answer, list) else answer


def export_background(campaign: OpenCampaign, path: Path) -> int:
    """Write the background of every worker to a file that only its owner may read; returns how many."""
    found = backgrounds(campaign)
    write_table(background_frame(found), path, private=True)
    return len(found.workers)
