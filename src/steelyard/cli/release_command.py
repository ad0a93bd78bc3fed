"""Give abandoned HITs to others."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

import click

from steelyard.cli.options import database_argument, reason_option

if TYPE_CHECKING:
    from steelyard.flows.release import Released


@click.command()
@database_argument
@click.argument("names", metavar="[WORKER|ASSIGNMENT]...", nargs=-1)
@click.option(
    "--idle", is_flag=True, help="Release every HIT without an answer for longer than a lease lasts."
)
@reason_option
def release(db: str, names: tuple[str, ...], idle: bool, reason: str) -> None:
    """Offer the open HIT of a worker to others.

    What was judged is kept and paid. A worker who comes back goes on with the HIT if its place is still
    free. Idle HITs are released automatically as soon as somebody else asks for work; see lease_minutes
    of `steelyard settings`.
    """
    from steelyard.flows.open import open_campaign
    from steelyard.flows.release import release as release_named
    from steelyard.flows.release import release_idle

    if bool(names) == idle:
        raise click.UsageError("Name the workers whose HITs to release, or give --idle.")
    now = datetime.now(UTC)
    with open_campaign(db) as campaign:
        if idle:
            released = release_idle(campaign, by="command line", now=now, reason=reason)
        else:
            released = release_named(campaign, names, by="command line", now=now, reason=reason)
    for each in released:
        click.echo(_line(each))
    if not released:
        click.echo("No HIT is idle; nothing was released.")


def _line(released: Released) -> str:
    assignment = released.assignment
    return (
        f"Released {assignment.hit_id}, which {assignment.worker_id} had: "
        f"{assignment.n_done} of {assignment.n_items} items were judged and are kept."
    )
