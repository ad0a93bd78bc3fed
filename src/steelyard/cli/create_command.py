"""`steelyard create`: a campaign, or all campaigns of a series."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from steelyard.cli.options import media_option, printable_address, progress_bar

if TYPE_CHECKING:
    from steelyard.domain.running import Rules
    from steelyard.flows.create import Created, Designed
    from steelyard.formats.series_toml import SeriesSource


@click.command()
@click.argument("campaign", metavar="CAMPAIGN.toml", type=click.Path(path_type=Path))
@click.option(
    "--db", metavar="DB", help="SQLite file to create, or a postgresql:// address; for a series a folder."
)
@click.option(
    "--explain-layout",
    is_flag=True,
    help="Print groups, kinds, pairs and how far apart they are. Without --db nothing is written.",
)
@click.option(
    "--draft", is_flag=True, help="Nobody can judge before you open the campaign with `steelyard resume`."
)
@media_option
def create(campaign: Path, db: str | None, explain_layout: bool, draft: bool, media: Path | None) -> None:
    """Create a campaign: read its texts, design its HITs and store them.

    A folder of campaign files, or a file that lists them as [[campaigns]], becomes a series: each campaign
    gets a database in the folder DB, or a schema in the PostgreSQL database DB. All of them are created, or
    none.
    """
    if db is None and not explain_layout:
        raise click.UsageError("Name a database with --db, or use --explain-layout to look only.")
    from steelyard.flows import create as creation

    series = _series(campaign, db)
    if series is not None:
        _create_series(series, db, explain_layout=explain_layout, draft=draft, media=media)
        return
    designed = creation.design(campaign, progress=progress_bar)
    _say_warnings(designed.warnings)
    if explain_layout:
        _say_layout(designed)
    if db is not None:
        created = creation.write(
            designed, db, now=datetime.now(UTC), draft=draft, media=media, progress=progress_bar
        )
        _say_created(created)
        _say_next(db, created.settings.rules)
        if draft:
            click.echo(f"It is a draft: open it to workers with: steelyard resume {printable_address(db)}")


def _series(path: Path, db: str | None) -> SeriesSource | None:
    """The series to create; a single campaign joins the others of the folder it is put into."""
    from steelyard.formats.series_toml import SeriesSource, read_series

    found = read_series(path)
    joins = db is not None and "://" not in db and (db.endswith("/") or Path(db).is_dir())
    return SeriesSource(path, (path,)) if found is None and joins else found


def _create_series(
    series: SeriesSource, db: str | None, *, explain_layout: bool, draft: bool, media: Path | None
) -> None:
    from steelyard.flows.create_series import create_series, design_all, read_campaigns

    if series.left_out:
        names = ", ".join(file.name for file in series.left_out)
        click.echo(f"Left out, since they have no table [campaign]: {names}.", err=True)
    if explain_layout:
        for designed in design_all(series, read_campaigns(series), progress=progress_bar):
            click.echo(f"{designed.campaign.settings.name}:\n")
            _say_layout(designed)
    if db is None:
        return
    made = create_series(series, db, now=datetime.now(UTC), draft=draft, media=media, progress=progress_bar)
    for created in made:
        _say_warnings(f"{created.settings.name}: {warning}" for warning in created.warnings)
        _say_created(created)
    _say_next(db)
    if draft:
        click.echo("They are drafts: open each to workers with `steelyard resume`.")


def _say_warnings(warnings: Iterable[str]) -> None:
    for warning in warnings:
        click.echo(f"Warning: {warning}", err=True)


def _say_layout(designed: Designed) -> None:
    from steelyard.flows.create import explain_layout
    from steelyard.report.layout_text import layout_text

    click.echo(f"{layout_text(explain_layout(designed)).rstrip()}\n")


def _say_next(db: str, rules: Rules | None = None) -> None:
    from steelyard.platforms import platforms

    name = printable_address(db)
    platform = None if rules is None else platforms().get(rules.platform)
    if platform is None or not platform.tells_ids:
        then = f"and for workers' links: steelyard links {name} --add 10"
    elif platform.client is None:
        then = f"and for the address to give to the platform: steelyard links {name}"
    else:
        then = f"and to rehearse, without money: steelyard rehearse {platform.name} {name}"
    click.echo(f"Next: steelyard serve {name}\n{then}")


def _on_average(created: Created) -> str:
    """Documents and given HITs differ in length."""
    return "" if created.settings.design.order in ("grouped", "free") else " on average"


def _say_created(created: Created) -> None:
    settings = created.settings
    click.echo(
        f"Campaign {settings.name}: {created.n_systems} systems, {created.n_segments:,} segments, "
        f"{created.n_hits:,} HITs of {created.n_places / created.n_hits:.3g} items{_on_average(created)}."
    )
    if created.separation is not None:
        least, most = created.separation
        click.echo(f"{least} to {most} other items lie between a control and its base.")
    if created.blocks > 1:
        click.echo(
            f"The HITs fall into {created.blocks:,} blocks without a common item: their workers can be "
            "compared through systems, not item by item."
        )
    else:
        click.echo("Common items connect all HITs and their workers.")
