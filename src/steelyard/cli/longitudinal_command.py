"""The command that compares two years, or links campaigns of several years."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from steelyard.cli.analysis_options import (
    ATTRIBUTE,
    BOOTSTRAP_DRAWS,
    KEEPING,
    OF_RATINGS,
    READING,
    STANDARDISING,
    read_from,
    require_known,
    require_known_check,
)
from steelyard.cli.cell_options import cells_of, cells_option, metric_scores_of, metric_scores_option
from steelyard.cli.named_sources import split_name
from steelyard.cli.options import json_option, keep_sources, progress_bar, seed_option, show, with_options

if TYPE_CHECKING:
    from steelyard.domain.result import AnalysisSettings
    from steelyard.flows.source import Source

# Options of the one use of the command that mean nothing in the other.
_OF_CELLS = ("cells", "metric", "metric_scores")
_OF_LINKS = ("method", "slope", "common")


# What is compared, and which ratings count.
_study_options = with_options(
    cells_option,
    click.option(
        "--metric",
        metavar="NAME,…",
        help="Metrics to compute from the texts of a campaign's database: bleu, chrf, ter.",
    ),
    metric_scores_option,
    click.option(
        "--link",
        is_flag=True,
        help="Bring campaigns, the oldest first, onto one scale by items they have in common.",
    ),
    click.option("--method", help="With --link: how ratings become scores.  [default: mean-z]"),
    click.option(
        "--slope",
        type=click.Choice(["free", "one"]),
        help="With --link: fit a line, or only a shift for points of one page.  [default: free]",
    ),
    click.option(
        "--common",
        type=click.Choice(["auto", "known", "calibration", "translations"]),
        help="With --link: the items in common: calibration items by their earlier scores (known) or "
        "judged in both, or translations judged in both.  [default: auto, known or calibration]",
    ),
    *KEEPING,
    *STANDARDISING,
    ATTRIBUTE,
    BOOTSTRAP_DRAWS,
    *READING,
    seed_option,
)


@click.command()
@click.argument("sources", metavar="[PAIR=]SOURCE…", nargs=-1, required=True)
@_study_options
@json_option
def longitudinal(sources: tuple[str, ...], json_file: str | None, **choices: Any) -> None:
    """Tell how much translation gained between two years whose test sets differ in difficulty.

    Every SOURCE is a language pair, or one attribute of it (de-en=fluency.csv de-en=adequacy.csv). Its
    systems are four cells: the best of each year, BEST-old and BEST-new, and one present-day system on both
    test sets, CURR-old and CURR-new. With --link the sources are campaigns instead, the oldest first.
    """
    require_known_check(choices["check"])
    if choices["link"]:
        _link(sources, json_file, choices)
        return
    _refuse(choices, _OF_LINKS, "goes with --link: a gain is always told on points and on z.")
    _compare(sources, json_file, choices)


def _compare(arguments: Sequence[str], json_file: str | None, choices: dict[str, Any]) -> None:
    from steelyard.flows.longitudinal import LongitudinalSettings, pair_source
    from steelyard.flows.longitudinal import longitudinal as compare
    from steelyard.report.longitudinal import to_json, to_text

    named = [split_name(argument) for argument in arguments]
    keep_sources([*(address for _, address in named), str(choices["metric_scores"])], json_file)
    settings = LongitudinalSettings(
        cells=cells_of(choices["cells"]),
        metrics=tuple(name.strip() for name in (choices["metric"] or "").split(",") if name.strip()),
        metric_scores=metric_scores_of(choices["metric_scores"]),
    )
    pairs = []
    for pair, address in named:
        source = read_from(address, choices)
        analysis = _analysis(source, choices)
        pairs.append(pair_source(address, source, analysis, pair=pair, texts=bool(settings.metrics)))
    made = compare(pairs, settings, progress=progress_bar)
    show(to_text(made), to_json(made), json_file)


def _link(arguments: Sequence[str], json_file: str | None, choices: dict[str, Any]) -> None:
    from steelyard.aggregation import methods
    from steelyard.flows.link_campaigns import link
    from steelyard.report.linked import to_json, to_text

    _refuse(choices, _OF_CELLS, "is for the cells of two years, not for --link.")
    require_known("method", choices["method"], list(methods()))
    named = [split_name(argument) for argument in arguments]
    keep_sources([address for _, address in named], json_file)
    read = []
    for title, address in named:
        source = read_from(address, choices)
        read.append(replace(source, title=title or source.campaign))
    # One check for all: that of the latest campaign, unless one is named.
    analysis = _analysis(read[-1], choices, method=choices["method"])
    made = link(
        read,
        analysis,
        slope=choices["slope"] or "free",
        common=choices["common"] or "auto",
        progress=progress_bar,
    )
    show(to_text(made), to_json(made), json_file)


def _refuse(choices: dict[str, Any], options: Sequence[str], why: str) -> None:
    """Refuse options that would do nothing."""
    for option in options:
        if choices[option]:
            raise click.UsageError(f"--{option.replace('_', '-')} {why}")


def _analysis(source: Source, choices: dict[str, Any], *, method: str | None = None) -> AnalysisSettings:
    from steelyard.flows.settings import settings_from

    return settings_from(source, method=method, **{name: choices[name] for name in (*OF_RATINGS, "draws")})
