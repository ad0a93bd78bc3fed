"""Sources: a campaign's database or a judgements file, read once into a ratings frame."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl

from steelyard.domain.errors import SourceError
from steelyard.domain.plugin import Scale
from steelyard.domain.result import Analysis, AnalysisSettings
from steelyard.flows.analyse import analyse
from steelyard.frames import gather_credit

if TYPE_CHECKING:
    from steelyard.flows.open import OpenCampaign

SQLITE_MAGIC = b"SQLite format 3\x00"


@dataclass(frozen=True, slots=True)
class Source:
    """Ratings and what is known about where they come from. `check`: the campaign's own choice."""

    frame: pl.DataFrame
    title: str
    campaign: str
    protocol: str | None = None
    check: str | None = None
    warnings: tuple[str, ...] = ()


def is_database(source: str) -> bool:
    """Whether a source names a database rather than a judgements file."""
    if source.startswith(("postgresql://", "postgres://")):
        return True
    path = Path(source)
    if path.suffix in {".db", ".sqlite", ".sqlite3"}:
        return True
    if not path.is_file():
        return False
    try:
        with path.open("rb") as file:
            return file.read(len(SQLITE_MAGIC)) == SQLITE_MAGIC
    except OSError as error:
        raise SourceError(source, [f"cannot be read ({error.strerror or error})."]) from None


def read_source(
    source: str, *, columns: Mapping[str, str] | None = None, scale: Scale | None = None
) -> Source:
    """The ratings of a database or file. `columns` and `scale` are for files only."""
    if is_database(source):
        if columns or scale:
            raise SourceError(source, ["is a campaign's database: its columns and scale are known already."])
        from steelyard.flows.open import open_campaign

        with open_campaign(source) as campaign:
            return from_campaign(campaign)
    from steelyard.formats import judgements_file

    path = Path(source)
    read = judgements_file.read(path, columns=columns, scale=scale)
    name = path.name.removesuffix(".gz").rpartition(".")[0].removesuffix(".judgements")
    short_name = re.sub(r"[^A-Za-z0-9._-]+", "-", name) or "file"
    frame = gather_credit(read.frame)
    return Source(frame, title=name, campaign=short_name, warnings=read.warnings)


def analyse_source(source: Source, settings: AnalysisSettings, *, check: str | None = None) -> Analysis:
    """The analysis of a source; without a wish of the caller, its campaign's check is used."""
    chosen = check or source.check or settings.check
    return analyse(
        source.frame,
        replace(settings, check=chosen),
        title=source.title,
        campaign=source.campaign,
        protocol=source.protocol,
        warnings=source.warnings,
    )


def from_campaign(campaign: OpenCampaign) -> Source:
    """The ratings of an open campaign."""
    from steelyard.flows.export import ratings

    settings = campaign.settings
    return Source(
        ratings(campaign),
        title=settings.title,
        campaign=settings.name,
        protocol=settings.protocol,
        check=settings.check,
    )
