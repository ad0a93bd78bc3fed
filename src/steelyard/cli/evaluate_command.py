"""The command that compares methods on a user's own judgements."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import click

from steelyard.cli.analysis_options import columns_of, require_known, scale_of
from steelyard.cli.options import (
    json_option,
    keep_sources,
    progress_bar,
    seed_option,
    source_argument,
    write_text,
)

if TYPE_CHECKING:
    from steelyard.evaluation.settings import EvaluationSettings
    from steelyard.flows.source import Source

Number = TypeVar("Number", int, float)


def _evaluation_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """What is tried, and against what."""
    for option in reversed(
        (
            click.option(
                "--methods",
                metavar="NAME,…",
                help="Methods to compare: see `steelyard methods`. NAME-passing takes only workers who pass "
                "the check.  [default: mean-rating, mean-z, mean-z-passing, worker-model]",
            ),
            click.option(
                "--ratings",
                metavar="N,…",
                help="Ratings per translation that a trial draws.  [default: 1,2,3,5,8 as far as there are]",
            ),
            click.option(
                "--spam",
                default="0",
                show_default=True,
                metavar="SHARE,…",
                help="Shares of a trial's workers to replace by clickers, e.g. 0,0.2,0.5.",
            ),
            click.option(
                "--draws", type=click.IntRange(min=2), default=30, show_default=True, help="Number of trials."
            ),
            click.option(
                "--level",
                type=click.Choice(["segments", "systems", "cells"]),
                default="segments",
                show_default=True,
                help="What is scored; cells are systems by attribute.",
            ),
            click.option(
                "--truth",
                type=click.Choice(["others", "passing", "rest", "gold", "all"]),
                default="others",
                show_default=True,
                help="What scores are held against: other workers, those of them who pass, ratings not "
                "drawn, known quality, or all good ratings.",
            ),
            click.option(
                "--share",
                type=click.FloatRange(0, 1, min_open=True, max_open=True),
                default=0.5,
                show_default=True,
                help="Share of the workers that trials draw from, where the truth is of others.",
            ),
            click.option(
                "--least-truth",
                type=click.IntRange(min=1),
                help="Workers that a translation's truth must rest on.  [default: 3; for all, 15]",
            ),
            click.option(
                "--check", help="How workers are checked: see `steelyard checks`.  [default: paired-t]"
            ),
            click.option(
                "--check-attributes",
                metavar="NAME,…",
                help="Check workers by these attributes only.  [default: all]",
            ),
            click.option("--attribute", help="Take one attribute of a file with several."),
            click.option(
                "--scale", metavar="MIN,MAX", help="Range of the ratings in a file.  [default: 0,100]"
            ),
            click.option(
                "--columns",
                metavar="OURS=THEIRS,…",
                help="Column names of a file, e.g. worker=login,known=expert.",
            ),
            click.option(
                "--gold-scale",
                metavar="MIN,MAX",
                help="Range of the known ratings in a file.  [default: that of the ratings]",
            ),
            seed_option,
        )
    ):
        command = option(command)
    return command


@click.command()
@source_argument
@_evaluation_options
@json_option
def evaluate(source: str, json_file: str | None, **choices: Any) -> None:
    """Tell which method would serve best, by trials on the judgements of SOURCE.

    A trial takes part of the ratings, lets every method score them, and correlates the scores with a truth
    made from ratings that no method has seen. All methods see the same trials.
    """
    from steelyard.flows.evaluate import evaluate as try_methods
    from steelyard.flows.source import read_source
    from steelyard.qc import checks
    from steelyard.report.evaluation import to_json, to_text

    keep_sources([source], json_file)
    require_known("check", choices["check"], [*checks(), "none"])
    wished = {
        "ratings": _numbers("ratings", choices["ratings"] or "", int),
        "spam": _numbers("spam", choices["spam"], float),
        "methods": tuple(name.strip() for name in (choices["methods"] or "").split(",") if name.strip()),
    }
    read = read_source(
        source,
        columns=columns_of(choices["columns"]),
        scale=scale_of(choices["scale"]),
        gold_scale=scale_of(choices["gold_scale"], option="--gold-scale"),
    )
    made = try_methods(read, _settings(read, choices, wished), progress=progress_bar)
    if json_file:
        write_text(to_json(made), json_file)
    if json_file != "-":
        click.echo(to_text(made))


def _settings(read: Source, choices: dict[str, Any], wished: dict[str, Any]) -> EvaluationSettings:
    from steelyard.evaluation.settings import EvaluationSettings
    from steelyard.flows.settings import settings_from

    analysis = settings_from(
        read,
        check=choices["check"],
        check_attributes=choices["check_attributes"],
        attribute=choices["attribute"],
        seed=choices["seed"],
    )
    same = {name: choices[name] for name in ("draws", "level", "truth", "share", "least_truth")}
    return EvaluationSettings(**wished, **same, analysis=analysis)


def _numbers(option: str, text: str, kind: type[Number]) -> tuple[Number, ...]:
    """Numbers given with commas between."""
    try:
        return tuple(kind(part) for part in text.split(",") if part.strip())
    except ValueError:
        example = "1,2,5" if kind is int else "0,0.2,0.5"
        raise click.BadParameter(f"write numbers, e.g. {example}", param_hint=f"--{option}") from None
