"""Create a series: all campaigns of a folder or a list, or none of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from datetime import datetime
from pathlib import Path
from secrets import token_hex

from steelyard.domain.errors import CampaignError, Conflict, SourceError
from steelyard.flows.backup import place_in_series
from steelyard.flows.create import Created, Designed, design_source, write
from steelyard.flows.media import media_folder
from steelyard.flows.platform import require_platform
from steelyard.flows.secrets import FOLDER_FILE, shared_secret
from steelyard.flows.watching import Progress, unseen
from steelyard.formats.campaign_toml import CampaignSource, read_campaign
from steelyard.formats.series_toml import SeriesSource
from steelyard.store.addresses import address_with_schema
from steelyard.store.schemas import UNFINISHED, drop_schemas, rename_schemas, require_free_schemas

# PostgreSQL cuts off longer names.
LONGEST_SCHEMA = 63


def create_series(
    source: SeriesSource,
    target: str,
    *,
    now: datetime,
    draft: bool = False,
    media: Path | None = None,
    progress: Progress = unseen,
) -> list[Created]:
    """Create every campaign of a series in a folder or a PostgreSQL database, or none at all.

    `media`: one folder for the files that sources show, in place of one beside each database.
    """
    sources = read_campaigns(source)
    names = [found.campaign.settings.name for found in sources]
    created = []
    with _new_addresses(target, names) as addresses:
        for designed, address in zip(design_all(source, sources, progress=progress), addresses, strict=True):
            # The address is not the final one yet.
            place = media or media_folder(place_in_series(target, designed.campaign.settings.name))
            created.append(write(designed, address, now=now, draft=draft, media=place, progress=progress))
    return created


def read_campaigns(source: SeriesSource) -> list[CampaignSource]:
    """The campaigns that the files of a series describe; CampaignError with the problems of all files."""
    found, problems = [], []
    for file in source.files:
        try:
            found.append(read_campaign(file, shared=source.shared))
            require_platform(found[-1].campaign.settings.rules, str(file))
        except CampaignError as error:
            problems += [f"{error.where}: {problem}" for problem in error.problems]
    # Some systems do not tell en-DE.db from en-de.db.
    names = Counter(one.campaign.settings.name.casefold() for one in found)
    problems += [
        f'[campaign] name "{name}" is used {times} times; each campaign of a series needs its own.'
        for name, times in names.items()
        if times > 1
    ]
    if problems:
        raise CampaignError(str(source.path), problems)
    return found


def design_all(
    source: SeriesSource, sources: Sequence[CampaignSource], *, progress: Progress = unseen
) -> Iterator[Designed]:
    """Design one campaign after another; only one is held at a time."""
    for file, found in zip(source.files, sources, strict=True):
        try:
            yield design_source(found, progress=progress)
        except CampaignError as error:
            raise CampaignError(str(file), error.problems) from None


def _new_addresses(target: str, names: Sequence[str]) -> AbstractContextManager[list[str]]:
    """Addresses to fill; at the end of the block all of them get the campaigns' names, or all are removed."""
    return _in_database(target, names) if "://" in target else _in_folder(Path(target), names)


@contextmanager
def _in_folder(folder: Path, names: Sequence[str]) -> Iterator[list[str]]:
    if folder.exists() and not folder.is_dir():
        raise SourceError(str(folder), ["this is a file. Several campaigns need a folder to be created in."])
    files = [folder / f"{name}.db" for name in names]
    _require_free(folder, [file.name for file in files if file.exists()])
    is_ours, secret = not folder.exists(), folder / FOLDER_FILE
    had_secret = secret.exists()
    unfinished = [folder / f".new-{token_hex(4)}-{file.name}" for file in files]
    taken: list[Path] = []
    try:
        _make_folder(folder)
        # The links of all campaigns of a series are made with one secret.
        shared_secret(secret)
        yield list(map(str, unfinished))
        for file in files:
            _take_name(file)
            taken.append(file)
        for new, file in zip(unfinished, files, strict=True):
            new.replace(file)
    except BaseException:
        for file in (*unfinished, *taken):
            _remove(file)
        # Somebody else may have created campaigns here meanwhile, whose links rest on it.
        if not had_secret and not any(folder.glob("*.db")):
            _remove(secret)
        if is_ours:
            with suppress(OSError):
                folder.rmdir()
        raise


def _remove(file: Path) -> None:
    # A disk that cannot be written to refuses even to remove what is not there.
    with suppress(OSError):
        file.unlink(missing_ok=True)


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir(exist_ok=True)
    except OSError as error:
        problem = f"the folder cannot be made: {error.strerror}. Choose another."
        raise SourceError(str(folder), [problem]) from error


def _take_name(file: Path) -> None:
    """Make an empty file that nobody else has made, to be replaced by the finished one."""
    try:
        file.touch(mode=0o600, exist_ok=False)
    except FileExistsError:
        _require_free(file.parent, [file.name])


def _require_free(where: Path, taken: Sequence[str]) -> None:
    if taken:
        raise Conflict(
            f"{where}: already there: {', '.join(taken)}. Nothing was written. Choose another folder, or "
            "leave these campaigns out."
        )


@contextmanager
def _in_database(address: str, names: Sequence[str]) -> Iterator[list[str]]:
    long = [name for name in names if len(name) > LONGEST_SCHEMA]
    if long:
        problem = f"[campaign] name has more than {LONGEST_SCHEMA} characters, too many for PostgreSQL"
        raise CampaignError("the series", [f"{problem}: {name}." for name in long])
    require_free_schemas(address, names)
    token = token_hex(4)
    unfinished = {f"{UNFINISHED}{token}_{number}": name for number, name in enumerate(names)}
    try:
        yield [address_with_schema(address, schema) for schema in unfinished]
        rename_schemas(address, unfinished)
    except BaseException:
        drop_schemas(address, unfinished)
        raise
