"""What was judged: the stored answers of a campaign, read once, as frames of what they say."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
import polars as pl

from steelyard.domain.campaign import CampaignSettings
from steelyard.domain.judgement import Said
from steelyard.domain.running import Exclusion
from steelyard.domain.work import SUBSTITUTE_KINDS, ShownItem
from steelyard.flows.handling import handling_frame
from steelyard.flows.judged_items import Shower, judged_texts
from steelyard.flows.open import OpenCampaign
from steelyard.frames import preferences_frame, ratings_frame, spans_frame, spread_credit, texts_frame
from steelyard.protocols import protocols, stored_parts
from steelyard.review.haste import hasty_answers, least_reading_seconds
from steelyard.stats.arrays import IntArray
from steelyard.store import actions, judgements
from steelyard.store.chains import stored_root
from steelyard.store.extending import joined_systems
from steelyard.store.judgements import JudgementColumns
from steelyard.store.running import latest_revision
from steelyard.store.verdicts import simulated_workers

if TYPE_CHECKING:
    from sqlalchemy import Connection

_SUBSTITUTES = [str(kind) for kind in SUBSTITUTE_KINDS]
# What the rows of all frames have in common, whichever translation they are about.
_OF_JUDGEMENT: dict[str, Any] = {
    "judgement_id": pl.String,
    "worker_id": pl.String,
    "assignment_id": pl.String,
    "hit_id": pl.String,
    "item_id": pl.String,
    "position": pl.Int64,
    "seconds": pl.Float64,
    "submitted_at": pl.Datetime("us", "UTC"),
    "kind_of_item": pl.String,
    "is_automated": pl.Boolean,
}
# What belongs to one translation of an item.
_OF_TRANSLATION: dict[str, Any] = {
    "item_kind": pl.String,
    "document_id": pl.String,
    "segment_id": pl.String,
    "system_id": pl.String,
    "known": pl.Float64,
    "known_sd": pl.Float64,
    "credited": pl.List(pl.String),
}
# A judgement of several translations counts as several judgements where ratings or spans are read.
_OWN_ID = "judgement_of_translation"


_TIMED: dict[str, Any] = {
    "worker_id": pl.String,
    "hit_id": pl.String,
    "seconds": pl.Float64,
    "claimed_seconds": pl.Float64,
    "least_seconds": pl.Float64,
}


def _no_haste() -> pl.DataFrame:
    return hasty_answers(pl.DataFrame(schema=_TIMED))


def _no_texts() -> pl.Series:
    return pl.Series("text", [], pl.String)


@dataclass(frozen=True, slots=True)
class JudgedFrames:
    """What all current judgements of a campaign say, what people excluded, who is simulated, who joined.

    `root`: the hash over all of them at that moment; None if they have none, or not all were asked for.
    """

    n_judgements: int
    ratings: pl.DataFrame
    preferences: pl.DataFrame
    spans: pl.DataFrame
    exclusions: tuple[Exclusion, ...] = ()
    simulated: frozenset[str] = frozenset()
    joined: tuple[str, ...] = ()
    haste: pl.DataFrame = field(default_factory=_no_haste)
    """What `hasty_answers` says of each worker's HIT."""
    root: str | None = None
    revisions: pl.DataFrame | None = None
    """By judgement, the revision its worker saw; None where there was but one."""
    handling: pl.DataFrame = field(default_factory=handling_frame)
    """By judgement, how its worker handled page and scale; empty where all judgements are read at once."""
    texts: pl.DataFrame = field(default_factory=texts_frame)
    """What was judged, on both sides, where errors are marked in it."""
    marked_texts: pl.Series = field(default_factory=_no_texts)
    """By row of the spans, the text that it is marked in."""


T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class _Batch:
    """Some judgements. `translations` has a row for each shown, the first of judgement i at `first[i]`."""

    translations: pl.DataFrame
    first: IntArray
    items: list[ShownItem]
    said: list[Said]

    def rows(self, judgement: Sequence[int], place: Sequence[int]) -> pl.DataFrame:
        """Translations by the judgement (from 0) and the place at which it showed them.

        Raises ValueError if there is no such place: then the protocol's `rows` is wrong.
        """
        judgements, places = np.asarray(judgement, dtype=np.int64), np.asarray(place, dtype=np.int64)
        n_shown = np.diff(self.first, append=len(self.translations))
        if bool(((places < 0) | (places >= n_shown[judgements])).any()):
            raise ValueError("the protocol says something about a translation that its item does not show")
        wanted = self.first[judgements] + places
        every = len(wanted) == len(self.translations) and bool((np.diff(wanted, prepend=-1) == 1).all())
        return self.translations if every else self.translations[wanted]


