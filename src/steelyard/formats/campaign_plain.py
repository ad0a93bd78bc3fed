"""Texts of a campaign as plain files: line k of every file belongs to segment k."""

from __future__ import annotations

from dataclasses import dataclass, field

from steelyard.domain.text import Segment
from steelyard.domain.wording import listed
from steelyard.formats import sgm
from steelyard.formats.campaign_files import CampaignFiles
from steelyard.formats.campaign_tables import CampaignFile
from steelyard.formats.sgm import read_sgm
from steelyard.formats.texts import Texts, absent_if_blank


@dataclass
class _LineFiles:
    """Reads files that must all be of the length of the first."""

    files: CampaignFiles
    first: str | None = None
    length: int = 0
    documents: list[str] = field(default_factory=list)
    """Documents that an .sgm file names itself."""

    def lines(self, name: str) -> list[str] | None:
        lines = self._read(name)
        if lines is None:
            return None
        if self.first is None:
            self.first, self.length = name, len(lines)
        elif len(lines) != self.length:
            self.files.problems.append(
                f"{name}: has {len(lines)} lines, but {self.first} has {self.length}; "
                "line k of every file must belong to segment k."
            )
            return None
        if not lines:
            self.files.problems.append(f"{name}: is empty.")
            return None
        return lines

    def full_lines(self, name: str) -> list[str] | None:
        """The lines of a file none of which may be empty."""
        lines = self.lines(name)
        empty = [str(k) for k, line in enumerate(lines or (), start=1) if not line.strip()]
        if empty:
            verb = "is" if len(empty) == 1 else "are"
            self.files.problems.append(
                f"{name}: line {listed(empty)} {verb} empty; every segment needs its text."
            )
        return None if empty else lines

    def _read(self, name: str) -> list[str] | None:
        if not name.lower().endswith(sgm.ENDINGS):
            return self.files.lines(name)
        found = self.files.read(name, read_sgm)
        if found is None:
            return None
        self.documents = self.documents or found.documents
        return found.lines


def read_plain_texts(parsed: CampaignFile, files: CampaignFiles) -> Texts | None:
    """The texts of the plain files, or None with all problems noted."""
    n_before = len(files.problems)
    reader = _LineFiles(files)
    files.problems += _missing_files(parsed)
    names = parsed.texts
    source = reader.full_lines(names.source) if names.source else []
    reference = reader.full_lines(names.reference) if names.reference else []
    documents = reader.full_lines(names.documents) if names.documents else []
    translations: dict[str, list[str] | None] = {
        system.name: reader.lines(system.translations) for system in parsed.systems if system.translations
    }
    if len(files.problems) > n_before:
        return None
    n_segments = reader.length
    segments = zip(
        map(str, range(1, n_segments + 1)),
        documents or reader.documents or [""] * n_segments,
        source or [""] * n_segments,
        reference or [""] * n_segments,
        strict=True,
    )
    return Texts(
        segments=tuple(Segment(k, document or k, *texts) for k, document, *texts in segments),
        translations={
            name: absent_if_blank(lines) if names.incomplete else lines
            for name, lines in translations.items()
            if lines is not None
        },
    )


def _missing_files(parsed: CampaignFile) -> list[str]:
    if not parsed.systems:
        return [
            "[[systems]] is missing: add a block with name and translations for each system, or give one "
            "file with the texts of all of them as [texts] file."
        ]
    return [
        f'[[systems]] number {number}: "{system.name}" lacks the key "translations", the file with its texts.'
        for number, system in enumerate(parsed.systems, start=1)
        if system.translations is None
    ]
