"""`steelyard payments`: what each worker is owed."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from steelyard.cli.options import database_argument, json_option, keep_sources, write_text
from steelyard.cli.over_series import campaign_records, ended, file_of_campaign, say_each, series_at

if TYPE_CHECKING:
    from steelyard.domain.payment import Payments
    from steelyard.flows.series import CampaignPlace, Series


@click.command()
@database_argument
@click.option("--to", "target", metavar="FILE", help="Write a .csv for a spreadsheet, with all the evidence.")
@click.option("--people", is_flag=True, help="With names and e-mail addresses, as far as you entered them.")
@click.option("--check", help="How workers are checked.  [default: the campaign's]")
@json_option
def payments(db: str, target: str | None, people: bool, check: str | None, json_file: str | None) -> int:
    """List what each worker is owed, with what the check found.

    Everybody who judged anything is listed, those who failed the check or were excluded too. A failed check
    alone is no reason to refuse pay: look at the evidence. In a series each campaign has its own list, and
    its own file: NAME.CAMPAIGN.csv for NAME.csv.
    """
    from steelyard.cli.analysis_options import require_known_check
    from steelyard.report.payments import payments_record, payments_table
    from steelyard.report.tables import table_text

    require_known_check(check)
    series = series_at(db)
    if series is not None:
        return _payments_of_series(series, Wanted(check, people, target), json_file)
    keep_sources([db], target, json_file)
    found = _found(db, check)
    if target:
        _write_sheet(found, target, people=people)
    if json_file:
        document = json.dumps(payments_record(found, people=people), indent=2, ensure_ascii=False)
        write_text(f"{document}\n", json_file, private=True)
    if target is None and json_file is None:
        click.echo(table_text(payments_table(found, people=people)))
    elif "-" not in (target, json_file):
        files = " and ".join(file for file in (target, json_file) if file)
        click.echo(f"Payments of {found.total.workers} workers in {files}")
    return 0


@dataclass(frozen=True)
class Wanted:
    """How payments are listed and where they are written."""

    check: str | None
    people: bool
    target: str | None


def _payments_of_series(series: Series, wanted: Wanted, json_file: str | None) -> int:
    from steelyard.flows.series import for_each
    from steelyard.report.payments import payments_record, payments_table
    from steelyard.report.series import series_json
    from steelyard.report.tables import table_text

    target, people = wanted.target, wanted.people
    if target == "-":
        raise click.UsageError("The payments of a series are several files: name them with --to FILE.csv.")
    keep_sources([place.address for place in series.places], target, json_file)

    def act(place: CampaignPlace) -> Payments:
        found = _found(place.address, wanted.check)
        if target is not None:
            file = str(file_of_campaign(Path(target), place.name))
            _write_sheet(found, file, people=people)
            click.echo(
                f"{place.name}: payments of {found.total.workers} workers in {file}", err=json_file == "-"
            )
        return found

    outcomes = for_each(series, act)
    if json_file:
        records = campaign_records(outcomes, lambda found: payments_record(found, people=people))
        write_text(series_json(series.name, records), json_file, private=True)
    if target is None and json_file is None:
        say_each(outcomes, lambda found: table_text(payments_table(found, people=people)))
    return ended(outcomes)


def _found(address: str, check: str | None) -> Payments:
    from steelyard.flows.open import open_campaign
    from steelyard.flows.payments import campaign_payments

    with open_campaign(address) as campaign:
        return campaign_payments(campaign, check=check, now=datetime.now(UTC))


def _write_sheet(found: Payments, target: str, *, people: bool) -> None:
    from steelyard.report.payments import payments_sheet
    from steelyard.report.tables import table_csv

    write_text(table_csv(payments_sheet(found, people=people)), target, private=True)
