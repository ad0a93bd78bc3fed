"""Does what `plan` promises come true? Plans a campaign, simulates it rating by rating, and analyses it.

    python bench/planning.py                      # promised power beside that of real analyses
    python bench/planning.py --components FILE …  # variance components of judgements files

The campaigns here know nothing of the planner's simulation: every rating is drawn by itself, on the scale of
a harsh or generous worker, rounded to whole points, and `analyse` does the rest.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import fields, replace
from math import sqrt
from statistics import median

import numpy as np
import polars as pl

from steelyard.documents import documents_of
from steelyard.domain.result import Analysis
from steelyard.flows.analyse import analyse
from steelyard.flows.pilot import Pilot, pilot_of
from steelyard.flows.settings import settings_from
from steelyard.flows.source import Source, read_source
from steelyard.frames import index_of, ratings_frame, standardise_ratings
from steelyard.planning.cost import Terms
from steelyard.planning.plan import Correction, Goal, Setup, make_plan
from steelyard.planning.power import simulate_tests
from steelyard.planning.search import sized
from steelyard.planning.variation import TYPICAL_COMPONENTS, Amounts, Variation
from steelyard.stats.components import VarianceComponents
from steelyard.stats.system_contrasts import DocumentOpinions, fit_opinions, opinion_errors

SYSTEMS, DIFFERENCE, PASS_RATE, HIT_SIZE = 4, 0.25, 0.6, 70
NOTHING = VarianceComponents(0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0)
_TOTAL = sum(getattr(TYPICAL_COMPONENTS, field.name) for field in fields(VarianceComponents))
# Shares of the variance of a worker's ratings, so that differences are in standard deviations.
AS_USUAL = VarianceComponents(
    *(getattr(TYPICAL_COMPONENTS, field.name) / _TOTAL for field in fields(VarianceComponents))
)
CROWDS = {
    "independent": Variation(components=NOTHING),
    "worker x system": Variation(components=replace(NOTHING, worker_system=0.05, residual=0.95)),
    "documents": Variation(
        components=VarianceComponents(0.0, 0.0, 0.05, 0.05, 0.1, 0.1, 0.05, 0.65),
        document_length=8,
        together=8,
    ),
    "WMT, single segments": Variation(components=AS_USUAL),
    "WMT, documents of 10": Variation(components=AS_USUAL, document_length=10, together=10, unevenness=0.6),
}


def planned(variation: Variation, correction: Correction) -> tuple[Setup, int, float]:
    """The setup, the HITs and the power that a plan for the difference promises."""
    setup = Setup(
        systems=SYSTEMS,
        segments=None,
        items=None,
        usable_share=1.0,
        item_share=1.0,
        pass_rate=PASS_RATE,
        terms=Terms(hit_size=HIT_SIZE, seconds_per_item=18, pay_per_hit=4.2),
        minimum_wage=0.0,
        rho=0.41,
        power=0.8,
        level=0.05,
        correction=correction,
        variation=variation,
    )
    goal = Goal("difference", DIFFERENCE)
    found = sized(goal, setup, seed=7)
    plan = make_plan(goal, found.setup, power=found.power)
    (own,) = (each for each in plan.power if each.difference == DIFFERENCE)
    return setup, plan.expected.outlay.hits, own.power


def campaign(setup: Setup, hits: int, rng: np.random.Generator) -> Source:
    """A campaign of this many HITs, failing workers left out, in which system 0 is better than system 3."""
    variation = setup.variation
    found, mean = variation.components, variation.document_length
    n_documents = round(hits * HIT_SIZE / (SYSTEMS * mean))
    # Uniform, which has this deviation as well.
    reach = mean * variation.unevenness * sqrt(3)
    low, high = max(1, round(mean - reach)), round(mean + reach)
    lengths = rng.integers(low, high, n_documents, endpoint=True)
    order = rng.permutation(SYSTEMS * n_documents)
    cell = np.repeat(np.arange(len(order)), lengths[order // SYSTEMS])
    document, system = np.divmod(order[cell], SYSTEMS)
    within = np.arange(len(cell)) - np.concatenate([[0], np.cumsum(lengths[order // SYSTEMS])[:-1]])[cell]
    segment = document * int(lengths.max()) + within
    # A HIT ends with a document. Most workers do a HIT or two, and some do many.
    per_hit = max(1, round(HIT_SIZE / mean))
    n_hits = -(-len(order) // per_hit)
    n_workers = round(variation.crowd(hits))
    loads = rng.geometric(min(1.0, n_workers / n_hits), n_hits)
    taken = np.repeat(np.arange(n_hits), loads)[:n_hits]
    worker = rng.permutation(taken)[cell // per_hit]
    n_workers = int(taken.max()) + 1

    def effect(variance: float, *shape: int) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
        return rng.normal(0, sqrt(variance), shape)

    value = (
        DIFFERENCE / 2 * np.array([1, 0, 0, -1])[system]
        + effect(found.worker, n_workers)[worker]
        + effect(found.worker_system, n_workers, SYSTEMS)[worker, system]
        + effect(found.document, n_documents)[document]
        + effect(found.document_system, n_documents, SYSTEMS)[document, system]
        + effect(found.cell, len(order))[cell]
        + effect(found.segment, int(segment.max()) + 1)[segment]
        + effect(found.translation + found.residual, len(segment))
    )
    harshness, spread = rng.normal(50, 8, n_workers), rng.uniform(10, 18, n_workers)
    rating = np.clip(np.round(harshness[worker] + spread[worker] * value), 0, 100)
    passing = rng.permutation(n_workers) < round(n_workers * PASS_RATE)
    columns = pl.DataFrame(
        {
            "worker_id": worker,
            "hit_id": worker,
            "system_id": system,
            "segment_id": segment,
            "document_id": document,
            "rating": rating,
        }
    ).filter(pl.Series(passing[worker]))
    names = [name for name in columns.columns if name != "rating"]
    frame = ratings_frame(
        columns.with_columns(
            *(pl.col(name).cast(pl.String) for name in names),
            pl.lit("regular").alias("item_kind"),
            pl.lit("adequacy").alias("attribute"),
        )
    )
    return Source(frame, title="simulated", campaign="simulated")


def is_found(analysis: Analysis, correction: Correction) -> bool:
    """Whether system 0 is claimed to be better than system 3."""
    p_value = "p_holm" if correction == "holm" else "p_two_sided"
    pair = analysis.pairs.filter((pl.col("better") == "0") & (pl.col("worse") == "3")).row(0, named=True)
    return bool(pair["p_value"] < 0.5 and pair[p_value] < 0.05)


def realised(setup: Setup, hits: int, *, campaigns: int, seed: int) -> float:
    """The share of analyses that find the difference."""
    rng = np.random.default_rng(seed)
    found = 0
    for _ in range(campaigns):
        source = campaign(setup, hits, rng)
        settings = settings_from(source, check="none", draws=0, correction=setup.correction)
        found += is_found(analyse(source, settings), setup.correction)
    return found / campaigns


def compare(crowds: Sequence[str], *, campaigns: int) -> None:
    print(f"{SYSTEMS} systems, two of them {DIFFERENCE} apart; {campaigns} analyses each\n")
    print(f"{'crowd':<24}{'correction':<12}{'HITs':>6}{'promised':>10}{'realised':>10}{'+-':>7}")
    corrections: tuple[Correction, ...] = ("holm", "none")
    for name in crowds:
        for correction in corrections:
            setup, hits, promised = planned(CROWDS[name], correction)
            power = realised(setup, hits, campaigns=campaigns, seed=11)
            error = sqrt(power * (1 - power) / campaigns)
            print(
                f"{name:<24}{correction:<12}{hits:>6}{promised:>10.3f}{power:>10.3f}{error:>7.3f}", flush=True
            )


def components(files: Sequence[str]) -> None:
    """The components of the standardised ratings of each file, and their medians.

    The last columns: the error of a difference of two systems by the test, workers weighing the same, on
    average over pairs, and that of campaigns simulated with these components and with the typical ones, as
    a share of it.
    """
    names = [field.name for field in fields(VarianceComponents)]
    found, ratios = [], []
    print(
        "file".ljust(28) + "".join(f"{name[:15]:>16}" for name in (*names, "error", "simulated", "typical"))
    )
    for file in files:
        source = read_source(file)
        pilot = pilot_of(source, check="none")
        found.append(pilot)
        values = [getattr(pilot.components, name) for name in names]
        compared = errors(source, pilot)
        ratios.append(compared)
        print(file[-27:].ljust(28) + "".join(f"{v:>16.3f}" for v in (*values, *compared)), flush=True)
    by_document = ("document", "document_system", "cell")
    medians = [
        median(
            getattr(pilot.components, name)
            for pilot in found
            if pilot.has_documents or name not in by_document
        )
        for name in names
    ]
    medians += [median(column) for column in zip(*ratios, strict=True)]
    print("median".ljust(28) + "".join(f"{number:>16.3f}" for number in medians))


def errors(source: Source, pilot: Pilot) -> tuple[float, float, float]:
    """The error of a difference as tested, and the share of it that simulated campaigns have."""
    z = standardise_ratings(source.frame, settings_from(source, check="none").method_settings).z
    rows = source.frame.with_columns(pl.Series("z", z)).filter(
        (pl.col("item_kind") == "regular") & pl.col("z").is_not_nan()
    )
    value = rows["z"].to_numpy()
    worker, document = index_of(rows["worker_id"])[1], documents_of(rows).number
    systems, system = index_of(rows["system_id"])
    _, first, cell = np.unique(
        np.stack([worker, document, system]), axis=1, return_index=True, return_inverse=True
    )
    n = np.bincount(cell).astype(np.float64)
    mean = np.bincount(cell, value) / n
    opinions = DocumentOpinions(
        mean,
        n,
        weight=np.ones(len(n)),
        within=float(((value - mean[cell]) ** 2).sum()),
        worker=worker[first],
        document=document[first],
        system=system[first],
    )
    fitted = fit_opinions(opinions, opinions.weight, len(systems))
    variances = opinion_errors(opinions, fitted).difference_variance[np.triu_indices(len(systems), k=1)]
    amounts = Amounts(
        hits=rows.select(pl.struct("worker_id", "hit_id").n_unique()).item(),
        ratings=len(rows),
        systems=len(systems),
        pass_rate=1.0,
        documents=pilot.n_documents,
    )
    simulated = [
        simulate_tests(
            amounts,
            Variation(
                components=found,
                document_length=pilot.document_length,
                together=min(pilot.together, pilot.document_length),
                unevenness=pilot.unevenness,
                workers=pilot.n_workers,
            ),
            campaigns=24,
            rng=np.random.default_rng(7),
        )
        for found in (pilot.components, TYPICAL_COMPONENTS)
    ]
    own, typical = (float(tests.error.mean()) for tests in simulated)
    real = float(np.sqrt(variances).mean())
    return real, own / real, typical / real


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--components", nargs="+", metavar="FILE", help="judgements files to describe")
    parser.add_argument("--campaigns", type=int, default=250, help="analyses of each crowd")
    parser.add_argument("--quick", action="store_true", help="100 analyses of three crowds")
    asked = parser.parse_args()
    if asked.components:
        components(asked.components)
    elif asked.quick:
        compare(list(CROWDS)[:3], campaigns=100)
    else:
        compare(list(CROWDS), campaigns=asked.campaigns)


if __name__ == "__main__":
    main()
