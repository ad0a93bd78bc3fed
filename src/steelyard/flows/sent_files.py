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
_PART = r"[^/\\:\x00-\x1f.][^/\\:\x00-\x1f]*"
_PLAIN = re.compile(rf"(?=.{{1,200}}\Z){_PART}(/{_PART}){{0,5}}")


@contextmanager
def sent_campaign(campaign_file: str, files: Mapping[str, str]) -> Iterator[Path]:
    """The path of the campaign file, with the files it names beside it; all are removed in the end.

    CampaignError if a name leads out of the folder.
    """
    problems = [_refusal(name) for name in files if not _PLAIN.fullmatch(name)]
    if problems:
        raise CampaignError(CAMPAIGN_FILE, problems)
    with tempfile.TemporaryDirectory(prefix="steelyard-") as name:
        folder = Path(name)
        for file, text in {**files, CAMPAIGN_FILE: campaign_file}.items():
            path = folder / file
            try:
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(text.encode("utf-8", "surrogatepass"))
            except (OSError, ValueError):
                raise CampaignError(CAMPAIGN_FILE, [_refusal(file)]) from None
        try:
            yield folder / CAMPAIGN_FILE
        except CampaignError as error:
            # The folder is nothing to the sender.
            where = error.where.removeprefix(f"{folder}/")
            raise CampaignError(where, error.problems) from None


def _refusal(name: str) -> str:
    return f'a file cannot be kept under the name "{name}"; use letters, digits, dashes and dots.'
