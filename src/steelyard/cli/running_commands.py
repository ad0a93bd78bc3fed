"""Commands for the life of a campaign: its state, its title and words, the log."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from steelyard.cli.options import database_argument, json_option, keep_sources, reason_option, show
from steelyard.cli.over_series import say_for_each
from steelyard.domain.wording import in_json, joined

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

    In a series, drafts and paused campaigns are opened; closed ones stay closed.
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


@click.command()
@database_argument
@click.option("--title", metavar="TEXT", help="The heading that workers see from now on.")
@click.option(
    "--instructions",
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="The words that workers read from now on: a file such as --print-instructions gives.",
)
@click.option(
    "--consent",
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="The text that workers agree to from now on: plain text, a blank line between paragraphs.",
)
@reason_option
@click.option("--print-instructions", is_flag=True, help="Print the words in use, to change them in a file.")
@json_option
def correct(  # noqa: PLR0913 (one option for each thing to correct)
    db: str,
    title: str | None,
    instructions: Path | None,
    consent: Path | None,
    reason: str,
    print_instructions: bool,
    json_file: str | None,
) -> None:
    """Correct the title, the instructions or the consent text of a running campaign, or list corrections.

    Workers read the new words before they go on, and whoever agreed to another consent text is asked again.
    Judgements stay, and each keeps the number of the revision that its worker saw. Nothing else of the
    presentation can change: it affects ratings.
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
        if (title, instructions, consent) != (None, None, None):
            asked = correction.Correction(
                title,
                None if instructions is None else read_text(instructions),
                reason,
                file=str(instructions),
                consent=None if consent is None else read_text(consent),
                consent_file=str(consent),
            )
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
            "new_consent": each.new_consent,
            "consent": None if each.consent is None else each.consent.text,
            "consent_version": None if each.consent is None else each.consent.version,
            "n_judgements": each.n_judgements,
        }
        for each in seen
    ]
    text = "\n".join(map(_revision_line, seen))
    show(text, json.dumps(document, indent=2, ensure_ascii=False) + "\n", json_file)


def _revision_line(seen: SeenRevision) -> str:
    revision = seen.revision
    what = f"{joined(seen.changed)} corrected" if seen.changed else "as created"
    reason = f" ({revision.reason})" if revision.reason else ""
    consent = f", consent text {seen.consent.version}" if seen.consent else ""
    return (
        f"Revision {revision.revision}, {revision.made_at:%Y-%m-%d %H:%M} UTC, {what}{reason}{consent}: "
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
    document = json.dumps(
        [asdict(action) for action in actions], indent=2, ensure_ascii=False, default=in_json
    )
    text = "\n".join(map(_action_line, actions)) or "Nothing was done to this campaign so far."
    show(text, document + "\n", json_file)


def done_by(action: Action) -> str:
    """Who did something: `manager M01` has a link of their own, `manager` the campaign's."""
    return " ".join(filter(None, [action.done_by, action.manager_id]))


def _action_line(action: Action) -> str:
    from steelyard.flows.log import detail_in_words

    about = [action.worker_id, action.hit_id, detail_in_words(action.detail)]
    about += [f"because: {action.reason}"] if action.reason else []
    when = f"{action.done_at:%Y-%m-%d %H:%M:%S}"
    return f"{when}  {done_by(action):<12}  {action.verb:<18}  {'; '.join(filter(None, about))}".rstrip()
