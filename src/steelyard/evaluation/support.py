"""Which trials the judgements can support, and in plain words why not others."""

from __future__ import annotations

import math

import numpy as np

from steelyard.domain.errors import NotEnoughData
from steelyard.domain.wording import counted
from steelyard.evaluation.closeness import LEAST_POINTS
from steelyard.evaluation.judged import Judged
from steelyard.evaluation.settings import EvaluationSettings
from steelyard.frames import scored

# Tried without being asked for, as far as the data allow [our choice].
USUAL_RATINGS = (1, 2, 3, 5, 8)
# Halves of fewer workers say nothing [our choice].
LEAST_WORKERS = 4
# Of the usual numbers of ratings, those are tried that this many items support, and half of those that
# support one: curves over quite different items would mislead [our choices].
_ENOUGH_ITEMS, _ENOUGH_SHARE = 10, 0.5


def require_enough(judged: Judged, settings: EvaluationSettings) -> None:
    """NotEnoughData if there are too few workers, systems or attributes, or nothing is known as gold."""
    if settings.truth != "gold" and judged.n_workers < LEAST_WORKERS:
        raise NotEnoughData(
            f"The truth {settings.truth} needs ratings that a method has not seen, by other people: with "
            f"fewer than {LEAST_WORKERS} workers (here {judged.n_workers}) it cannot be made. Collect "
            "judgements of more workers, or compare with gold ({truth=gold}) where it is known."
        )
    if settings.truth == "gold" and np.isfinite(judged.known()).sum() < LEAST_POINTS:
        raise NotEnoughData(
            "The truth gold needs a column known: what an expert said, of three items at least. If the file "
            "calls it otherwise, name it with {columns=known=COLUMN}."
        )
    if settings.level == "segments":
        return
    n_systems = scored(judged.frame)["system_id"].n_unique()
    if n_systems < LEAST_POINTS:
        raise NotEnoughData(
            f"A correlation over systems needs {LEAST_POINTS} of them at least; there "
            f"{'is 1' if n_systems == 1 else f'are {n_systems}'}. Use {{level=segments}}."
        )
    if settings.level == "cells" and judged.frame["attribute"].n_unique() < 2:
        raise NotEnoughData(
            "The level cells is for ratings of several attributes; these are of one. Use {level=systems}."
        )


def sizes(judged: Judged, settings: EvaluationSettings) -> tuple[int, ...]:
    """The numbers of ratings per item to try: those asked for, or those that enough items support.

    NotEnoughData if hardly any item has enough judgements.
    """
    if settings.ratings:
        for ratings in settings.ratings:
            needed = _possible(settings, ratings)
            if _n_items(judged, settings, needed) < LEAST_POINTS:
                raise NotEnoughData(_too_few(judged, settings, ratings, needed))
        return tuple(sorted(set(settings.ratings)))
    supported = {
        ratings: _n_items(judged, settings, _expected(settings, ratings)) for ratings in USUAL_RATINGS
    }
    first = USUAL_RATINGS[0]
    enough = max(_ENOUGH_ITEMS, _ENOUGH_SHARE * supported[first])
    found = tuple(ratings for ratings, n_items in supported.items() if n_items >= enough)
    if not found:
        raise NotEnoughData(_too_few(judged, settings, first, _expected(settings, first)))
    return found


def _n_items(judged: Judged, settings: EvaluationSettings, needed: int) -> int:
    """How many items have the judgements needed, and are of known quality where that is the truth."""
    enough = judged.opinions_per_item >= needed
    if settings.truth == "gold":
        enough &= np.isfinite(judged.known())
    return int(enough.sum())


def _possible(settings: EvaluationSettings, ratings: int) -> int:
    """The judgements an item needs for this many to be drawn, if chance splits them well."""
    if settings.truth == "gold":
        return ratings
    return max(ratings, settings.least) if settings.truth == "all" else ratings + settings.least


def _expected(settings: EvaluationSettings, ratings: int) -> int:
    """The judgements an item needs for this many to be drawn, as chance splits them on average."""
    if not settings.splits_workers:
        return _possible(settings, ratings)
    return math.ceil(max(ratings / settings.share, settings.least / (1 - settings.share)) - 1e-9)


def _too_few(judged: Judged, settings: EvaluationSettings, ratings: int, needed: int) -> str:
    drawn = f"{counted(ratings, 'rating')} per item"
    needs = {
        "gold": f"To draw {drawn}, items of known quality",
        "all": f"To draw {drawn} and have a truth of {settings.least} or more, items",
    }.get(settings.truth, f"To draw {drawn} and leave {settings.least} or more for the truth, items")
    advice = ["Collect more judgements of each item"]
    advice += ["ask for fewer {ratings}"] if ratings > 1 else []
    advice += [] if settings.truth == "gold" else ["lower {least_truth}", "compare by {level=systems}"]
    most = int(judged.opinions_per_item.max(initial=0))
    return (
        f"{needs} must have been judged by {needed:,} workers or more. "
        f"Of {judged.n_items:,} items {_n_items(judged, settings, needed):,} have been (no item by more than "
        f"{most:,}). {', or '.join(advice)}."
    )
