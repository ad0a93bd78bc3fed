"""The command that shows how well ratings are replicated, and how many it takes."""

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
from steelyard.cli.options import SectionedCommand, click_options, progress_bar, seed_option, source_argument
from steelyard.cli.study_command import study_command
from steelyard.domain.options import given_options
from steelyard.evaluation.replication.settings import ReplicationSettings
from steelyard.planning.cost import FEE, WAGE

if TYPE_CHECKING:
    from steelyard.domain.study import StudyResult

_PRICES = ("wage", "fee", "pass_rate", "seconds")


@study_command(
    SectionedCommand,
    source_argument,
    click.argument("second", metavar="[SECOND]", required=False),
    *click_options(ReplicationSettings),
    click.option(
        "--split", is_flag=True, help="Split the workers of each source instead of comparing two sources."
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
    *KEEPING,
    *STANDARDISING,
    ATTRIBUTE,
    *READING,
    HIT_TIMES,
    seed_option,
)
def replicate(source: str, second: str | None, **choices: Any) -> list[StudyResult]:
    """Estimate how well ratings would be replicated, and how many a dependable score takes.

    Means of N ratings per translation are drawn from SOURCE and compared with those of SECOND, a second
    collection of the same translations. Without SECOND, the workers of SOURCE are split into two halves, over
    and over. The reliability of one rating gives the number of ratings for a target reliability, and its
    cost.
    """
    from steelyard.exhibits.studies.replication import replication_study
    from steelyard.flows.replicate import Prices
    from steelyard.flows.replicate import replicate as run_study
    from steelyard.flows.settings import settings_from

    require_known_check(choices["check"])
    read = [read_from(address, choices) for address in (source, second) if address is not None]
    pairs = [(one, None) for one in read] if choices["split"] else [(read[0], read[1] if second else None)]
    prices = Prices(**{name: choices[name] for name in _PRICES})
    found = []
    for first, other in pairs:
        analysis = settings_from(first, **{name: choices[name] for name in OF_RATINGS})
        settings = ReplicationSettings(**given_options(ReplicationSettings, choices), analysis=analysis)
        found.append(run_study(first, other, settings, prices=prices, progress=progress_bar))
    return [replication_study(one) for one in found]
