"""The command that plans a campaign's work and cost."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from steelyard.cli.options import json_option, keep_sources, progress_bar, seed_option, write_text
from steelyard.cli.report_files import require_picture
from steelyard.planning.cost import FEE, FEE_FOR_MANY, MANY_ASSIGNMENTS, MINIMUM_WAGE, WAGE
from steelyard.planning.sample_size import LEVEL, POWER, RELIABILITY_OF_ONE_RATING


def _plan_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """What is judged, the goal, and what the work costs."""
    number = click.FLOAT
    for option in reversed(
        (
            click.option("--systems", type=int, help="Number of systems."),
            click.option("--segments", type=int, help="Number of segments that each system translated."),
            click.option(
                "--campaign",
                type=click.Path(path_type=Path),
                metavar="FILE",
                help="Read the texts, systems and HITs from a campaign file.",
            ),
            click.option(
                "--difference",
                type=number,
                help="Goal: find this difference between two systems, in standard deviations.",
            ),
            click.option("--ratings-per-system", type=number, help="Goal: this many ratings per system."),
            click.option("--reliability", type=number, help="Goal: segment scores of this reliability."),
            click.option("--ratings-per-item", type=number, help="Goal: this many ratings per translation."),
            click.option("--budget", type=number, help="The reverse: what a budget can show."),
            click.option(
                "--attribute", help="What is judged; with a protocol, what it asks for.  [default: adequacy]"
            ),
            click.option("--protocol", help="How it is asked: see `steelyard protocols`.  [default: da]"),
            click.option("--hit-size", type=int, help="Items in a HIT.  [default: 100]"),
            click.option(
                "--usable-share",
                type=number,
                help="Share of a HIT's items that count.  [default: from the layout]",
            ),
            click.option(
                "--pass-rate",
                type=number,
                help="Share of the ratings that quality control keeps.  [default: as published]",
            ),
            click.option("--seconds", type=number, help="Seconds per item.  [default: the protocol's]"),
            click.option("--wage", type=number, help=f"Pay for an hour.  [default: {WAGE:g}]"),
            click.option("--pay-per-hit", type=number, help="Pay for a HIT, instead of a wage."),
            click.option(
                "--minimum-wage",
                type=number,
                help=f"Warn if the hourly pay is less.  [default: {MINIMUM_WAGE:g}]",
            ),
            click.option(
                "--fee",
                type=number,
                help="The platform's share on top of the pay.  "
                f"[default: {FEE:g}, or {FEE_FOR_MANY:g} if {MANY_ASSIGNMENTS} share a HIT]",
            ),
            click.option(
                "--rho",
                type=number,
                help=f"Reliability of a single rating.  [default: {RELIABILITY_OF_ONE_RATING:g}]",
            ),
            click.option(
                "--power", type=number, help=f"Chance of finding the difference.  [default: {POWER:g}]"
            ),
            click.option("--level", type=number, help=f"Level of the two-sided test.  [default: {LEVEL:g}]"),
            click.option(
                "--correction",
                help="How all pairs of systems share the level: holm, or none.  [default: holm]",
            ),
            click.option(
                "--pilot",
                metavar="SOURCE",
                help="Take how ratings vary from earlier judgements: a file or a campaign's database.  "
                "[default: as in WMT21 and WMT22]",
            ),
            click.option(
                "--document-length",
                type=number,
                help="Segments of a document, judged together.  [default: single segments]",
            ),
            click.option(
                "--workers", type=int, help="How many workers share the work.  [default: one for 1.8 HITs]"
            ),
            seed_option,
        )
    ):
        command = option(command)
    return command


@click.command()
@_plan_options
@json_option
@click.option(
    "--plot", "plot_file", type=click.Path(path_type=Path), help="Draw the plan: .svg, .png or .pdf."
)
def plan(json_file: str | None, plot_file: Path | None, **choices: Any) -> None:
    """Estimate HITs, hours and cost for a target precision, or what a budget can show.

    Describe what is judged (--systems, --segments or --campaign) and choose a goal (--difference,
    --ratings-per-system, --reliability, --ratings-per-item or --budget). A campaign file alone shows
    what that campaign costs and can find. Costs are in the currency of the wage.
    """
    if plot_file is not None:
        require_picture(plot_file, "--plot")
    keep_sources([str(choices["campaign"])], plot_file, json_file)
    from steelyard.flows.plan import plan as make_plan
    from steelyard.report.plan import plan_text, to_json

    made = make_plan(progress=progress_bar, **choices)
    if plot_file is not None:
        from steelyard.exhibits.studies.plan import plan_figure
        from steelyard.report.figure_file import write_figure

        write_figure(plan_figure(made), plot_file)
    if json_file:
        write_text(to_json(made), json_file)
    if json_file != "-":
        click.echo(plan_text(made))
