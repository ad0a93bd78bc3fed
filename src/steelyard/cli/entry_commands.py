"""Commands about what workers wrote, and what they said before their first set."""

from __future__ import annotations

import sys
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from steelyard.cli.options import database_argument, keep_sources, reason_option
from steelyard.cli.over_series import file_of_campaign, say_for_each
from steelyard.domain.wording import counted, joined

if TYPE_CHECKING:
    from steelyard.flows.background import Background, Backgrounds
    from steelyard.flows.open import OpenCampaign
    from steelyard.flows.remarks import PlacedRemark

target_file_option = click.option(
    "--to",
    "target",
    type=click.Path(path_type=Path),
    help="Write a .csv, .tsv, .jsonl or .parquet file that only you can read, in place of printing.",
)


@click.command()
@database_argument
@target_file_option
def remarks(db: str, target: Path | None) -> int:
    """Print what workers wrote to you: comments, and problems that they reported with items.

    In a series each campaign gets a file of its own: NAME.CAMPAIGN.csv for NAME.csv.
    """
    from steelyard.flows.remarks import campaign_remarks, export_remarks

    def lines(campaign: OpenCampaign) -> list[str]:
        return [remark_line(each) for each in reversed(campaign_remarks(campaign).remarks)]

    nothing = "Nobody has written anything yet."
    return _print_or_write(db, target, lines, export_remarks, "remark", nothing)


@click.command()
@database_argument
@target_file_option
def background(db: str, target: Path | None) -> int:
    """Print who agreed to take part, what workers answered before their first set, and how training went.

    In a series each campaign gets a file of its own: NAME.CAMPAIGN.csv for NAME.csv.
    """
    from steelyard.flows.background import backgrounds, export_background

    def lines(campaign: OpenCampaign) -> list[str]:
        found = backgrounds(campaign)
        return [_background_line(worker, found) for worker in found.workers]

    nothing = "Nobody was asked anything yet."
    return _print_or_write(db, target, lines, export_background, "worker", nothing)


def _print_or_write(
    db: str,
    target: Path | None,
    lines: Callable[[OpenCampaign], list[str]],
    export: Callable[[OpenCampaign, Path], int],
    noun: str,
    nothing: str,
) -> int:
    """Print the lines of a campaign, or write its table; of a series, campaign by campaign."""
    from steelyard.flows.open import open_campaign

    keep_sources([db], target)

    def act(address: str, name: str) -> str:
        with open_campaign(address) as campaign:
            if target is not None:
                file = file_of_campaign(target, name)
                return f"{counted(export(campaign, file), noun)} in {file}"
            found = lines(campaign)
        return _listed(found, name) if found else nothing

    return say_for_each(db, act)


@click.command()
@database_argument
@click.argument("worker", metavar="[WORKER]", required=False)
@click.option("--all", "everybody", is_flag=True, help="Erase the same of everybody, in a closed campaign.")
@click.option("--yes", is_flag=True, help="Do not ask before.")
@reason_option
def erase(db: str, worker: str | None, everybody: bool, yes: bool, reason: str) -> None:
    """Erase what could identify a worker: name, e-mail address, ids on a platform, answers, remarks.

    There is no way back. That they agreed stays, as proof, and so do their judgements (`exclude` leaves those
    out of the scores) and what they were paid. Backups made before still hold everything, and so does what
    managers wrote in the log as reasons: names do not belong there.

    With --all this is done for everybody, once the day has come until which the campaign keeps such data
    (`settings --retain-until`). The lists of those who may not join go too.
    """
    from steelyard.flows.erase import erase as erase_person
    from steelyard.flows.open import open_campaign

    if (worker is None) != everybody:
        raise click.UsageError("Name a worker, or use --all for everybody; not both.")
    with open_campaign(db) as campaign:
        if worker is None:
            _erase_everybody(campaign, reason, yes=yes)
            return
        if not yes and sys.stdin.isatty():
            name = campaign.settings.name
            click.confirm(f"What points to {worker} is erased from {name}, for good. Go on?", abort=True)
        done = erase_person(campaign, worker, by="command line", now=datetime.now(UTC), reason=reason)
    what = [
        *(["name or address"] if done.had_name else []),
        *(["id on a platform"] if done.was_participant else []),
        *([counted(done.n_sessions, "session") + " there"] if done.n_sessions else []),
        *([counted(done.n_answers, "answer")] if done.n_answers else []),
        *([counted(done.n_remarks, "remark")] if done.n_remarks else []),
    ]
    click.echo(f"{worker}: erased {joined(what)}." if what else f"{worker}: there was nothing to erase.")


def _erase_everybody(campaign: OpenCampaign, reason: str, *, yes: bool) -> None:
    from steelyard.flows.erase import erase_all, recognisable
    from steelyard.flows.retention import people_in_words

    now = datetime.now(UTC)
    found = recognisable(campaign)
    if found.n_people and not yes:
        early = found.until is not None and now.date() < found.until
        soon = f" The campaign keeps it until {found.until}, which has not come yet." if early else ""
        people = people_in_words(found.n_people)
        click.confirm(
            f"All that points to {people} is erased from {campaign.settings.name}, for good. Judgements and "
            f"amounts paid stay.{soon} Go on?",
            abort=True,
        )
    n_people = erase_all(campaign, by="command line", now=now, reason=reason)
    click.echo(
        f"Erased what pointed to {people_in_words(n_people)}." if n_people else "Nothing points to anybody."
    )


def _listed(lines: list[str], name: str) -> str:
    """Lines for the terminal; below its name where a campaign is one of several."""
    from steelyard.report.characters import printable

    return "\n".join(["", *map(printable, lines)] if name else map(printable, lines))


def remark_line(placed: PlacedRemark) -> str:
    """A remark in a line."""
    remark = placed.remark
    where = "" if placed.position is None else f" (HIT {placed.hit_id}, item {placed.position})"
    text = " ".join(remark.text.split())
    return f"{remark.made_at:%Y-%m-%d %H:%M}  {remark.worker_id}  {remark.kind}{where}: {text}"


def _background_line(worker: Background, found: Backgrounds) -> str:
    return f"{worker.worker_id}  {'; '.join(background_words(worker, found.n_training))}"


def background_words(worker: Background, n_training: int) -> list[str]:
    """What a worker did before the first set, in words."""
    words = []
    if worker.decided_at is not None:
        said = "agreed" if worker.agrees else "did not agree"
        text = "" if worker.is_current is not False else " to an earlier text"
        words.append(f"{said}{text} on {worker.decided_at:%Y-%m-%d %H:%M}")
    words += [
        f"{name}: {', '.join(answer) if isinstance(answer, list) else answer}"
        for name, answer in worker.answers.items()
    ]
    if worker.is_accepted is False:
        words.append("not accepted")
    if worker.training:
        n_expected = sum(item.first_expected is True for item in worker.training)
        n_judged = sum(item.first_expected is not None for item in worker.training)
        at_once = f", {n_expected} of {n_judged} as expected at once" if n_judged else ""
        words.append(f"training: {len(worker.training)} of {n_training} tried{at_once}")
    return words
