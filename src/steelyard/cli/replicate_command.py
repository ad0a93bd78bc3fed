"""The command that tells how well ratings are replicated, and how many it takes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from steelyard.cli.analysis_options import (
    ATTRIBUTE,
    HIT_TIMES,
    KEEPING,
    OF_RATINGS,
    READING,
    STANDARDISING,
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
from steelyard.planning.cost import FEE, WAGE

if TYPE_CHECKING:
    from steelyard.evaluation.replication.settings import Replication, ReplicationSettings
    from steelyard.flows.source import Source

_PRICES = ("wage", "fee", "pass_rate", "seconds")


# What is wanted, what it may cost, and how often ratings are drawn.
_study_options = with_options(
    click.option(
        "--reliability",
        default="0.9",
        show_default=True,
        metavar="R,…",
        help="Wanted: scores of single translations of such reliability.",
    ),
    click.option(
        "--split",
        is_flag=True,
        help="Split the workers of each source, rather than hold one against the other.",
    ),
    click.option(
        "--draws",
        type=click.IntRange(min=20),
        default=200,
        show_default=True,
        help="Number of draws.",
    ),
    click.option("--wage", type=click.FLOAT, help=f"Pay for an hour.  [default: {WAGE:g}]"),
    click.option(
        "--fee", type=click.FLOAT, help=f"The platform's share on top of the pay.  [default: {FEE:g}]"
    ),
    click.option(
        "--pass-rate",
        type=click.FLOAT,
        help="Share of the ratings that the check keeps.  [default: as here; as published without one]",
    ),
    click.option("--seconds", type=click.FLOAT, help="Seconds per item.  [default: the protocol's]"),
)


# Which ratings are good, how they are standardised, and how files are read.
_rating_options = with_options(*KEEPING, *STANDARDISING, ATTRIBUTE, *READING, HIT_TIMES, seed_option)


@click.command()
@source_argument
@click.argument("second", metavar="[SECOND]", required=False)
@_study_options
@_rating_options
@json_option
def replicate(source: str, second: str | None, json_file: str | None, **choices: Any) -> None:
    """Tell how well the ratings of SOURCE are replicated, and how many a dependable score takes.

    Means of N ratings per translation are drawn from SOURCE and held against those of SECOND, a second
    collection of the same translations. Without SECOND, the workers of SOURCE are split in two halves, again
    and again. From the reliability of one rating follow the ratings that a wanted one takes, and their cost.
    """
    from steelyard.flows.replicate import Prices
    from steelyard.report.replication import several_to_json, to_json, to_text

    keep_sources([source, str(second), str(choices["hit_times"])], json_file)
    require_known_check(choices["check"])
    wanted = _reliabilities(choices["reliability"])
    read = [read_from(address, choices) for address in (source, second) if address is not None]
    studies = [(one, None) for one in read] if choices["split"] else [(read[0], read[1] if second else None)]
    prices = Prices(**{name: choices[name] for name in _PRICES})
    made = [_study(first, other, _settings(first, choices, wanted), prices) for first, other in studies]
    document = to_json(made[0]) if len(made) == 1 else several_to_json(made)
    show("\n\n\n".join(map(to_text, made)), document, json_file)


def _study(first: Source, second: Source | None, settings: ReplicationSettings, prices: Any) -> Replication:
    from steelyard.flows.replicate import replicate as study

    return study(first, second, settings, prices=prices, progress=progress_bar)


def _settings(source: Source, choices: dict[str, Any], wanted: tuple[float, ...]) -> ReplicationSettings:
    from steelyard.evaluation.replication.settings import ReplicationSettings
    from steelyard.flows.settings import settings_from

    analysis = settings_from(source, **{name: choices[name] for name in OF_RATINGS})
    return ReplicationSettings(reliability=wanted, draws=choices["draws"], analysis=analysis)


def _reliabilities(text: str) -> tuple[float, ...]:
    try:
        wanted = tuple(float(part) for part in text.split(",") if part.strip())
    except ValueError:
        wanted = ()
    if not wanted:
        raise click.BadParameter("write numbers below 1, e.g. 0.9,0.95", param_hint="--reliability")
    return wanted
