"""Test sets of the WMT shared tasks since 2021: XML with sources, references and systems by document."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import NoReturn
from xml.parsers import expat

from steelyard.domain.errors import SourceError
from steelyard.domain.languages import base_language
from steelyard.domain.text import Segment
from steelyard.domain.wording import counted, listed
from steelyard.formats.text_file import decode, read_content
from steelyard.formats.texts import LanguagePair, Texts, choose_reference

# The parts of a document, and the attribute that says whose they are.
_PARTS = {"src": None, "ref": "translator", "hyp": "system"}


@dataclass(slots=True)
class _Part:
    """A source, a reference or a system's translations of one document, by the ids of segments."""

    kind: str
    name: str
    language: str
    line: int
    texts: dict[str, str] = field(default_factory=dict)


@dataclass(slots=True)
class _Document:
    document_id: str
    collection: str
    line: int
    parts: list[_Part] = field(default_factory=list)

    def of_kind(self, kind: str) -> Iterator[_Part]:
        return (part for part in self.parts if part.kind == kind)


def read_wmt_xml(path: Path, *, pair: LanguagePair, reference: str | None = None) -> Texts:
    """The texts of one language pair in a WMT XML file.

    Segments are named "document:id", because ids start again in every document. `reference` chooses
    one of several ("A" and "refA" mean the same); the others can take part as systems "refB" and
    so on, if a campaign names them. SourceError lists all problems.
    """
    where = str(path)
    documents = _documents(read_content(path), where)
    chosen = [document for document in documents if _is_ours(document, pair)]
    if not chosen:
        pairs = sorted(
            {f"{source}-{target}" for document in documents for source, target in _pairs(document)}
        )
        problem = f"has no document from {pair.source} to {pair.target}; it has: {listed(pairs) or 'none'}."
        raise SourceError(where, [f"{problem} Set [campaign] source_language and target_language to fit."])
    problems = _repeated(chosen)
    names = _reference_names(chosen, pair)
    ours, problem_with_choice = choose_reference(sorted(names), reference)
    problems += problem_with_choice
    if problems:
        raise SourceError(where, problems)
    left_out = len(documents) - len(chosen)
    warnings = [f"{counted(left_out, 'document')} in other languages left out."] if left_out else []
    return _texts(chosen, pair, reference=ours, warnings=warnings)


def _documents(content: bytes, where: str) -> list[_Document]:
    reader = _Reader(where)
    # The argument wins over what the file declares, which _utf8 has looked at.
    reader.parser = parser = expat.ParserCreate("utf-8")
    parser.buffer_text = True
    parser.StartElementHandler = reader.start
    parser.EndElementHandler = reader.end
    parser.CharacterDataHandler = reader.characters
    # Entities can blow up a small file to any size, and skipped ones are texts lost.
    parser.EntityDeclHandler = reader.refuse_entities
    parser.SkippedEntityHandler = reader.refuse_entities
    try:
        parser.Parse(_utf8(content, where), True)
    except expat.ExpatError as error:
        problem = f"line {error.lineno} is not well-formed XML ({expat.ErrorString(error.code)})."
        raise SourceError(where, [problem]) from None
    if reader.problems:
        raise SourceError(where, reader.problems)
    return _told_apart(reader.documents)


def _told_apart(documents: list[_Document]) -> list[_Document]:
    """The documents, those whose id comes again in another collection named after theirs too."""
    times = Counter(document.document_id for document in documents)
    return [
        replace(document, document_id=f"{document.collection}/{document.document_id}")
        if times[document.document_id] > 1 and document.collection
        else document
        for document in documents
    ]


def _utf8(content: bytes, where: str) -> bytes:
    """The file in UTF-8, by the encoding that it declares itself."""
    declared = re.match(rb"""<\?xml[^>]*encoding\s*=\s*["']([\w.:-]+)""", content)
    name = declared[1].decode() if declared else "utf-8"
    if name.lower().replace("_", "-") in ("utf-8", "utf8"):
        return decode(content, where).encode()
    try:
        return content.decode(name).encode()
    except (LookupError, UnicodeDecodeError):
        problem = f"declares the encoding {name}, which is unknown or wrong; save it as UTF-8."
        raise SourceError(where, [problem]) from None


