"""Marked errors as other programs store them: judgement by judgement, with texts, and without controls."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from typing import NamedTuple

import polars as pl

from steelyard.domain.span_weights import SEVERITIES
from steelyard.domain.text import Segment
from steelyard.domain.wording import counted, listed
from steelyard.domain.work import ItemKind
from steelyard.frames import ratings_frame, spread_credit, texts_frame

# All that a reader of lines may take for the end of one, and the tab. Each is one character, as is the space
# that is written instead, so that places stay what they are.
_BREAKS = re.compile("[\t\n\v\f\r\x1c-\x1e\x85\u2028\u2029]")
_PLACE = ("worker_id", "segment_id", "system_id")
_JUDGEMENT = ("judgement_id", *_PLACE)


class WrittenMark(NamedTuple):
    """A marked error, half open; without start and end something is missing."""

    start: int | None
    end: int | None
    severity: str
    category: str | None
    side: str


@dataclass(frozen=True, slots=True)
class TranslationToWrite:
    """What one worker marked in one system's translation of a segment, and the rating if any."""

    worker: str
    system: str
    segment: str
    document: str | None
    domain: str | None
    text: str
    source: str
    rating: float | None
    submitted_at: datetime | None
    seconds: float | None
    marks: tuple[WrittenMark, ...]


@dataclass(frozen=True)
class MarksToWrite:
    """All that is to be written: spans and ratings, texts, languages, and the segments of the test set."""

    spans: pl.DataFrame
    source_language: str
    target_language: str
    segments: tuple[Segment, ...] = ()
    name: str = "errors"
    ratings: pl.DataFrame = field(default_factory=ratings_frame)
    texts: pl.DataFrame = field(default_factory=texts_frame)

    @property
    def pair(self) -> str:
        """The language pair as names of files have it."""
        return f"{self.source_language}-{self.target_language}"

    @property
    def n_judged(self) -> int:
        """How many judgements `judged` gives."""
        return len(self._regular_spans().unique(_PLACE))

    def _regular_spans(self) -> pl.DataFrame:
        return spread_credit(self.spans.filter(pl.col("item_kind") == str(ItemKind.REGULAR)))

    def judged(self) -> Iterator[TranslationToWrite]:
        """What was marked in regular items, once for each system that a judgement is credited to, in order.

        Of several judgements of one translation by one worker only the last: programs that read these files
        take no second.
        """
        regular = pl.col("item_kind") == str(ItemKind.REGULAR)
        rating = spread_credit(self.ratings.filter(regular)).select(*_JUDGEMENT, "rating")
        marks = (
            self._regular_spans()
            .group_by(_JUDGEMENT, maintain_order=True)
            .agg(
                pl.first("document_id", "domain", "submitted_at", "seconds"),
                marks=pl.struct("start", "end", "severity", "category", "side"),
            )
        )
        rows = marks.unique(_PLACE, keep="last", maintain_order=True).join(
            rating.unique(_JUDGEMENT, keep="first"),
            on=_JUDGEMENT,
            how="left",
            nulls_equal=True,
            maintain_order="left",
        )
        texts = self._texts()
        for row in rows.iter_rows(named=True):
            system, segment = row["system_id"], row["segment_id"]
            yield TranslationToWrite(
                row["worker_id"],
                system,
                segment,
                row["document_id"],
                row["domain"],
                texts.get((system, segment, "target"), ""),
                texts.get((system, segment, "source"), ""),
                row["rating"],
                row["submitted_at"],
                row["seconds"],
                tuple(WrittenMark(**mark) for mark in row["marks"] if mark["severity"] is not None),
            )

    def _texts(self) -> dict[tuple[str, str, str], str]:
        regular = self.texts.filter(pl.col("item_kind") == str(ItemKind.REGULAR))
        rows = regular.select("system_id", "segment_id", "side", "text").iter_rows()
        return {(system, segment, side): text for system, segment, side, text in rows}

    def notes(self) -> list[str]:
        """What every layout loses, counted."""
        controls = self.spans.filter(pl.col("item_kind") != str(ItemKind.REGULAR))
        said = []
        if again := len(self._regular_spans().unique(_JUDGEMENT)) - self.n_judged:
            said.append(
                f"{counted(again, 'judgement')} left out: the same worker judged the translation again later."
            )
        if n := controls["judgement_id"].n_unique():
            said.append(
                f"{counted(n, 'judgement')} of control items left out: the layout has no kinds of items."
            )
        strange = set(self.spans["severity"].drop_nulls().unique()) - set(SEVERITIES)
        if strange:
            said.append(
                f"Other programs, and ours when it reads the file, do not know: {listed(sorted(strange))}."
            )
        return said


def one_line(text: str) -> str:
    """The text without tabs and line ends, each of its characters where it was."""
    return _BREAKS.sub(" ", text)
