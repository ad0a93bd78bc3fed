"""Whoever learns that no worker passed learns the real cause, and what to do."""

from __future__ import annotations

import polars as pl
import pytest

from steelyard.domain.errors import as_command_line
from steelyard.domain.result import AnalysisSettings, Verdict, VerdictName
from steelyard.flows.nobody_passed import nobody_passed


def _frame(**kinds: int) -> pl.DataFrame:
    """Judgements, so many of each kind."""
    names = [kind for kind, n in kinds.items() for _ in range(n)]
    return pl.DataFrame({"item_kind": names, "attribute": [""] * len(names)})


def _verdict(worker: str, n_pairs: int, verdict: VerdictName = "insufficient") -> Verdict:
    return Verdict(worker, verdict, n_pairs, None, None, None, None, "")


def _said(frame: pl.DataFrame, *verdicts: Verdict, is_campaign: bool = False) -> str:
    error = nobody_passed(frame, verdicts, AnalysisSettings(), is_campaign=is_campaign)
    return error.spelt(as_command_line)


def test_a_file_without_controls_is_told_so() -> None:
    said = _said(_frame(regular=9), _verdict("a", 0))

    assert said.startswith("paired-t: there are no degraded items among the judgements, so nobody can be")
    assert "Use --check none" in said
    assert "a column kind" in said


def test_other_controls_are_named_as_no_help() -> None:
    said = _said(_frame(regular=9, repeat=3, reference=1), _verdict("a", 0))

    assert "(3 repeat items and 1 reference item cannot take their place)" in said


def test_a_campaign_whose_controls_nobody_has_judged_yet_is_told_to_wait() -> None:
    said = _said(_frame(regular=2), _verdict("a", 0), is_campaign=True)

    assert "no degraded item has been judged yet" in said
    assert "Wait for more judgements" in said
    assert "column" not in said


@pytest.mark.parametrize(("n", "words"), [(1, "1 pair is half judged"), (7, "7 pairs are half judged")])
def test_half_judged_pairs_of_a_campaign_are_counted(n: int, words: str) -> None:
    said = _said(_frame(regular=4, degraded=n + 2), _verdict("a", 2), is_campaign=True)

    assert words in said
    assert "The most that one worker judged in full is 2 pairs, and at least 5 are needed" in said
    assert "Wait until" in said


def test_a_file_whose_degraded_items_stand_alone_is_told_which_columns_match_them() -> None:
    said = _said(_frame(regular=9, degraded=6), _verdict("a", 0))

    assert "6 of 6 degraded items have no regular item of the same worker, HIT, system and segment" in said
    assert "No worker has judged a pair in full" in said
    assert "--check rank-sum, which needs no pairs" in said


def test_a_check_without_pairs_is_not_proposed_where_some_pair_is_complete() -> None:
    assert "rank-sum" not in _said(_frame(regular=9, degraded=6), _verdict("a", 1))


def test_complete_pairs_that_are_too_few_are_told_with_the_number_needed() -> None:
    said = _said(_frame(regular=9, degraded=5), _verdict("a", 3), _verdict("b", 2))

    assert "judged in full is 3 pairs, and at least 5 are needed" in said
    assert "half judged" not in said


def test_workers_who_failed_are_counted_and_waiting_is_no_advice() -> None:
    said = _said(_frame(regular=9, degraded=9), _verdict("a", 9, "fail"))

    assert "no worker passed (1 failed)" in said
    assert "wait" not in said


def test_beside_workers_who_failed_others_may_still_pass() -> None:
    said = _said(_frame(regular=9, degraded=9), _verdict("a", 8, "fail"), _verdict("b", 1))

    assert "no worker passed (1 failed, 1 had too few degraded pairs)" in said
    assert said.endswith("or wait for more judgements.")
