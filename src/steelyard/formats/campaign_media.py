"""Sources in HTML and the files they show: all of a campaign checked, each file named by its content."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from steelyard.domain.errors import SourceError
from steelyard.domain.media import NAME_DIGITS, ending_of
from steelyard.domain.plugin import TextRole
from steelyard.domain.text import CalibrationText, Segment
from steelyard.domain.wording import counted, listed
from steelyard.formats.campaign_files import CampaignFiles
from steelyard.formats.campaign_tables import CampaignFile
from steelyard.formats.source_markup import read_markup, with_names


def markup_problems(parsed: CampaignFile, roles: Iterable[TextRole]) -> list[str]:
    """Keys that do not go together with sources in HTML."""
    shown = parsed.presentation
    if not shown.source_markup:
        if parsed.texts.media is None:
            return []
        return ["[texts] media is for sources in HTML: set [presentation] source_markup, or leave it out."]
    problems = []
    if "source" not in roles:
        problems.append("[presentation] source_markup: workers do not see the source here; leave it out.")
    if shown.texts_as_images:
        problems.append("[presentation] source_markup and texts_as_images exclude each other; leave one out.")
    return problems


@dataclass
class SourceReader:
    """Checks sources one after another and gives them back with the names under which files are kept.

    `kept`: the files found so far, by those names.
    """

    parsed: CampaignFile
    files: CampaignFiles
    kept: dict[str, Path] = field(default_factory=dict)
    _names: dict[str, str] = field(default_factory=dict)
    _problems: dict[str, list[str]] = field(default_factory=dict)

    def segments(self, segments: tuple[Segment, ...]) -> tuple[Segment, ...]:
        return tuple(replace(each, source=self._read(each.source, each.segment_id)) for each in segments)

    def calibration(self, texts: tuple[CalibrationText, ...]) -> tuple[CalibrationText, ...]:
        return tuple(replace(each, source=self._read(each.source, each.segment_id)) for each in texts)

    def training(self, presentation: Mapping[str, Any]) -> dict[str, Any]:
        """The presentation with the sources of its training items read."""
        entry = presentation.get("entry")
        if entry is None:
            return dict(presentation)
        items = [
            {**item, "source": self._read(item["source"], f"training:{number}")}
            for number, item in enumerate(entry["training"], start=1)
        ]
        return {**presentation, "entry": {**entry, "training": items}}

    def note_findings(self) -> None:
        """Hand on all problems, each once with the segments that have it, and a warning of unused files."""
        for problem, segments in self._problems.items():
            noun = "segment" if len(segments) == 1 else "segments"
            self.files.problems.append(f"source of {noun} {listed(segments)}: {problem}")
        self._warn_of_unused()

    def _read(self, text: str, segment_id: str) -> str:
        markup = read_markup(text)
        problems = list(markup.problems)
        for file in markup.files:
            try:
                self._keep(file.name)
            except SourceError as error:
                problems += error.problems
        for problem in dict.fromkeys(problems):
            self._problems.setdefault(problem, []).append(segment_id)
        return text if problems else with_names(text, markup.files, self._names)

    def _keep(self, name: str) -> None:
        if name not in self._names:
            path = self._path(name)
            with path.open("rb") as opened:
                digest = hashlib.file_digest(opened, "sha256").hexdigest()[:NAME_DIGITS]
            self._names[name] = kept = f"{digest}.{ending_of(name)}"
            self.kept[kept] = path

    def _path(self, name: str) -> Path:
        media = self.parsed.texts.media
        if self.files.confined:
            advice = "Files cannot be sent with texts from the dashboard: use `steelyard extend`."
            raise SourceError(name, [f'it shows the file "{name}". {advice}'])
        if media is None:
            advice = "Say in which folder it is: [texts] media."
            raise SourceError(name, [f'it shows the file "{name}". {advice}'])
        folder = self.files.path(media)
        path = folder / name
        if not path.is_file() or not path.resolve().is_relative_to(folder.resolve()):
            raise SourceError(name, [f'there is no file "{name}" in {media}.'])
        if not path.stat().st_size:
            raise SourceError(name, [f'the file "{name}" in {media} is empty.'])
        return path

    def _warn_of_unused(self) -> None:
        """Warn of files that no source shows: often a name was mistyped."""
        media = self.parsed.texts.media
        if media is None or self.files.confined:
            return
        folder = self.files.path(media)
        if not folder.is_dir():
            self.files.problems.append(f"[texts] media: there is no folder {media}.")
            return
        used = {folder / name for name in self._names}
        unused = sorted(
            str(path.relative_to(folder))
            for path in folder.rglob("*")
            if path.is_file() and path not in used and not path.name.startswith(".")
        )
        if unused:
            self.files.warnings.append(
                f"No source shows {counted(len(unused), 'file')} of {media}: {listed(unused)}."
            )
