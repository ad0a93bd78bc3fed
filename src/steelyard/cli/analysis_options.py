"""The options that decide what an analysis says, and what becomes of them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from steelyard.cli.options import Decorator, progress_bar, seed_option, with_options

if TYPE_CHECKING:
    from steelyard.domain.exhibit import Evidence
    from steelyard.domain.scale import Scale
    from steelyard.flows.source import Source

# Choices of an analysis that say which ratings count and how they are standardised.
OF_RATINGS = (
    *("check", "check_attributes", "require_consistency", "keep_hits", "keep"),
    *("standardise_over", "standardise_per", "attribute", "seed"),
)
# Options that say how a source is read; all others are choices of the analysis.
_READING = ("columns", "scale", "gold_scale", "hit_times")


METHOD = click.option(
    "--method", help="How ratings become scores: see `steelyard methods`.  [default: mean-z]"
)
CHECK = click.option(
    "--check", help="How workers are checked: see `steelyard checks`, or none.  [default: paired-t]"
)
CHECK_ATTRIBUTES = click.option(
    "--check-attributes",
    metavar="NAME,…",
    help="Check workers by these attributes only.  [default: all]",
)
# Which ratings count.
KEEPING: tuple[Decorator, ...] = (
    CHECK,
    CHECK_ATTRIBUTES,
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
        help="Whose ratings count.  [default: passing; everyone for methods that weigh workers]",
    ),
)
STANDARDISING: tuple[Decorator, ...] = (
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
)
_RANKING: tuple[Decorator, ...] = (
    click.option(
        "--clusters",
        type=click.Choice(["strict", "wmt21"]),
        help="Rule for borders.  [default: strict]",
    ),
    click.option(
        "--unit",
        type=click.Choice(["judgement", "worker", "flat"]),
        help="What a segment score averages.  [default: judgement]",
    ),
    click.option(
        "--test",
        type=click.Choice(["rank-sum", "rank-sum-common", "signed-rank", "permutation"]),
        help="Test between systems; all but the first take common segments only.  [default: rank-sum]",
    ),
)
_MODELLING: tuple[Decorator, ...] = (
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
)
# How workers are weighed against an expert.
WEIGHING: tuple[Decorator, ...] = (
    click.option(
        "--gold-form",
        type=click.Choice(["usual", "printed"]),
        help="two-stage: how distance from gold becomes a weight.  [default: usual, 0 at chance]",
    ),
    click.option(
        "--gold-expected",
        type=click.Choice(["uniform", "gold"]),
        help="two-stage: the distance that chance gives, of two random ratings or of one from the gold."
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
)
BOOTSTRAP_DRAWS = click.option(
    "--draws",
    type=click.IntRange(min=0),
    help="Draws of the bootstrap behind the intervals.  [default: 1000]",
)
ATTRIBUTE = click.option("--attribute", help="Take one attribute of a file with several.")
# How a file is read.
READING: tuple[Decorator, ...] = (
    click.option("--scale", metavar="MIN,MAX", help="Range of the ratings in a file.  [default: 0,100]"),
    click.option(
        "--columns",
        metavar="OURS=THEIRS,…",
        help="Column names of a file, e.g. worker=login,rating=points.",
    ),
)
GOLD_SCALE = click.option(
    "--gold-scale",
    metavar="MIN,MAX",
    help="Range of an expert's ratings in a file.  [default: that of the ratings]",
)
HIT_TIMES = click.option(
    "--hit-times",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="A table of when each HIT was taken and handed in.",
)


# The options of every command that analyses judgements.
analysis_options = with_options(
    METHOD,
    *KEEPING,
    *STANDARDISING,
    *_RANKING,
    *_MODELLING,
    *WEIGHING,
    click.option(
        "--recipe",
        type=click.Choice(["wmt"]),
        help="All of these as WMT21/22 had them; options given beside it win.",
    ),
    ATTRIBUTE,
    BOOTSTRAP_DRAWS,
    *READING,
    GOLD_SCALE,
    HIT_TIMES,
    seed_option,
)


def evidence_from(sources: Sequence[str], choices: dict[str, Any]) -> list[Evidence]:
    """Each source read and analysed as the options say."""
    from steelyard.aggregation import methods
    from steelyard.flows.analyse import weigh
    from steelyard.flows.settings import settings_from

    require_known("method", choices["method"], list(methods()))
    require_known_check(choices["check"])
    wished = {name: value for name, value in choices.items() if name not in _READING}
    found = []
    with progress_bar("Analysing", 2 * len(sources)) as step:
        for address in sources:
            source = read_from(address, choices)
            step(1)
            found.append(weigh(source, settings_from(source, **wished)))
            step(1)
    return found


def read_from(address: str, choices: dict[str, Any]) -> Source:
    """A source read as the options say, as far as the command has them."""
    from steelyard.flows.source import read_source

    return read_source(
        address,
        columns=columns_of(choices["columns"]),
        scale=scale_of(choices["scale"]),
        gold_scale=scale_of(choices.get("gold_scale"), option="--gold-scale"),
        hit_times=choices.get("hit_times"),
    )


def require_known_check(name: str | None) -> None:
    """Refuse a check that there is not."""
    from steelyard.qc import checks

    require_known("check", name, [*checks(), "none"])


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
