"""How many draws of workers an exhibit makes, and that it says so."""

from __future__ import annotations

from dataclasses import replace

import polars as pl
import pytest

from steelyard.domain.exhibit import Band, Evidence, ExhibitOptions, Figure
from steelyard.exhibits import _draws
from steelyard.exhibits._draws import affordable_draws, draws_in_words
from steelyard.exhibits.agreement import FIGURE, TABLE


@pytest.mark.parametrize(
    ("n_ratings", "wanted", "made"),
    [
        (36_000, 1000, 1000),
        (40_000, 1000, 1000),
        (80_000, 1000, 500),
        # 40,000,000 / 800,000 = 50 draws are the fewest; one rating more leaves 49.
        (800_000, 1000, 50),
        (800_001, 1000, 0),
        (1_000_000, 1000, 0),
        # Who asks for few draws gets them as long as they can be afforded.
        (1_000_000, 20, 20),
        (10_000_000, 20, 0),
        (36_000, 0, 0),
        (0, 1000, 1000),
    ],
)
def test_draws_times_ratings_stay_within_what_can_be_waited_for(
    n_ratings: int, wanted: int, made: int
) -> None:
    assert affordable_draws(wanted, n_ratings=n_ratings) == made
    assert made * n_ratings <= 40_000_000


@pytest.fixture
def cramped(evidence: Evidence, monkeypatch: pytest.MonkeyPatch) -> Evidence:
    """The toy crowd, whose 330 ratings allow no more than 60 draws."""
    monkeypatch.setattr(_draws, "MOST_WORK", 60 * len(evidence.frame))
    return evidence


def test_the_table_says_that_fewer_draws_were_made_than_wanted(
    cramped: Evidence, options: ExhibitOptions
) -> None:
    table = TABLE.make([cramped], replace(options, draws=1000))

    assert "Intervals from 60 draws of workers rather than 1,000, for there are 330 ratings, seed 7." in (
        table.notes
    )
    capped = TABLE.make([cramped], replace(options, draws=60))
    assert table.rows.equals(capped.rows)


@pytest.mark.parametrize("exhibit", [TABLE, FIGURE], ids=["table", "figure"])
def test_too_many_ratings_have_no_intervals_and_the_note_says_why(
    evidence: Evidence, options: ExhibitOptions, monkeypatch: pytest.MonkeyPatch, exhibit: object
) -> None:
    monkeypatch.setattr(_draws, "MOST_WORK", 49 * len(evidence.kept))

    made = exhibit.make([evidence], replace(options, draws=1000))  # type: ignore[attr-defined]

    table = made.table if isinstance(made, Figure) else made
    ends = table.rows.select(pl.col("^(lower|upper).*$"))
    assert sum(ends.null_count().row(0)) == ends.height * ends.width
    (note,) = [note for note in table.notes if note.startswith("No intervals")]
    assert note.endswith("even 50 draws of workers would take too long.")
    if isinstance(made, Figure):
        assert note in made.caption
        assert not any(isinstance(mark, Band) for panel in made.panels for mark in panel.marks)


def test_the_figure_tells_how_many_draws_its_bands_rest_on(
    evidence: Evidence, options: ExhibitOptions
) -> None:
    figure = FIGURE.make([evidence], replace(options, draws=1000))

    assert "Bands are intervals. Intervals from 100 draws of workers" in figure.caption


@pytest.mark.parametrize(
    ("workers", "draws", "said"),
    [
        (("ann",), 100, "there is one worker only"),
        (("ann", "bob"), 0, "no draws of workers were asked for"),
    ],
)
def test_other_reasons_for_no_intervals_are_told(
    crowd: pl.DataFrame, options: ExhibitOptions, workers: tuple[str, ...], draws: int, said: str
) -> None:
    frame = crowd.filter(pl.col("worker_id").is_in(workers))

    sentence = draws_in_words(frame, replace(options, draws=draws))

    assert sentence.startswith("No intervals: ")
    assert said in sentence
