"""How many draws of workers an exhibit can afford, and what it says of them."""

from __future__ import annotations

import polars as pl

from steelyard.domain.draws import LEAST_OF_WORKERS
from steelyard.domain.exhibit import ExhibitOptions

# One draw looks at every rating. This many looks in all take less than ten seconds [our choice].
MOST_WORK = 40_000_000


def affordable_draws(wanted: int, *, n_ratings: int) -> int:
    """As many of the wanted draws as this many ratings allow; none where too few would be left.

    >>> [affordable_draws(1000, n_ratings=n) for n in (36_000, 100_000, 800_000, 800_001)]
    [1000, 400, 50, 0]
    """
    affordable = MOST_WORK // max(1, n_ratings)
    if wanted <= affordable:
        return wanted
    return affordable if affordable >= LEAST_OF_WORKERS else 0


def draws_in_words(frame: pl.DataFrame, options: ExhibitOptions) -> str:
    """A sentence on the draws behind the intervals of these ratings, or on why there are no intervals."""
    n_ratings = len(frame)
    made = affordable_draws(options.draws, n_ratings=n_ratings)
    if not options.draws:
        return "No intervals: no draws of workers were asked for."
    if frame["worker_id"].n_unique() < 2:
        return "No intervals: they come from draws of workers, and there is one worker only."
    if not made:
        fewest = min(LEAST_OF_WORKERS, options.draws)
        return f"No intervals: with {n_ratings:,} ratings even {fewest} draws of workers would take too long."
    fewer = (
        f" rather than {options.draws:,}, for there are {n_ratings:,} ratings" if made < options.draws else ""
    )
    return f"Intervals from {made:,} draws of workers{fewer}, seed {options.seed}."
