from __future__ import annotations

from itertools import combinations
from typing import get_args

import pytest

from steelyard.domain.result import VerdictName
from steelyard.review.payment import WORDS, Suggestion, suggestion

CARELESS = ["scores", "time", "sequence", "endpoints"]
UNUSUAL = ["rejected", "concurrency", "automation", "shift"]
NOT_FAILED: list[VerdictName | None] = ["pass", "insufficient", None]


def test_a_failed_check_alone_is_paid() -> None:
    assert suggestion("fail", []) == "pay"


@pytest.mark.parametrize("flag", CARELESS)
def test_a_failed_check_with_one_sign_of_carelessness_deserves_a_look(flag: str) -> None:
    assert suggestion("fail", [flag]) == "look"


@pytest.mark.parametrize("flags", [*combinations(CARELESS, 2)])
def test_refusal_is_suggested_for_a_failed_check_with_two_signs(flags: tuple[str, str]) -> None:
    assert suggestion("fail", flags) == "refuse"


@pytest.mark.parametrize("verdict", NOT_FAILED)
def test_nobody_is_refused_without_a_failed_check(verdict: VerdictName | None) -> None:
    assert suggestion(verdict, [*CARELESS, *UNUSUAL], has_excluded_hit=True) == "look"


@pytest.mark.parametrize("flags", [*combinations(CARELESS, 2), CARELESS])
@pytest.mark.parametrize("verdict", ["insufficient", None])
def test_two_signs_of_carelessness_deserve_a_look_where_no_check_could_tell(
    verdict: VerdictName | None, flags: list[str]
) -> None:
    assert suggestion(verdict, flags) == "look"


@pytest.mark.parametrize("flag", CARELESS)
@pytest.mark.parametrize("verdict", ["insufficient", None])
def test_one_sign_alone_is_paid_where_no_check_could_tell(verdict: VerdictName | None, flag: str) -> None:
    assert suggestion(verdict, [flag, flag]) == "pay"


def test_whoever_passed_is_paid_for_all_signs_of_carelessness() -> None:
    assert suggestion("pass", CARELESS) == "pay"


@pytest.mark.parametrize("flag", UNUSUAL)
@pytest.mark.parametrize("verdict", ["fail", *NOT_FAILED])
def test_anything_unusual_deserves_a_look(verdict: VerdictName | None, flag: str) -> None:
    assert suggestion(verdict, [flag]) == "look"


def test_unusual_flags_do_not_add_up_to_a_refusal() -> None:
    assert suggestion("fail", ["scores", *UNUSUAL]) == "look"


def test_one_flag_named_twice_is_one_sign() -> None:
    assert suggestion("fail", ["time", "time"]) == "look"


def test_a_hit_left_out_deserves_a_look() -> None:
    assert suggestion("pass", [], has_excluded_hit=True) == "look"


def test_every_suggestion_has_its_words() -> None:
    assert set(WORDS) == set(get_args(Suggestion))
