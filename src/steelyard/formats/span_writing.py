"""Writing marked errors for other programs, in layouts that `judgements_file` reads back.

What each loses is in docs/reference/files-of-other-systems.md.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from pathlib import Path

from steelyard.domain.errors import SourceError
from steelyard.domain.layouts import SPAN_LAYOUTS
from steelyard.domain.span_weights import WEIGHTS
from steelyard.domain.text import Segment
from steelyard.domain.wording import counted
from steelyard.formats._mqm_table import MQM_COLUMNS, NO_ERROR, holds_marks, with_mark
from steelyard.formats._segment_numbers import segment_numbers
from steelyard.formats._span_marks import LAST_MARKED, MISSING, ONE_AFTER
from steelyard.formats._toolkit_ratings import NOT_JUDGED, RATING_ENDING
from steelyard.formats.marks_to_write import MarksToWrite, TranslationToWrite, WrittenMark, one_line
from steelyard.formats.metric_writing import NO_DOMAIN, fit_names, write_scored_pair
from steelyard.formats.text_file import whole_file
from steelyard.formats.texts import Texts
from steelyard.meta.scores import ScoredPair

Written = tuple[tuple[Path, ...], list[str]]


def write_marked_errors(errors: MarksToWrite, path: Path, layout: str) -> Written:
    """Write in the layout of this name; returns the files, and what was not written as it is."""
    if not len(errors.spans):
        raise SourceError(errors.name, ["there are no marked errors to write in this layout."])
    files, notes = _WRITERS[layout](errors, path)
    return files, [*errors.notes(), *notes]


def _write_mqm(errors: MarksToWrite, path: Path) -> Written:
    """A row for each error, the text marked where it is; a clean translation has one that says so."""
    _require_ending(path, ".tsv")
    judged = list(errors.judged())
    for each in judged:
        if holds_marks(each.text) or holds_marks(each.source):
            problem = f"segment {each.segment} holds <v> or </v>, which would be taken for marks."
            raise SourceError(errors.name, [problem])
    places = _places_in_documents(judged)
    lines = ["\t".join(MQM_COLUMNS)]
    for each in judged:
        before = (each.system, each.document or "", places[each.segment], each.segment, each.worker)
        stamp = {} if each.submitted_at is None else {"timestamp": int(each.submitted_at.timestamp() * 1000)}
        for mark in each.marks or (None,):
            sides = {"source": one_line(each.source), "target": one_line(each.text)}
            if mark is not None:
                sides[mark.side] = with_mark(sides[mark.side], mark.start, mark.end)
            kind = (NO_ERROR, NO_ERROR) if mark is None else (mark.category or "", mark.severity.capitalize())
            cells = (*before, sides["source"], sides["target"], *kind, json.dumps(stamp))
            lines.append("\t".join(one_line(str(cell)) for cell in cells))
    return (_write_lines(path, lines),), _broken_lines(judged)


def _places_in_documents(judged: Iterable[TranslationToWrite]) -> dict[str, int]:
    """By segment, its number in its document, from 1, in order of appearance."""
    seen: defaultdict[str | None, dict[str, int]] = defaultdict(dict)
    for each in judged:
        seen[each.document].setdefault(each.segment, len(seen[each.document]) + 1)
    return {segment: place for document in seen.values() for segment, place in document.items()}


def _write_ratings_jsonl(errors: MarksToWrite, path: Path) -> Written:
    """A line for each judgement, with the texts; segments are numbered from 0."""
    _require_ending(path, ".jsonl")
    judged = list(errors.judged())
    numbers = segment_numbers(each.segment for each in judged)
    records: list[dict[str, object]] = [
        {
            "source": each.source,
            "hypothesis": each.text,
            "errors": [_one_after(mark, each) for mark in each.marks],
            "document_id": each.document,
            "segment_id": numbers[each.segment] - 1,
            "system_id": each.system,
            "rater_id": each.worker,
            "src_lang": errors.source_language,
            "tgt_lang": errors.target_language,
        }
        for each in judged
    ]
    return (_write_json_lines(path, records),), _renumbered(numbers)


def _one_after(mark: WrittenMark, judged: TranslationToWrite) -> dict[str, object]:
    """A mark as the toolkit has it; something missing is a mark around nothing, after the text."""
    after = len(judged.source if mark.side == "source" else judged.text)
    return {
        ONE_AFTER.start: after if mark.start is None else mark.start,
        ONE_AFTER.end: after if mark.end is None else mark.end,
        ONE_AFTER.category: mark.category,
        "severity": mark.severity,
        "score": WEIGHTS["mtme"].weigh(mark.severity, mark.category or ""),
        "is_source_error": mark.side == "source",
    }


def _write_wmt_jsonl(errors: MarksToWrite, path: Path) -> Written:
    """A line for each judgement with its score; marks in the source have no place there."""
    _require_ending(path, ".jsonl")
    judged = list(errors.judged())
    numbers = segment_numbers(each.segment for each in judged)
    records = [_wmt_record(each, errors, numbers[each.segment]) for each in judged]
    on_source = sum(mark.side == "source" for each in judged for mark in each.marks)
    notes = [
        f"{counted(on_source, 'mark')} in the source left out: the layout has marks in translations only."
    ]
    return (_write_json_lines(path, records),), notes if on_source else []


def _wmt_record(judged: TranslationToWrite, errors: MarksToWrite, number: int) -> dict[str, object]:
    end = None if judged.submitted_at is None else judged.submitted_at.timestamp()
    record: dict[str, object] = {
        "langs": errors.pair,
        "line_id": number,
        "src": judged.source,
        "tgt": judged.text,
        "doc_id": judged.document,
        "domain": judged.domain,
        "esa_spans": [_last_marked(mark) for mark in judged.marks if mark.side == "target"],
        "esa_score": None if judged.rating is None else f"{judged.rating:.17g}",
        "times": [] if end is None else [_before(end, judged.seconds), f"{end:.6f}"],
        "system": judged.system,
        "annotator": judged.worker,
    }
    # The layout knows segments by number. Ours is an addition that other readers pass over.
    return record if judged.segment == str(number) else {**record, "segment": judged.segment}


def _before(end: float, seconds: float | None) -> str | None:
    return None if seconds is None else f"{end - seconds:.6f}"


def _last_marked(mark: WrittenMark) -> dict[str, object]:
    return {
        LAST_MARKED.start: MISSING if mark.start is None else mark.start,
        LAST_MARKED.end: MISSING if mark.end is None else mark.end - 1,
        "severity": mark.severity,
        LAST_MARKED.category: None if mark.category is None else mark.category.split("/", 1),
    }


def _write_toolkit_folder(errors: MarksToWrite, folder: Path) -> Written:
    """A folder with the texts, and a file of ratings; one for each rater where they judged the same."""
    judged = list(errors.judged())
    systems = fit_names(dict.fromkeys(each.system for each in judged))
    segments = [each.segment_id for each in errors.segments]
    outputs: dict[str, dict[str, str]] = defaultdict(dict)
    by_worker: dict[str, dict[tuple[str, str], TranslationToWrite]] = defaultdict(dict)
    for each in judged:
        outputs[systems[each.system]][each.segment] = one_line(each.text)
        by_worker[each.worker][systems[each.system], each.segment] = each
    translations = {name: [texts.get(key) for key in segments] for name, texts in outputs.items()}
    texts = Texts(tuple(_plain_segment(each) for each in errors.segments), translations)
    documents = tuple(each.document_id for each in errors.segments)
    domains = _domains(judged, segments)
    pair = ScoredPair(errors.pair, len(segments), (), (), documents=documents, domains=domains)
    notes = list(write_scored_pair(folder, pair, texts=texts))
    n_places = len({place for ratings in by_worker.values() for place in ratings})
    is_one_each = sum(map(len, by_worker.values())) == n_places
    stem = f"{errors.pair}.{fit_names([errors.name])[errors.name]}"
    files = {stem: {place: each for ratings in by_worker.values() for place, each in ratings.items()}}
    if not is_one_each:
        names = fit_names(by_worker)
        files = {f"{stem}.{names[worker]}": ratings for worker, ratings in by_worker.items()}
    paths = []
    for name, ratings in files.items():
        lines = [
            _rating_line(system, ratings.get((system, key))) for system in translations for key in segments
        ]
        paths.append(_write_lines(folder / "human-scores" / f"{name}{RATING_ENDING}", lines))
    return tuple(paths), [*notes, *_broken_lines(judged)]


def _plain_segment(segment: Segment) -> Segment:
    return replace(segment, source=one_line(segment.source), reference=one_line(segment.reference))


def _domains(judged: Iterable[TranslationToWrite], segments: Iterable[str]) -> tuple[str, ...] | None:
    known = {each.segment: each.domain for each in judged if each.domain}
    return tuple(known.get(segment) or NO_DOMAIN for segment in segments) if known else None


def _rating_line(system: str, judged: TranslationToWrite | None) -> str:
    if judged is None:
        return f"{system}\t{NOT_JUDGED}"
    errors = {"errors": [_one_after(mark, judged) for mark in judged.marks]}
    return f"{system}\t{json.dumps(errors, ensure_ascii=False)}\t{one_line(judged.worker)}"


def _renumbered(numbers: Mapping[str, int]) -> list[str]:
    n = sum(segment != str(number) for segment, number in numbers.items())
    return [f"{counted(n, 'segment')} numbered anew: the layout knows segments by number."] if n else []


def _broken_lines(judged: Iterable[TranslationToWrite]) -> list[str]:
    texts = {text for each in judged for text in (each.text, each.source)}
    n = sum(one_line(text) != text for text in texts)
    return [f"Line ends and tabs within {counted(n, 'text')} were written as spaces."] if n else []


def _require_ending(path: Path, ending: str) -> None:
    if path.suffix != ending:
        raise SourceError(str(path), [f"this layout is a {ending} file: end the name in {ending}."])


def _write_lines(path: Path, lines: Iterable[str]) -> Path:
    with whole_file(path) as partial:
        partial.parent.mkdir(parents=True, exist_ok=True)
        partial.write_text("".join(f"{line}\n" for line in lines), "utf-8", newline="")
    return path


def _write_json_lines(path: Path, records: Iterable[dict[str, object]]) -> Path:
    return _write_lines(path, (json.dumps(record, ensure_ascii=False) for record in records))


_WRITERS: Mapping[str, Callable[[MarksToWrite, Path], Written]] = {
    "mqm": _write_mqm,
    "ratings-jsonl": _write_ratings_jsonl,
    "seg-rating": _write_toolkit_folder,
    "wmt-jsonl": _write_wmt_jsonl,
}
assert set(_WRITERS) == set(SPAN_LAYOUTS)
