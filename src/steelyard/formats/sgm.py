"""Test sets of the WMT shared tasks until 2020: SGML, one file for the source, a reference or a system."""

from __future__ import annotations

import html
import re
from dataclasses import dataclass
from pathlib import Path

from steelyard.domain.errors import SourceError
from steelyard.formats.text_file import read_text

ENDINGS = (".sgm", ".sgml", ".sgm.gz", ".sgml.gz")
_TAGS = re.compile(
    r"<doc\b(?P<about>[^>]*)>|<seg\b[^>]*>(?P<text>.*?)</seg>|(?P<unclosed><seg\b[^>]*>)",
    flags=re.IGNORECASE | re.DOTALL,
)
_DOCUMENT_ID = re.compile(r"""\bdocid\s*=\s*["']?([^"'>\s]+)""", flags=re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class SgmFile:
    """The segments of a file in order, and the document of each."""

    lines: list[str]
    documents: list[str]


def read_sgm(path: Path) -> SgmFile:
    """The segments of an .sgm file. Not all such files are proper SGML, so only the tags count."""
    lines: list[str] = []
    documents: list[str] = []
    document = ""
    text = read_text(path)
    for tag in _TAGS.finditer(text):
        if tag["unclosed"]:
            line = text.count("\n", 0, tag.start()) + 1
            raise SourceError(str(path), [f"line {line}: <seg> is never closed; end it with </seg>."])
        if tag["about"] is not None:
            found = _DOCUMENT_ID.search(tag["about"])
            document = found[1] if found else ""
        else:
            lines.append(" ".join(html.unescape(tag["text"]).split()))
            documents.append(document)
    if not lines:
        raise SourceError(str(path), ["has no <seg> in it; is it an SGM file?"])
    return SgmFile(lines, documents)
