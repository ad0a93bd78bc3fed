"""Domains of documents: lines of a domain, a tab and a document, as test sets have one for each segment."""

from __future__ import annotations

from pathlib import Path

from steelyard.domain.errors import SourceError
from steelyard.formats._judgement_columns import shown
from steelyard.formats._records import plain_records
from steelyard.formats.text_file import read_text

# The line that some test sets begin with, so that nobody learns from them unawares.
_CANARY = "canary"


def read_domains(path: Path) -> dict[str, str]:
    """The domain of each document; SourceError lists lines that are no such line or contradict others."""
    found: dict[str, str] = {}
    problems: list[str] = []
    for line, cells in plain_records(read_text(path)):
        if line == 1 and _CANARY in cells[0].lower():
            continue
        if len(cells) != 2 or not all(cell.strip() for cell in cells):
            problems.append(f"line {line}: must be a domain, a tab and a document.")
            continue
        domain, document = (cell.strip() for cell in cells)
        known = found.setdefault(document, domain)
        if known != domain:
            said = f"document {shown(document)} has the domain {shown(known)} above, and {shown(domain)} here"
            problems.append(f"line {line}: {said}.")
    if not found and not problems:
        problems.append("is empty: each line must be a domain, a tab and a document.")
    if problems:
        raise SourceError(str(path), problems)
    return found
