"""Errors that are marked in items before any worker comes."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from sqlalchemy import Connection, select

from steelyard.domain.judgement import Span
from steelyard.domain.work import span_record
from steelyard.store import tables
from steelyard.store.bulk import load

# Errors by place, from 1, where an item has any.
Marked = dict[int, tuple[Span, ...]]


def add_prefilled(connection: Connection, rows: Iterable[tuple[str, int, Sequence[Span]]]) -> None:
    """Write errors, each with the item and the place of the translation that it is marked in."""
    load(connection, tables.prefilled, _rows(rows))


def _rows(rows: Iterable[tuple[str, int, Sequence[Span]]]) -> Iterator[tuple[Any, ...]]:
    for item_id, place, spans in rows:
        yield item_id, place, json.dumps([span_record(span) for span in spans], ensure_ascii=False)


def prefilled_spans(connection: Connection, item_ids: Sequence[str] | None = None) -> dict[str, Marked]:
    """By item, the errors in it; of these items, or of all. Items without any are not there."""
    stored = tables.prefilled.c
    query = select(stored.item_id, stored.place, stored.spans).order_by(stored.item_id, stored.place)
    if item_ids is not None:
        query = query.where(stored.item_id.in_(item_ids))
    found: dict[str, Marked] = {}
    for item_id, place, spans in connection.execute(query):
        read = tuple(Span(place=place - 1, **record) for record in json.loads(spans))
        found.setdefault(item_id, {})[place] = read
    return found
