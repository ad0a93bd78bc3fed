"""The files that a campaign's sources show: kept in a folder beside the database, named by their content."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from secrets import token_hex

from steelyard.domain.entry import entry_in
from steelyard.domain.errors import SourceError
from steelyard.domain.media import media_named_in
from steelyard.flows.open import OpenCampaign
from steelyard.store import campaigns, extending


def media_folder(address: str) -> Path | None:
    """Where the files of a campaign are unless somebody says otherwise; None for PostgreSQL.

    >>> str(media_folder("trials/news.db"))
    'trials/news.media'
    """
    return None if "://" in address else Path(address).with_suffix(".media")


def folder_of(campaign: OpenCampaign) -> Path | None:
    """Where the files of an open campaign are unless somebody says otherwise; None for PostgreSQL."""
    file = campaign.store.file
    return None if file is None else media_folder(str(file))


@contextmanager
def kept_media(media: Mapping[str, Path], folder: Path | None) -> Iterator[None]:
    """Copy files into a folder for what the block writes; if it fails, those that are new are removed."""
    if not media:
        yield
        return
    if folder is None:
        problem = "sources show files, and PostgreSQL keeps none: name a folder for them with --media."
        raise SourceError("the campaign", [problem])
    is_new = not folder.exists()
    made: list[Path] = []
    try:
        _copy(media, folder, made)
        yield
    except BaseException:
        with suppress(OSError):
            for file in made:
                file.unlink()
            if is_new:
                folder.rmdir()
        raise


def _copy(media: Mapping[str, Path], folder: Path, made: list[Path]) -> None:
    try:
        folder.mkdir(exist_ok=True)
        for name, path in media.items():
            # The same name is the same content.
            if not (folder / name).exists():
                part = folder / f".{token_hex(4)}.part"
                made.append(part)
                shutil.copyfile(path, part)
                part.replace(folder / name)
                made[-1] = folder / name
    except OSError as error:
        problem = f"the files that sources show cannot be copied here: {error.strerror}."
        raise SourceError(str(folder), [problem]) from error


def media_names(campaign: OpenCampaign) -> list[str]:
    """The names of all files that the sources of a campaign show, each once."""
    with campaign.store.snapshot() as connection:
        settings = campaigns.settings(connection)
        if not settings.presentation.get("source_markup"):
            return []
        stored = extending.stored_texts(connection)
    entry = entry_in(settings.presentation)
    sources = [segment.source for part in stored.parts.values() for segment in part]
    sources += [text.source for text in stored.calibration]
    sources += [item.source for item in (entry.training if entry else ())]
    return list(dict.fromkeys(name for source in sources for name in media_named_in(source)))


def missing_media(campaign: OpenCampaign, folder: Path | None) -> list[str]:
    """The files that sources show and that are not in the folder."""
    return [name for name in media_names(campaign) if folder is None or not (folder / name).is_file()]