class _Reader:
    """Collects documents while the parser walks through the file."""

    def __init__(self, where: str) -> None:
        self.where = where
        self.documents: list[_Document] = []
        self.problems: list[str] = []
        self.parser: expat.XMLParserType
        self._collection = ""
        self._part: _Part | None = None
        self._segment_id: str | None = None
        self._text: list[str] = []

    def start(self, tag: str, attributes: Mapping[str, str]) -> None:
        line = self.parser.CurrentLineNumber
        if tag == "doc":
            document_id = attributes.get("id") or attributes.get("docid") or str(len(self.documents) + 1)
            self.documents.append(_Document(document_id.strip(), self._collection, line))
        elif tag == "collection":
            self._collection = attributes.get("id", "").strip()
        elif tag in _PARTS and self.documents:
            self._part = self._new_part(tag, attributes, line)
            self.documents[-1].parts.append(self._part)
        elif tag == "seg" and self._part is not None:
            self._segment_id = attributes.get("id", "").strip() or str(len(self._part.texts) + 1)
            self._text = []

    def _new_part(self, tag: str, attributes: Mapping[str, str], line: int) -> _Part:
        # The tools of the shared task have written both "lang" and "language".
        language = attributes.get("lang") or attributes.get("language") or ""
        attribute = _PARTS[tag]
        name = attributes.get(attribute, "").strip() if attribute else ""
        if tag == "hyp" and not name:
            self.problems.append(f"line {line}: <hyp> has no system; it must say whose it is.")
        return _Part(tag, name, language.replace("_", "-"), line)

    def end(self, tag: str) -> None:
        if tag == "seg" and self._part is not None and self._segment_id is not None:
            if self._segment_id in self._part.texts:
                line = self.parser.CurrentLineNumber
                part = f"<{self._part.kind}> of line {self._part.line}"
                self.problems.append(f"line {line}: segment {self._segment_id} is in {part} twice.")
            self._part.texts[self._segment_id] = "".join(self._text).strip()
            self._segment_id = None
        elif tag in _PARTS:
            self._part = None

    def characters(self, text: str) -> None:
        if self._segment_id is not None:
            self._text.append(text)

    def refuse_entities(self, *_declaration: object) -> NoReturn:
        line = self.parser.CurrentLineNumber
        problem = f"line {line} uses or declares its own entity; replace it with the text."
        raise SourceError(self.where, [problem])


def _same_language(ours: str, found: str) -> bool:
    """Whether a part belongs to our language; one that says nothing does."""
    return not found or base_language(found) == base_language(ours)


def _is_ours(document: _Document, pair: LanguagePair) -> bool:
    has_source = any(_same_language(pair.source, part.language) for part in document.of_kind("src"))
    return has_source and any(_of_pair(document, pair))


def _of_pair(document: _Document, pair: LanguagePair) -> Iterator[_Part]:
    for part in document.parts:
        if part.kind != "src" and _same_language(pair.target, part.language):
            yield part


def _pairs(document: _Document) -> Iterator[tuple[str, str]]:
    for source in document.of_kind("src"):
        for part in document.parts:
            if part.kind != "src":
                yield source.language or "?", part.language or "?"


def _repeated(documents: list[_Document]) -> list[str]:
    """Documents of one name, and parts that a document has twice."""
    problems, lines = [], dict[str, int]()
    for document in documents:
        before = lines.setdefault(document.document_id, document.line)
        if before != document.line:
            name = f'the document "{document.document_id}"'
            problems.append(f"line {document.line}: {name} is in line {before} too; give it another id.")
        parts = dict[tuple[str, str, str], int]()
        for part in document.parts:
            before = parts.setdefault((part.kind, part.name, part.language), part.line)
            if before != part.line:
                name = f'<{part.kind}> "{part.name}"'.removesuffix(' ""')
                problems.append(f"line {part.line}: {name} is in line {before} too.")
    return problems


def _reference_names(documents: list[_Document], pair: LanguagePair) -> set[str]:
    return {
        _reference_name(part)
        for document in documents
        for part in _of_pair(document, pair)
        if part.kind == "ref"
    }


def _reference_name(part: _Part) -> str:
    if not part.name:
        return "ref"
    return part.name if part.name.lower().startswith("ref") else f"ref{part.name}"


def _texts(
    documents: list[_Document], pair: LanguagePair, *, reference: str | None, warnings: list[str]
) -> Texts:
    segments: list[Segment] = []
    translations: dict[str, dict[int, str]] = {}
    references: set[str] = set()
    strangers = 0
    for document in documents:
        source = next(part for part in document.of_kind("src") if _same_language(pair.source, part.language))
        first = len(segments)
        numbers = {segment_id: first + place for place, segment_id in enumerate(source.texts)}
        reference_texts: Mapping[str, str] = {}
        for part in _of_pair(document, pair):
            name = part.name if part.kind == "hyp" else _reference_name(part)
            strangers += len(part.texts.keys() - numbers.keys())
            if part.kind == "ref" and name == reference:
                reference_texts = part.texts
                continue
            if part.kind == "ref":
                references.add(name)
            mine = translations.setdefault(name, {})
            mine.update((numbers[k], text) for k, text in part.texts.items() if k in numbers)
        segments += [
            Segment(f"{document.document_id}:{k}", document.document_id, text, reference_texts.get(k, ""))
            for k, text in source.texts.items()
        ]
    if strangers:
        warnings = [*warnings, f"{counted(strangers, 'text')} of segments that the source lacks left out."]
    return Texts(
        tuple(segments),
        {name: [texts.get(k) for k in range(len(segments))] for name, texts in translations.items()},
        humans=frozenset(references),
        on_request=frozenset(references),
        warnings=tuple(warnings),
    )
