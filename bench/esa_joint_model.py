"""Do marked errors help to predict what another person would have scored, beyond the scores themselves?

    python bench/esa_joint_model.py [--data ../shared/data] [--folds 5]

Ratings of translations that two people judged are held out, one of a translation and a fifth of the documents
at a time. The worker model is fitted to all other scores, and again to minus the weighted errors (mtme) of
the same judgements. A held-out score, in its worker's own standard deviations, is then predicted from the
translation's score by the first fit alone, or by both fits together, by a regression learnt from the other
documents' held-out ratings. Printed are root mean square errors and their ratio: below 1 the marked errors
help. Intervals resample documents.
"""

from __future__ import annotations

import argparse
import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl

from steelyard.aggregation import methods
from steelyard.domain.span_weights import WEIGHTS
from steelyard.flows.source import read_source
from steelyard.frames import index_of
from steelyard.span_ratings import span_ratings, span_scale

KEYS = ["system_id", "segment_id"]
DRAWS = 2000
# A worker's mean and deviation are taken from so many other ratings at least.
LEAST_RATINGS = 10


def esa_of_wmt24(folder: Path, pair: str) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Scores and marked errors of one language pair, by people rather than accounts."""
    source = read_source(str(folder / "wmt24-esa" / f"{pair}.appraise.csv.gz"))
    people = json.loads((folder / "wmt24-esa" / f"{pair}.people.json").read_text("utf-8"))
    person = {account: name for name, accounts in people.items() for account in accounts}
    named = pl.col("worker_id").replace(person)
    return source.frame.with_columns(named), source.spans.with_columns(named)


def esa_of_wmt23(folder: Path) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Scores and marked errors of two campaigns of the same translations."""
    frames = []
    for name in ("ESA-1", "ESA-2b"):
        source = read_source(str(folder / "esa-wmt23-en-de" / f"{name}.judgements.csv.gz"))
        worker = pl.format(f"{name} {{}}", "worker_id")
        frames.append(
            (source.frame.with_columns(worker_id=worker), source.spans.with_columns(worker_id=worker))
        )
    ratings, spans = zip(*frames, strict=True)
    return pl.concat(ratings), pl.concat(spans)


def judged_by(ratings: pl.DataFrame, spans: pl.DataFrame) -> pl.DataFrame:
    """Regular items: one row per worker and translation, score and weighted errors side by side."""
    keys = ["worker_id", *KEYS]
    regular = pl.col("item_kind") == "regular"
    errors = span_ratings(spans.filter(regular), WEIGHTS["mtme"])
    one, other = (
        frame.unique(keys, keep="first", maintain_order=True) for frame in (ratings.filter(regular), errors)
    )
    return one.join(other.select(*keys, errors="rating"), on=keys, how="inner", maintain_order="left")


def translation_scores(judged: pl.DataFrame, column: str) -> pl.DataFrame:
    """Scores of translations by the worker model, fitted to one of the two ratings."""
    method = methods()["worker-model"]
    frame = judged.with_columns(rating=pl.col(column)).drop("errors")
    settings = method.own_settings(method.settings())
    if column == "errors":
        settings = replace(settings, scale=span_scale(frame))
    fit = method.fit(frame, settings, np.random.default_rng(7))
    return fit.segments.select(pl.col(KEYS).cast(pl.String), pl.col("score").alias(f"by_{column}"))


def held_out(judged: pl.DataFrame, folds: int) -> pl.DataFrame:
    """Every rating of a translation that somebody else rated too, once, with what the others' say of it."""
    several = judged.filter(pl.len().over(KEYS) > 1).with_row_index("row")
    rng = np.random.default_rng(7)
    documents, document = index_of(several["document_id"].fill_null(several["segment_id"]))
    fold_of_document = rng.permutation(len(documents)) % folds
    # Of a translation's ratings one at a time: the first of each in one round, the second in the next.
    turn = several.with_columns(
        turn=pl.int_range(pl.len()).over(KEYS),
        fold=pl.Series(fold_of_document[document]),
        document=pl.Series(document),
    )
    found = []
    for number, fold in turn.select("turn", "fold").unique().sort("turn", "fold").iter_rows():
        out = turn.filter(turn=number, fold=fold)
        train = judged.join(out, on=["worker_id", *KEYS], how="anti")
        own = train.group_by("worker_id").agg(
            mean=pl.col("rating").mean(), sd=pl.col("rating").std(ddof=1), n=pl.len()
        )
        known = out.join(
            own.filter(pl.col("n") >= LEAST_RATINGS, pl.col("sd") > 0), on="worker_id", how="inner"
        )
        for column in ("rating", "errors"):
            known = known.join(translation_scores(train, column), on=KEYS, how="inner")
        found.append(known)
    return pl.concat(found)


def predicted(known: pl.DataFrame, features: list[str]) -> np.ndarray:
    """Held-out ratings in their workers' deviations, by regression on features learnt in the other folds."""
    z = known.select((pl.col("rating") - pl.col("mean")) / pl.col("sd")).to_series().to_numpy()
    x = np.column_stack([np.ones(len(known)), *(known[name].to_numpy() for name in features)])
    fold = known["fold"].to_numpy()
    guess = np.empty(len(z))
    for number in np.unique(fold):
        learn = fold != number
        weights, *_ = np.linalg.lstsq(x[learn], z[learn], rcond=None)
        guess[~learn] = x[~learn] @ weights
    return (z - guess) ** 2


def main() -> None:
    """Print a line for each set of ratings."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--folds", type=int, default=5)
    asked = parser.parse_args()
    sets = {
        "WMT23 en-de, two campaigns": lambda: esa_of_wmt23(asked.data),
        "WMT24 en-ja": lambda: esa_of_wmt24(asked.data, "en-ja"),
        "WMT24 en-zh": lambda: esa_of_wmt24(asked.data, "en-zh"),
    }
    for name, read in sets.items():
        known = held_out(judged_by(*read()), asked.folds)
        alone, errors, both = (
            predicted(known, features)
            for features in (["by_rating"], ["by_errors"], ["by_rating", "by_errors"])
        )
        document = np.unique(known["document"].to_numpy(), return_inverse=True)[1]
        sums = [np.bincount(document, part) for part in (alone, both)]
        rng = np.random.default_rng(7)
        drawn = rng.integers(0, len(sums[0]), (DRAWS, len(sums[0])))
        ratios = np.sqrt(sums[1][drawn].sum(axis=1) / sums[0][drawn].sum(axis=1))
        low, high = np.quantile(ratios, [0.025, 0.975])
        errors_of = ", ".join(
            f"{said} {np.sqrt(found.mean()):.3f}"
            for said, found in (("scores", alone), ("errors", errors), ("both", both))
        )
        print(f"{name}: {len(known)} held-out ratings, root mean square error in deviations: {errors_of}")
        ratio = np.sqrt(both.mean() / alone.mean())
        print(f"    both to scores: {ratio:.3f} (95 %: {low:.3f} to {high:.3f})", flush=True)


if __name__ == "__main__":
    main()
