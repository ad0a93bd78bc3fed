"""chrF: how many short sequences of characters a translation shares with the reference."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from steelyard.domain.plugin import Metric
from steelyard.metrics._sacrebleu import corpus_score, scorer_class, scorer_signature, segment_scores


def _scorer() -> Any:
    """sacreBLEU's defaults, known as chrF2: up to six characters, spaces left out, recall counts double."""
    return scorer_class("chrf", "CHRF")()


def _segments(translations: Sequence[str], references: Sequence[str], target_language: str) -> list[float]:
    """chrF of each translation alone; the language does not matter."""
    return segment_scores("chrf", _scorer(), translations, references)


def _corpus(translations: Sequence[str], references: Sequence[str], target_language: str) -> float:
    """chrF of all translations together, from the sums of their counts."""
    return corpus_score("chrf", _scorer(), translations, references)


def _signature(target_language: str) -> str:
    return f"chrF2|{scorer_signature(_scorer())}"


METRIC = Metric(
    name="chrf",
    title="chrF",
    cite=("Popovic2015", "Post2018"),
    segments=_segments,
    corpus=_corpus,
    signature=_signature,
)
