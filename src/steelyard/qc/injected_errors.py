"""Does the worker mark errors where texts were damaged, and not as often where they were not?"""

from __future__ import annotations

from collections.abc import Mapping
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
    """One worker's injected errors: found, the same place of the base marked, and after how long found."""

    found: list[bool]
    by_chance: list[bool]
    seconds: list[float]


def run(frame: pl.DataFrame, settings: InjectedSettings) -> list[Verdict]:
    """One verdict per worker: `pass` iff marks meet injected errors more often than chance has it.

    An injected error is found if a mark on the translation overlaps its place. How often that happens by
    chance depends on how much a worker marks, so each degraded copy is compared with the text it was made
    from, judged by the same worker: is the same place marked there? Someone who marks at random places, or
    everything, does so in both. A one-sided exact sign test on the pairs in which one was marked and the
    other not [Conover1999]; at any rate of marking, workers who do not read pass with the probability of
    the threshold at most [our choice of test; injected errors as such are published practice, Kocmi2024].

    Marks without a place, such as for something missing, find nothing. `mean_difference` is the share of
    injected errors found less the share of such places marked in the bases; `statistic` the number found.
    """
    workers = workers_of(frame).cast(pl.String)
    looked = _looked(frame, settings.cover)
    by_worker = [looked.get(worker, _Looked([], [], [])) for worker in workers]
    sizes = np.array([len(each.found) for each in by_worker], dtype=np.int64)
    difference = np.array(
        [
            float(found) - by_chance
            for each in by_worker
            for found, by_chance in zip(each.found, each.by_chance, strict=True)
        ]
    )
    mean, sd = mean_and_sd_by_group(difference, sizes)
    p_values = sign_test(_count(difference > 0, sizes), _count(difference < 0, sizes))
    findings = [
        _finding(each, p_value, settings) for each, p_value in zip(by_worker, p_values.tolist(), strict=True)
    ]
    return conclude(Drops(workers.to_list(), sizes, mean, sd, np.zeros(len(sizes))), findings, settings)


def _looked(frame: pl.DataFrame, cover: float) -> dict[str, _Looked]:
    """What each worker did about the injected errors whose base they judged as well."""
    judged = judged_translations(frame).with_row_index("number").with_columns(pl.col("number").cast(pl.Int64))
    is_control = (pl.col("item_kind") != str(ItemKind.DEGRADED)) | pl.col("injected_start").is_not_null()
    pairs = control_pairs(judged.filter(is_control), ItemKind.DEGRADED, of="number")
    base, control = (judged[pairs[f"{side}_number"]] for side in ("base", "control"))
    looked: dict[str, _Looked] = {}
    for before, after in zip(base.iter_rows(named=True), control.iter_rows(named=True), strict=True):
        place = (after["injected_start"], after["injected_end"])
        of_worker = looked.setdefault(str(after["worker_id"]), _Looked([], [], []))
        found, seconds = _marked(after, place, cover)
        of_worker.found.append(found)
        of_worker.by_chance.append(_marked(before, place, cover)[0])
        if found and seconds is not None:
            of_worker.seconds.append(seconds)
    return looked


def _marked(judged: Mapping[str, Any], place: tuple[int, int], cover: float) -> tuple[bool, float | None]:
    """Whether marks cover enough of a place in a translation, and after how many seconds the first did."""
    first, last = place
    covered = np.zeros(last - first, dtype=np.bool_)
    moments: list[float | None] = []
    marks = zip(judged["starts"], judged["ends"], judged["sides"], judged["marked_after"], strict=True)
    for start, end, side, seconds in marks:
        if side == "target" and start is not None and end is not None and start < last and end > first:
            covered[max(start - first, 0) : end - first] = True
            moments.append(seconds)
    known = [moment for moment in moments if moment is not None]
    is_found = bool(moments) and bool(covered.mean() >= cover)
    return is_found, min(known, default=None) if is_found else None


def _count(which: BoolArray, sizes: IntArray) -> IntArray:
    worker = np.repeat(np.arange(len(sizes)), sizes)
    return np.bincount(worker[which], minlength=len(sizes)).astype(np.int64)


def _finding(looked: _Looked, p_value: float, settings: InjectedSettings) -> Finding:
    n, n_found, n_chance = len(looked.found), sum(looked.found), sum(looked.by_chance)
    after = f", after {median(looked.seconds):.3g} s in the median" if looked.seconds else ""
    words = (
        f"Of {counted(n, 'injected error')}, {n_found} {_was(n_found)} marked{after}, and "
        f"{n_chance} of the same places {_was(n_chance)} in the texts without them"
    )
    lacking = too_few(n, settings, "injected error")
    return Finding(float(n_found), p_value, words, too_few=lacking)


def _was(n: int) -> str:
    return "was" if n == 1 else "were"


CHECK = Check(
    name="injected-errors",
    title="Sign test on marks of injected errors",
    cite=("Conover1999", "Kocmi2024"),
    run=run,
    reads="spans",
    settings=InjectedSettings,
)
