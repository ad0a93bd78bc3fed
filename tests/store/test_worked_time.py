"""The time of a judgement is the browser's word, bounded by the server's clock."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

import pytest

from steelyard.domain.judgement import Judgement
from steelyard.store import judgements, leases, work
from steelyard.store.database import Store


def _worked(
    store: Store, noon: datetime, answers: Sequence[tuple[float, int]], *, back: float = 0
) -> list[int]:
    """Milliseconds of work on answers, of each the second at which it arrived and the browser's claim."""
    with store.write() as connection:
        worker = work.add_worker(connection, now=noon).worker_id
        work.claim_opening(connection, worker, assignment_id="a1", now=noon)
        if back:
            leases.renew_lease(connection, "a1", now=noon + timedelta(seconds=back))
        for position, (seconds, shown_ms) in enumerate(answers, start=1):
            moment = noon + timedelta(seconds=seconds)
            one = Judgement(f"j{position}", "a1", "i-alpha-s1", position, {}, shown_ms, moment)
            judgements.append(connection, one)
    with store.read() as connection:
        [columns] = judgements.stored_judgements(connection)
        [counted] = work.progress(connection).workers
        worked = dict(zip(columns.position, columns.worked_ms, strict=True))
    assert counted.seconds == pytest.approx(sum(worked.values()) / 1000)
    return [worked[position] for position in sorted(worked)]


def test_what_the_browser_says_counts_if_that_much_time_has_passed(toy_store: Store, noon: datetime) -> None:
    assert _worked(toy_store, noon, [(10, 9_000), (30, 20_000)]) == [9_000, 20_000]


def test_no_answer_counts_longer_than_since_the_one_before(toy_store: Store, noon: datetime) -> None:
    assert _worked(toy_store, noon, [(2.5, 9_000), (2.505, 9_000), (2.505, 9_000)]) == [2_500, 5, 0]


def test_a_clock_that_was_set_back_gives_no_negative_time(toy_store: Store, noon: datetime) -> None:
    assert _worked(toy_store, noon, [(3600, 9_000), (10, 8_000), (19, 7_000)]) == [9_000, 0, 7_000]


def test_the_last_moment_of_a_second_belongs_to_that_second(toy_store: Store, noon: datetime) -> None:
    assert _worked(toy_store, noon, [(1.9996, 9_000), (2.5, 9_000)]) == [1_999, 501]


def test_time_begins_anew_when_a_worker_comes_back(toy_store: Store, noon: datetime) -> None:
    assert _worked(toy_store, noon, [(10, 9_000), (7200, 500_000)], back=7100) == [9_000, 100_000]
