"""Commands for the life of a campaign: its state, its rules, its title and words, the log."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from steelyard.cli.options import database_argument, json_option, keep_sources, reason_option, show
from steelyard.cli.over_series import say_for_each

if TYPE_CHECKING:
    from steelyard.domain.running import Action, CampaignState
    from steelyard.flows.correct import SeenRevision
    from steelyard.flows.state import StateChange


@click.command()
@database_argument
@reason_option
def pause(db: str, reason: str) -> int:
    """Pause a campaign, or all of a series: no work is given out and no answer taken until `resume`.

    Nothing is lost: workers keep their places, and an answer that was on its way is sent later.
    """
    return _change(db, "paused", reason)


@click.command()
@database_argument
@reason_option
def resume(db: str, reason: str) -> int:
    """Open a campaign to workers: a draft, a paused one, or a closed one again.

    Of a series, drafts and paused campaigns are opened; closed ones stay closed.
    """
    return _change(db, "open", reason)


@click.command()
@database_argument
@reason_option
def close(db: str, reason: str) -> int:
    """Close a campaign, or all of a series: the work is over. `resume` opens it again."""
    return _change(db, "closed", reason)


def _change(db: str, state: str, reason: str) -> int:
    from steelyard.domain.running import CampaignState
    from steelyard.flows.open import open_campaign
    from steelyard.flows.state import IN_SERIES, change_state

    wanted, now = CampaignState(state), datetime.now(UTC)

    def act(address: str, name: str) -> str:
        among = IN_SERIES[wanted] if name else None
        with open_campaign(address) as campaign:
            change = change_state(campaign, wanted, by="command line", now=now, reason=reason, among=among)
        return _said(change, wanted)

    return say_for_each(db, act)


def _said(change: StateChange, wanted: CampaignState) -> str:
    state = change.state.value
    if change.state is not wanted:
        return f"The campaign is {'a draft' if state == 'draft' else state} and stays so."
    if change.state is change.before:
        return f"The campaign is {state} already; nothing was changed."
    before = "a draft" if change.before == "draft" else change.before.value
    return f"The campaign is {state} now; it was {before}. {_consequence(change)}"


def _consequence(change: StateChange) -> str:
    if change.state == "open":
        return "Workers can judge."
    if change.n_under_way == 0:
        under_way = "No HIT is under way."
    else:
        are = "HIT is" if change.n_under_way == 1 else "HITs are"
        under_way = f"{change.n_under_way:,} {are} under way; what was judged is kept."
    return f"{under_way} `steelyard resume` opens it again."


class _NumberOrNone(click.ParamType):  # type: ignore[type-arg]
    """A number, or the word none, which takes a rule away."""

    name = "number|none"

    def __init__(self, kind: type[int] | type[float]) -> None:
        self.kind = kind

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if value == "none":
            return value
        try:
            return self.kind(value)
        except ValueError:
            wanted = "a whole number" if self.kind is int else "a number"
            self.fail(f"{value!r} is neither {wanted} nor none.", param, ctx)


@click.command()
@database_argument
@click.option("--lease-minutes", type=float, help="Minutes without an answer before a HIT is released.")
@click.option("--hits-per-worker", type=_NumberOrNone(int), help="The most HITs that one worker may take.")
@click.option("--open-link", type=click.Choice(["on", "off"]), help="Whether the open link lets people join.")
@click.option("--wage", type=_NumberOrNone(float), help="Pay for an hour.")
@click.option("--currency", metavar="CODE", help="Code of the currency, such as EUR.")
@click.option("--pay-per-hit", type=_NumberOrNone(float), help="Pay for a HIT, in place of the hourly wage.")
@click.option("--fee", type=float, help="What a platform charges on top, as a share of the pay.")
@json_option
def settings(  # noqa: PLR0913 (one option for each rule)
    db: str,
    lease_minutes: float | None,
    hits_per_worker: int | str | None,
    open_link: str | None,
    wage: float | str | None,
    currency: str | None,
    pay_per_hit: float | str | None,
    fee: float | None,
    json_file: str | None,
) -> None:
    """Print the rules of a campaign, after changing those given here."""
    from dataclasses import asdict

    from steelyard.flows.open import open_campaign
    from steelyard.flows.rules import campaign_rules, change_rules
    from steelyard.formats.campaign_rules import rules_toml

    keep_sources([db], json_file)
    given = {
        "lease_minutes": lease_minutes,
        "hits_per_worker": hits_per_worker,
        "open_link": None if open_link is None else open_link == "on",
        "wage": wage,
        "currency": currency,
        "pay_per_hit": pay_per_hit,
        "fee": fee,
    }
    changes = {name: None if value == "none" else value for name, value in given.items() if value is not None}
    with open_campaign(db) as campaign:
        if changes:
            rules = change_rules(campaign, changes, by="command line", now=datetime.now(UTC))
        else:
            rules = campaign_rules(campaign)
    show(rules_toml(rules).rstrip(), json.dumps(asdict(rules), indent=2) + "\n", json_file)


@click.command()
@database_argument
@click.option("--title", metavar="TEXT", help="The heading that workers see from now on.")
@click.option(
    "--instructions",
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="The words that workers read from now on: a file such as --print-instructions gives.",
)
@reason_option
@click.option("--print-instructions", is_flag=True, help="Print the words in use, to change them in a file.")
@json_option
def correct(
    db: str,
    title: str | None,
    instructions: Path | None,
    reason: str,
    print_instructions: bool,
    json_file: str | None,
) -> None:
    """Correct the title or the instructions of a running campaign, or list earlier corrections.

    Workers read the new words before they go on. Judgements stay, and each keeps the number of the
    revision that its worker saw. Nothing else of the presentation can change: it affects ratings.
    """
    from steelyard.flows import correct as correction
    from steelyard.flows.open import open_campaign
    from steelyard.formats.text_file import read_text
    from steelyard.formats.words_file import to_toml

    keep_sources([db], json_file)
    with open_campaign(db) as campaign:
        if print_instructions:
            click.echo(to_toml(campaign.settings.presentation["words"]), nl=False)
            return
        if title is not None or instructions is not None:
            words = None if instructions is None else read_text(instructions)
            asked = correction.Correction(title, words, reason, file=str(instructions or "the title"))
            done = correction.correct(campaign, asked, by="command line", now=datetime.now(UTC))
            if not done.is_new:
                click.echo("Nothing differs from what workers see already; nothing was changed.", err=True)
        seen = correction.seen_revisions(campaign)
    for warning in seen[-1].warnings:
        click.echo(f"Warning: {warning}", err=True)
    document = [
        {
            "revision": each.revision.revision,
            "title": each.revision.title,
            "made_at": each.revision.made_at.isoformat(),
            "reason": each.revision.reason,
            "new_title": each.new_title,
            "new_instructions": each.new_words,
            "n_judgements": each.n_judgements,
        }
        for each in seen
    ]
    text = "\n".join(map(_revision_line, seen))
    show(text, json.dumps(document, indent=2, ensure_ascii=False) + "\n", json_file)


def _revision_line(seen: SeenRevision) -> str:
    revision = seen.revision
    what = f"{' and '.join(seen.changed)} corrected" if seen.changed else "as created"
    reason = f" ({revision.reason})" if revision.reason else ""
    return (
        f"Revision {revision.revision}, {revision.made_at:%Y-%m-%d %H:%M} UTC, {what}{reason}: "
        f"{seen.n_judgements:,} judgements"
    )


@click.command()
@database_argument
@json_option
def log(db: str, json_file: str | None) -> None:
    """Print what managers, workers and the server did to a campaign, in order."""
    from dataclasses import asdict

    from steelyard.flows.log import log as logged
    from steelyard.flows.open import open_campaign

    keep_sources([db], json_file)
    with open_campaign(db) as campaign:
        actions = logged(campaign)
    document = json.dumps([asdict(action) for action in actions], indent=2, ensure_ascii=False, default=str)
    text = "\n".join(map(_action_line, actions)) or "Nothing was done to this campaign so far."
    show(text, document + "\n", json_file)


def _action_line(action: Action) -> str:
    from steelyard.flows.log import detail_in_words

    about = [action.worker_id, action.hit_id, detail_in_words(action.detail)]
    about += [f"because: {action.reason}"] if action.reason else []
    when = f"{action.done_at:%Y-%m-%d %H:%M:%S}"
    return f"{when}  {action.done_by:<12}  {action.verb:<18}  {'; '.join(filter(None, about))}".rstrip()
