"""The check of injected errors: a case worked by hand, and workers who mark without reading."""

from __future__ import annotations

from collections.abc import Sequence
from math import comb

import numpy as np
import polars as pl
import pytest

import steelyard
from steelyard.domain.errors import NotEnoughData
from steelyard.domain.result import CheckSettings, Verdict
from steelyard.frames import spans_frame
from steelyard.qc import checks
from steelyard.qc.injected_errors import CHECK, InjectedSettings

# A text of 100 characters, damaged from 40 to 60.
PLACE = (40, 60)
Mark = tuple[int, int]
HIT, MISS = [(50, 55)], [(0, 40), (60, 70)]


def judged(
    pairs: Sequence[tuple[Sequence[Mark], Sequence[Mark]]], *, worker: str = "W", seconds: float | None = None
) -> pl.DataFrame:
    """A worker's marks in degraded copies and in their bases; no marks are one row without severity."""
    rows = []
    for number, (copy, base) in enumerate(pairs):
        for kind, marks in (("degraded", copy), ("regular", base)):
            place = PLACE if kind == "degraded" else (None, None)
            for start, end in marks or [(None, None)]:
                severity = "minor" if marks else None
                rows.append((worker, f"s{number}", kind, start, end, severity, *place, seconds))
    names = ["worker_id", "segment_id", "item_kind", "start", "end", "severity"]
    names += ["injected_start", "injected_end", "marked_seconds"]
    frame = pl.DataFrame(rows, schema=names, orient="row", infer_schema_length=None)
    same = {"hit_id": "h", "system_id": "A", "attribute": "overall", "side": "target"}
    return spans_frame(frame.with_columns(pl.lit(value).alias(name) for name, value in same.items()))


def verdict(pairs: Sequence[tuple[Sequence[Mark], Sequence[Mark]]], **settings: float) -> Verdict:
    (found,) = CHECK.run(judged(pairs), InjectedSettings(**settings))  # type: ignore[arg-type]
    return found


def test_eight_of_ten_found_and_one_base_marked_passes_with_the_binomial_p() -> None:
    # Found and not marked in the base: 7; both: 1; neither: 2. Of 7 decided pairs all speak for reading.
    found = verdict([(HIT, MISS)] * 7 + [(HIT, HIT)] + [(MISS, [])] * 2)

    assert found.verdict == "pass"
    assert found.p_value == pytest.approx(1 / 2**7)
    assert (found.n_pairs, found.statistic) == (10, 8.0)
    # A mark covers 5 of the 20 characters.
    assert found.mean_difference == pytest.approx(0.7 * 5 / 20)
    assert found.sd_difference == pytest.approx(np.std([0.25] * 7 + [0] * 3, ddof=1))
    assert found.reason == (
        "Of 10 injected errors, 8 were marked; compared with the texts without them, more was marked at 7 of "
        "the places and less at 0 (p = 0.0078, below 0.05)."
    )


def test_six_to_two_fails() -> None:
    found = verdict([(HIT, [])] * 6 + [([], HIT)] * 2)

    assert found.verdict == "fail"
    assert found.p_value == pytest.approx(sum(comb(8, k) for k in range(3)) / 2**8)


def test_whoever_marks_all_of_the_damage_passes_although_bases_have_errors_there_too() -> None:
    found = verdict([([PLACE], HIT)] * 10)

    assert (found.verdict, found.p_value) == ("pass", pytest.approx(1 / 2**10))


@pytest.mark.parametrize(("copy", "base", "n_decided"), [(52, 50, 1), (51, 50, 0), (50, 52, 0)])
def test_less_than_a_tenth_of_the_place_more_decides_nothing(copy: int, base: int, n_decided: int) -> None:
    found = verdict([([(40, copy)], [(40, base)])] + [([], [])] * 5)

    assert found.p_value == 0.5**n_decided


def test_marking_nothing_fails_with_p_1() -> None:
    found = verdict([([], [])] * 12)

    assert (found.verdict, found.p_value, found.mean_difference) == ("fail", 1.0, 0.0)


@pytest.mark.parametrize(("n_whole", "verdict_name"), [(7, "fail"), *((n, "insufficient") for n in (8, 12))])
def test_where_nobody_could_pass_as_bases_are_marked_all_over_it_says_so(
    n_whole: int, verdict_name: str
) -> None:
    everything = [(0, 100)]

    found = verdict([(everything, everything)] * n_whole + [([], [])] * (12 - n_whole))

    assert found.verdict == verdict_name
    if verdict_name == "insufficient":
        assert f"only {12 - n_whole} can tell anything" in found.reason


def test_a_stricter_threshold_needs_more_errors() -> None:
    assert verdict([(HIT, [])] * 6, threshold=0.01).verdict == "insufficient"
    assert verdict([(HIT, [])] * 7, threshold=0.01).verdict == "pass"


def test_marks_that_stood_there_before_the_worker_came_do_not_count() -> None:
    # In the base, a program has marked the place that was damaged in the copy.
    frame = judged([(HIT, [PLACE])] * 8)
    of_program = pl.when(pl.col("item_kind") == "regular").then(pl.lit("accepted"))

    (found,) = CHECK.run(frame.with_columns(origin=of_program), InjectedSettings())

    assert (found.verdict, found.p_value) == ("pass", pytest.approx(1 / 2**8))


@pytest.mark.parametrize(
    ("mark", "is_found"), [((30, 40), False), ((30, 41), True), ((59, 90), True), ((60, 90), False)]
)
def test_a_mark_that_shares_one_character_with_the_place_has_found_it(mark: Mark, is_found: bool) -> None:
    assert verdict([([mark], [])] * 6).statistic == 6.0 * is_found


