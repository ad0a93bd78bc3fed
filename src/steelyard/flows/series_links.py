"""The link of a series' manager: made with the secret that its campaigns share, and stored nowhere."""

from __future__ import annotations

import hmac
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from steelyard.domain.errors import NotFound, SourceError
from steelyard.flows.links import INVALID
from steelyard.flows.open import OpenCampaign
from steelyard.flows.secrets import (
    FOLDER_FILE,
    known_shared_secret,
    renew_shared_secret,
    shared_secret,
    state_folder,
    usable_secret,
)
from steelyard.flows.series import CampaignPlace, Outcome, Series
from steelyard.flows.tokens import SHARED_IDS, token_for


@dataclass(frozen=True, slots=True)
class SeriesDoor:
    """Who may see a whole series. A new secret in the file, or in the environment, makes a new link.

    The file is read each time: a link that was ended opens nothing, not even at a server that still runs.
    """

    name: str
    secret_file: Path

    @property
    def token(self) -> str:
        """What the manager's link ends with; SourceError if the secret is gone."""
        secret = known_shared_secret(self.secret_file)
        if secret is None:
            advice = "Put the file back, or start the server again for a new one."
            raise SourceError(str(self.secret_file), [f"the secret of the series' link is missing. {advice}"])
        # No two names may be one mark, which ends at the first dot.
        mark = f"series {self.name.encode().hex()}"
        return token_for(secret, mark, "manager", SHARED_IDS["manager"], 1)

    def url(self, base_url: str) -> str:
        """The manager's link."""
        return f"{base_url}/m/{self.token}"

    def require_manager(self, token: str) -> None:
        """NotFound unless this is the token of the series' manager."""
        if not hmac.compare_digest(self.token.encode(), token.encode()):
            raise NotFound(INVALID)


def series_door(series: Series) -> SeriesDoor:
    """The door of a series; its secret is made if there is none."""
    file = _secret_file(series)
    shared_secret(file)
    return SeriesDoor(series.name, file)


def with_secrets(opened: Sequence[Outcome[OpenCampaign]]) -> list[Outcome[OpenCampaign]]:
    """The campaigns of a series, those whose secret is missing or another one with that as their error."""
    return [
        outcome if outcome.result is None else _with_secret(outcome.place, outcome.result)
        for outcome in opened
    ]


def _with_secret(place: CampaignPlace, campaign: OpenCampaign) -> Outcome[OpenCampaign]:
    try:
        usable_secret(campaign)
    except SourceError as error:
        return Outcome(place, error=error)
    return Outcome(place, campaign)


def renew_series_door(series: Series) -> bool:
    """End the link of the series' manager; False if its secret comes from the environment.

    Only for when the links of no campaign rest on the old secret any more.
    """
    return renew_shared_secret(_secret_file(series))


def _secret_file(series: Series) -> Path:
    if series.folder is not None:
        return series.folder / FOLDER_FILE
    return state_folder() / f"series-{sha256(series.place.encode()).hexdigest()[:16]}.secret"
