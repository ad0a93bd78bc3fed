"""The command that writes everything a paper needs."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from steelyard.cli.analysis_options import (
    BriefMethodsCommand,
    analysis_options,
    read_from,
    reading_options,
    require_known_check,
)
from steelyard.cli.options import media_option, progress_bar, source_argument
from steelyard.cli.report_files import require_drawing


@click.command(cls=BriefMethodsCommand)
@source_argument
@click.option(
    "--to",
    "folder",
    required=True,
    type=click.Path(path_type=Path, file_okay=False),
    metavar="DIR",
    help="The folder to write: a new or an empty one.",
)
@click.option(
    "--exhibits",
    metavar="NAME,…",
    help="Tables and figures to write: see `steelyard exhibits`.  [default: those that papers usually show]",
)
@click.option(
    "--licence", metavar="ID", help="Licence of the data, e.g. cc-by-4.0.  [default: none is stated]"
)
@click.option(
    "--texts", is_flag=True, help="Publish sources, references and translations too, also in the replay."
)
@media_option
@analysis_options
def publication(
    source: str,
    folder: Path,
    exhibits: str | None,
    licence: str | None,
    texts: bool,
    media: Path | None,
    **choices: Any,
) -> int:
    """Write all that a paper needs: methods, tables, figures, datasheet, data and the page workers saw.

    SOURCE is a campaign's database or a judgements file. People have new pseudonyms in everything that is
    written, and the README in DIR says how a stranger computes every number again.
    """
    from steelyard.flows.open import open_campaign
    from steelyard.flows.publication import N_STEPS, PublicationOptions, publish_campaign, publish_source
    from steelyard.flows.source import is_database
    from steelyard.report.whole_files import require_empty
    from steelyard.web.replay import replay_writer

    require_drawing(folder)
    require_empty(folder)
    require_known_check(choices["check"])
    names = tuple(name.strip() for name in (exhibits or "").split(",") if name.strip())
    options = PublicationOptions(exhibits=names, licence=licence, texts=texts)
    given, reading = reading_options(choices)
    if is_database(source) and any(reading[name] for name in ("columns", "scale", "gold_scale", "hit_times")):
        raise click.UsageError(
            "SOURCE is a campaign's database: its columns, scales and hours are known already."
        )
    with progress_bar("Writing the publication", N_STEPS) as step:
        if is_database(source):
            further = {name: reading[name] for name in ("domains", "weights")}
            with open_campaign(source) as campaign:
                options = replace(options, write_replay=replay_writer(campaign, texts=texts, media=media))
                made = publish_campaign(campaign, folder, options, step=step, **further, **given)
        else:
            made = publish_source(read_from(source, choices), folder, options, step=step, **given)
    for note in made.notes:
        click.echo(f"Note: {note}", err=True)
    click.echo(
        f"{made.n_exhibits} tables and figures, {made.n_answered} of the 62 answers of the datasheet, and "
        "the data: "
        f"{folder}. README.md there says how to compute every number again."
    )
    return 0
