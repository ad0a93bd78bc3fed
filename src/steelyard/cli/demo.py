"""`steelyard demo`: a whole campaign in half a minute."""

from __future__ import annotations

import click

from steelyard.cli.options import port_option


@click.command()
@click.option("--once", is_flag=True, help="Run to the report and exit.")
@port_option
def demo(once: bool, port: int | None) -> None:
    """Create a small campaign, let a simulated crowd judge it, show the results."""
    from steelyard.cli.demonstration import demonstrate

    demonstrate(once=once, port=port)
