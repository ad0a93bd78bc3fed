"""Hashes that tie each judgement to what was shown and to the judgement before it.

Whoever changes a stored judgement, the item it is about or the order of an assignment breaks its chain. An
assignment is judged item by item, so its chain needs no lock that others wait for.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from hashlib import sha256
from typing import Any

from steelyard.domain.judgement import Judgement, Span
from steelyard.domain.work import SegmentTexts, ShownText


def item_hash(
    item_id: str,
    translations: Sequence[ShownText],
    segments: Sequence[SegmentTexts],
    order: Sequence[int] | None,
    prefilled: Mapping[int, Sequence[Span]] | None = None,
) -> str:
    """Of an item as it was shown: its texts in that order, and what they are, which no worker sees.

    `prefilled`: by place, the errors that were marked beforehand. Where there are none, nothing stands in
    their place.
    """
    places = order or range(1, len(translations) + 1)
    shown = [
        [text.system_id, text.segment_id, text.kind, text.text, *segments[place - 1]]
        for place in places
        for text in (translations[place - 1],)
    ]
    if not prefilled:
        return _hash([item_id, shown])
    return _hash([item_id, shown, [[span[1:6] for span in prefilled.get(place, ())] for place in places]])


def first_hash(assignment_id: str, hit_id: str, worker_id: str, accepted_at: datetime) -> str:
    """What the chain of an assignment begins with: who took which HIT when."""
    return _hash([assignment_id, hit_id, worker_id, _moment(accepted_at)])


def chain_hash(previous: str, judgement: Judgement, answer: str, behaviour: str | None = None) -> str:
    """Of a judgement, with answer and behaviour as stored, and the hash before it in its assignment.

    Where no behaviour was recorded, nothing stands in its place: chains from before there was any stay valid.
    """
    content = [
        previous,
        judgement.item_hash,
        judgement.judgement_id,
        judgement.assignment_id,
        judgement.item_id,
        judgement.position,
        answer,
        judgement.shown_ms,
        _moment(judgement.submitted_at),
        judgement.revision,
    ]
    return _hash(content if behaviour is None else [*content, behaviour])


def root_hash(ends: Iterable[tuple[str, str]]) -> str | None:
    """One hash over the ends of all chains, each with its id, in the order given; None if there are none."""
    digest, is_empty = sha256(), True
    for end in ends:
        digest.update(_written(end))
        is_empty = False
    return None if is_empty else digest.hexdigest()


def short_root(root: str) -> str:
    """The root as signatures give it: enough digits that nobody finds other judgements with the same."""
    return root[:16]


def _moment(moment: datetime) -> str:
    return moment.astimezone(UTC).isoformat(timespec="microseconds")


def _hash(content: Any) -> str:
    return sha256(_written(content)).hexdigest()


def _written(content: Any) -> bytes:
    text = json.dumps(content, ensure_ascii=False, separators=(",", ":"))
    return text.encode("utf-8", "surrogatepass")
