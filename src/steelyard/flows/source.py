"""Sources: a campaign's database or judgements files, read once into frames."""

from __future__ import annotations

import re
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl

from steelyard.domain.errors import SourceError
from steelyard.domain.extras import PartMissingError
from steelyard.domain.judgement import FRAME_NAMES, FrameName
from steelyard.domain.running import Exclusion
from steelyard.domain.scale import VAS, Scale
from steelyard.flows.span_source import with_ratings
from steelyard.frames import gather_credit, hit_times_frame, preferences_frame, spans_frame, texts_frame

if TYPE_CHECKING:
    from steelyard.flows.open import OpenCampaign
    from steelyard.formats.judgements_file import JudgementsFile

SQLITE_MAGIC = b"SQLite format 3\x00"


@dataclass(frozen=True, slots=True)
class Source:
    """Judgements and what is known about where they come from. `check`: the campaign's own choice.

    `frame` holds the ratings; a source may have preferences and spans beside them or instead, and the `texts`
    that spans are marked in.
    `exclusions`: what people decided not to count; `simulated`: the workers who are no people.
    `gold_scale`: the scale that known ratings were given on, if another; here they are on `scale`.
    `joined`: systems that were added to a running campaign, so that some workers never saw them.
    `weights`: by which ratings come from marked errors; None: workers gave them.
    `root`: the hash over all judgements, of a database that has their hashes. `language`: the one that texts
    were translated into, if known.
    """

    frame: pl.DataFrame
    title: str
    campaign: str
    protocol: str | None = None
    check: str | None = None
    warnings: tuple[str, ...] = ()
    hit_times: pl.DataFrame = field(default_factory=hit_times_frame)
    scale: Scale = VAS
    gold_scale: Scale | None = None
    preferences: pl.DataFrame = field(default_factory=preferences_frame)
    spans: pl.DataFrame = field(default_factory=spans_frame)
    texts: pl.DataFrame = field(default_factory=texts_frame)
    exclusions: tuple[Exclusion, ...] = ()
    simulated: frozenset[str] = frozenset()
    joined: tuple[str, ...] = ()
    weights: str | None = None
    root: str | None = None
    language: str | None = None

    def of(self, name: FrameName) -> pl.DataFrame:
        """The frame of this name."""
        return {"ratings": self.frame, "preferences": self.preferences, "spans": self.spans}[name]

    @property
    def gives(self) -> tuple[FrameName, ...]:
        """The frames in which there is anything."""
        return tuple(name for name in FRAME_NAMES if len(self.of(name)))


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
    source: str,
    *,
    columns: Mapping[str, str] | None = None,
    scale: Scale | None = None,
    gold_scale: Scale | None = None,
    hit_times: Path | None = None,
) -> Source:
    """The ratings of a database or file. `columns`, scales and a file of `hit_times` are for files only.

    Where an expert's ratings are on another scale than workers', it is the `gold_scale`.
    """
    if is_database(source):
        if columns or scale or gold_scale or hit_times:
            raise SourceError(
                source, ["is a campaign's database: its columns, scales and hours of work are known already."]
            )
        from steelyard.flows.open import open_campaign

        with open_campaign(source) as campaign:
            return from_campaign(campaign)
    from steelyard.formats.judgements_file import read_judgements

    path = Path(source)
    if path.is_dir():
        # The core alone cannot open databases, nor tell a series of them.
        with suppress(PartMissingError):
            from steelyard.flows.open import series_problem

            problem = series_problem(source)
            if problem is not None:
                raise problem
    read = read_judgements(path, columns=columns, scale=scale, gold_scale=gold_scale)
    stem = path.name.removesuffix(".gz").rpartition(".")[0]
    name = re.sub(r"(\.judgements)?(\.(preferences|spans))?$", "", stem)
    return source_of_file(read, name, scale=scale, gold_scale=gold_scale, hit_times=hit_times)


def source_of_file(
    read: JudgementsFile,
    name: str,
    *,
    scale: Scale | None = None,
    gold_scale: Scale | None = None,
    hit_times: Path | None = None,
) -> Source:
    """What a judgements file or a table of this name says, ready for analysis."""
    from steelyard.formats.hit_times_file import read_hit_times

    return with_ratings(
        Source(
            gather_credit(read.frame),
            title=name,
            campaign=re.sub(r"[^A-Za-z0-9._-]+", "-", name) or "file",
            warnings=read.warnings,
            hit_times=read_hit_times(hit_times) if hit_times else read.hit_times,
            scale=scale or VAS,
            gold_scale=gold_scale,
            preferences=read.preferences,
            spans=read.spans,
            texts=read.texts,
            exclusions=read.exclusions,
            simulated=read.simulated,
            joined=read.joined,
        )
    )


def from_campaign(campaign: OpenCampaign) -> Source:
    """The ratings of an open campaign."""
    from steelyard.flows.correct import correction_notes
    from steelyard.flows.export import hit_times
    from steelyard.flows.judged import judged_frames
    from steelyard.flows.retention import erased_notes
    from steelyard.flows.state import campaign_now
    from steelyard.protocols import protocols

    settings = campaign_now(campaign).settings
    frames = judged_frames(campaign)
    with campaign.store.read() as connection:
        erased = erased_notes(connection)
    source = Source(
        frames.ratings,
        title=settings.title,
        campaign=settings.name,
        protocol=settings.protocol,
        check=settings.check,
        warnings=(*correction_notes(campaign), *erased),
        hit_times=hit_times(campaign, frames),
        scale=protocols()[settings.protocol].scale or VAS,
        preferences=frames.preferences,
        spans=frames.spans,
        texts=frames.texts,
        exclusions=frames.exclusions,
        simulated=frames.simulated,
        joined=frames.joined,
        root=frames.root,
        language=settings.target_language,
    )
    return with_ratings(source)
