"""`steelyard marks`: everybody's marks in a translation, and a manager's decision on them."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from steelyard.cli.options import database_argument, json_option, keep_sources, write_text

if TYPE_CHECKING:
    from steelyard.domain.marks import ErrorMark
    from steelyard.flows.marks import MarkedText
    from steelyard.flows.open import OpenCampaign

# Of the list, what is printed.
MOST_LINES = 20
_USAGE = "--decide and --withdraw need --segment, and --system where several translated it."


@click.command()
@database_argument
@click.option("--segment", metavar="NAME", help="Show everybody's marks in a translation of this segment.")
@click.option("--system", metavar="NAME", help="Whose translation, where several were marked.")
@click.option(
    "--decide",
    metavar="FROM",
    help="Decide what its errors are: `majority`, a worker whose marks are right, `none`, or a JSON file.",
)
@click.option("--withdraw", is_flag=True, help="Take back the decision there is.")
@click.option("--note", default="", metavar="TEXT", help="Why; kept with the decision.")
@click.option(
    "--adjudicated",
    "target",
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="Write all decisions as a .csv, .tsv, .jsonl or .parquet file of spans.",
)
@json_option
def marks(  # noqa: PLR0913 (one option each)
    db: str,
    segment: str | None,
    system: str | None,
    decide: str | None,
    withdraw: bool,
    note: str,
    target: Path | None,
    json_file: str | None,
) -> None:
    """List translations whose errors workers marked differently, or show one of them.

    A decision says which errors a translation has. It is kept in the log of the campaign; judgements and
    scores stay as they are.
    """
    from steelyard.flows.marks import export_decided, marks_of, marks_record, text_record
    from steelyard.flows.open import open_campaign

    if segment is None and (decide or withdraw or system):
        raise click.UsageError(_USAGE)
    if decide and withdraw:
        raise click.UsageError("Give either --decide or --withdraw.")
    keep_sources([db], json_file, target)
    with open_campaign(db) as campaign:
        if target is not None:
            click.echo(f"{export_decided(campaign, target):,} decided translations in {target}.")
            return
        found = marks_of(campaign)
        if segment is None:
            record: dict[str, Any] = marks_record(found, campaign)
            said = _list_lines(record)
        else:
            key = found.key(system, segment)
            if decide or withdraw:
                _decide(campaign, found.text(key), decide, note)
            shown = found.text(key)
            record, said = text_record(shown), _text_lines(shown)
    if json_file:
        write_text(json.dumps(record, indent=2, ensure_ascii=False, default=str) + "\n", json_file)
    if json_file != "-":
        click.echo("\n".join(said))


def _decide(campaign: OpenCampaign, shown: MarkedText, decide: str | None, note: str) -> None:
    from steelyard.flows.adjudicate import adjudicate

    adjudicate(
        campaign,
        shown.translation.system_id,
        shown.translation.segment_id,
        None if decide is None else _chosen(shown, decide),
        note=note,
        by="command line",
        now=datetime.now(UTC),
    )


def _chosen(shown: MarkedText, decide: str) -> tuple[ErrorMark, ...]:
    """The marks to decide on."""
    if decide == "majority":
        return shown.majority
    if decide == "none":
        return ()
    for each in shown.workers:
        if each.worker_id == decide:
            return each.marks
    from steelyard.flows.adjudicate import marks_in

    path = Path(decide)
    if not path.is_file():
        workers = ", ".join(dict.fromkeys(each.worker_id for each in shown.workers))
        raise click.UsageError(
            f"--decide: {decide!r} is neither majority, none, a file, nor one of {workers}."
        )
    return marks_in(path)


def _list_lines(record: dict[str, Any]) -> list[str]:
    rows = record["translations"]
    if not rows:
        return ["Nobody has marked anything yet."]
    lines = ["Disagreement  Workers  Marks  Scores     Decided  Segment, system"]
    for row in rows[:MOST_LINES]:
        scores = "" if row["lowest"] is None else f"{row['lowest']:g}-{row['highest']:g}"
        differ = "" if row["disagreement"] is None else f"{row['disagreement']:.2f}"
        decided = "yes" if row["is_decided"] else ""
        lines.append(
            f"{differ:>12}  {row['n_workers']:>7}  {row['n_marks']:>5}  {scores:<9}  {decided:<7}  "
            f"{row['segment_id']}, {row['system_id']}"
        )
    rest = len(rows) - MOST_LINES
    if rest > 0:
        lines.append(f"and {rest:,} more: --json - lists all.")
    return lines


def _text_lines(shown: MarkedText) -> list[str]:
    """The text with a line of marks below for each worker: letters by severity, a dot where nothing is."""
    letters = _letters(shown.severities)
    legend = ", ".join(f"{letter} {name}" for name, letter in letters.items())
    names = [each.worker_id for each in shown.workers]
    width = max(map(len, [*names, "majority", "decided"]))
    lines = [f"{shown.translation.segment_id}, {shown.translation.system_id} ({legend})", ""]
    if shown.source:
        lines += [f"{'source':<{width}}  {shown.source}", ""]
    lines.append(f"{'':<{width}}  {shown.text}")
    for each in shown.workers:
        score = "" if each.rating is None else f"  {each.rating:g}"
        more = " (excluded)" if each.is_excluded else " (seen again)" if each.is_repeat else ""
        lines.append(_row(each.worker_id, each.marks, shown, letters, width) + score + more)
    lines.append(_row("majority", shown.majority, shown, letters, width))
    if shown.decision is not None:
        lines.append(_row("decided", shown.decision.marks, shown, letters, width))
        lines.append(f"Decided by {shown.decision.decided_by}: {shown.decision.note or 'no note'}")
    return lines


def _letters(severities: tuple[str, ...]) -> dict[str, str]:
    """A letter for each severity: minor is m, major M."""
    usual = {"minor": "m", "major": "M", "critical": "C", "neutral": "n"}
    return {name: usual.get(name, name[:1] or "?") for name in severities}


def _row(
    name: str, marks: tuple[ErrorMark, ...], shown: MarkedText, letters: dict[str, str], width: int
) -> str:
    line = ["."] * len(shown.text)
    after = []
    for mark in marks:
        if mark.start is not None and mark.end is not None and mark.side == "target":
            line[mark.start : mark.end] = letters.get(mark.severity, "?") * (mark.end - mark.start)
        else:
            where = mark.category or "[missing]" if mark.start is None else f"source {mark.start}-{mark.end}"
            after.append(f" {where} {letters.get(mark.severity, '?')}")
    return f"{name:<{width}}  {''.join(line)}{''.join(after)}"
