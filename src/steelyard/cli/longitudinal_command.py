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
    PAIR_TEST,
    READING,
    STANDARDISING,
    read_from,
    require_known,
    require_known_check,
)
from steelyard.cli.cell_options import cells_of, cells_option, metric_scores_of, metric_scores_option
from steelyard.cli.named_sources import split_name
from steelyard.cli.options import SectionedCommand, click_options, progress_bar, seed_option
from steelyard.cli.study_command import study_command
from steelyard.domain.options import given_options
from steelyard.evaluation.linking.settings import LinkOptions

if TYPE_CHECKING:
    from steelyard.domain.result import AnalysisSettings
    from steelyard.domain.study import StudyResult
    from steelyard.flows.source import Source

# Options of the one use of the command that mean nothing in the other.
_OF_CELLS = ("cells", "metric", "metric_scores", "test")
_OF_LINKS = ("method", "slope", "common", "draws")


@study_command(
    SectionedCommand,
    click.argument("sources", metavar="[PAIR=]SOURCE…", nargs=-1, required=True),
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
        help="Bring campaigns, oldest first, onto one scale through the items they share.",
    ),
    click.option("--method", help="With --link: how ratings become scores.  [default: mean-z]"),
    *click_options(LinkOptions),
    *KEEPING,
    *STANDARDISING,
    ATTRIBUTE,
    PAIR_TEST,
    BOOTSTRAP_DRAWS,
    *READING,
    seed_option,
)
def longitudinal(sources: tuple[str, ...], **choices: Any) -> list[StudyResult]:
    """Estimate how much translation gained between two years whose test sets differ in difficulty.

    Every SOURCE is a language pair, or one attribute of it (de-en=fluency.csv de-en=adequacy.csv). Its
    systems form four cells: the best of each year, BEST-old and BEST-new, and one present-day system on both
    test sets, CURR-old and CURR-new. With --link the sources are campaigns instead, oldest first.
    """
    require_known_check(choices["check"])
    named = [split_name(source) for source in sources]
    if choices["link"]:
        return _link(named, choices)
    _refuse(choices, _OF_LINKS, "goes with --link: a gain is given in points and in z, and nothing is drawn.")
    return _compare(named, choices)


def _compare(named: Sequence[tuple[str | None, str]], choices: dict[str, Any]) -> list[StudyResult]:
    from steelyard.exhibits.studies.longitudinal import longitudinal_study
    from steelyard.flows.longitudinal import LongitudinalSettings, pair_source
    from steelyard.flows.longitudinal import longitudinal as run_study

    settings = LongitudinalSettings(
        cells=cells_of(choices["cells"]),
        metrics=tuple(name.strip() for name in (choices["metric"] or "").split(",") if name.strip()),
        metric_scores=metric_scores_of(choices["metric_scores"]),
    )
    pairs = []
    for pair, address in named:
        source = read_from(address, choices)
        analysis = _analysis(source, choices, "test")
        pairs.append(pair_source(address, source, analysis, pair=pair, texts=bool(settings.metrics)))
    return [longitudinal_study(run_study(pairs, settings, progress=progress_bar))]


def _link(named: Sequence[tuple[str | None, str]], choices: dict[str, Any]) -> list[StudyResult]:
    from steelyard.aggregation import methods
    from steelyard.exhibits.studies.linked import linked_study
    from steelyard.flows.link_campaigns import link

    _refuse(choices, _OF_CELLS, "is for the cells of two years, not for --link.")
    require_known("method", choices["method"], list(methods()))
    read = []
    for title, address in named:
        source = read_from(address, choices)
        read.append(replace(source, title=title or source.campaign))
    # One check for all: that of the latest campaign, unless one is named.
    analysis = _analysis(read[-1], choices, "method", "draws")
    given = given_options(LinkOptions, choices)
    return [linked_study(link(read, analysis, **given, progress=progress_bar))]


def _refuse(choices: dict[str, Any], options: Sequence[str], why: str) -> None:
    """Refuse options that would do nothing."""
    for option in options:
        if choices[option]:
            raise click.UsageError(f"--{option.replace('_', '-')} {why}")


def _analysis(source: Source, choices: dict[str, Any], *further: str) -> AnalysisSettings:
    from steelyard.flows.settings import settings_from

    return settings_from(source, **{name: choices[name] for name in (*OF_RATINGS, *further)})
