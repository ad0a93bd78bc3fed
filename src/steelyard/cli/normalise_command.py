"""The command that compares ways of normalising ratings with an expert's."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from steelyard.cli.analysis_options import (
    ATTRIBUTE,
    EXCLUSIONS,
    GOLD_SCALE,
    READING,
    MethodsCommand,
    of_methods,
    read_from,
)
from steelyard.cli.options import click_options, progress_bar, seed_option, source_argument
from steelyard.cli.study_command import study_command
from steelyard.domain.options import given_options
from steelyard.evaluation.normalisation.settings import USUAL_METHODS, NormalisationSettings

if TYPE_CHECKING:
    from steelyard.domain.study import StudyResult


@study_command(
    MethodsCommand,
    source_argument,
    *click_options(NormalisationSettings),
    EXCLUSIONS,
    ATTRIBUTE,
    *READING,
    GOLD_SCALE,
    seed_option,
    draws=False,
)
def normalise(source: str, **choices: Any) -> list[StudyResult]:
    """Find out which way of normalising the ratings of SOURCE comes closest to an expert's.

    An expert must have rated some of the translations: in the [gold] table of a campaign, or in the column
    known of a file. Every method is tried with that gold and with each part of it hidden in turn.
    """
    from steelyard.exhibits.studies.normalisation import normalisation_study
    from steelyard.flows.normalise import normalise as run_study
    from steelyard.flows.settings import settings_from

    asked = NormalisationSettings(**given_options(NormalisationSettings, choices))
    given = {name: choices[name] for name in ("exclusions", "attribute", "seed")} | of_methods(choices)
    read = read_from(source, choices)
    analysis = settings_from(read, compared=asked.methods or USUAL_METHODS, check="none", **given)
    found = run_study(read, replace(asked, analysis=analysis), progress=progress_bar)
    return [normalisation_study(found)]
