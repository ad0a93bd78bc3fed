"""The command that holds ways of normalising ratings against an expert's."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from steelyard.cli.analysis_options import (
    ATTRIBUTE,
    GOLD_SCALE,
    READING,
    MethodsCommand,
    of_methods,
    read_from,
)
from steelyard.cli.options import (
    json_option,
    keep_sources,
    progress_bar,
    seed_option,
    show,
    source_argument,
    with_options,
)

if TYPE_CHECKING:
    from steelyard.evaluation.normalisation.settings import NormalisationSettings
    from steelyard.flows.source import Source

# What is compared, and how ratings and gold are read.
_study_options = with_options(
    click.option(
        "--methods",
        metavar="NAME,…",
        help="Methods to compare: see `steelyard methods`.  [default: mean-rating, remove-judges, "
        "remove-judgements, weighted-vote, scaling, two-stage, mean-z, worker-model]",
    ),
    click.option(
        "--folds",
        type=click.IntRange(min=2),
        default=10,
        show_default=True,
        help="Parts of the gold that are hidden in turn.",
    ),
    click.option(
        "--random-workers/--no-random-workers",
        default=True,
        show_default=True,
        help="Also try what five workers who click at random would do to the scores.",
    ),
    ATTRIBUTE,
    *READING,
    GOLD_SCALE,
    seed_option,
)


@click.command(cls=MethodsCommand)
@source_argument
@_study_options
@json_option
def normalise(source: str, json_file: str | None, **choices: Any) -> None:
    """Tell which way of normalising the ratings of SOURCE comes closest to an expert's.

    Some translations must have been rated by an expert: in the [gold] table of a campaign, or in the column
    known of a file. Every method is tried with that gold and with each part of it hidden in turn.
    """
    from steelyard.flows.normalise import normalise as study
    from steelyard.report.normalisation import to_json, to_text

    keep_sources([source], json_file)
    read = read_from(source, choices)
    made = study(read, _settings(read, choices), progress=progress_bar)
    show(to_text(made), to_json(made), json_file)


def _settings(read: Source, choices: dict[str, Any]) -> NormalisationSettings:
    from steelyard.evaluation.normalisation.settings import USUAL_METHODS, NormalisationSettings
    from steelyard.flows.settings import settings_from

    names = tuple(name.strip() for name in (choices["methods"] or "").split(",") if name.strip())
    analysis = settings_from(
        read,
        compared=names or USUAL_METHODS,
        check="none",
        attribute=choices["attribute"],
        seed=choices["seed"],
        **of_methods(choices),
    )
    return NormalisationSettings(
        methods=names,
        folds=choices["folds"],
        random_workers=choices["random_workers"],
        analysis=analysis,
    )
