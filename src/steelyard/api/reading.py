"""Judgements, read and checked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from os import PathLike, fspath
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

from steelyard.api.display import Displayed
from steelyard.api.frame import Frame
from steelyard.domain.scale import VAS, Scale
from steelyard.flows.source import Source, read_source
from steelyard.flows.span_source import FurtherReading, read_further, with_ratings
from steelyard.frames import gather_credit

if TYPE_CHECKING:
    from steelyard.domain.study import StudyResult
    from steelyard.flows.publication import PublicationPack


@dataclass(frozen=True, repr=False)
class Judgements(Displayed):
    """Judgements read and checked, ready for analysis. A notebook shows how many there are of each system.

    >>> judgements = sy.read("judgements.csv")
    >>> sy.analyse(judgements, check="none").systems["system_id"][0]
    'brass'
    """

    source: Source

    @property
    def frame(self) -> Frame:
        """One row per judgement: who gave which rating to which translation.

        >>> judgements.frame.columns[:3]
        ['judgement_id', 'worker_id', 'assignment_id']
        """
        return Frame(self.source.frame)

    @property
    def title(self) -> str:
        """The title of the campaign, or the name of the file.

        >>> sy.read("judgements.csv").title
        'judgements'
        """
        return self.source.title

    @property
    def warnings(self) -> tuple[str, ...]:
        """What to know before trusting the judgements.

        >>> table = {"worker": ["a"], "system": ["x"], "segment": [1], "rating": [90], "colour": ["red"]}
        >>> [str(warning) for warning in sy.read(pl.DataFrame(table)).warnings]
        ['Ignored columns: colour.']
        """
        return self.source.warnings

    def to_publication(self, folder: str | PathLike[str], **options: Any) -> PublicationPack:
        """Write all that a paper needs; the options are those of `steelyard publication`.

        The ranking is a table and a figure:

        >>> judgements.to_publication("paper-of-file", exhibits=("ranking",), check="none").n_exhibits
        2
        """
        from steelyard.flows.publication import pack_options, publish_source

        wanted, choices = pack_options(options)
        return publish_source(self.source, Path(folder), wanted, **choices)

    def __len__(self) -> int:
        return max(len(self.source.of(name)) for name in ("ratings", "preferences", "spans"))

    def _result(self) -> StudyResult:
        from steelyard.exhibits.studies.overviews import judgements_overview

        source = self.source
        return judgements_overview(
            source.title,
            ratings=source.frame,
            preferences=source.preferences,
            spans=source.spans,
            warnings=source.warnings,
        )


def read(
    source: Any,
    *,
    columns: Mapping[str, str] | None = None,
    scale: tuple[float, float] | None = None,
    gold_scale: tuple[float, float] | None = None,
    hit_times: str | PathLike[str] | None = None,
    **further: Unpack[FurtherReading],
) -> Judgements:
    """Judgements from a file or a pandas, Polars or pyarrow table; SourceError lists all problems.

    `columns` says what a table calls things, as in {"worker": "annotator_email"}. `gold_scale` is the range
    of an expert's known ratings where it is another than that of the ratings; `hit_times` is a file that says
    when each HIT was taken and handed in, `domains` one that gives each document a domain. `weights` names
    those by which errors that were marked become ratings.

    >>> table = {"who": ["a", "b"], "system": ["x", "x"], "segment": [1, 1], "rating": [90, 60]}
    >>> len(sy.read(pl.DataFrame(table), columns={"worker": "who"}))
    2
    """
    wanted = Scale(*scale) if scale else None
    gold = Scale(*gold_scale) if gold_scale else None
    times = Path(hit_times) if hit_times is not None else None
    if isinstance(source, str | PathLike):
        found = read_source(fspath(source), columns=columns, scale=wanted, gold_scale=gold, hit_times=times)
        return Judgements(read_further(found, **further))
    from steelyard.formats.hit_times_file import read_hit_times
    from steelyard.formats.judgements_file import from_table

    table = from_table(source, columns=columns, scale=wanted, gold_scale=gold)
    given = Source(
        gather_credit(table.frame),
        title="table",
        campaign="table",
        warnings=table.warnings,
        hit_times=read_hit_times(times) if times else table.hit_times,
        scale=wanted or VAS,
        gold_scale=gold,
        preferences=table.preferences,
        spans=table.spans,
        exclusions=table.exclusions,
        simulated=table.simulated,
        joined=table.joined,
    )
    return Judgements(read_further(with_ratings(given), **further))


def source_of(judgements: Any) -> Source:
    """The source of judgements that were read, or of anything that `read` takes.

    >>> source_of("judgements.csv").title
    'judgements'
    """
    found = judgements if isinstance(judgements, Judgements) else read(judgements)
    return found.source
