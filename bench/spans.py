"""How long a million marked errors take to read, in every format that can be that long.

    .venv/bin/python bench/spans.py

The bar is ten seconds each, of a machine with nothing else to do: where it has, look at the seconds of the
processor. Texts are as long as those of the shared MQM ratings, about 120 characters.
"""

from __future__ import annotations

import json
import random
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from steelyard.flows.source import read_source

SPANS = 1_000_000
BAR_SECONDS = 10.0
# An answer of ESA has about this many marks where it has any.
MARKS_PER_ANSWER = 2
SOURCE = "A sentence of the source. " * 5


def appraise(path: Path, rng: random.Random) -> None:
    """An export with that many marks."""
    lines = []
    for number in range(SPANS // MARKS_PER_ANSWER):
        marks = []
        for _ in range(MARKS_PER_ANSWER):
            start = rng.randrange(100)
            severity = rng.choice(["minor", "major"])
            end = start + rng.randrange(20)
            marks.append({"start_i": start, "end_i": end, "severity": severity, "error_type": None})
        spans = json.dumps(marks).replace('"', '""')
        document, item = f"news.{number // 10 % 400}", number % 10
        lines.append(
            f"acc{number // 4000},sys{number // 4000 % 20},{item},TGT,eng,deu,{rng.randrange(101)},"
            f'{document},False,"{spans}",{number}.25,{number}.75'
        )
    path.write_text("\n".join(lines) + "\n", "utf-8")


def mqm(path: Path, rng: random.Random) -> None:
    """Ratings with that many rows, each with a mark."""
    words = ["Wort", "Übersetzung", "und", "der", "häufig", "niemals", "sagte", "\U0001f600"]
    texts = [[rng.choice(words) for _ in range(20)] for _ in range(2000)]
    lines = ["system\tdoc\tdocSegId\tglobalSegId\trater\tsource\ttarget\tcategory\tseverity\tmetadata"]
    for number in range(SPANS):
        segment = number % 2000
        text = list(texts[segment])
        place = rng.randrange(20)
        text[place] = f"<v>{text[place]}</v>"
        severity = rng.choice(["Minor", "Major"])
        lines.append(
            f"sys{number // 2000 % 20}\tdoc{segment // 10}\t{segment % 10}\t{segment}\t"
            f"rater{number // 40000}\t{SOURCE}\t{' '.join(text)}\tFluency/Grammar\t{severity}\t{{}}"
        )
    path.write_text("\n".join(lines) + "\n", "utf-8")


def _judged(
    rng: random.Random, first: str, last: str, *, end_is_marked: bool
) -> Iterator[tuple[int, list[Any]]]:
    """Numbers of judgements, each with its marks under these keys."""
    for number in range(SPANS // MARKS_PER_ANSWER):
        marks = []
        for _ in range(MARKS_PER_ANSWER):
            start = rng.randrange(100)
            end = start + 1 + rng.randrange(15) - end_is_marked
            marks.append({first: start, last: end, "severity": rng.choice(["minor", "major"])})
        yield number, marks


def wmt24(path: Path, rng: random.Random) -> None:
    """A line for each judgement."""
    with path.open("w", encoding="utf-8") as file:
        for number, marks in _judged(rng, "start_i", "end_i", end_is_marked=True):
            place = {"langs": "en-de", "line_id": number % 2000, "doc_id": f"news.{number % 2000 // 10}"}
            texts = {"src": SOURCE, "tgt": SOURCE, "domain": "news", "esa_spans": marks, "esa_score": "71"}
            who = {"system": f"sys{number // 2000 % 25}", "annotator": f"acc{number // 50_000}"}
            times = {"times": [f"{number}.25", f"{number + 30}.75"]}
            file.write(json.dumps({**place, **texts, **who, **times}) + "\n")


def wmt25(path: Path, rng: random.Random) -> None:
    """A line for each segment, with twenty-five systems."""
    found = _judged(rng, "start_i", "end_i", end_is_marked=True)
    systems = [f"sys{number}" for number in range(25)]
    with path.open("w", encoding="utf-8") as file:
        for segment in range(SPANS // MARKS_PER_ANSWER // len(systems)):
            scores = {
                system: {"human1": 71, "annotator1": f"acc{segment % 20}", "errors1": next(found)[1]}
                for system in systems
            }
            segment_name = f"en-de_#_news_#_d{segment // 10}_#_{segment % 10}"
            texts = dict.fromkeys(systems, SOURCE)
            record = {"doc_id": segment_name, "src_text": SOURCE, "tgt_text": texts, "scores": scores}
            file.write(json.dumps(record) + "\n")


def standalone(path: Path, rng: random.Random) -> None:
    """A line for each judgement."""
    with path.open("w", encoding="utf-8") as file:
        for number, marks in _judged(rng, "start", "end", end_is_marked=False):
            place = {"document_id": f"d{number % 2000 // 10}", "segment_id": number % 2000}
            who = {"system_id": f"sys{number // 2000 % 25}", "rater_id": f"rater{number // 50_000}"}
            record = {"source": SOURCE, "hypothesis": SOURCE, "errors": marks, **place, **who}
            file.write(json.dumps(record) + "\n")


def rating_file(path: Path, rng: random.Random) -> None:
    """A line for each of 20,000 segments of each of twenty-five systems."""
    with path.open("w", encoding="utf-8") as file:
        for number, marks in _judged(rng, "start", "end", end_is_marked=False):
            errors = json.dumps({"errors": marks})
            file.write(f"sys{number // 20_000}\t{errors}\trater{number % 7}\n")


def pearmut(path: Path, rng: random.Random) -> None:
    """A line for each document of ten segments with three systems, and when each mark was made."""
    found = _judged(rng, "start_i", "end_i", end_is_marked=True)
    systems = [f"sys{number}" for number in range(3)]
    with path.open("w", encoding="utf-8") as file:
        for number in range(SPANS // MARKS_PER_ANSWER // 30):
            answers: list[dict[str, Any]] = []
            actions: list[dict[str, Any]] = [{"time": float(number), "action": "load"}]
            for index in range(10):
                answers.append({name: {"score": 71, "error_spans": next(found)[1]} for name in systems})
                actions += [
                    {"time": number + 9.5, "action": "create_span", "index": index, "model": name, **mark}
                    for name, answer in answers[-1].items()
                    for mark in answer["error_spans"]
                ]
            actions.append({"time": number + 900.0, "action": "submit"})
            texts = dict.fromkeys(systems, SOURCE)
            items = [{"src": SOURCE, "tgt": texts, "item_id": f"d{number % 500}_{k}"} for k in range(10)]
            who = {"user_id": f"u{number // 500}", "item_i": number}
            file.write(json.dumps({"annotation": answers, "item": items, "actions": actions, **who}) + "\n")


def ours(path: Path, rng: random.Random) -> None:
    """A table of spans with their texts."""
    lines = ["worker,system,segment,start,end,severity,judgement_id,text"]
    for number, marks in _judged(rng, "start", "end", end_is_marked=False):
        place = f"w{number // 50_000},sys{number // 2000 % 25},{number % 2000}"
        lines += [
            f"{place},{mark['start']},{mark['end']},{mark['severity']},j{number},{SOURCE}" for mark in marks
        ]
    path.write_text("\n".join(lines) + "\n", "utf-8")


FORMATS: dict[str, Callable[[Path, random.Random], None]] = {
    "scores.csv": appraise,
    "mqm.tsv": mqm,
    "wmt24.jsonl": wmt24,
    "wmt25.jsonl": wmt25,
    "ratings.jsonl": standalone,
    "en-de.mqm.seg.rating": rating_file,
    "pearmut.jsonl": pearmut,
    "ours.csv": ours,
}


def main() -> int:
    """Print the times; 1 if one is above the bar."""
    slow = 0
    with tempfile.TemporaryDirectory() as folder:
        for name, write in FORMATS.items():
            path = Path(folder) / name
            write(path, random.Random(7))  # noqa: S311 (made-up marks)
            started, worked = time.perf_counter(), time.process_time()
            source = read_source(str(path))
            seconds, work = time.perf_counter() - started, time.process_time() - worked
            slow += seconds > BAR_SECONDS
            size = path.stat().st_size / 2**20
            print(
                f"{name}: {len(source.spans):,} spans, {size:.0f} MB: {seconds:.1f} s, of the processor "
                f"{work:.1f} s (bar {BAR_SECONDS:g} s)",
                flush=True,
            )
            del source
            path.unlink()
    return 1 if slow else 0


if __name__ == "__main__":
    sys.exit(main())
