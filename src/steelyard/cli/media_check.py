"""Before a campaign is served: whether the files that its sources show are there."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

import click

from steelyard.domain.wording import counted, listed

if TYPE_CHECKING:
    from steelyard.flows.open import OpenCampaign


def check_media(campaigns: Iterable[OpenCampaign], media: Path | None) -> None:
    """Name the files that sources show and that are not there; nobody can tell where PostgreSQL's are."""
    from steelyard.flows.media import folder_of, missing_media

    for campaign in campaigns:
        folder = media or folder_of(campaign)
        missing = missing_media(campaign, folder)
        name = campaign.settings.name
        if missing and folder is None:
            raise click.UsageError(
                f"The sources of {name} show files: say where they are with --media FOLDER."
            )
        if missing:
            click.echo(
                f"Warning: the sources of {name} show {counted(len(missing), 'file')} that {folder} lacks "
                f"({listed(missing, most=3)}). Workers see a gap there: copy the files into it.",
                err=True,
            )