def judged_frames(campaign: OpenCampaign, *, worker_id: str | None = None) -> JudgedFrames:
    """All current judgements, or one worker's, as ratings, preferences and spans, in order of arrival."""
    times: list[pl.DataFrame] = []
    is_one = worker_id is not None
    with campaign.store.snapshot() as connection:
        pieces = list(_pieces(connection, campaign.settings, times, worker_id=worker_id, handled=is_one))
        root = stored_root(connection) if worker_id is None else None
    ratings = pl.concat([piece.ratings for piece in pieces])
    joined = pieces[0].joined
    rated = set(spread_credit(ratings)["system_id"].unique()) if joined else set()
    return JudgedFrames(
        sum(piece.n_judgements for piece in pieces),
        ratings,
        pl.concat([piece.preferences for piece in pieces]),
        pl.concat([piece.spans for piece in pieces]),
        pieces[0].exclusions,
        pieces[0].simulated,
        tuple(system_id for system_id in joined if system_id in rated),
        haste=hasty_answers(pl.concat(times)) if times else _no_haste(),
        root=root,
        handling=pl.concat([piece.handling for piece in pieces]),
        texts=texts_frame(pl.concat([piece.texts for piece in pieces])),
        marked_texts=pl.concat([piece.marked_texts for piece in pieces]),
    )


def judged_pieces(campaign: OpenCampaign) -> Iterator[JudgedFrames]:
    """The same, some thousand judgements at a time, all as of one moment; the first piece is empty.

    `joined` names every system that was added later, whether or not it was rated; `haste` and `root`, which
    are about all judgements, are left out.
    """
    with campaign.store.snapshot() as connection:
        yield from _pieces(connection, campaign.settings, handled=True)


def _pieces(
    connection: Connection,
    settings: CampaignSettings,
    times: list[pl.DataFrame] | None = None,
    *,
    worker_id: str | None = None,
    handled: bool,
) -> Iterator[JudgedFrames]:
    protocol = protocols()[settings.protocol]
    empty = JudgedFrames(
        0,
        *(ratings_frame(), preferences_frame(), spans_frame()),
        tuple(actions.exclusions(connection)),
        simulated_workers(connection),
        joined_systems(connection),
    )
    has_revisions = latest_revision(connection).revision > 1
    yield empty
    batches = judgements.stored_judgements(connection, **stored_parts(settings), worker_id=worker_id)
    shower, marks = Shower.of(connection, settings), "spans" in protocol.gives
    for columns in batches:
        items = shower.shown(columns)
        said = [protocol.rows(item, answer) for item, answer in zip(items, columns.answer, strict=True)]
        translations = _translations(columns, items)
        first = np.cumsum([0, *(len(item.translations) for item in items)], dtype=np.int64)[:-1]
        batch = _Batch(translations, first, items, said)
        if times is not None:
            times.append(_times(columns, items))
        yield replace(
            empty,
            n_judgements=len(items),
            ratings=ratings_frame(_ratings(batch)),
            preferences=preferences_frame(_preferences(batch)),
            spans=spans_frame(_spans(batch, settings.attribute)),
            revisions=_revisions(columns) if has_revisions else None,
            handling=handling_frame(columns if handled else None),
            texts=judged_texts(items) if marks else texts_frame(),
            marked_texts=_marked_texts(batch),
        )


def _revisions(columns: JudgementColumns) -> pl.DataFrame:
    seen = {"judged": columns.judgement_id, "revision": columns.revision}
    return _frame(seen, {"judged": pl.String, "revision": pl.Int64})


def _times(columns: JudgementColumns, items: Sequence[ShownItem]) -> pl.DataFrame:
    """How long each judgement took, by our clock and by the browser's, and how long reading takes."""
    texts = ["\n".join(text.text for text in item.translations) for item in items]
    return pl.DataFrame(
        {
            "worker_id": pl.Series(columns.worker_id, dtype=pl.String),
            "hit_id": pl.Series(columns.hit_id, dtype=pl.String),
            "seconds": pl.Series(columns.worked_ms, dtype=pl.Float64) / 1000,
            "claimed_seconds": pl.Series(columns.shown_ms, dtype=pl.Float64) / 1000,
            "least_seconds": least_reading_seconds(texts),
        }
    )


def _translations(columns: JudgementColumns, items: Sequence[ShownItem]) -> pl.DataFrame:
    """A row for each translation that a judgement is about, in the order shown."""
    of_judgement = {
        **{name: getattr(columns, name) for name in ("judgement_id", "worker_id", "assignment_id")},
        **{name: getattr(columns, name) for name in ("hit_id", "item_id", "position", "submitted_at")},
        "seconds": [worked_ms / 1000 for worked_ms in columns.worked_ms],
        "kind_of_item": columns.item_kind,
        "is_automated": [None if page is None else page.is_automated for page in columns.behaviour],
    }
    judged = _frame(of_judgement, _OF_JUDGEMENT).with_columns(pl.col("judgement_id").alias(_OWN_ID))
    if not columns.beside:
        alone = {name: getattr(columns, name) for name in _OF_TRANSLATION}
        return pl.concat([judged, _frame(alone, _OF_TRANSLATION)], how="horizontal")
    index = np.repeat(np.arange(len(items)), [len(item.translations) for item in items])
    return pl.concat([judged[index], _texts(columns, items)], how="horizontal").with_columns(
        pl.format("{}/{}", "judgement_id", "place").alias(_OWN_ID)
    )


