"""The options that decide what an analysis says, and what becomes of them."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from steelyard.cli.options import progress_bar, seed_option

if TYPE_CHECKING:
    from steelyard.domain.exhibit import Evidence
    from steelyard.domain.scale import Scale

# Options that say how a source is read; all others are choices of the analysis.
_READING = ("columns", "scale", "gold_scale", "hit_times")


def analysis_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """The options of every command that analyses judgements."""
    for option in reversed(
        (
            click.option(
                "--method", help="How ratings become scores: see `steelyard methods`.  [default: mean-z]"
            ),
            click.option(
                "--check",
                help="How workers are checked: see `steelyard checks`, or none.  [default: paired-t]",
            ),
            click.option(
                "--check-attributes",
                metavar="NAME,…",
                help="Check workers by these attributes only.  [default: all]",
            ),
            click.option(
                "--require-consistency",
                is_flag=True,
                help="Passing also asks that repeats be rated as at first.",
            ),
            click.option(
                "--keep-hits/--exclude-hits",
                default=None,
                help="Keep or leave out single HITs that were rejected or careless.  [default: leave out]",
            ),
            click.option(
                "--keep",
                type=click.Choice(["everyone", "passing"]),
                help="Whose ratings are scored.  [default: passing; everyone for methods that weigh workers]",
            ),
            click.option(
                "--clusters",
                type=click.Choice(["strict", "wmt21"]),
                help="Rule for borders.  [default: strict]",
            ),
            click.option(
                "--standardise-over",
                type=click.Choice(["all", "system"]),
                help="Ratings that define a worker's mean.  [default: all]",
            ),
            click.option(
                "--standardise-per",
                type=click.Choice(["worker", "attribute"]),
                help="Of several attributes, standardise all together or each alone.  [default: worker]",
            ),
            click.option(
                "--unit",
                type=click.Choice(["judgement", "worker", "flat"]),
                help="What a segment score averages.  [default: judgement]",
            ),
            click.option(
                "--test",
                type=click.Choice(["rank-sum", "rank-sum-common", "signed-rank", "permutation"]),
                help="Test between systems; all but the first take common segments only."
                "  [default: rank-sum]",
            ),
            click.option(
                "--offset-per",
                type=click.Choice(["usual", "worker", "system", "hit"]),
                help="Worker models: what shares an offset.",
            ),
            click.option(
                "--ends",
                type=click.Choice(["open", "censored", "truncated"]),
                help="worker-model-ep, -gibbs: what a rating at an end of the scale says.  [default: open]",
            ),
            click.option(
                "--random-clicks",
                is_flag=True,
                help="worker-model-ep, -gibbs: any rating may be a click at random.",
            ),
            click.option(
                "--gold-form",
                type=click.Choice(["usual", "printed"]),
                help="two-stage: how distance from gold becomes a weight.  [default: usual, 0 at chance]",
            ),
            click.option(
                "--gold-expected",
                type=click.Choice(["uniform", "gold"]),
                help="two-stage: whose distance chance is, two random ratings' or one's from the gold."
                "  [default: uniform]",
            ),
            click.option(
                "--vote-by",
                type=click.Choice(["gold", "others"]),
                help="weighted-vote: whom a worker must agree with.  [default: gold]",
            ),
            click.option(
                "--without-gold",
                type=click.Choice(["exclude", "shrunk"]),
                help="Methods with gold: what becomes of workers who judged none.  [default: exclude]",
            ),
            click.option(
                "--recipe",
                type=click.Choice(["wmt"]),
                help="All of these as WMT21/22 had them; options given beside it win.",
            ),
            click.option("--attribute", help="Take one attribute of a file with several."),
            click.option(
                "--draws",
                type=click.IntRange(min=0),
                help="Draws of the bootstrap behind the intervals.  [default: 1000]",
            ),
            click.option(
                "--scale", metavar="MIN,MAX", help="Range of the ratings in a file.  [default: 0,100]"
            ),
            click.option(
                "--gold-scale",
                metavar="MIN,MAX",
                help="Range of the known ratings in a file.  [default: that of the ratings]",
            ),
            click.option(
                "--columns",
                metavar="OURS=THEIRS,…",
                help="Column names of a file, e.g. worker=login,rating=points.",
            ),
            click.option(
                "--hit-times",
                type=click.Path(path_type=Path),
                metavar="FILE",
                help="A table of when each HIT was taken and handed in.",
            ),
            seed_option,
        )
    ):
        command = option(command)
    return command


def evidence_from(sources: Sequence[str], choices: dict[str, Any]) -> list[Evidence]:
    """Each source read and analysed as the options say."""
    from steelyard.aggregation import methods
    from steelyard.flows.analyse import weigh
    from steelyard.flows.settings import settings_from
    from steelyard.flows.source import read_source
    from steelyard.qc import checks

    require_known("method", choices["method"], list(methods()))
    require_known("check", choices["check"], [*checks(), "none"])
    reading = {
        "columns": columns_of(choices["columns"]),
        "scale": scale_of(choices["scale"]),
        "gold_scale": scale_of(choices["gold_scale"], option="--gold-scale"),
        "hit_times": choices["hit_times"],
    }
    wished = {name: value for name, value in choices.items() if name not in _READING}
    found = []
    with progress_bar("Analysing", 2 * len(sources)) as step:
        for address in sources:
            source = read_source(address, **reading)
            step(1)
            found.append(weigh(source, settings_from(source, **wished)))
            step(1)
    return found


def require_known(option: str, name: str | None, known: list[str]) -> None:
    """Refuse a name that is not among those known; None was not given."""
    if name is not None and name not in known:
        raise click.BadParameter(
            f"{name!r} is unknown; there is: {', '.join(known)}.", param_hint=f"--{option}"
        )


def columns_of(text: str | None) -> dict[str, str] | None:
    """Our columns and theirs, from `--columns`."""
    if text is None:
        return None
    pairs = [part.partition("=") for part in text.split(",")]
    if not all(ours.strip() and equals and theirs.strip() for ours, equals, theirs in pairs):
        raise click.BadParameter("write it as worker=login,rating=points", param_hint="--columns")
    return {ours.strip(): theirs.strip() for ours, _, theirs in pairs}


def scale_of(text: str | None, *, option: str = "--scale") -> Scale | None:
    """The scale of the ratings, from `--scale`, or another from the option of that name."""
    from steelyard.domain.scale import Scale

    if text is None:
        return None
    try:
        low, high = (float(part) for part in text.split(","))
    except ValueError:
        low = high = 0.0
    if not (low < high and math.isfinite(high - low)):
        raise click.BadParameter("write it as two numbers, the smaller first, e.g. 0,100", param_hint=option)
    return Scale(low, high)
