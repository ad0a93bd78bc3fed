"""Prose with citations: one structure, rendered as Markdown and as LaTeX, and its bibliography."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from steelyard.domain.errors import NotFound
from steelyard.report.latex_text import breakable, escape


@dataclass(frozen=True, slots=True)
class Cite:
    """A citation of these keys of the bibliography, after the words that rest on them."""

    keys: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Code:
    """Something to be typed or compared letter by letter, such as a signature."""

    text: str


Piece = str | Cite | Code
Sentence = Sequence[Piece]


@dataclass(frozen=True, slots=True)
class Paragraph:
    """Sentences under a short heading."""

    title: str
    sentences: tuple[Sentence, ...]


def cited_markdown(paragraphs: Iterable[Paragraph]) -> str:
    """The paragraphs as Markdown, with citations as Pandoc reads them.

    >>> cited_markdown([Paragraph("Check", (("Workers were checked", Cite(("Graham2014",)), "."),))])
    '**Check.** Workers were checked [@Graham2014].\\n'
    """
    return _rendered(paragraphs, heading="**{}.** ", piece=_in_markdown)


def cited_latex(paragraphs: Iterable[Paragraph]) -> str:
    """The paragraphs as LaTeX to \\input, with citations of natbib.

    >>> cited_latex([Paragraph("Check", (("10 %", Cite(("Graham2014", "Holm1979")), "."),))])
    '\\\\paragraph{Check.} 10 \\\\%~\\\\citep{Graham2014,Holm1979}.\\n'
    """
    return _rendered(paragraphs, heading="\\paragraph{{{}.}} ", piece=_in_latex)


def keys_cited(paragraphs: Iterable[Paragraph]) -> list[str]:
    """All keys in the order in which they are first cited."""
    pieces = (piece for paragraph in paragraphs for sentence in paragraph.sentences for piece in sentence)
    return list(dict.fromkeys(key for piece in pieces if isinstance(piece, Cite) for key in piece.keys))


def bibliography(keys: Iterable[str]) -> str:
    """The BibTeX entries of these keys and no others, as our bibliography has them."""
    known = _entries()
    missing = sorted(set(keys) - set(known))
    if missing:
        raise NotFound(f"The bibliography has no entry for {', '.join(missing)}.")
    return "\n\n".join(known[key] for key in dict.fromkeys(keys)) + "\n"


@cache
def _entries() -> dict[str, str]:
    text = files("steelyard.report").joinpath("references.bib").read_text("utf-8")
    return {
        found[2]: found[1].strip() for found in re.finditer(r"^(@\w+\{([^,\s]+),.*?^\})", text, re.M | re.S)
    }


def _rendered(paragraphs: Iterable[Paragraph], *, heading: str, piece: Callable[[Piece], str]) -> str:
    written = [
        heading.format(paragraph.title)
        + " ".join("".join(map(piece, sentence)) for sentence in paragraph.sentences)
        for paragraph in paragraphs
        if paragraph.sentences
    ]
    return "\n\n".join(written) + "\n"


def _in_markdown(piece: Piece) -> str:
    match piece:
        case Cite(keys):
            return f" [{'; '.join(f'@{key}' for key in keys)}]"
        case Code(text):
            return f"`{text}`"
    return as_markdown(str(piece))


def as_markdown(text: str) -> str:
    """The text so that nothing that people wrote becomes markup.

    >>> as_markdown("R&D_50%: <b>")
    'R&D\\\\_50%: \\\\<b>'
    """
    return re.sub(r"([\\`*_\[\]#|]|<(?=\S))", r"\\\1", text)


def _in_latex(piece: Piece) -> str:
    match piece:
        case Cite(keys):
            return rf"~\citep{{{','.join(keys)}}}"
        case Code(text):
            return rf"{{\ttfamily {breakable(text)}}}"
    return escape(str(piece))