@pytest.mark.parametrize(("cover", "n_found"), [(0.0, 6), (0.5, 6), (0.55, 0)])
def test_with_a_share_to_cover_marks_must_cover_it_together(cover: float, n_found: int) -> None:
    # 40 to 45 and 55 to 70 cover ten of the twenty characters.
    assert verdict([([(40, 45), (55, 70)], [])] * 6, cover=cover).statistic == n_found


def test_marks_on_the_source_and_marks_without_a_place_find_nothing() -> None:
    frame = judged([(HIT, [])] * 6)
    on_source = frame.with_columns(side=pl.lit("source"))
    missing = frame.with_columns(start=pl.lit(None, pl.Int64), end=pl.lit(None, pl.Int64))

    assert [CHECK.run(other, InjectedSettings())[0].statistic for other in (on_source, missing)] == [0.0, 0.0]


def test_the_time_to_the_first_mark_is_told_where_it_is_known() -> None:
    frame = judged([(HIT, [])] * 6, seconds=12.5)

    (found,) = CHECK.run(frame, InjectedSettings())

    assert "6 were marked, after 12.5 s in the median; compared" in found.reason


def test_four_injected_errors_are_too_few() -> None:
    found = verdict([(HIT, [])] * 4)

    assert found.verdict == "insufficient"
    assert found.reason.startswith("Only 4 injected errors")


def test_a_degraded_item_without_place_or_base_does_not_count() -> None:
    frame = judged([(HIT, [])] * 8)
    without_place = pl.when(pl.col("segment_id") != "s0").then(pl.col("injected_start"))
    without_base = (pl.col("segment_id") != "s1") | (pl.col("item_kind") == "degraded")

    (found,) = CHECK.run(
        frame.with_columns(injected_start=without_place).filter(without_base), InjectedSettings()
    )

    assert found.n_pairs == 6


def test_every_worker_gets_a_verdict_in_order_whatever_the_order_of_rows() -> None:
    frames = [judged([(HIT, [])] * 6, worker="b"), judged([(MISS, [])] * 6, worker="a")]
    nobody = judged([([], [])] * 3, worker="c").filter(pl.col("item_kind") == "regular")
    frame = pl.concat([*frames, nobody]).sample(fraction=1, shuffle=True, seed=5)

    verdicts = CHECK.run(frame, InjectedSettings())

    assert [(found.worker_id, found.verdict) for found in verdicts] == [
        ("a", "fail"),
        ("b", "pass"),
        ("c", "insufficient"),
    ]
    assert CHECK.run(frame.clear(), InjectedSettings()) == []


def test_workers_who_mark_at_random_pass_no_more_often_than_the_level() -> None:
    # From a mark in every tenth text to marks over most of it; bench/injected_errors.py has longer runs.
    rng = np.random.default_rng(11)
    n_workers, n_pairs = 300, 10
    frames = []
    for worker in range(n_workers):
        rate, length = rng.uniform(0.1, 4), int(rng.integers(3, 30))
        pairs = [tuple(_random_marks(rate, length, rng) for _ in range(2)) for _ in range(n_pairs)]
        frames.append(judged(pairs, worker=f"W{worker:03}"))  # type: ignore[arg-type]

    verdicts = CHECK.run(pl.concat(frames), InjectedSettings())

    n_passed = sum(found.verdict == "pass" for found in verdicts)
    assert n_passed <= n_workers * 0.05 + 3 * np.sqrt(n_workers * 0.05 * 0.95)


def _random_marks(rate: float, length: int, rng: np.random.Generator) -> list[Mark]:
    return [(start, start + length) for start in rng.integers(0, 100 - length, rng.poisson(rate)).tolist()]


def test_it_is_registered_with_its_option() -> None:
    assert checks()["injected-errors"] is CHECK
    assert [found.name for found in CHECK.options] == ["cover"]
    assert CHECK.own_settings(CheckSettings(for_others=(("cover", 0.5),))) == InjectedSettings(
        cover=0.5, for_others=(("cover", 0.5),)
    )


def _lines(*, places: bool) -> list[str]:
    lines = ["worker,system,segment,kind,start,end,severity,injected_start,injected_end"]
    for worker, start in (("careful", 5), ("careless", 20)):
        for segment in range(6):
            place = "4,9" if places else ","
            lines += [f"{worker},A,{segment},degraded,{start},{start + 2},major,{place}"]
            lines += [f"{worker},{system},{segment},regular,,,,," for system in "AB"]
    return lines


def test_an_analysis_of_a_file_checks_by_it(tmp_path) -> None:
    path = tmp_path / "marks.csv"
    path.write_text("\n".join(_lines(places=True)), "utf-8")

    analysis = steelyard.analyse(path, check="injected-errors", method="mean-rating", draws=0)

    workers = dict(analysis.workers.select("worker_id", "verdict").iter_rows())
    assert workers == {"careful": "pass", "careless": "fail"}
    assert not any("match no regular item" in warning for warning in analysis.warnings)


def test_without_places_it_is_said_which_columns_are_needed(tmp_path) -> None:
    path = tmp_path / "marks.csv"
    path.write_text("\n".join(_lines(places=False)), "utf-8")

    with pytest.raises(NotEnoughData, match="injected_start and injected_end"):
        steelyard.analyse(path, check="injected-errors", method="mean-rating", draws=0)
