"""Commands over all campaigns of a series: which ones, what to print, and how to end."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from steelyard.domain.errors import NotEnoughData, as_command_line

if TYPE_CHECKING:
    from steelyard.domain.errors import EvaluationError
    from steelyard.flows.series import CampaignPlace, Outcome, Series

Result = TypeVar("Result")


def series_at(address: str) -> Series | None:
    """The series at an address; None for a single campaign or a file."""
    if "://" not in address and not Path(address).is_dir():
        return None
    from steelyard.flows.series import find_series

    return find_series(address)


def say_for_each(db: str, act: Callable[[str, str], str]) -> int:
    """Do something with a campaign, or with each of a series, and print what it says; returns the exit code.

    `act` takes the address of a campaign, and its name if it is one of several.
    """
    series = series_at(db)
    if series is None:
        click.echo(act(db, ""))
        return 0
    from steelyard.flows.series import for_each

    def said(place: CampaignPlace) -> None:
        click.echo(f"{place.name}: {act(place.address, place.name)}")

    return ended(for_each(series, said))


def say_each(outcomes: Sequence[Outcome[Result]], text: Callable[[Result], str]) -> None:
    """Print what was found about each campaign under its name."""
    for outcome in outcomes:
        if outcome.result is not None:
            click.echo(f"{heading(outcome.name)}\n{text(outcome.result)}\n")


def heading(name: str) -> str:
    """A campaign's name above what is printed about it."""
    return f"{name}\n{'=' * len(name)}"


def campaign_records(
    outcomes: Sequence[Outcome[Result]], record: Callable[[Result], dict[str, Any]]
) -> list[dict[str, Any]]:
    """The campaigns for a program, each as it would be alone; one that failed says why."""
    return [
        {
            "campaign": outcome.name,
            **({"error": spelt(outcome.error)} if outcome.result is None else record(outcome.result)),
        }
        for outcome in outcomes
    ]


def ended(outcomes: Sequence[Outcome[Any]]) -> int:
    """Say what failed; returns the exit code: that of the worst failure, or 0."""
    errors = [(outcome.name, outcome.error) for outcome in outcomes if outcome.error is not None]
    for name, error in errors:
        click.echo(f"Error: {name}: {spelt(error)}", err=True)
    if not errors:
        return 0
    return 1 if all(isinstance(error, NotEnoughData) for _, error in errors) else 2


def spelt(error: EvaluationError | None) -> str:
    """The message of an error, with options as people type them."""
    return "" if error is None else error.spelt(as_command_line)


def file_of_campaign(target: Path, name: str) -> Path:
    """The file of one campaign, named after the one given for all: FILE.NAME.csv for FILE.csv."""
    if not name:
        return target
    return target.with_name(f"{target.stem}.{name}{target.suffix}")
