"""How long a million marked errors take to read: Appraise's export, MQM ratings in ten columns.

    .venv/bin/python bench/spans.py

The bar is ten seconds each. Texts are as long as those of the shared MQM ratings, about 120 characters.
"""

from __future__ import annotations

import json
import random
import sys
import tempfile
import time
from pathlib import Path

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


def main() -> int:
    """Print the times; 1 if one is above the bar."""
    slow = 0
    with tempfile.TemporaryDirectory() as folder:
        for name, write in (("scores.csv", appraise), ("mqm.tsv", mqm)):
            path = Path(folder) / name
            write(path, random.Random(7))  # noqa: S311 (made-up marks)
            started = time.perf_counter()
            source = read_source(str(path))
            seconds = time.perf_counter() - started
            slow += seconds > BAR_SECONDS
            size = path.stat().st_size / 2**20
            print(
                f"{name}: {len(source.spans):,} spans, {size:.0f} MB: {seconds:.1f} s (bar {BAR_SECONDS:g} s)"
            )
    return 1 if slow else 0


if __name__ == "__main__":
    sys.exit(main())
