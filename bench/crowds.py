"""Whether the worker model ever loses to simple scores, on crowds of all sizes.

Each cell is a data set, a number of ratings per item (k) and a share of clickers (spam): the mean difference
in Pearson's r to plain z over the same draws, with its standard error. The truth is of experts, of workers
that the trial did not draw from, or of ratings that it did not draw. The bars: the model is nowhere more
than .01 below plain z, and on the average over sets not below any of the others. Prints Markdown; ends with
status 1 if a bar is missed; needs the folder of real data beside the project.

- plain z: each worker of two or more ratings standardised over what was drawn, constant ones 0; means.
- blup: rating = mean + worker + item + noise of the worker's own variance, all spreads learned; of ratings,
  or (blup of z) of plain z.
- mean-z, mean-z-passing, worker-model: as `steelyard evaluate` has them.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
import polars as pl

from accuracy import DATA, DIALOGUE_CHECK, groups
from steelyard.aggregation import methods
from steelyard.domain.result import AnalysisSettings, Fit, MethodSettings
from steelyard.domain.scale import Scale
from steelyard.evaluation.closeness import segment_closeness, system_closeness
from steelyard.evaluation.entries import Entry, answer, can_check
from steelyard.evaluation.judged import judged
from steelyard.evaluation.settings import EvaluationSettings
from steelyard.evaluation.trial import Trial, each_trial
from steelyard.evaluation.truth import ItemTruth
from steelyard.formats.judgements_file import from_table, read_judgements
from steelyard.frames import index_of, scored
from steelyard.stats.arrays import FloatArray, IntArray
from steelyard.stats.standardise import standardise_by_worker

MODEL, PLAIN = "worker-model", "plain z"
SPAM, RATINGS = (0.0, 0.2, 0.5), (1, 2, 3, 5)
WORST = -0.01
DRAWS, FEW_DRAWS = 20, 3
TURNS = 50


@dataclass(frozen=True)
class Crowd:
    """A data set and how it is tried."""

    group: str
    name: str
    frame: pl.DataFrame
    settings: EvaluationSettings


def crowds(names: set[str] | None = None) -> Iterator[Crowd]:
    """All sets, or those of the groups named."""
    truths = {"calibration": "others", "snow": "gold", "mlqe": "others", "parabank": "others"}
    for group in groups():
        if names is not None and group.name not in names:
            continue
        for name, scale, read in group.sets:
            settings = EvaluationSettings(level="systems", spam=SPAM)
            if group.name in truths:
                ratings = RATINGS[:3] if group.name == "mlqe" else RATINGS
                settings = EvaluationSettings(truth=truths[group.name], ratings=ratings, spam=SPAM)  # type: ignore[arg-type]
            if group.name == "dialogue":
                settings = replace(settings, truth="passing", share=0.3)
            yield Crowd(group.name, name, read(), _with(settings, scale))
    if names is None or "mlqe" in names:
        table = pl.read_csv(DATA / "mlqe-pe-test20" / "ru-en.judgements.csv.gz")
        three = from_table(table.select("segment", worker=pl.col("slot"), rating=pl.col("raw_score"))).frame
        settings = EvaluationSettings(truth="rest", ratings=(1, 2), spam=SPAM, least_truth=1)
        yield Crowd("mlqe", "ru-en", three, _with(settings, Scale(0, 100)))
    if names is None or "livonian" in names:
        for shown in ("src", "ref"):
            frame = read_judgements(DATA / "wmt22-livonian" / f"{shown}.judgements.csv.gz").frame
            settings = EvaluationSettings(level="systems", spam=SPAM)
            yield Crowd("livonian", shown, frame, _with(settings, Scale(0, 100)))


def _with(settings: EvaluationSettings, scale: Scale) -> EvaluationSettings:
    check = DIALOGUE_CHECK if settings.truth == "passing" else None
    analysis = AnalysisSettings(
        check="rank-sum" if check else "paired-t",
        check_attributes=check,
        method_settings=MethodSettings(scale=scale),
    )
    return replace(settings, analysis=analysis)


def tried(crowd: Crowd, draws: int) -> pl.DataFrame:
    """set, k, spam, draw, method and r of every trial."""
    numbered = judged(crowd.frame)
    found = methods()
    entries = [Entry(name, found[name]) for name in ("mean-z", MODEL)]
    checks = can_check(crowd.frame, crowd.settings.analysis)
    if checks:
        entries.append(Entry("mean-z-passing", found["mean-z"], passing=True))
    rows = []
    for draw in range(draws):
        for trial in each_trial(numbered, crowd.settings, draw, checks=checks):
            fits = dict(simple_fits(trial.frame)) | {
                entry.name: answer(entry, trial.frame, trial.asked) for entry in entries
            }
            rows += [
                (crowd.group, crowd.name, trial.ratings, trial.spam, draw, name, closeness(trial, fit))
                for name, fit in fits.items()
            ]
    columns = ["group", "set", "k", "spam", "draw", "method", "r"]
    return pl.DataFrame(rows, schema=columns, orient="row").with_columns(pl.col("r").fill_nan(None))


def closeness(trial: Trial, fit: Fit | str) -> float:
    """Pearson's r of a fit with the truth of its trial."""
    if isinstance(fit, str):
        return np.nan
    if isinstance(trial.truth, ItemTruth):
        close = segment_closeness(fit, trial.judged, trial.truth, over=trial.over, has_intervals=False)
        return close.r["segments"]
    return system_closeness(fit, trial.truth).r["systems"]


