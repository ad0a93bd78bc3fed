"""The command that compares methods on a user's own judgements."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar

import click

from steelyard.cli.analysis_options import (
    ATTRIBUTE,
    CHECK,
    CHECK_ATTRIBUTES,
    GOLD_SCALE,
    READING,
    MethodsCommand,
    of_methods,
    read_from,
    require_known_check,
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
    from steelyard.evaluation.settings import EvaluationSettings
    from steelyard.flows.source import Source

Number = TypeVar("Number", int, float)


# What is tried, and against what.
_evaluation_options = with_options(
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
    CHECK,
    CHECK_ATTRIBUTES,
    ATTRIBUTE,
    *READING,
    GOLD_SCALE,
    seed_option,
)


@click.command(cls=MethodsCommand)
@source_argument
@_evaluation_options
@json_option
def evaluate(source: str, json_file: str | None, **choices: Any) -> None:
    """Tell which method would serve best, by trials on the judgements of SOURCE.

    A trial takes part of the ratings, lets every method score them, and correlates the scores with a truth
    made from ratings that no method has seen. All methods see the same trials.
    """
    from steelyard.flows.evaluate import evaluate as try_methods
    from steelyard.report.evaluation import to_json, to_text

    keep_sources([source], json_file)
    require_known_check(choices["check"])
    wished = {
        "ratings": _numbers("ratings", choices["ratings"] or "", int),
        "spam": _numbers("spam", choices["spam"], float),
        "methods": tuple(name.strip() for name in (choices["methods"] or "").split(",") if name.strip()),
    }
    read = read_from(source, choices)
    made = try_methods(read, _settings(read, choices, wished), progress=progress_bar)
    show(to_text(made), to_json(made), json_file)


def _settings(read: Source, choices: dict[str, Any], wished: dict[str, Any]) -> EvaluationSettings:
    from steelyard.evaluation.entries import compared_methods
    from steelyard.evaluation.settings import EvaluationSettings
    from steelyard.flows.settings import settings_from

    same = {name: choices[name] for name in ("draws", "level", "truth", "share", "least_truth")}
    asked = EvaluationSettings(**wished, **same)
    analysis = settings_from(
        read,
        compared=compared_methods(asked),
        check=choices["check"],
        check_attributes=choices["check_attributes"],
        attribute=choices["attribute"],
        seed=choices["seed"],
        **of_methods(choices),
    )
    return replace(asked, analysis=analysis)


def _numbers(option: str, text: str, kind: type[Number]) -> tuple[Number, ...]:
    """Numbers given with commas between."""
    try:
        return tuple(kind(part) for part in text.split(",") if part.strip())
    except ValueError:
        example = "1,2,5" if kind is int else "0,0.2,0.5"
        raise click.BadParameter(f"write numbers, e.g. {example}", param_hint=f"--{option}") from None
