"""BLEU: how many short sequences of words a translation shares with the reference."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from steelyard.domain.languages import base_language
from steelyard.domain.plugin import Metric
from steelyard.metrics._sacrebleu import corpus_score, scorer_class, scorer_signature, segment_scores

# How sacreBLEU cuts texts into words, where not as usual. Its cutting of Japanese and Korean words needs
# further packages, so these are cut into characters, as are scripts that put no spaces between words: the
# scores are then higher than those on words and comparable only among themselves.
TOKENISER = {"zh": "zh", "ja": "char", "ko": "char", "th": "char", "lo": "char", "km": "char", "my": "char"}
USUAL_TOKENISER = "13a"


def _scorer(target_language: str, *, of_segments: bool) -> Any:
    tokeniser = TOKENISER.get(base_language(target_language), USUAL_TOKENISER)
    # `force` only silences a remark about texts that look cut into words already.
    return scorer_class("bleu", "BLEU")(tokenize=tokeniser, effective_order=of_segments, force=True)


def _segments(translations: Sequence[str], references: Sequence[str], target_language: str) -> list[float]:
    """BLEU of each translation alone, over the sequences that are short enough to occur in it."""
    return segment_scores("bleu", _scorer(target_language, of_segments=True), translations, references)


def _corpus(translations: Sequence[str], references: Sequence[str], target_language: str) -> float:
    """BLEU of all translations together, which is not the mean of their own BLEU."""
    return corpus_score("bleu", _scorer(target_language, of_segments=False), translations, references)


def _signature(target_language: str) -> str:
    return f"BLEU|{scorer_signature(_scorer(target_language, of_segments=False))} (segments: eff:yes)"


METRIC = Metric(
    name="bleu",
    title="BLEU",
    cite=("Papineni2002", "Post2018"),
    segments=_segments,
    corpus=_corpus,
    signature=_signature,
)
