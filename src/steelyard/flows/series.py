"""A series: the campaigns of one event, in a folder of databases or in one PostgreSQL database.

Each campaign has a database, or a schema, of its own: nothing of one can reach another.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, TypeVar

from steelyard.domain.errors import EvaluationError, SourceError
from steelyard.flows.open import OpenCampaign, open_campaign

Result = TypeVar("Result")
ENDINGS = (".db", ".sqlite", ".sqlite3")


@dataclass(frozen=True, slots=True)
class CampaignPlace:
    """Where one campaign of a series is: its name there, and the address that opens it alone.

    `shown` is the address fit for printing.
    """

    name: str
    address: str
    shown: str


@dataclass(frozen=True, slots=True)
class Series:
    """The campaigns at one address. `folder` is None on PostgreSQL.

    `address` is fit for printing; `place` is the same however the address is written.
    """

    name: str
    address: str
    place: str
    places: tuple[CampaignPlace, ...]
    folder: Path | None = None


@dataclass(frozen=True, slots=True)
class Outcome(Generic[Result]):
    """What came of something done with one campaign: a result, or the reason why there is none."""

    place: CampaignPlace
    result: Result | None = None
    error: EvaluationError | None = None

    @property
    def name(self) -> str:
        """The campaign's name in the series."""
        return self.place.name


def find_series(address: str) -> Series | None:
    """The series at a folder or a postgresql:// address; None for everything else.

    In a folder, every database is a campaign, named as its file; what else lies there does not matter.
    """
    if "://" in address:
        return _in_database(address)
    folder = Path(address)
    if not folder.is_dir():
        return None
    files = [file for file in folder.iterdir() if file.suffix in ENDINGS and not file.name.startswith(".")]
    if not files:
        return None
    places = (CampaignPlace(file.stem, str(file), str(file)) for file in sorted(files))
    return Series(folder.resolve().name, address, str(folder.resolve()), tuple(places), folder)


def _in_database(address: str) -> Series | None:
    from steelyard.store.addresses import address_with_schema, postgresql_url, shown_address
    from steelyard.store.schemas import campaign_schemas

    names = campaign_schemas(address)
    if not names:
        return None
    url = postgresql_url(address)
    addresses = {name: address_with_schema(address, name) for name in names}
    places = (
        CampaignPlace(name, found, shown_address(postgresql_url(found))) for name, found in addresses.items()
    )
    host = url.host or url.query.get("host") or "localhost"
    place = f"{host}:{url.port or url.query.get('port') or 5432}/{url.database}"
    return Series(url.database or "series", shown_address(url), place, tuple(places))


def for_each(series: Series, act: Callable[[CampaignPlace], Result]) -> list[Outcome[Result]]:
    """Do something with every campaign in turn; one that fails does not stop the others."""
    outcomes: list[Outcome[Result]] = []
    for place in series.places:
        try:
            outcomes.append(Outcome(place, act(place)))
        except EvaluationError as error:
            outcomes.append(Outcome(place, error=error))
    return outcomes


def opened_campaigns(series: Series) -> list[Outcome[OpenCampaign]]:
    """All campaigns of the series, opened as far as they can be; to be closed by whoever asks for them."""
    return _one_of_each(for_each(series, lambda place: open_campaign(place.address)))


@contextmanager
def open_series(series: Series) -> Iterator[list[Outcome[OpenCampaign]]]:
    """The same until the block is left."""
    opened = opened_campaigns(series)
    try:
        yield opened
    finally:
        for outcome in opened:
            if outcome.result is not None:
                outcome.result.close()


def _one_of_each(opened: list[Outcome[OpenCampaign]]) -> list[Outcome[OpenCampaign]]:
    """The same, but a campaign that is there twice is taken from one place and closed in the others.

    Of a copy, such as a backup, links would open the wrong one, and judgements would be divided.
    """
    holders: dict[str, Outcome[OpenCampaign]] = {}
    # The one that is named as its campaign comes first.
    for outcome in sorted(opened, key=lambda one: one.result is None or one.name != one.result.settings.name):
        if outcome.result is not None:
            holders.setdefault(outcome.result.settings.name, outcome)
    found = []
    for outcome in opened:
        holder = None if outcome.result is None else holders[outcome.result.settings.name]
        if outcome.result is None or holder is None or holder.place == outcome.place:
            found.append(outcome)
            continue
        store, name = outcome.result.store, outcome.result.settings.name
        problem = f"this holds the campaign {name}, as {holder.name} does. Move one of the two elsewhere."
        store.close()
        found.append(Outcome(outcome.place, error=SourceError(store.address, [problem])))
    return found
