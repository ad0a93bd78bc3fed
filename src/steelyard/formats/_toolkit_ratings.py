"""Errors marked in translations as mt-metrics-eval stores them: standalone JSON lines, and .seg.rating files.

Marks end one after their last character. A line of a .seg.rating file has a system, its errors (JSON) or None
where the segment was not judged, and the rater; line k of a system is its segment k. Documents and texts are
in the folder around `human-scores/PAIR.NAME.seg.rating`, in files whose line k is segment k as well.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import polars as pl

from steelyard.domain.errors import SourceError
from steelyard.domain.wording import Note, counted
from steelyard.formats._judgement_columns import shown
from steelyard.formats._judgement_table import JudgementTable
from steelyard.formats._marked_judgements import marked_judgements, texts_column
from steelyard.formats._records import plain_records
from steelyard.formats._span_marks import ONE_AFTER
from steelyard.formats.metric_writing import NO_DOMAIN, SEGMENT_IDS
from steelyard.formats.text_file import read_lines

RATING_ENDING = ".seg.rating"
_STANDALONE = frozenset({"source", "hypothesis", "errors"})
NOT_JUDGED = "None"
# The toolkit's own name for a rater who has none.
_NO_NAME = "rater"


def is_standalone(keys: Sequence[str]) -> bool:
    """Whether a line with these keys is a standalone rating."""
    return _STANDALONE.issubset(keys)


def from_standalone(records: Sequence[Mapping[str, Any]], lines: Sequence[int], where: str) -> JudgementTable:
    """The errors in standalone ratings. Segments are numbered from 0 there, here from 1 as in all files."""
    names = {"system": "system_id", "document": "document_id", "text": "hypothesis", "source_text": "source"}
    without = [line for record, line in zip(records, lines, strict=True) if record.get("errors") is None]
    if without:
        said = "has no errors; of a translation without any the list is empty, []"
        raise SourceError(where, [f"line {line}: {said}." for line in without])
    pairs = [(record.get("src_lang"), record.get("tgt_lang")) for record in records]
    cells = pl.DataFrame(
        {
            **{ours: texts_column([record.get(name) for record in records]) for ours, name in names.items()},
            "segment": texts_column([_from_one(record.get("segment_id")) for record in records]),
            "worker": texts_column([record.get("rater_id") or _NO_NAME for record in records]),
            "languages": texts_column(
                [f"{source}-{target}" if source and target else None for source, target in pairs]
            ),
            "judgement_id": texts_column([str(line) for line in lines]),
        }
    )
    return marked_judgements(
        cells,
        [record.get("errors") for record in records],
        ONE_AFTER,
        where=where,
        places=lambda rows: [f"line {lines[row]}" for row in rows],
    )


def _from_one(number: object) -> object:
    is_number = isinstance(number, int) and not isinstance(number, bool)
    return number + 1 if is_number else number  # type: ignore[operator]


def is_rating_file(text: str) -> bool:
    """Whether a text begins as such a file."""
    cells = text[: text.find("\n")].rstrip("\r").split("\t") if "\n" in text else text.split("\t")
    return len(cells) in (2, 3) and (cells[1] == NOT_JUDGED or cells[1].startswith('{"errors"'))


def read_rating_file(text: str, path: Path) -> JudgementTable:
    """The errors in such a file, with documents and texts where the folder around it has them."""
    where = str(path)
    pair, _, rest = path.name.partition(".")
    name = rest.removesuffix(".gz").removesuffix(RATING_ENDING.removeprefix(".")).rstrip(".") or _NO_NAME
    rows, problems = _rows(text, name)
    counts = Counter(row.system for row in rows)
    folder = _Around.of(path, pair, list(counts))
    problems += folder.problems + _uneven(counts, folder)
    if problems:
        raise SourceError(where, problems)
    judged = [row for row in rows if row.errors is not None]
    cells = pl.DataFrame(
        {
            "system": texts_column([row.system for row in judged]),
            "worker": texts_column([row.worker for row in judged]),
            "judgement_id": texts_column([f"{row.worker}:{row.system}:{row.number}" for row in judged]),
            **folder.columns(judged),
        }
    )
    return marked_judgements(
        cells,
        [row.errors for row in judged],
        ONE_AFTER,
        where=where,
        places=lambda chosen: [f"line {judged[row].line}" for row in chosen],
        notes=folder.notes,
    )


@dataclass(frozen=True, slots=True)
class _Row:
    """A line of such a file; `number` is that of the segment, from 0."""

    line: int
    system: str
    number: int
    worker: str
    errors: list[Any] | None


def _rows(text: str, name: str) -> tuple[list[_Row], list[str]]:
    rows: list[_Row] = []
    problems: list[str] = []
    so_far: Counter[str] = Counter()
    for line, cells in plain_records(text):
        if len(cells) not in (2, 3):
            problems.append(
                f"line {line}: has {len(cells)} cells, but should have a system, its errors and a rater."
            )
            continue
        system, said, worker = (*cells, name)[:3]
        number = so_far[system]
        so_far[system] += 1
        errors: list[Any] | None = None
        if said != NOT_JUDGED:
            try:
                errors = json.loads(said)["errors"]
            except (ValueError, KeyError, TypeError):
                problems.append(f'line {line}: {shown(said)} is neither None nor {{"errors": […]}}.')
        rows.append(_Row(line, system, number, worker, errors))
    return rows, problems


def _uneven(counts: Mapping[str, int], folder: _Around) -> list[str]:
    """What is wrong with the numbers of lines that systems have."""
    expected = folder.n_segments
    because = "the files of texts or documents have"
    if expected is None:
        expected = max(counts.values(), default=0)
        because = "another system has"
    return [
        f"{shown(system)} has {counted(count, 'line')}, but {because} {expected:,}: "
        "line k of a system is its segment k."
        for system, count in counts.items()
        if count != expected
    ]


@dataclass(slots=True)
class _Around:
    """What files in the folder around a .seg.rating file say of its segments, as far as they are there."""

    ids: list[str] | None = None
    documents: list[str] | None = None
    domains: list[str] | None = None
    sources: list[str] | None = None
    outputs: dict[str, list[str]] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)
    notes: tuple[str, ...] = ()

    @classmethod
    def of(cls, path: Path, pair: str, systems: Sequence[str]) -> _Around:
        found = cls()
        folder = path.parent.parent if path.parent.name == "human-scores" else path.parent
        found.sources = found._lines(folder, f"sources/{pair}.txt")
        found.ids = found._lines(folder, f"{pair}{SEGMENT_IDS}")
        documents = found._lines(folder, f"documents/{pair}.docs", f"{pair}.docs")
        if documents is not None:
            found.documents = [line.split()[-1] if line.split() else "" for line in documents]
            domains = [line.split()[0] if len(line.split()) > 1 else "" for line in documents]
            found.domains = None if set(domains) <= {"", NO_DOMAIN} else domains
        for system in systems:
            names = (f"system-outputs/{pair}/{system}.txt", f"references/{pair}.{system}.txt")
            lines = found._lines(folder, *names)
            if lines is not None:
                found.outputs[system] = lines
        if documents is None and found.sources is None:
            found.notes = (
                Note(
                    "Segments are known by number only: neither the documents nor the sources of "
                    "mt-metrics-eval lie in the folder around the file."
                ),
            )
        return found

    def _lines(self, folder: Path, *names: str) -> list[str] | None:
        """The lines of the first of these files that is there, plain or packed."""
        paths = [folder / f"{name}{packed}" for name in names for packed in ("", ".gz")]
        path = next((path for path in paths if path.is_file()), None)
        if path is None:
            return None
        lines = read_lines(path)
        if self.n_segments not in (None, len(lines)):
            self.problems.append(
                f"{path.relative_to(folder)} has {counted(len(lines), 'line')}, but other files of the "
                f"folder have {self.n_segments:,}: line k of every file must belong to segment k."
            )
        return lines

    @property
    def n_segments(self) -> int | None:
        """The number of segments according to the first file that says so."""
        lists = (self.sources, self.ids, self.documents, *self.outputs.values())
        return next((len(lines) for lines in lists if lines is not None), None)

    def columns(self, rows: Sequence[_Row]) -> dict[str, pl.Series]:
        """The columns of judgements that the folder knows."""
        numbers = [row.number for row in rows]
        ids = [str(number + 1) for number in numbers] if self.ids is None else [self.ids[k] for k in numbers]
        known = {"document": self.documents, "domain": self.domains, "source_text": self.sources}
        columns = {name: texts_column([lines[k] for k in numbers]) for name, lines in known.items() if lines}
        texts = [self.outputs[row.system][row.number] if row.system in self.outputs else None for row in rows]
        return {
            "segment": texts_column(ids),
            **columns,
            **({"text": texts_column(texts)} if self.outputs else {}),
        }
