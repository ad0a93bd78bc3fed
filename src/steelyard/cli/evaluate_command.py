"""The command that compares methods on a user's own judgements."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from steelyard.cli.analysis_options import (
    ATTRIBUTE,
    CHECK,
    CHECK_ATTRIBUTES,
    EXCLUSIONS,
    GOLD_SCALE,
    READING,
    MethodsCommand,
    of_methods,
    read_from,
    require_known_check,
)
from steelyard.cli.options import click_options, progress_bar, seed_option, source_argument
from steelyard.cli.study_command import study_command
from steelyard.domain.options import given_options
from steelyard.evaluation.settings import EvaluationSettings

if TYPE_CHECKING:
    from steelyard.domain.study import StudyResult

# Choices of the analysis behind the trials.
_OF_ANALYSIS = ("check", "check_attributes", "exclusions", "attribute", "seed")


@study_command(
    MethodsCommand,
    source_argument,
    *click_options(EvaluationSettings),
    CHECK,
    CHECK_ATTRIBUTES,
    EXCLUSIONS,
    ATTRIBUTE,
    *READING,
    GOLD_SCALE,
    seed_option,
)
def evaluate(source: str, **choices: Any) -> list[StudyResult]:
    """Find out which method would serve best, by trials on the judgements of SOURCE.

    A trial takes part of the ratings, lets every method score them, and correlates the scores with a truth
    made from ratings that no method has seen. All methods see the same trials.
    """
    from steelyard.evaluation.entries import compared_methods
    from steelyard.exhibits.studies.evaluation import evaluation_study
    from steelyard.flows.evaluate import evaluate as run_study
    from steelyard.flows.settings import settings_from

    require_known_check(choices["check"])
    asked = EvaluationSettings(**given_options(EvaluationSettings, choices))
    given = {name: choices[name] for name in _OF_ANALYSIS} | of_methods(choices)
    read = read_from(source, choices)
    analysis = settings_from(read, compared=compared_methods(asked), **given)
    found = run_study(read, replace(asked, analysis=analysis), progress=progress_bar)
    return [evaluation_study(found)]
