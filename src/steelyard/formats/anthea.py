"""Projects of Anthea: texts in, texts out; what people marked comes back in ten columns (`_mqm_table`).

The first line is JSON with source_language and target_language. Each line after it has the fields source,
target, document and system between tabs, and perhaps a fifth: JSON with references and primary_reference. A
blank line, or one of two fields, is a paragraph break. In source and target \\n and \\t stand for a line end
and a tab, and a zero-width space (U+200B) for the border of a word where there is no space, two of them for
that of a sentence. The place of a line among those of its document and system is the segment's number.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from steelyard.domain.errors import SourceError
from steelyard.domain.text import Segment
from steelyard.domain.wording import counted
from steelyard.formats._judgement_columns import shown
from steelyard.formats.text_file import read_text, whole_file
from steelyard.formats.texts import LanguagePair, Texts, in_order_of_segments

_BORDER = "\u200b"
_FIELDS = ("source", "target", "document", "system")
_REFERENCE = "ref"
# Never within a character and what combines with it.
_BETWEEN = re.compile(r"(?<=[^\s\u200b])(?=[^\s\u200b\u0300-\u036f\u200c\u200d\u3099\u309a\ufe00-\ufe0f])")


@dataclass(slots=True)
class _Reading:
    """What a project says, gathered line by line."""

    segments: dict[str, Segment] = field(default_factory=dict)
    translations: dict[str, dict[str, str]] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)
    n_bordered: int = 0


def read_anthea_texts(path: Path, *, pair: LanguagePair, reference: str | None = None) -> Texts:
    """The texts of a project file; SourceError lists every problem with its line.

    `reference` names the one to take, else it is each line's primary_reference. Borders of words are taken
    off and counted.
    """
    first, _, rest = read_text(path).partition("\n")
    warnings = _of_header(first, pair, path)
    reading, numbers = _Reading(), dict[tuple[str, str], int]()
    for line, text in enumerate(rest.split("\n"), start=2):
        cells = text.split("\t")
        if not text.strip() or len(cells) == 2:
            continue
        if len(cells) not in (len(_FIELDS), len(_FIELDS) + 1):
            reading.problems.append(f"line {line}: {counted(len(cells), 'field')}; use {', '.join(_FIELDS)}.")
            continue
        source, target, document, system = (*map(_unescaped, cells[:2]), *map(str.strip, cells[2:4]))
        if not document or not system:
            reading.problems.append(f"line {line}: {'document' if not document else 'system'} is empty.")
            continue
        number = numbers[document, system] = numbers.get((document, system), 0) + 1
        reading.n_bordered += _BORDER in source or _BORDER in target
        found = _reference(cells[4:], reference, line, reading)
        _add(reading, line, Segment(f"{document}:{number}", document, _plain(source), _plain(found)))
        if target:
            reading.translations.setdefault(system, {})[f"{document}:{number}"] = _plain(target)
    if reading.problems:
        raise SourceError(str(path), reading.problems)
    if reading.n_bordered:
        warnings.append(f"Took borders of words (U+200B) off {counted(reading.n_bordered, 'line')}.")
    return Texts(
        segments=tuple(reading.segments.values()),
        translations=in_order_of_segments(reading.translations, reading.segments),
        warnings=tuple(warnings),
    )


def _of_header(line: str, pair: LanguagePair, path: Path) -> list[str]:
    """What is odd about the languages; SourceError if the first line is none of a project."""
    try:
        header = json.loads(line)
    except ValueError:
        header = None
    if not isinstance(header, dict) or not {"source_language", "target_language"} <= set(header):
        problem = (
            'line 1 is not {"source_language": CODE, "target_language": CODE}, as in a project of Anthea.'
        )
        raise SourceError(str(path), [problem])
    return [
        f"The project is about {theirs} ({name}), the campaign about {ours}."
        for name, ours in (("source_language", pair.source), ("target_language", pair.target))
        if _language(theirs := str(header[name])) != _language(ours)
    ]


def _language(code: str) -> str:
    return re.split("[-_]", code.lower())[0]


def _reference(cells: Sequence[str], wanted: str | None, line: int, reading: _Reading) -> str:
    """The reference that the fifth field of a line holds; empty without one."""
    if not cells or not cells[0].strip():
        return ""
    try:
        more: Any = json.loads(cells[0])
    except ValueError:
        more = None
    if not isinstance(more, dict):
        reading.problems.append(f"line {line}: the fifth field {shown(cells[0])} is not a JSON object.")
        return ""
    references = more.get("references")
    name = wanted or more.get("primary_reference")
    if not isinstance(references, dict) or not references:
        return ""
    if not isinstance(references.get(name), str):
        said = f"line {line}: has no reference {name!r}; it has: {', '.join(map(str, references))}."
        reading.problems.append(said)
        return ""
    return str(references[name])


def _add(reading: _Reading, line: int, segment: Segment) -> None:
    before = reading.segments.setdefault(segment.segment_id, segment)
    if before.source != segment.source:
        said = f"another source for segment {segment.segment_id} than in a line before"
        reading.problems.append(f"line {line}: {said}; every system needs all lines of a document, in order.")
    elif not before.reference and segment.reference:
        reading.segments[segment.segment_id] = segment


def _unescaped(cell: str) -> str:
    return cell.replace("\\n", "\n").replace("\\t", "\t")


def _plain(text: str) -> str:
    return text.replace(_BORDER, "")


def write_project(
    segments: Sequence[Segment],
    translations: Mapping[str, Sequence[str | None]],
    path: Path,
    *,
    pair: LanguagePair,
    by_character: bool = False,
) -> int:
    """Write the translations of all systems, document by document; gives the number of lines with one.

    `by_character`: characters of the translation can be marked one by one, since no spaces part its words.
    """
    _refuse(segments, translations, path)
    lines = [json.dumps({"source_language": pair.source, "target_language": pair.target}, ensure_ascii=False)]
    documents: dict[str, list[int]] = {}
    for number, segment in enumerate(segments):
        documents.setdefault(segment.document_id, []).append(number)
    n_written = 0
    for document, numbers in documents.items():
        for system, texts in translations.items():
            if not any(texts[number] for number in numbers):
                continue
            for number in numbers:
                target = texts[number] or ""
                n_written += bool(target)
                bordered = _BETWEEN.sub(_BORDER, target) if by_character else target
                cells = [*map(_escaped, (segments[number].source, bordered)), document, system]
                lines.append("\t".join([*cells, *_more(segments[number])]))
    with whole_file(path) as partial:
        partial.write_text("\n".join([*lines, ""]), "utf-8")
    return n_written


def _refuse(
    segments: Sequence[Segment], translations: Mapping[str, Sequence[str | None]], path: Path
) -> None:
    problems = [] if path.suffix == ".tsv" else ["a project of Anthea has tabs; end the name in .tsv."]
    names = {"document": {segment.document_id for segment in segments}, "system": set(translations)}
    problems += [
        f"the {what} {shown(name)!r} has a tab or a line end in its name; rename it."
        for what, found in names.items()
        for name in sorted(found)
        if "\t" in name or "\n" in name
    ]
    texts = [
        *(each.source for each in segments),
        *(text for each in translations.values() for text in each if text),
    ]
    n_escaped = sum("\\n" in text or "\\t" in text for text in texts)
    if n_escaped:
        problems.append(
            f"{counted(n_escaped, 'text')} hold a backslash before n or t, which Anthea would turn into a "
            "line end or a tab."
        )
    if problems:
        raise SourceError(str(path), problems)


def _escaped(text: str) -> str:
    return text.replace("\n", "\\n").replace("\t", "\\t")


def _more(segment: Segment) -> list[str]:
    if not segment.reference:
        return []
    found = {"references": {_REFERENCE: segment.reference}, "primary_reference": _REFERENCE}
    return [json.dumps(found, ensure_ascii=False)]