def simple_fits(frame: pl.DataFrame) -> Iterator[tuple[str, Fit]]:
    """Scores that need no model: plain z and two BLUPs, controls counting for workers only."""
    rating, worker = frame["rating"].to_numpy(), index_of(frame["worker_id"])[1]
    keys = ["item_kind", "system_id", "segment_id", "attribute"]
    item = frame.select(pl.struct(keys).rank("dense") - 1).to_series().to_numpy().astype(np.int64)
    z = standardise_by_worker(rating, worker)
    several = (np.bincount(worker) > 1)[worker]
    plain = np.where(several & np.isnan(z), 0.0, z)
    yield PLAIN, _means(frame, plain)
    yield "blup", _means(frame, blup(rating, item, worker)[item])
    use = np.isfinite(plain)
    of_z = np.full(len(plain), np.nan)
    if use.any():
        of_z[use] = blup(plain[use], item[use], worker[use])[item[use]]
    yield "blup of z", _means(frame, of_z)


def _means(frame: pl.DataFrame, value: FloatArray) -> Fit:
    """Means by segment, then by system, of every attribute alike."""
    rows = frame.with_columns(pl.Series("score", value).fill_nan(None))
    keys = ["system_id", "segment_id", "attribute"]
    cells = scored(rows).group_by(keys).agg(pl.col("score").mean())
    segments = cells.group_by("system_id", "segment_id").agg(
        pl.col("score").mean(), sd=pl.lit(None, pl.Float64)
    )
    systems = cells.group_by("system_id", "attribute").agg(pl.col("score").mean())
    systems = systems.group_by("system_id").agg(pl.col("score").mean())
    text = pl.col("system_id", "segment_id").cast(pl.String)
    return Fit(
        segments=segments.with_columns(text),
        systems=systems.with_columns(pl.col("system_id").cast(pl.String)),
        p_values=np.zeros((0, 0)),
        workers=pl.DataFrame(),
    )


def blup(value: FloatArray, item: IntArray, worker: IntArray) -> FloatArray:
    """Best linear unbiased predictions of items: workers shift, and each has a noise of their own.

    Noise variances are drawn towards everyone's with the weight of eight ratings.
    """
    n, n_items = np.bincount(worker), int(item.max()) + 1
    rated = np.bincount(item, minlength=n_items) > 0
    whole = float(np.var(value)) or 1.0
    of_item, of_worker, mean = 0.3 * whole, 0.2 * whole, float(value.mean())
    noise, shift = np.full(len(n), 0.5 * whole), np.zeros(len(n))
    for _ in range(TURNS):
        precision = 1 / noise
        left = 1 / (1 / of_item + np.bincount(item, precision[worker], n_items))
        quality = left * np.bincount(item, precision[worker] * (value - mean - shift[worker]), n_items)
        open_ = 1 / (1 / of_worker + n * precision)
        shift = open_ * precision * np.bincount(worker, value - mean - quality[item], len(n))
        mean = float(np.average(value - shift[worker] - quality[item], weights=precision[worker]))
        of_item = max(float((quality**2 + left)[rated].mean()), 1e-6 * whole)
        of_worker = max(float((shift**2 + open_)[n > 0].mean()), 1e-6 * whole)
        errors = (value - mean - shift[worker] - quality[item]) ** 2 + left[item] + open_[worker]
        squares = np.bincount(worker, errors, len(n))
        noise = (8 * squares.sum() / n.sum() + squares) / (8 + n)
    return quality


