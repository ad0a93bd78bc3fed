"""A series of campaigns as its organiser writes it: a folder of campaign files, or a file that lists them."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from steelyard.domain.errors import CampaignError, SourceError
from steelyard.formats.campaign_mistakes import table_problems
from steelyard.formats.text_file import read_text

FILE_NAME = "series.toml"
# What all campaigns of a series may share; what a campaign's own file says wins.
SHARED_TABLES = ("rules", "pay", "platform")


@dataclass(frozen=True, slots=True)
class SeriesSource:
    """The campaign files of a series, what they share, and other files of the folder that were left out."""

    path: Path
    files: tuple[Path, ...]
    shared: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    left_out: tuple[Path, ...] = ()


def read_series(path: Path) -> SeriesSource | None:
    """The series that a folder or file describes; None for a file of one campaign.

    CampaignError with all problems if it describes a series that cannot be read.
    """
    if path.is_dir():
        listed = path / FILE_NAME
        return _listed(listed, _tables(listed) or {}) if listed.exists() else _in_folder(path)
    # Whatever else is wrong with a file is for the reader of campaigns to say.
    raw = _tables(path) if path.is_file() else None
    return None if raw is None or "campaigns" not in raw else _listed(path, raw)


def _in_folder(folder: Path) -> SeriesSource:
    files = sorted(folder.glob("*.toml"))
    # Words of instructions are TOML too. A file with mistakes in it is no reason to leave a campaign out.
    raw = {file: _tables(file) for file in files}
    campaigns = tuple(file for file in files if raw[file] is None or "campaign" in (raw[file] or {}))
    if not campaigns:
        what = f"no *.toml with a table [campaign], and no {FILE_NAME}"
        raise CampaignError(str(folder), [f"there is no campaign file in this folder: {what}."])
    return SeriesSource(folder, campaigns, left_out=tuple(file for file in files if file not in campaigns))


def _listed(path: Path, raw: Mapping[str, Any]) -> SeriesSource:
    problems = [
        f"The file does not know {_as_written(key, raw[key])}. It knows: [[campaigns]], "
        f"{', '.join(f'[{table}]' for table in SHARED_TABLES)}."
        for key in raw
        if key not in ("campaigns", *SHARED_TABLES)
    ]
    shared = {}
    for table in SHARED_TABLES:
        values = raw.get(table, {})
        if isinstance(values, Mapping):
            problems += table_problems(table, values)
            shared[table] = values
        else:
            problems.append(f"[{table}] must be a table: write [{table}] on a line of its own.")
    files, more = _files(path, raw.get("campaigns"))
    problems += more
    if problems:
        raise CampaignError(str(path), problems)
    return SeriesSource(path, tuple(files), shared)


def _files(path: Path, entries: Any) -> tuple[list[Path], list[str]]:
    """The campaign files that a series lists, relative to its own place, and what is wrong with the list."""
    if not isinstance(entries, list) or not entries:
        return [], [
            'The file lists no campaign: write [[campaigns]] and file = "NAME.toml" for each of them.'
        ]
    files, problems = [], []
    for number, entry in enumerate(entries, start=1):
        file = entry.get("file") if isinstance(entry, Mapping) else None
        if not isinstance(file, str) or not file or len(entry) > 1:
            problems.append(f'[[campaigns]] number {number}: needs one key, file = "NAME.toml".')
        elif path.parent / file in files:
            problems.append(f'[[campaigns]] number {number}: "{file}" is listed twice.')
        else:
            files.append(path.parent / file)
    return files, problems


def _as_written(key: str, value: Any) -> str:
    return f"the table [{key}]" if isinstance(value, Mapping) else f'the key "{key}"'


def _tables(path: Path) -> dict[str, Any] | None:
    """The tables of a TOML file; None if it cannot be read."""
    try:
        return tomllib.loads(read_text(path))
    except (SourceError, ValueError):
        return None
