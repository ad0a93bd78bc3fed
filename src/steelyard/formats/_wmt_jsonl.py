"""Error spans with scores as WMT publishes them, one JSON object per line.

2024 (wmt24_esa.jsonl): a line for each judgement. 2025 (wmt25-genmt-humeval.jsonl, and the control task): a
line for each source segment, with all systems' translations and under `scores` what was said of each,
numbered (human1, annotator1, errors1, times1, human2 …) or as a list. Marks have their first and last
characters.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import polars as pl

from steelyard.domain.errors import SourceError
from steelyard.formats._judgement_columns import shown
from steelyard.formats._judgement_table import JudgementTable
from steelyard.formats._marked_judgements import marked_judgements, notes_of_left_out, texts_column, times_of
from steelyard.formats._span_marks import LAST_MARKED

_OF_2024 = frozenset({"line_id", "tgt", "esa_spans", "esa_score", "system", "annotator"})
_OF_2025 = frozenset({"scores", "src_text", "tgt_text", "doc_id"})
# Between the parts of a doc_id: languages, domain, document, segment.
_BETWEEN = "_#_"
# What of 2024's has which of our names. `segment` is ours, where line_id alone does not tell.
_NAMES = {
    "worker": "annotator",
    "system": "system",
    "document": "doc_id",
    "domain": "domain",
    "rating": "esa_score",
    "languages": "langs",
    "text": "tgt",
    "source_text": "src",
}
_HUMAN = re.compile(r"(?:human|score)([0-9]*)")


def is_of_2024(keys: Sequence[str]) -> bool:
    """Whether a line with these keys is a judgement as of 2024."""
    return _OF_2024.issubset(keys)


def is_of_2025(keys: Sequence[str]) -> bool:
    """Whether a line with these keys is a segment with its judgements as of 2025."""
    return _OF_2025.issubset(keys)


def from_2024(records: Sequence[Mapping[str, Any]], lines: Sequence[int], where: str) -> JudgementTable:
    """The judgements of a file as of 2024; of several answers by one account to one item the last counts."""
    columns = {ours: texts_column([record.get(name) for record in records]) for ours, name in _NAMES.items()}
    given = [record.get("segment", record.get("line_id")) for record in records]
    cells = pl.DataFrame(
        {
            **columns,
            "segment": texts_column(given),
            **times_of([record.get("times") for record in records]),
            "line": lines,
        },
        schema_overrides={"seconds": pl.Float64, "submitted_at": pl.Float64, "line": pl.Int64},
    )
    rows = _last_answers(cells)
    noted = notes_of_left_out(len(cells) - len(rows), "the item was submitted again later, which counts")
    if noted:
        cells = cells[rows]
    kept = cells["line"]
    return marked_judgements(
        cells.with_columns(judgement_id=pl.format("{}:{}", "worker", "line")).drop("line"),
        [records[row].get("esa_spans") for row in rows],
        LAST_MARKED,
        where=where,
        places=lambda rows: [f"line {kept[row]}" for row in rows],
        notes=noted,
    )


def _last_answers(cells: pl.DataFrame) -> Sequence[int]:
    """The rows without answers that their account gave again later, or, where times do not tell, below."""
    item = ("languages", "worker", "system", "document", "segment")
    if not cells.select(pl.struct(item).hash().is_duplicated().any()).item():
        return range(len(cells))
    rows = cells.select(*item, "submitted_at").with_row_index("row")
    last = rows.sort("submitted_at", "row", nulls_last=False).unique(item, keep="last")
    return last["row"].sort().to_list()


class _Judged(NamedTuple):
    """One judgement of a translation."""

    worker: object
    rating: object
    errors: object
    times: object


def from_2025(records: Sequence[Mapping[str, Any]], lines: Sequence[int], where: str) -> JudgementTable:
    """The judgements of a file as of 2025; SourceError lists every line that cannot be understood."""
    rows: list[tuple[Any, ...]] = []
    found: list[_Judged] = []
    problems: list[str] = []
    for record, line in zip(records, lines, strict=True):
        try:
            segment = _segment(record["doc_id"])
            for system, judged in _by_system(record["scores"]):
                for number, each in enumerate(_judgements(judged), start=1):
                    text = _texts(record["tgt_text"]).get(system)
                    rows.append(
                        (*segment, system, text, record["src_text"], f"{line}:{system}:{number}", line)
                    )
                    found.append(each)
        except ValueError as error:
            problems.append(f"line {line}: {error}.")
    if problems:
        raise SourceError(where, problems)
    names = ("languages", "domain", "document", "segment", "system", "text", "source_text", "judgement_id")
    columns = list(zip(*rows, strict=True)) or [()] * (len(names) + 1)
    cells = pl.DataFrame(
        {
            **{name: texts_column(column) for name, column in zip(names, columns, strict=False)},
            "worker": texts_column([each.worker for each in found]),
            "rating": texts_column([each.rating for each in found]),
            **times_of([each.times for each in found]),
        },
        schema_overrides={"seconds": pl.Float64, "submitted_at": pl.Float64},
    )
    systems, places = columns[4], columns[-1]
    return marked_judgements(
        cells,
        [each.errors for each in found],
        LAST_MARKED,
        where=where,
        places=lambda chosen: [f"line {places[row]}, {shown(str(systems[row]))}" for row in chosen],
    )


def _segment(name: object) -> tuple[str | None, str | None, str, str]:
    """Languages, domain, document and segment. Documents of two domains may have the same name."""
    parts = name.split(_BETWEEN) if isinstance(name, str) else []
    if len(parts) == 4:
        document = f"{parts[1]}{_BETWEEN}{parts[2]}"
        return parts[0], parts[1], document, f"{document}:{parts[3]}"
    if len(parts) == 2:
        return None, None, parts[0], f"{parts[0]}:{parts[1]}"
    raise ValueError(
        f"doc_id {shown(str(name))} is not LANGUAGES{_BETWEEN}DOMAIN{_BETWEEN}DOCUMENT{_BETWEEN}SEGMENT"
    )


def _by_system(scores: object) -> Iterator[tuple[str, object]]:
    if not isinstance(scores, dict):
        raise ValueError("scores is not an object with the systems' names as its keys")
    yield from scores.items()


def _texts(texts: object) -> Mapping[str, object]:
    if not isinstance(texts, dict):
        raise ValueError("tgt_text is not an object with the systems' names as its keys")
    return texts


def _judgements(judged: object) -> Iterator[_Judged]:
    """What was said of one translation, in order; nothing where the segment was not chosen."""
    if isinstance(judged, list):
        for each in judged:
            yield from _judgements(each)
        return
    if not isinstance(judged, dict):
        raise ValueError(f"the scores of a system, {shown(str(judged))}, are neither an object nor a list")
    for key, rating in judged.items():
        if match := _HUMAN.fullmatch(key):
            number = match[1]
            others = (judged.get(f"{name}{number}") for name in ("annotator", "errors", "times"))
            worker, errors, times = others
            if rating is not None or errors is not None:
                yield _Judged(worker, rating, errors, times)
