"""Open a campaign: its database and what it is about, for every verb that works on it."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, field
from types import TracebackType

from steelyard.domain.campaign import CampaignSettings
from steelyard.domain.entry import CampaignEntry
from steelyard.domain.errors import SourceError
from steelyard.store import campaigns
from steelyard.store.database import Store, open_store


@dataclass(frozen=True, slots=True)
class OpenCampaign:
    """A campaign that can be worked on. Its settings are those of the moment when it was opened.

    Rules, title and words may have changed since: `flows.state.campaign_now` reads them afresh.
    """

    store: Store
    settings: CampaignSettings
    secrets: dict[str, str] = field(default_factory=dict, repr=False, compare=False)
    """Secrets of links that were found so far, by their marks."""
    entries: dict[int, CampaignEntry | None] = field(default_factory=dict, repr=False, compare=False)
    """What comes before the first set, by revision, as far as it was read: revisions never change."""

    def close(self) -> None:
        """Let go of the database."""
        self.store.close()

    def ping(self) -> None:
        """Raise SourceError if the database cannot be reached."""
        self.store.ping()

    def __enter__(self) -> OpenCampaign:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def open_campaign(address: str) -> OpenCampaign:
    """The campaign in a SQLite file or at a postgresql:// address; SourceError if there is none."""
    try:
        store = open_store(address)
    except SourceError as error:
        raise series_problem(address) or error from None
    try:
        with store.read() as connection:
            settings = campaigns.settings(connection)
    except BaseException:
        store.close()
        raise
    return OpenCampaign(store, settings)


def series_problem(address: str) -> SourceError | None:
    """What to say if several campaigns are at an address that should name one."""
    from steelyard.flows.series import find_series

    with suppress(SourceError):
        series = find_series(address)
        if series is not None:
            one = series.places[0]
            problem = f"this is a series of campaigns. Name one of them, such as {one.shown}."
            return SourceError(series.address, [problem])
    return None
