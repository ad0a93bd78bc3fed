"""Commands for a person's verdicts on workers: exclude, reinstate, block, unblock."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

import click

from steelyard.cli.options import database_argument, printable_address, reason_option

if TYPE_CHECKING:
    from steelyard.flows.exclude import Decision

_worker_argument = click.argument("worker", metavar="WORKER")
_hit_option = click.option("--hit", metavar="HIT", help="Only this HIT of the worker, not all of them.")


@click.command()
@database_argument
@_worker_argument
@_hit_option
@click.option("--reason", required=True, metavar="TEXT", help="Why; analyses say so.")
@click.option("--keep-place", is_flag=True, help="Do not offer the worker's places to others.")
def exclude(db: str, worker: str, hit: str | None, reason: str, keep_place: bool) -> None:
    """Leave a worker's judgements, or those of one HIT, out of analyses.

    Nothing is deleted, and `reinstate` undoes it. The places are offered to others unless --keep-place is
    given. A worker who is excluded as a whole gets no further HIT.
    """
    from steelyard.domain.wording import counted
    from steelyard.flows.exclude import exclude as leave_out
    from steelyard.flows.open import open_campaign

    with open_campaign(db) as campaign:
        done = leave_out(
            campaign, _decision(worker, reason, hit), now=datetime.now(UTC), replace=not keep_place
        )
    places = f"{counted(len(done.offered), 'place')} offered to others: {', '.join(done.offered)}."
    click.echo(f"Excluded: {_named(worker, hit)} ({done.reason}). {places if done.offered else ''}".rstrip())
    own_hit = "" if hit is None else f" --hit {hit}"
    if hit is None:
        click.echo(f"{worker} gets no further work.")
    click.echo(f"To undo it: steelyard reinstate {printable_address(db)} {worker}{own_hit}")


@click.command()
@database_argument
@_worker_argument
@_hit_option
@reason_option
def reinstate(db: str, worker: str, hit: str | None, reason: str) -> None:
    """Let a worker's judgements, or those of one HIT, count again.

    Places that were offered to others are taken back where they are still free.
    """
    from steelyard.flows.exclude import reinstate as let_count
    from steelyard.flows.open import open_campaign

    with open_campaign(db) as campaign:
        done = let_count(campaign, _decision(worker, reason, hit), now=datetime.now(UTC))
    click.echo(f"Reinstated: {_named(worker, hit)}.")
    if done.taken_back:
        click.echo(f"Places taken back: {', '.join(done.taken_back)}.")
    if done.surplus:
        click.echo(
            f"Somebody else has taken the place by now, so there is one judgement more than wanted for each "
            f"item of: {', '.join(done.surplus)}."
        )


@click.command()
@database_argument
@_worker_argument
@reason_option
def block(db: str, worker: str, reason: str) -> None:
    """Give a worker no further work; what was judged counts.

    A HIT under way is offered to others. `unblock` undoes it, `exclude` is about the judgements.
    """
    from steelyard.flows.exclude import block as give_no_work
    from steelyard.flows.open import open_campaign

    with open_campaign(db) as campaign:
        done = give_no_work(campaign, _decision(worker, reason), now=datetime.now(UTC))
    released = (
        f" HIT {', '.join(done.released)} was under way and is offered to others." if done.released else ""
    )
    click.echo(f"{worker} gets no further work.{released}")


@click.command()
@database_argument
@_worker_argument
@reason_option
def unblock(db: str, worker: str, reason: str) -> None:
    """Let a blocked worker take HITs again."""
    from steelyard.flows.exclude import unblock as give_work
    from steelyard.flows.open import open_campaign

    with open_campaign(db) as campaign:
        give_work(campaign, _decision(worker, reason), now=datetime.now(UTC))
    click.echo(f"{worker} can take HITs.")


def _decision(worker: str, reason: str, hit: str | None = None) -> Decision:
    from steelyard.flows.exclude import Decision

    return Decision(worker, "command line", reason, hit)


def _named(worker: str, hit: str | None) -> str:
    return f"worker {worker}" if hit is None else f"HIT {hit} of worker {worker}"
