"""The link of a series' manager: made with the secret that its campaigns share, and stored nowhere."""

from __future__ import annotations

import hmac
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from steelyard.domain.errors import NotFound
from steelyard.flows.links import INVALID
from steelyard.flows.secrets import FOLDER_FILE, renew_shared_secret, shared_secret, state_folder
from steelyard.flows.series import Series
from steelyard.flows.tokens import SHARED_IDS, token_for


@dataclass(frozen=True, slots=True)
class SeriesDoor:
    """Who may see a whole series. A new secret in the file, or in the environment, makes a new link."""

    token: str

    def url(self, base_url: str) -> str:
        """The manager's link."""
        return f"{base_url}/m/{self.token}"

    def require_manager(self, token: str) -> None:
        """NotFound unless this is the token of the series' manager."""
        if not hmac.compare_digest(self.token.encode(), token.encode()):
            raise NotFound(INVALID)


def series_door(series: Series) -> SeriesDoor:
    """The door of a series; its secret is made if there is none."""
    secret = shared_secret(_secret_file(series))
    return SeriesDoor(token_for(secret, f"series {series.name}", "manager", SHARED_IDS["manager"], 1))


def renew_series_door(series: Series) -> bool:
    """End the link of the series' manager; False if its secret comes from the environment.

    Only for when the links of no campaign rest on the old secret any more.
    """
    return renew_shared_secret(_secret_file(series))


def _secret_file(series: Series) -> Path:
    if series.folder is not None:
        return series.folder / FOLDER_FILE
    return state_folder() / f"series-{sha256(series.place.encode()).hexdigest()[:16]}.secret"
