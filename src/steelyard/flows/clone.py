"""Clone a campaign: the same texts, settings, rules and words in another database, and nobody's work."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import datetime
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING

from steelyard.domain.campaign import Campaign, GivenItem
from steelyard.domain.errors import CampaignError, ChoiceError, SourceError
from steelyard.domain.wording import listed
from steelyard.flows.create import Created, design_source, write
from steelyard.flows.further_texts import missing_texts, nothing_further, part_campaign
from steelyard.flows.media import folder_of, media_names
from steelyard.flows.open import OpenCampaign
from steelyard.flows.watching import Progress, unseen
from steelyard.formats.campaign_toml import CampaignSource
from steelyard.store import extending
from steelyard.store.audit import audit_rows

if TYPE_CHECKING:
    from sqlalchemy import Connection

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
_LONGEST_TITLE = 200


def clone(  # noqa: PLR0913 (what may differ in the new campaign)
    campaign: OpenCampaign,
    address: str,
    *,
    now: datetime,
    name: str | None = None,
    title: str | None = None,
    draft: bool = False,
    media: Path | None = None,
    new_media: Path | None = None,
    progress: Progress = unseen,
) -> Created:
    """Write a campaign like this one into an empty database: nobody has judged anything, all ids are new.

    Its name is another one. HITs are laid out anew from the campaign's seed. Rules and words are those of
    this moment; segments that were added later are there from the start. `media` and `new_media`: the folders
    of the files that sources show, if not those beside the databases.
    """
    if name is not None and not _NAME.fullmatch(name):
        raise ChoiceError(
            "{name} has at most 64 letters, digits, dots, dashes and underscores, and begins with a letter "
            "or digit."
        )
    if title is not None and not 0 < len(title) <= _LONGEST_TITLE:
        raise ChoiceError(f"{{title}} has between 1 and {_LONGEST_TITLE} characters.")
    with campaign.store.snapshot() as connection:
        copied = _copied(connection)
    settings = copied.settings
    if name == settings.name:
        # Links are made from a campaign's name, and the two may share a secret.
        raise ChoiceError(f"{{name}} must be another than that of the campaign, {name}.")
    settings = replace(settings, name=name or next_name(settings.name), title=title or settings.title)
    source = CampaignSource(replace(copied, settings=settings), media=_media(campaign, media))
    designed = design_source(source, progress=progress)
    return write(designed, address, now=now, draft=draft, media=new_media, progress=progress)


def _media(campaign: OpenCampaign, media: Path | None) -> dict[str, Path]:
    """The files that sources show, by name; SourceError if one is missing."""
    folder = media or folder_of(campaign)
    names = media_names(campaign)
    missing = [name for name in names if folder is None or not (folder / name).is_file()]
    if folder is None or missing:
        if not missing:
            return {}
        problem = f"sources show files that are not there: {listed(missing)}. Name their folder with --media."
        raise SourceError(str(folder or campaign.store.address), [problem])
    return {name: folder / name for name in names}


def next_name(name: str) -> str:
    """The name of a campaign that is made like another one.

    >>> next_name("news-de-en"), next_name("news-de-en-2")
    ('news-de-en-2', 'news-de-en-3')
    """
    stem, number = name, 1
    if found := re.fullmatch(r"(.+)-(\d{1,3})", name):
        stem, number = found[1], int(found[2])
    ending = f"-{number + 1}"
    return stem[: 64 - len(ending)] + ending


def _copied(connection: Connection) -> Campaign:
    """The stored campaign as if it had just been read from its file."""
    stored = extending.stored_texts(connection)
    reason = missing_texts(stored)
    if reason is not None:
        advice = "Create the other campaign from the campaign file."
        raise CampaignError(stored.settings.name, [f"{reason} {advice}"])
    segments = [segment for part in stored.parts.values() for segment in part]
    ratings = stored.settings.design.ratings_per_item
    copied = part_campaign(stored, nothing_further(stored), segments, ratings=ratings)
    if stored.settings.design.order != "given":
        return copied
    rows = audit_rows(connection)
    given = tuple(
        tuple(GivenItem(row.kind, row.system, row.segment, row.text) for row in hit)
        for _, hit in groupby(rows, key=lambda row: row.hit)
    )
    return replace(copied, given=given)
