"""Errors: one sentence, spelt as the caller writes options."""

from __future__ import annotations

import pytest

from steelyard.domain.errors import (
    CampaignError,
    ChoiceError,
    EvaluationError,
    NotEnoughData,
    NotFound,
    SourceError,
    as_command_line,
)


@pytest.mark.parametrize("kind", [ChoiceError, NotEnoughData])
def test_options_are_named_as_the_caller_writes_them(kind: type[EvaluationError]) -> None:
    error = kind("Leave out {gold_form}, use {method=mean-z} or {keep_hits=True}.")

    assert str(error) == 'Leave out gold_form, use method="mean-z" or keep_hits=True.'
    assert error.spelt(as_command_line) == "Leave out --gold-form, use --method mean-z or --keep-hits."


def test_a_source_names_options_with_a_value_and_keeps_braces_of_its_own() -> None:
    error = SourceError("a.csv", ["no column {worker}: use {columns=worker=COLUMN}", "wide: {scale=MIN,MAX}"])

    assert error.problems == (
        'no column {worker}: use columns={"worker": "COLUMN"}',
        "wide: scale=(MIN, MAX)",
    )
    assert error.spelt(as_command_line) == (
        "a.csv: 2 problems.\n  - no column {worker}: use --columns worker=COLUMN\n  - wide: --scale MIN,MAX"
    )


@pytest.mark.parametrize("error", [CampaignError("c.toml", ["{a=b} is odd"]), NotFound("There is no {x}.")])
def test_other_errors_say_what_they_were_given(error: EvaluationError) -> None:
    assert error.spelt(as_command_line) == str(error)
    assert "{" in str(error)


def test_a_bad_choice_is_a_value_error() -> None:
    with pytest.raises(ValueError, match="no such thing"):
        raise ChoiceError("There is no such thing.")
