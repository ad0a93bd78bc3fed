"""`steelyard verify`: whether anybody changed what is stored."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import click

from steelyard.cli.options import database_argument, json_option, keep_sources, progress_bar, show
from steelyard.cli.over_series import campaign_records, ended, heading, series_at

if TYPE_CHECKING:
    from steelyard.flows.series import Series
    from steelyard.flows.verify import Verification

# Findings that are printed: the first ones tell what happened [our choice].
MOST_SHOWN = 20


@click.command()
@database_argument
@click.option(
    "--root", metavar="HEX", help="The root published before, in full or the 16 digits of a signature."
)
@json_option
def verify(db: str, root: str | None, json_file: str | None) -> int:
    """Recompute the hashes of all judgements, and say what does not fit.

    Each judgement carries a hash of the item as it was shown and of the judgement before it in its
    assignment. Whoever changes an answer, a text or an assignment, or takes a judgement away, breaks
    them. Whoever computes all hashes anew does not: only a root that you wrote down or published
    shows that. Exit code: 0 if everything fits, 1 if something was changed, 2 if it cannot be read.
    """
    keep_sources([db], json_file)
    series = series_at(db)
    if series is not None:
        if root is not None:
            one = series.places[0].shown
            raise click.UsageError(f"--root is about one campaign: name it, such as {one}.")
        return _verify_series(series, json_file)
    found = _verified(db, root)
    show(verification_text(found, root=root), _document(_record(found)), json_file)
    return 0 if found.is_sound else 1


def _verify_series(series: Series, json_file: str | None) -> int:
    from steelyard.flows.series import for_each

    outcomes = for_each(series, lambda place: _verified(place.address, None))
    found = [(outcome.name, outcome.result) for outcome in outcomes if outcome.result is not None]
    text = "\n\n".join(f"{heading(name)}\n{verification_text(result)}" for name, result in found)
    show(text, _document({"campaigns": campaign_records(outcomes, _record)}), json_file)
    return ended(outcomes) or int(not all(result.is_sound for _, result in found))


def _verified(address: str, root: str | None) -> Verification:
    from steelyard.flows.open import open_campaign
    from steelyard.flows.verify import verify as recompute

    with open_campaign(address) as campaign:
        return recompute(campaign, root=root, progress=progress_bar)


def verification_text(found: Verification, *, root: str | None = None) -> str:
    """What the hashes say, for the terminal. `root`: the one they were compared with."""
    from steelyard.domain.wording import counted
    from steelyard.report.characters import printable

    judged, assigned = counted(found.n_judgements, "judgement"), counted(found.n_assignments, "assignment")
    lines = [f"{judged} in {assigned}; root {found.root or 'none'}"]
    if found.n_unchained:
        lines.append(f"{found.n_unchained:,} from before there were hashes: nothing can be said about these.")
    if found.is_sound:
        if found.root is None:
            lines.append("There is nothing to check: no judgement has a hash.")
        elif root is not None:
            lines.append("Every hash fits, and so does the root: nothing was changed since it was published.")
        else:
            lines.append("Every hash fits: nothing was changed, unless somebody computed all hashes anew.")
        return "\n".join(lines)
    is_only_root = all(finding.assignment_id is None for finding in found.findings)
    meaning = (
        "the hashes fit each other, but not that root"
        if is_only_root
        else "what is stored is not what workers gave"
    )
    lines.append(f"{counted(found.n_findings, 'finding')}: {meaning}.")
    lines += [f"  {finding.text}" for finding in found.findings[:MOST_SHOWN]]
    if found.n_findings > MOST_SHOWN:
        lines.append(f"  and {found.n_findings - MOST_SHOWN:,} more")
    return "\n".join(map(printable, lines))


def _record(found: Verification) -> dict[str, Any]:
    return {**asdict(found), "is_sound": found.is_sound}


def _document(record: dict[str, Any]) -> str:
    return json.dumps(record, indent=2, ensure_ascii=False) + "\n"
