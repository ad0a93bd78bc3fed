"""TER: how many edits turn a translation into the reference, per hundred words of the reference."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from steelyard.domain.languages import base_language
from steelyard.domain.plugin import Metric
from steelyard.metrics._sacrebleu import corpus_score, scorer_class, scorer_signature, segment_scores

# Written without spaces: as a single word every sentence would be right or wrong as a whole.
CUT_INTO_CHARACTERS = frozenset({"zh", "ja"})


def _scorer(target_language: str) -> Any:
    """sacreBLEU's defaults; in Chinese and Japanese an edit is of one character, as Tercom has it."""
    cut = base_language(target_language) in CUT_INTO_CHARACTERS
    return scorer_class("ter", "TER")(normalized=cut, asian_support=cut)


def _segments(translations: Sequence[str], references: Sequence[str], target_language: str) -> list[float]:
    """TER of each translation alone: 0 is best, and more than 100 is possible."""
    return segment_scores("ter", _scorer(target_language), translations, references)


def _corpus(translations: Sequence[str], references: Sequence[str], target_language: str) -> float:
    """All edits together per hundred words of all references."""
    return corpus_score("ter", _scorer(target_language), translations, references)


def _signature(target_language: str) -> str:
    return f"TER|{scorer_signature(_scorer(target_language))}"


METRIC = Metric(
    name="ter",
    title="TER",
    cite=("Snover2006", "Post2018"),
    segments=_segments,
    corpus=_corpus,
    signature=_signature,
    sign=-1,
)
