"""What the metrics of sacreBLEU have in common [Post2018]; the package is imported only when one is asked."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from typing import Any

from steelyard.domain.errors import NotEnoughData
from steelyard.domain.extras import missing_part

# How many texts without a reference a message names.
_SHOWN = 5


def scorer_class(module: str, name: str) -> Any:
    """A class of sacreBLEU's metrics, or how to install the package."""
    try:
        return getattr(import_module(f"sacrebleu.metrics.{module}"), name)
    except ModuleNotFoundError as error:
        raise missing_part(error) from None


def segment_scores(
    name: str, scorer: Any, translations: Sequence[str], references: Sequence[str]
) -> list[float]:
    """One score for each translation, as the scorer's `sentence_score` gives it."""
    _require_references(name, translations, references)
    return [
        float(scorer.sentence_score(translation, [reference]).score)
        for translation, reference in zip(translations, references, strict=True)
    ]


def corpus_score(name: str, scorer: Any, translations: Sequence[str], references: Sequence[str]) -> float:
    """One score for all translations together: counts are added up before anything is divided."""
    _require_references(name, translations, references)
    return float(scorer.corpus_score(list(translations), [list(references)]).score)


def scorer_signature(scorer: Any) -> str:
    """The scorer's own signature, which it knows only once it has scored something."""
    scorer.corpus_score(["text"], [["text"]])
    return str(scorer.get_signature())


def _require_references(name: str, translations: Sequence[str], references: Sequence[str]) -> None:
    """Refuse texts that cannot be scored. An empty translation can: nothing of the reference is in it."""
    if len(translations) != len(references):
        raise ValueError(f"{name}: {len(translations)} translations, but {len(references)} references")
    if not translations:
        raise NotEnoughData(f"{name}: there are no translations to score.")
    absent = [number for number, text in enumerate(references, start=1) if not text.strip()]
    if absent:
        rest = len(absent) - _SHOWN
        places = ", ".join(map(str, absent[:_SHOWN])) + (f" and {rest} more" if rest > 0 else "")
        raise NotEnoughData(
            f"{name}: of {len(references):,} translations, these have no reference to be compared with: "
            f"number {places}. Give their segments references, or leave them out."
        )