def _texts(columns: JudgementColumns, items: Sequence[ShownItem]) -> pl.DataFrame:
    rows: list[tuple[Any, ...]] = []
    for number, item in enumerate(items):
        beside = columns.beside.get(columns.item_id[number], ())
        documents = (columns.document_id[number], *(each.document_id for each in beside))
        order = columns.shown_order[number] or range(1, len(item.translations) + 1)
        for place, text in zip(order, item.translations, strict=True):
            # What is known of an item's quality in advance is about its first translation.
            known = (columns.known[number], columns.known_sd[number]) if place == 1 else (None, None)
            name = (str(text.kind), documents[place - 1], text.segment_id, text.system_id)
            rows.append((*name, *known, list(text.credited) or None, place))
    return pl.DataFrame(rows, schema={**_OF_TRANSLATION, "place": pl.Int64}, orient="row")


def _frame(columns: dict[str, Sequence[Any]], schema: dict[str, Any]) -> pl.DataFrame:
    return pl.DataFrame({name: pl.Series(columns[name], dtype=dtype) for name, dtype in schema.items()})


def _ratings(batch: _Batch) -> pl.DataFrame:
    rows = [(number, row) for number, said in enumerate(batch.said) for row in said.ratings]
    translations = batch.rows([number for number, _ in rows], [row.place for _, row in rows])
    return translations.with_columns(
        pl.col(_OWN_ID).alias("judgement_id"),
        attribute=_column([row.attribute for _, row in rows], pl.String),
        rating=_column([row.rating for _, row in rows], pl.Float64),
    )


def _preferences(batch: _Batch) -> pl.DataFrame:
    rows = [(number, row) for number, said in enumerate(batch.said) for row in said.preferences]
    numbers = [number for number, _ in rows]
    side_a = batch.rows(numbers, [row.place_a for _, row in rows])
    side_b = batch.rows(numbers, [row.place_b for _, row in rows])
    control_a, control_b = (side["item_kind"].is_in(_SUBSTITUTES) for side in (side_a, side_b))
    control_side = pl.when(control_a).then(pl.lit("a")).when(control_b).then(pl.lit("b"))
    return (
        side_a.drop("item_kind")
        .rename({"kind_of_item": "item_kind", "system_id": "system_a", "credited": "credited_a"})
        .with_columns(
            side_b["system_id"].alias("system_b"),
            side_b["credited"].alias("credited_b"),
            control_side=control_side,
            attribute=_column([row.attribute for _, row in rows], pl.String),
            preference=_column([row.preference for _, row in rows], pl.String),
        )
    )


def _spans(batch: _Batch, attribute: str) -> pl.DataFrame:
    rows = [(number, span) for number, said in enumerate(batch.said) for span in said.spans]
    translations = batch.rows([number for number, _ in rows], [span.place for _, span in rows])
    damaged = [_at(batch.items[number].damaged, span.place) for number, span in rows]
    return translations.with_columns(
        pl.col(_OWN_ID).alias("judgement_id"),
        attribute=pl.lit(attribute),
        start=_column([span.start for _, span in rows], pl.Int64),
        end=_column([span.end for _, span in rows], pl.Int64),
        severity=_column([span.severity for _, span in rows], pl.String),
        category=_column([span.category for _, span in rows], pl.String),
        side=_column([span.side for _, span in rows], pl.String),
        marked_seconds=_column([_in_seconds(span.marked_ms) for _, span in rows], pl.Float64),
        origin=_column([span.origin for _, span in rows], pl.String),
        n_removed=_column([_at(batch.said[number].n_removed, span.place) for number, span in rows], pl.Int64),
        injected_start=_column([None if part is None else part[0] for part in damaged], pl.Int64),
        injected_end=_column([None if part is None else part[1] for part in damaged], pl.Int64),
    )


def _marked_texts(batch: _Batch) -> pl.Series:
    """By row of the spans, the text on its side."""
    marked = ((batch.items[number], span) for number, said in enumerate(batch.said) for span in said.spans)
    texts = (
        item.translations[span.place].text if span.side == "target" else item.sources[span.place]
        for item, span in marked
    )
    return _column(texts, pl.String).alias("text")


def _in_seconds(milliseconds: int | None) -> float | None:
    return None if milliseconds is None else milliseconds / 1000


def _at(values: Sequence[T], place: int) -> T | None:
    """What stands at a place; None where nothing was said of any."""
    return values[place] if values else None


def _column(values: Iterable[Any], dtype: Any) -> pl.Series:
    return pl.Series(list(values), dtype=dtype)
