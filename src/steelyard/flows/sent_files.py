"""A campaign file and its texts that came over the network, in a folder of their own."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from steelyard.domain.errors import CampaignError

CAMPAIGN_FILE = "campaign.toml"
# Names that stay inside their folder on every system; folders in it are allowed.
_PLAIN = re.compile(r"(?=.{1,200}\Z)[A-Za-z0-9_-][A-Za-z0-9._-]*(/[A-Za-z0-9_-][A-Za-z0-9._-]*){0,5}")


@contextmanager
def sent_campaign(campaign_file: str, files: Mapping[str, str]) -> Iterator[Path]:
    """The path of the campaign file, with the files it names beside it; all are removed in the end.

    CampaignError if a name leads out of the folder.
    """
    problems = [
        f'the file "{name}" cannot be kept under this name; use letters, digits, dots, dashes, underscores.'
        for name in files
        if not _PLAIN.fullmatch(name)
    ]
    if problems:
        raise CampaignError(CAMPAIGN_FILE, problems)
    with tempfile.TemporaryDirectory(prefix="steelyard-") as name:
        folder = Path(name)
        for file, text in {**files, CAMPAIGN_FILE: campaign_file}.items():
            path = folder / file
            try:
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(text.encode("utf-8", "surrogatepass"))
            except OSError as error:
                problem = f'the file "{file}" cannot be kept ({error.strerror or error}); rename it.'
                raise CampaignError(CAMPAIGN_FILE, [problem]) from None
        try:
            yield folder / CAMPAIGN_FILE
        except CampaignError as error:
            # The folder is nothing to the sender.
            where = error.where.removeprefix(f"{folder}/")
            raise CampaignError(where, error.problems) from None
