"""Why no worker passed the check, and what to do about it."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from steelyard.domain.errors import NotEnoughData
from steelyard.domain.result import AnalysisSettings, Verdict
from steelyard.domain.wording import counted, joined
from steelyard.domain.work import ItemKind
from steelyard.preferences import is_of_preferences
from steelyard.span_ratings import is_of_spans

# Kinds of items that some check, though not every one, could look at.
_OTHER_CONTROLS = (ItemKind.REPEAT, ItemKind.REFERENCE)
_NO_PAIR = "No worker has judged a pair in full"
_SCORE_ALL = "{check=none} to score everyone's judgements"


def nobody_passed(
    checked: pl.DataFrame, verdicts: Sequence[Verdict], settings: AnalysisSettings, *, is_campaign: bool
) -> NotEnoughData:
    """The error for judgements of which no worker passed: it names the cause, and the next step.

    `checked` are the judgements that the check looked at. A campaign may still be running: what it lacks
    may come; of a file, columns may be wrong.
    """
    n_failed = sum(verdict.verdict == "fail" for verdict in verdicts)
    if n_failed:
        said = _some_failed(n_failed, len(verdicts) - n_failed)
    elif is_of_spans(checked) and not checked["injected_start"].count():
        said = _without_places(is_campaign=is_campaign)
    elif not _n_of(checked, ItemKind.DEGRADED):
        said = _without_controls(checked, is_campaign=is_campaign)
    else:
        said = _too_few(checked, verdicts, settings, is_campaign=is_campaign)
    return NotEnoughData(f"{settings.check}: {said}")


def _some_failed(n_failed: int, n_others: int) -> str:
    others = f", {n_others} had too few degraded pairs" if n_others else ""
    wait = ", or wait for more judgements" if n_others else ""
    return (
        f"no worker passed ({n_failed} failed{others}), so no judgement is left to score. Use {_SCORE_ALL} "
        f"all the same{wait}."
    )


def _without_places(*, is_campaign: bool) -> str:
    where = (
        "no degraded item has been judged yet. Wait for more judgements"
        if is_campaign
        else "no row says where a text was damaged. Give the places of degraded items in the columns "
        "injected_start and injected_end"
    )
    return f"nobody can be checked: {where}, choose a check of ratings, or use {_SCORE_ALL}."


def _without_controls(checked: pl.DataFrame, *, is_campaign: bool) -> str:
    if is_campaign:
        return (
            "no degraded item has been judged yet, so nobody can be checked. Wait for more judgements; if "
            f"the campaign was made without degraded items, use {_SCORE_ALL}."
        )
    others = [counted(n, f"{kind} item") for kind in _OTHER_CONTROLS if (n := _n_of(checked, kind))]
    but = f" ({joined(others)} cannot take their place)" if others else ""
    return (
        f"there are no degraded items among the judgements{but}, so nobody can be checked. Use {_SCORE_ALL}. "
        "If some items were controls, mark them in a column kind."
    )


def _too_few(
    checked: pl.DataFrame, verdicts: Sequence[Verdict], settings: AnalysisSettings, *, is_campaign: bool
) -> str:
    """What to say where nobody has judged enough pairs of a degraded item and the one it was made from."""
    n_pairs = sum(verdict.n_pairs for verdict in verdicts)
    n_half = _n_half_judged(checked, n_pairs)
    most = max((verdict.n_pairs for verdict in verdicts), default=0)
    full = f"The most that one worker judged in full is {counted(most, 'pair')}" if most else _NO_PAIR
    needed = f"{full}, and at least {settings.least_pairs} are needed to tell."
    if not n_half:
        return f"nobody can be checked yet. {needed} Wait for more judgements, or use {_SCORE_ALL}."
    if is_campaign:
        are = "is" if n_half == 1 else "are"
        return (
            f"nobody can be checked yet: {counted(n_half, 'pair')} {are} half judged, the degraded item "
            f"rated and the one it was made from not yet. {needed} Wait until workers have gone on, or use "
            f"{_SCORE_ALL}."
        )
    unpaired = "{check=rank-sum}, which needs no pairs, or " if not n_pairs else ""
    return (
        f"nobody can be checked: {n_half:,} of {counted(_n_of(checked, ItemKind.DEGRADED), 'degraded item')} "
        "have no regular item of the same worker, HIT, system and segment beside them. "
        f"{needed} If the campaign is running, wait until these pairs are judged in full; otherwise look at "
        f"these columns. Or use {unpaired}{_SCORE_ALL}."
    )


def _n_half_judged(checked: pl.DataFrame, n_pairs: int) -> int:
    """How many degraded items were judged without their bases; 0 where pairs are not counted in items."""
    if is_of_preferences(checked) or is_of_spans(checked) or checked["attribute"].n_unique() > 1:
        return 0
    return max(_n_of(checked, ItemKind.DEGRADED) - n_pairs, 0)


def _n_of(frame: pl.DataFrame, kind: ItemKind) -> int:
    return int((frame["item_kind"] == str(kind)).sum())
