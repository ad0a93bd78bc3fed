"""Hashes of judgements: what they cover."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from hashlib import sha256

from steelyard.domain.chain import chain_hash
from steelyard.domain.judgement import Behaviour, Judgement

JUDGED = Judgement(
    judgement_id="j1",
    assignment_id="a1",
    item_id="i1",
    position=3,
    answer={"rating": 50},
    shown_ms=4000,
    submitted_at=datetime(2024, 5, 1, 12, tzinfo=UTC),
    revision=2,
    item_hash="shown",
    behaviour=Behaviour(0, 0, None, False),
)
# What was hashed before behaviour could be recorded.
CONTENT = ["before", "shown", "j1", "a1", "i1", 3, "{}", 4000, "2024-05-01T12:00:00.000000+00:00", 2]


def _hash(content: list[object]) -> str:
    return sha256(json.dumps(content, separators=(",", ":")).encode()).hexdigest()


def test_a_judgement_without_behaviour_has_the_hash_it_always_had() -> None:
    assert chain_hash("before", JUDGED, "{}") == _hash(CONTENT)


def test_behaviour_is_covered_as_it_is_stored() -> None:
    assert chain_hash("before", JUDGED, "{}", '{"hidden_ms": 0}') == _hash([*CONTENT, '{"hidden_ms": 0}'])
