"""Studies: the one shape in which every study answers, so that one renderer each serves them all."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from steelyard.domain.exhibit import Figure, Table


@dataclass(frozen=True)
class StudyResult:
    """What a study found, ready for the terminal, a page, LaTeX or a script.

    `lead` says what the study rests on, `conclusion` what it amounts to, in sentences; `notes` say how the
    numbers came about, and `warnings` what to know before trusting them. `settings`: the choices behind it,
    by name. `record` is its JSON document: every key that scripts rely on, in order; frames and
    dataclasses in it are written out by the renderer, in full precision.
    """

    name: str
    title: str
    settings: Mapping[str, Any]
    tables: tuple[Table, ...]
    figures: tuple[Figure, ...] = ()
    lead: str = ""
    conclusion: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    signature: str = ""
    record: Mapping[str, Any] = field(default_factory=dict)
