"""What trials amount to, in a sentence."""

from __future__ import annotations

import polars as pl

from steelyard.evaluation.settings import YARDSTICK

# So many errors of drawing a gain must be to be called one [our choice].
_CLEAR = 2.0


def conclusion(rows: pl.DataFrame) -> str:
    """The method that is closest on the whole, if it is clearly closer than mean z; else that none is.

    Differences are averaged over all kinds of trials, which share their draws: so are their errors, and not
    divided by their number.
    """
    others = (
        rows.filter(pl.col("method") != YARDSTICK, pl.col("difference").is_not_null())
        .group_by("method", maintain_order=True)
        .agg(
            gain=pl.col("difference").mean(),
            error=pl.col("difference_se").mean(),
            least=pl.col("difference").min(),
            n_trials=pl.len(),
            within=pl.col("difference_within").mean(),
            within_error=pl.col("difference_within_se").mean(),
        )
        # A method that answers some trials only cannot be compared with those that answer all.
        .filter(pl.col("n_trials") == pl.col("n_trials").max())
        .sort("gain", descending=True, maintain_order=True)
    )
    if others.is_empty():
        return f"There was nothing to compare {YARDSTICK} with."
    best = others.row(0, named=True)
    if best["gain"] <= 0:
        return f"No method came closer to the truth than {YARDSTICK}."
    gain = f"{best['gain']:+.3f} in r on average"
    if best["error"] is None or best["gain"] <= _CLEAR * best["error"]:
        return (
            f"No method was clearly closer to the truth than {YARDSTICK}: "
            f"{best['method']} gained {gain}, within the error of drawing."
        )
    worst = f", {best['least']:+.3f} at worst" if best["n_trials"] > 1 else ""
    said = f"{best['method']} came closest to the truth: {gain}{worst}, compared with {YARDSTICK}."
    return f"{said}{_told_within(best['within'], best['within_error'])}"


def _told_within(gain: float | None, error: float | None) -> str:
    """What is left of a gain among translations of one system; nothing if there is but one."""
    if gain is None:
        return ""
    if error is None or gain <= _CLEAR * error:
        return (
            f" But among translations of one system it did not clearly gain ({gain:+.3f}): it mostly knew "
            "which system is better."
        )
    return f" Among translations of one system it gained {gain:+.3f}."
