"""`steelyard worker`: one worker in full."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import click

from steelyard.cli.entry_commands import background_words, remark_line
from steelyard.cli.options import database_argument, json_option, keep_sources, show
from steelyard.cli.running_commands import done_by

if TYPE_CHECKING:
    from steelyard.flows.worker import ControlPair, WorkerDetail


@click.command()
@database_argument
@click.argument("worker_id", metavar="WORKER")
@click.option("--check", help="How workers are checked.  [default: the campaign's]")
@json_option
def worker(db: str, worker_id: str, check: str | None, json_file: str | None) -> None:
    """Show one worker in full: verdict, control pairs, HITs, pay, remarks, and what was done about them.

    The JSON also has every item they judged, with its texts.
    """
    from steelyard.cli.analysis_options import require_known_check
    from steelyard.flows.open import open_campaign
    from steelyard.flows.progress import Watch
    from steelyard.flows.verdicts import campaign_verdicts
    from steelyard.flows.worker import worker_detail, worker_record

    keep_sources([db], json_file)
    require_known_check(check)
    with open_campaign(db) as campaign:
        verdicts = campaign_verdicts(campaign, check=check)
        detail = worker_detail(Watch(campaign), verdicts, worker_id, now=datetime.now(UTC))
    document = json.dumps(worker_record(detail), indent=2, ensure_ascii=False)
    show(worker_text(detail), f"{document}\n", json_file, private=True)


def worker_text(detail: WorkerDetail) -> str:
    """The worker for the terminal."""
    from steelyard.report.characters import printable

    parts = [
        *_head(detail),
        *_said(detail),
        *_evidence(detail),
        *_hits(detail),
        *_pairs(detail),
        *_actions(detail),
    ]
    return "\n".join(printable(line) for line in parts)


def _head(detail: WorkerDetail) -> list[str]:
    from steelyard.domain.wording import counted, in_currency

    worker, pay = detail.worker, detail.payment
    person = " ".join(filter(None, (detail.name, f"<{detail.email}>" if detail.email else "")))
    marks = [
        word
        for word, holds in (
            ("excluded", worker.is_excluded),
            ("blocked", worker.is_blocked),
            ("link revoked", worker.is_revoked),
            ("simulated", worker.is_simulated),
        )
        if holds
    ]
    speed = "" if worker.seconds_per_item is None else f", {worker.seconds_per_item:.1f} s each"
    lines = [
        "  ".join(filter(None, (worker.worker_id, person, ", ".join(marks)))),
        f"{counted(worker.n_submitted, 'HIT')} submitted, {counted(worker.n_done, 'item')} judged{speed}",
    ]
    if pay.pay is not None:
        hourly = "" if pay.hourly_pay is None else f", {in_currency(pay.hourly_pay, detail.currency)} an hour"
        lines.append(f"Owed: {in_currency(pay.pay, detail.currency)}{hourly}")
    return lines + ([f"Excluded: {pay.excluded}"] if pay.excluded else [])


def _said(detail: WorkerDetail) -> list[str]:
    """What they said before the first set, and wrote since."""
    words = background_words(detail.background, detail.n_training) if detail.background else []
    before = [f"Before the first set: {'; '.join(words)}"] if words else []
    written = [remark_line(each) for each in reversed(detail.remarks)]
    return before + (["", "Remarks:", *written] if written else [])


def _evidence(detail: WorkerDetail) -> list[str]:
    from steelyard.flows.verdicts import flag_phrase
    from steelyard.review.payment import WORDS

    finding = detail.finding
    if finding is None:
        return ["", "Nothing was judged yet, so there is no verdict."]
    verdict = finding["verdict"]
    lines = [
        "",
        f"Verdict ({detail.check}): {verdict}. {finding['reason']}" if verdict else "Nobody is checked.",
    ]
    flags = zip(finding["flags"], finding["remarks"], strict=True)
    lines += [f"Flag: {flag_phrase(flag)}. {text}" for flag, text in flags]
    return [*lines, f"Suggestion: {WORDS[finding['suggestion']]}"]


def _hits(detail: WorkerDetail) -> list[str]:
    if not detail.hits:
        return []
    lines = ["", f"{'HIT':<8}  {'status':<10} {'done':>9}  {'seconds':>8}  taken"]
    for hit in detail.hits:
        done = f"{hit.n_done} of {hit.n_items}"
        lines.append(
            f"{hit.hit_id:<8}  {hit.status:<10} {done:>9}  {hit.seconds:>8.0f}  "
            f"{hit.accepted_at:%Y-%m-%d %H:%M}"
        )
    return lines


def _pairs(detail: WorkerDetail) -> list[str]:
    if not detail.pairs:
        return []
    lines = ["", "Control pairs: rating and text of the translation, then of its control"]
    for pair in detail.pairs:
        lines += [
            f"{pair.kind:<10} {_mark(pair, is_base=True):>6}  {pair.base_text}",
            f"{'':<10} {_mark(pair, is_base=False):>6}  {pair.control_text}",
        ]
    return lines


def _mark(pair: ControlPair, *, is_base: bool) -> str:
    rating = pair.base_rating if is_base else pair.control_rating
    if rating is not None:
        return f"{rating:.1f}"
    if pair.preferred is None:
        return "tie"
    return "better" if pair.preferred is is_base else ""


def _actions(detail: WorkerDetail) -> list[str]:
    if not detail.actions:
        return []
    return [
        "",
        *(
            f"{action.done_at:%Y-%m-%d %H:%M}  {done_by(action)}: {action.verb}"
            + (f" ({action.reason})" if action.reason else "")
            for action in detail.actions
        ),
    ]
