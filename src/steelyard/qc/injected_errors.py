"""Does the worker mark errors where texts were damaged, and not as often where they were not?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from steelyard.control_pairs import control_pairs
from steelyard.domain.options import option
from steelyard.domain.plugin import Check
from steelyard.domain.result import CheckSettings, Verdict
from steelyard.domain.wording import counted
from steelyard.domain.work import ItemKind
from steelyard.qc._drops import Drops
from steelyard.qc._verdicts import Finding, conclude, too_few
from steelyard.qc._worker_pairs import workers_of
from steelyard.span_ratings import judged_translations
from steelyard.stats.arrays import BoolArray, IntArray
from steelyard.stats.paired_tests import mean_and_sd_by_group
from steelyard.stats.sign_test import sign_test

# By this share of a place, marks must differ between a copy and its base to count: less is due to words that
# begin or end a few characters off [our choice].
LEAST_MORE = 0.1


@dataclass(frozen=True, slots=True)
class InjectedSettings(CheckSettings):
    """When an injected error counts as found."""

    cover: float = option(
        0.0,
        help="Share of an injected error that marks must cover for it to be found; 0: any of it.",
        signature="cover",
        minimum=0,
        maximum=1,
    )


class _Looked(NamedTuple):
    """One worker's injected errors: the share that marks cover, in copy and base, and seconds until found."""

    covered: list[float]
    by_chance: list[float]
    seconds: list[float]


def run(frame: pl.DataFrame, settings: InjectedSettings) -> list[Verdict]:
    """One verdict per worker: `pass` iff marks cover injected errors more often than chance has it.

    How often a mark meets an error by chance depends on how much a worker marks, so each degraded copy is
    compared with the text it was made from, judged by the same worker: how much of the same place is marked
    there? Someone who marks at random places, or everything, marks as much in both. A one-sided exact sign
    test on the pairs in which more of the place, or less, is marked in the copy [Conover1999]; at any rate of
    marking, workers who do not read pass with the probability of the threshold at most [our choice of
    test; injected errors as such are published practice, Kocmi2024]. Where so many places are marked as a
    whole in the bases that nobody could pass, the verdict is `insufficient`.

    Marks without a place, such as for something missing, find nothing; nor do marks that stood there before
    the worker came. `mean_difference` is the mean share of an injected error that is covered, less that of
    the same place in the base; `statistic` the number of errors found.
    """
    workers = workers_of(frame).cast(pl.String)
    looked = _looked(frame, settings.cover)
    by_worker = [looked.get(worker, _Looked([], [], [])) for worker in workers]
    sizes = np.array([len(each.covered) for each in by_worker], dtype=np.int64)
    covered = np.array([share for each in by_worker for share in each.covered])
    by_chance = np.array([share for each in by_worker for share in each.by_chance])
    mean, sd = mean_and_sd_by_group(covered - by_chance, sizes)
    least = settings.cover
    found = (covered > 0) & (covered >= least)
    more = _count(found & (covered >= by_chance + LEAST_MORE), sizes)
    less = _count((by_chance >= least) & (by_chance >= covered + LEAST_MORE), sizes)
    room = _count(by_chance <= 1 - LEAST_MORE, sizes)
    findings = [
        _finding(numbers, seconds, settings)
        for seconds, *numbers in zip(
            (each.seconds for each in by_worker),
            *(column.tolist() for column in (sizes, _count(found, sizes), more, less, room)),
            sign_test(more, less).tolist(),
            strict=True,
        )
    ]
    return conclude(Drops(workers.to_list(), sizes, mean, sd, np.zeros(len(sizes))), findings, settings)


def _looked(frame: pl.DataFrame, cover: float) -> dict[str, _Looked]:
    """What each worker did about the injected errors whose base they judged as well."""
    # A copy shows none of the errors marked beforehand where it was damaged, and its base does.
    own = frame.with_columns(severity=pl.when(pl.col("origin").is_null()).then(pl.col("severity")))
    judged = judged_translations(own).with_row_index("number").with_columns(pl.col("number").cast(pl.Int64))
    is_control = (pl.col("item_kind") != str(ItemKind.DEGRADED)) | pl.col("injected_start").is_not_null()
    pairs = control_pairs(judged.filter(is_control), ItemKind.DEGRADED, of="number")
    base, control = (judged[pairs[f"{side}_number"]] for side in ("base", "control"))
    looked: dict[str, _Looked] = {}
    for before, after in zip(base.iter_rows(named=True), control.iter_rows(named=True), strict=True):
        place = (after["injected_start"], after["injected_end"])
        of_worker = looked.setdefault(str(after["worker_id"]), _Looked([], [], []))
        covered, seconds = _covered(after, place)
        of_worker.covered.append(covered)
        of_worker.by_chance.append(_covered(before, place)[0])
        if seconds is not None and covered >= cover:
            of_worker.seconds.append(seconds)
    return looked


def _covered(judged: Mapping[str, Any], place: tuple[int, int]) -> tuple[float, float | None]:
    """The share of a place in a translation that marks cover, and after how many seconds the first did."""
    first, last = place
    covered = np.zeros(last - first, dtype=np.bool_)
    moments: list[float | None] = []
    marks = zip(judged["starts"], judged["ends"], judged["sides"], judged["marked_after"], strict=True)
    for start, end, side, seconds in marks:
        if side == "target" and start is not None and end is not None and start < last and end > first:
            covered[max(start - first, 0) : end - first] = True
            moments.append(seconds)
    known = [moment for moment in moments if moment is not None]
    return float(covered.mean()), min(known, default=None)


def _count(which: BoolArray, sizes: IntArray) -> IntArray:
    worker = np.repeat(np.arange(len(sizes)), sizes)
    return np.bincount(worker[which], minlength=len(sizes)).astype(np.int64)


def _finding(numbers: Sequence[Any], seconds: Sequence[float], settings: InjectedSettings) -> Finding:
    n, n_found, more, less, room, p_value = numbers
    after = f", after {median(seconds):.3g} s in the median" if seconds else ""
    words = (
        f"Of {counted(n, 'injected error')}, {n_found} {'was' if n_found == 1 else 'were'} marked{after}; "
        f"compared with the texts without them, more was marked at {more} of the places and less at {less}"
    )
    lacking = too_few(n, settings, "injected error")
    if not lacking and (room < settings.least_pairs or not settings.passes(0.5**room)):
        lacking = (
            f"Of {counted(n, 'injected error')}, only {room} can tell anything: the other places were marked "
            "in the texts without them, too."
        )
    return Finding(float(n_found), p_value, words, too_few=lacking)


CHECK = Check(
    name="injected-errors",
    title="Sign test on marks of injected errors",
    cite=("Conover1999", "Kocmi2024"),
    run=run,
    reads="spans",
    settings=InjectedSettings,
)
