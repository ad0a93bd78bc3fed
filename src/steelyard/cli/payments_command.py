"""`steelyard payments`: what each worker is owed."""

from __future__ import annotations

import json
from datetime import UTC, datetime

import click

from steelyard.cli.options import database_argument, json_option, keep_sources, write_text


@click.command()
@database_argument
@click.option("--to", "target", metavar="FILE", help="Write a .csv for a spreadsheet, with all the evidence.")
@click.option("--people", is_flag=True, help="With names and e-mail addresses, as far as you entered them.")
@click.option("--check", help="How workers are checked.  [default: the campaign's]")
@json_option
def payments(db: str, target: str | None, people: bool, check: str | None, json_file: str | None) -> None:
    """List what each worker is owed, with what the check found.

    Everybody who judged anything is listed, those who failed the check or were excluded too. A failed check
    alone is no reason to refuse pay: look at the evidence.
    """
    from steelyard.cli.analysis_options import require_known_check
    from steelyard.flows.open import open_campaign
    from steelyard.flows.payments import payments as make_payments
    from steelyard.flows.progress import Watch
    from steelyard.flows.settings import settings_from
    from steelyard.flows.source import from_campaign
    from steelyard.flows.verdicts import worker_verdicts
    from steelyard.report.payments import payments_record, payments_sheet, payments_table
    from steelyard.report.tables import table_csv, table_text

    keep_sources([db], target, json_file)
    require_known_check(check)
    with open_campaign(db) as campaign:
        source = from_campaign(campaign)
        verdicts = worker_verdicts(source, settings_from(source, check=check))
        found = make_payments(Watch(campaign), verdicts, now=datetime.now(UTC))
    if target:
        write_text(table_csv(payments_sheet(found, people=people)), target, private=True)
    if json_file:
        document = json.dumps(payments_record(found, people=people), indent=2, ensure_ascii=False)
        write_text(f"{document}\n", json_file, private=True)
    if target is None and json_file is None:
        click.echo(table_text(payments_table(found, people=people)))
    elif "-" not in (target, json_file):
        files = " and ".join(file for file in (target, json_file) if file)
        click.echo(f"Payments of {found.total.workers} workers in {files}")
