"""The command that holds ways of normalising ratings against an expert's."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import click

from steelyard.cli.analysis_options import columns_of, scale_of
from steelyard.cli.options import (
    json_option,
    keep_sources,
    progress_bar,
    seed_option,
    source_argument,
    write_text,
)

if TYPE_CHECKING:
    from steelyard.evaluation.normalisation.settings import NormalisationSettings
    from steelyard.flows.source import Source

_WEIGHING = ("gold_form", "gold_expected", "vote_by", "without_gold")


def _study_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """What is compared, and how ratings and gold are read."""
    for option in reversed(
        (
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
            click.option(
                "--gold-form",
                type=click.Choice(["usual", "printed"]),
                help="two-stage: how distance from gold becomes a weight.  [default: usual, 0 at chance]",
            ),
            click.option(
                "--gold-expected",
                type=click.Choice(["uniform", "gold"]),
                help="two-stage: the distance that chance gives, of two random ratings or of one from the "
                "gold.  [default: uniform]",
            ),
            click.option(
                "--vote-by",
                type=click.Choice(["gold", "others"]),
                help="weighted-vote: whom a worker must agree with.  [default: gold]",
            ),
            click.option(
                "--without-gold",
                type=click.Choice(["exclude", "shrunk"]),
                help="What becomes of workers who judged no gold.  [default: exclude]",
            ),
            click.option("--attribute", help="Take one attribute of a file with several."),
            click.option(
                "--scale", metavar="MIN,MAX", help="Range of the ratings in a file.  [default: 0,100]"
            ),
            click.option(
                "--gold-scale",
                metavar="MIN,MAX",
                help="Range of the expert's ratings in a file.  [default: as --scale]",
            ),
            click.option(
                "--columns",
                metavar="OURS=THEIRS,…",
                help="Column names of a file, e.g. worker=login,known=expert.",
            ),
            seed_option,
        )
    ):
        command = option(command)
    return command


@click.command()
@source_argument
@_study_options
@json_option
def normalise(source: str, json_file: str | None, **choices: Any) -> None:
    """Tell which way of normalising the ratings of SOURCE comes closest to an expert's.

    Some translations must have been rated by an expert: in the [gold] table of a campaign, or in the column
    known of a file. Every method is tried with that gold and with each part of it hidden in turn.
    """
    from steelyard.flows.normalise import normalise as study
    from steelyard.flows.source import read_source
    from steelyard.report.normalisation import to_json, to_text

    keep_sources([source], json_file)
    read = read_source(
        source,
        columns=columns_of(choices["columns"]),
        scale=scale_of(choices["scale"]),
        gold_scale=scale_of(choices["gold_scale"], option="--gold-scale"),
    )
    made = study(read, _settings(read, choices), progress=progress_bar)
    if json_file:
        write_text(to_json(made), json_file)
    if json_file != "-":
        click.echo(to_text(made))


def _settings(read: Source, choices: dict[str, Any]) -> NormalisationSettings:
    from steelyard.evaluation.normalisation.settings import NormalisationSettings
    from steelyard.flows.settings import settings_from

    weighing = {name: choices[name] for name in _WEIGHING}
    analysis = settings_from(
        read, check="none", attribute=choices["attribute"], seed=choices["seed"], **weighing
    )
    return NormalisationSettings(
        methods=tuple(name.strip() for name in (choices["methods"] or "").split(",") if name.strip()),
        folds=choices["folds"],
        random_workers=choices["random_workers"],
        analysis=analysis,
    )
