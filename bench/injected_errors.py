"""How often `injected-errors` lets workers pass who mark without reading, and who read.

    python bench/injected_errors.py [--workers 4000]

Texts of 5 to 60 words are damaged by `replace-phrase`; every worker judges pairs of a damaged copy and its
base. Workers who do not read mark runs of words at random places, in both texts alike, at their own rate, or
by some habit; readers also mark the damage with a given probability. Prints the share that passes at
a threshold of 0.05.
"""

from __future__ import annotations

import argparse
import re

import numpy as np
import polars as pl

from steelyard.design.degradations.replace_phrase import DEGRADATION
from steelyard.domain.text import changed_part
from steelyard.frames import spans_frame
from steelyard.qc.injected_errors import CHECK, InjectedSettings

PAIRS = (5, 10, 20)
# Marks per text: of any worker's own, or of all.
RATES = {"0.2": 0.2, "1": 1.0, "3": 3.0, "10": 10.0, "0.1 to 10, each their own": None}
FOUND = (0.5, 0.7, 0.9)
# Other ways of marking without reading: every word with a probability, half of the text, its middle.
HABITS = ("each word, 10 %", "each word, 50 %", "each word, 90 %", "either half", "the middle")
# Marks at random places per text, beside those of injected errors.
READERS_RATE = 1.0


def texts(rng: np.random.Generator, n: int) -> list[tuple[str, str, tuple[int, int]]]:
    """Texts, damaged copies and the places of the damage."""
    damage = DEGRADATION.damage("en")
    found = []
    while len(found) < n:
        base, other = (_words(int(rng.integers(5, 61)), rng) for _ in range(2))
        copy = damage.degrade(base, "", [other], rng)
        place = changed_part(base, copy) if copy else None
        if copy and place:
            found.append((base, copy, place))
    return found


def _words(n: int, rng: np.random.Generator) -> str:
    return " ".join("".join(chr(97 + k) for k in rng.integers(0, 26, rng.integers(2, 11))) for _ in range(n))


def random_marks(text: str, rate: float, rng: np.random.Generator) -> list[tuple[int, int]]:
    """Runs of one to five words at random places."""
    ends = np.cumsum([len(word) + 1 for word in text.split()])
    starts = np.concatenate([[0], ends[:-1]])
    marks = []
    for _ in range(rng.poisson(rate)):
        first = int(rng.integers(len(starts)))
        last = min(first + int(rng.integers(1, 6)), len(starts)) - 1
        marks.append((int(starts[first]), int(ends[last]) - 1))
    return marks


def habitual_marks(text: str, habit: str, rng: np.random.Generator) -> list[tuple[int, int]]:
    """What somebody marks who does not look at the words."""
    words = [match.span() for match in re.finditer(r"\S+", text)]
    half = len(words) // 2
    if habit == "either half":
        return [(0, words[half][1])] if rng.random() < 0.5 else [(words[half][0], len(text))]
    if habit == "the middle":
        middle = half + int(rng.integers(-1, 2))
        return [words[middle]]
    share = float(habit.split()[-2]) / 100
    return [word for word in words if rng.random() < share]


def share_passing(
    n_workers: int, n_pairs: int, rate: float | None, found: float, rng: np.random.Generator, habit: str = ""
) -> float:
    """The share of workers that pass."""
    pool = texts(rng, 400)
    rows = []
    for worker in range(n_workers):
        own_rate = rate or float(np.exp(rng.uniform(np.log(0.1), np.log(10))))
        for number, which in enumerate(rng.integers(0, len(pool), n_pairs).tolist()):
            base, copy, place = pool[which]
            marks, in_base = (
                habitual_marks(text, habit, rng) if habit else random_marks(text, own_rate, rng)
                for text in (copy, base)
            )
            if rng.random() < found:
                marks.append(place)
            for kind, of_text in (("degraded", marks), ("regular", in_base)):
                damaged = place if kind == "degraded" else (None, None)
                for start, end in of_text or [(None, None)]:
                    severity = "minor" if of_text else None
                    rows.append((f"W{worker}", f"s{number}", kind, start, end, severity, *damaged))
    names = ["worker_id", "segment_id", "item_kind", "start", "end", "severity"]
    frame = pl.DataFrame(
        rows, schema=[*names, "injected_start", "injected_end"], orient="row", infer_schema_length=None
    ).with_columns(
        hit_id=pl.lit("h"), system_id=pl.lit("A"), attribute=pl.lit("overall"), side=pl.lit("target")
    )
    verdicts = CHECK.run(spans_frame(frame), InjectedSettings())
    return sum(verdict.verdict == "pass" for verdict in verdicts) / n_workers


def main() -> None:
    """Print both tables."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else "")
    parser.add_argument("--workers", type=int, default=4000)
    n_workers = parser.parse_args().workers
    rng = np.random.default_rng(7)
    print(f"{n_workers} workers in each cell; standard error at 5 %: {np.sqrt(0.05 * 0.95 / n_workers):.2%}")
    print("marks per text at random places".ljust(34) + "".join(f"{n:>4} pairs" for n in PAIRS))
    for name, rate in RATES.items():
        shares = [share_passing(n_workers, n, rate, 0.0, rng) for n in PAIRS]
        print(name.ljust(34) + "".join(f"{share:>10.1%}" for share in shares))
    for habit in HABITS:
        shares = [share_passing(n_workers, n, None, 0.0, rng, habit) for n in PAIRS]
        print(habit.ljust(34) + "".join(f"{share:>10.1%}" for share in shares))
    print("injected errors found, and 1 mark at random")
    for found in FOUND:
        shares = [share_passing(n_workers // 4, n, READERS_RATE, found, rng) for n in PAIRS]
        print(f"{found:.0%}".ljust(34) + "".join(f"{share:>10.1%}" for share in shares))


if __name__ == "__main__":
    main()
