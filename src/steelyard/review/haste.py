"""Answers that came sooner than they can have: before the text was read, or before the time they claim."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

# People read 4 words, or 16 letters, a second [Brysbaert2019; Trauzettel2012]. Nobody takes in a text
# four times as fast, not even a quick reader who skims [our choice].
MOST_LETTERS_PER_SECOND = 60.0
# A character of these scripts says about as much, and takes as long, as four letters [Trauzettel2012].
_DENSE = r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Hangul}]"
_LETTERS_PER_DENSE = 4


def least_reading_seconds(texts: Sequence[str]) -> pl.Series:
    """The least seconds in which each of these texts can be read.

    >>> least_reading_seconds(["x" * 120, "読" * 15]).to_list()
    [2.0, 1.0]
    """
    column = pl.Series(texts, dtype=pl.String)
    dense = column.str.count_matches(_DENSE).cast(pl.Float64)
    letters = column.str.len_chars().cast(pl.Float64) + (_LETTERS_PER_DENSE - 1) * dense
    return letters / MOST_LETTERS_PER_SECOND


def hasty_answers(judged: pl.DataFrame) -> pl.DataFrame:
    """By worker and HIT: n_answers, n_unread and overclaimed_seconds.

    Of each judgement, `judged` has worker_id, hit_id, seconds (of work, by our clock), claimed_seconds (by
    the browser's) and least_seconds (for reading). The largest excess of a HIT is not counted: it may be
    that our own clock was set back.
    """
    excess = (pl.col("claimed_seconds") - pl.col("seconds")).clip(lower_bound=0)
    return judged.group_by("worker_id", "hit_id", maintain_order=True).agg(
        n_answers=pl.len().cast(pl.Int64),
        n_unread=(pl.col("seconds") < pl.col("least_seconds")).sum().cast(pl.Int64),
        overclaimed_seconds=(excess.sum() - excess.max()).round(3),
    )
