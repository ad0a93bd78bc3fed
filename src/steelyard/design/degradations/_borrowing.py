"""A run of a text's words gives way to a run of as many words of another text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from steelyard.design.degradations._splitting import Pieces, Splitter
from steelyard.design.degradations._words import MAX_REDRAWS, has_letters, n_shared, types


class Borrowed(NamedTuple):
    """A damaged copy: its text, the units that went and those that came."""

    text: str
    old: Sequence[str]
    new: Sequence[str]


def borrowed_phrases(
    splitter: Splitter,
    text: str,
    reference: str,
    others: Sequence[str],
    *,
    n_words: int,
    rng: np.random.Generator,
) -> Iterator[Borrowed]:
    """Copies of the text with `n_words` of its words replaced, as many as come of a number of draws.

    The run never touches the first and the last word, unless only one is left; then it is at the end. The
    phrase that replaces it is as long, comes from within another text, and is drawn again if more than
    half of its distinct words occur in the text or in its reference: it must not be a paraphrase by
    accident.
    """
    pieces = splitter.split(text)
    shown, meant = splitter.row(text), splitter.row(reference)
    known = (shown + meant, shown, meant)
    n_units, size = len(pieces.units), n_words * pieces.splitter.units_per_word
    first, last = (1, n_units - size - 1) if pieces.n_words - n_words >= 2 else (n_units - size,) * 2
    for _ in range(MAX_REDRAWS):
        which, within, where = rng.random(3).tolist()
        other = splitter.borrow(others[int(which * len(others))])
        run = _run_within(other, n_words, within)
        phrase = other.units[run]
        # A phrase that looks like what it replaces shares all its words and never gets past here.
        if not has_letters(phrase) or _is_known(types(phrase, other.splitter.units_per_word), known):
            continue
        start = first + int(where * (last - first + 1))
        if other.splitter is not pieces.splitter:
            # Words of another kind of script keep their own joints.
            phrase = [other.part(run.start, run.stop).text()]
        damaged = pieces.spliced(start, start + size, phrase)
        if damaged is not None:
            yield Borrowed(damaged.text(), pieces.units[start : start + size], phrase)


def _is_known(phrase: set[str], known: tuple[str, str, str]) -> bool:
    """Whether more than half of the phrase's distinct words are in the text, or in its reference."""
    both, text, reference = known
    half = len(phrase) / 2
    # Mostly both together have fewer: one look instead of two.
    return n_shared(phrase, both) > half and max(n_shared(phrase, text), n_shared(phrase, reference)) > half


def _run_within(pieces: Pieces, k: int, within: float) -> slice:
    """A run of k words, from the inside of a text if it is long enough; empty if it is too short.

    The first word of a text tends to have a capital and the last one a full stop, which would
    betray the damage at a glance. `within`, between 0 and 1, picks the run.
    """
    n_units, size = len(pieces.units), k * pieces.splitter.units_per_word
    if n_units < size:
        return slice(0, 0)
    margin = 1 if n_units >= size + 2 else 0
    start = margin + int(within * (n_units - size - 2 * margin + 1))
    return slice(start, start + size)