def cells_of(rows: pl.DataFrame) -> pl.DataFrame:
    """By set, k, spam and method: r, and mean and error of the difference to plain z."""
    keys = ["group", "set", "k", "spam"]
    plain = rows.filter(method=PLAIN).select(*keys, "draw", plain="r")
    paired = rows.join(plain, on=[*keys, "draw"], nulls_equal=True).with_columns(
        by=pl.col("r") - pl.col("plain")
    )
    return (
        paired.group_by(*keys, "method", maintain_order=True)
        .agg(
            pl.col("r", "by").mean(),
            error=pl.col("by").std() / pl.col("by").count().sqrt(),
            unanswered=pl.col("r").null_count(),
        )
        .sort("group", "set", "k", "spam", maintain_order=True)
    )


def missed(cells: pl.DataFrame) -> list[str]:
    """A sentence for every bar that is not cleared."""
    model = cells.filter(method=MODEL)
    found = [
        f"{row['set']}, k {row['k']}, {row['spam']:.0%} spam: {row['by']:+.3f} ± {row['error']:.3f}"
        for row in model.filter(pl.col("by") < WORST).iter_rows(named=True)
    ]
    found += [
        f"{row['set']}, k {row['k']}, {row['spam']:.0%} spam: no answer in {row['unanswered']} draws"
        for row in model.filter(pl.col("unanswered") > 0).iter_rows(named=True)
    ]
    keys = ["group", "set", "k", "spam"]
    for name in cells["method"].unique(maintain_order=True):
        both = model.join(cells.filter(method=name), on=keys, nulls_equal=True)
        gain = both.group_by("set").agg(by=(pl.col("by") - pl.col("by_right")).mean())["by"].mean()
        if gain is not None and gain < 0:
            found.append(f"on the average over sets {gain:+.4f} to {name}")
    return found


def print_cells(cells: pl.DataFrame) -> None:
    others = [name for name in cells["method"].unique(maintain_order=True) if name != PLAIN]
    print(f"| set | k | spam | {PLAIN} | {' | '.join(others)} |")
    print("|" + "---|" * (4 + len(others)))
    for (name, k, spam), cell in cells.group_by("set", "k", "spam", maintain_order=True):
        by = {
            row["method"]: f"{row['by']:+.3f} ± {row['error']:.3f}"
            for row in cell.drop_nulls("by").iter_rows(named=True)
        }
        plain = cell.filter(method=PLAIN)["r"].item()
        cells = " | ".join(by.get(other, "") for other in others)
        print(f"| {name} | {k or 'all'} | {spam:.0%} | {plain:.3f} | {cells} |")
    means = cells.group_by("method", maintain_order=True).agg(
        pl.col("by").mean(),
        worst=pl.col("by").min(),
        below=(pl.col("by") < WORST).sum(),
        n=pl.col("by").count(),
    )
    print(f"\n| method | mean | worst | cells below {WORST} | cells |\n|---|---|---|---|---|")
    for row in means.iter_rows(named=True):
        print(f"| {row['method']} | {row['by']:+.4f} | {row['worst']:+.3f} | {row['below']} | {row['n']} |")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--sets", help="groups with commas between: calibration, snow, mlqe, parabank, …")
    parser.add_argument("--draws", type=int, default=DRAWS)
    parser.add_argument("--quick", action="store_true", help=f"{FEW_DRAWS} draws of calibration and snow")
    parser.add_argument("--rows", help="also keep every trial, in this Parquet file")
    asked = parser.parse_args()
    if not DATA.is_dir():
        print("The folder of real data is absent: there is nothing to measure.")
        return
    names = set(asked.sets.split(",")) if asked.sets else {"calibration", "snow"} if asked.quick else None
    draws = FEW_DRAWS if asked.quick else asked.draws
    found = []
    for crowd in crowds(names):
        started = time.perf_counter()
        found.append(tried(crowd, draws))
        print(
            f"{crowd.group} {crowd.name}: {time.perf_counter() - started:.0f} s", file=sys.stderr, flush=True
        )
    rows = pl.concat(found)
    if asked.rows:
        rows.write_parquet(asked.rows)
    cells = cells_of(rows)
    print_cells(cells)
    problems = missed(cells)
    print(f"\nBars, {draws} draws: {'; '.join(problems) or 'cleared'}.")
    sys.exit(bool(problems))


if __name__ == "__main__":
    main()
