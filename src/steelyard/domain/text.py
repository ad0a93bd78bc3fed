"""Texts: who translated what."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class System:
    """Whoever produced a translation: an engine or a person."""

    system_id: str
    is_human: bool = False


@dataclass(frozen=True, slots=True)
class Segment:
    """One unit of source text, the same for all systems, with its human reference."""

    segment_id: str
    document_id: str
    source: str
    reference: str


@dataclass(frozen=True, slots=True)
class Translation:
    """One system's text for one segment."""

    system_id: str
    segment_id: str
    text: str
