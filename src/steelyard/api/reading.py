"""Judgements, read and checked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from os import PathLike, fspath
from pathlib import Path
from typing import TYPE_CHECKING, Any

from steelyard.api.display import Displayed
from steelyard.api.frame import Frame
from steelyard.domain.errors import ChoiceError
from steelyard.domain.scale import scale_between
from steelyard.flows.source import Source, read_source, source_of_file
from steelyard.flows.span_source import read_further

if TYPE_CHECKING:
    from steelyard.domain.study import StudyResult
    from steelyard.flows.publication import PublicationPack

# What `read` is told about judgements. Where they are read on the way, other calls take it too.
READING = ("columns", "scale", "gold_scale", "hit_times", "domains", "weights")


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
        """One row per judgement: who gave which rating to which translation, or preferred which of two.

        >>> judgements.frame.columns[:3]
        ['judgement_id', 'worker_id', 'assignment_id']
        """
        return Frame(self.source.of((*self.source.gives, "ratings")[0]))

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


def read(  # noqa: PLR0913 (each by name, for whoever looks at the signature)
    source: Any,
    *,
    columns: Mapping[str, str] | None = None,
    scale: tuple[float, float] | None = None,
    gold_scale: tuple[float, float] | None = None,
    hit_times: str | PathLike[str] | None = None,
    domains: str | PathLike[str] | None = None,
    weights: str | None = None,
) -> Judgements:
    """Judgements from a file, a database, or a pandas, Polars or pyarrow table.

    SourceError lists all problems. `columns` says what a table calls things, as in
    {"worker": "annotator_email"}. `scale` is the range of the ratings, from 0 to 100 unless given, and
    `gold_scale` that of an expert's known ratings where it is another. `hit_times` is a file that says when
    each HIT was taken and handed in, `domains` one that gives each document a domain. `weights` names those
    by which errors that were marked become ratings.

    >>> table = {"who": ["a", "b"], "system": ["x", "x"], "segment": [1, 1], "rating": [90, 60]}
    >>> len(sy.read(pl.DataFrame(table), columns={"worker": "who"}))
    2
    """
    if columns is not None:
        if not isinstance(columns, Mapping):
            raise ChoiceError("{columns} must say which column is which of ours: {columns=worker=COLUMN}.")
        columns = {ours: str(theirs) for ours, theirs in columns.items()}
    wanted = None if scale is None else scale_between(scale, "scale")
    gold = None if gold_scale is None else scale_between(gold_scale, "gold_scale")
    times = Path(hit_times) if hit_times is not None else None
    if isinstance(source, str | PathLike):
        found = read_source(fspath(source), columns=columns, scale=wanted, gold_scale=gold, hit_times=times)
    else:
        from steelyard.formats.judgements_file import from_table

        table = from_table(source, columns=columns, scale=wanted, gold_scale=gold)
        found = source_of_file(table, "table", scale=wanted, gold_scale=gold, hit_times=times)
    return Judgements(read_further(found, domains=domains, weights=weights))


def source_of(judgements: Any, options: Mapping[str, Any] | None = None) -> Source:
    """The source of judgements that were read, or of anything that `read` takes, with its options.

    >>> source_of("judgements.csv", {"scale": (0, 100), "method": "mean-z"}).title
    'judgements'
    """
    given = {name: value for name, value in (options or {}).items() if name in READING and value is not None}
    if not isinstance(judgements, Judgements):
        return read(judgements, **given).source
    if given:
        raise ChoiceError(
            f"{{{next(iter(given))}}} says how judgements are read, and these were: give it to read."
        )
    return judgements.source
