"""Studies of replication from the sources of an exhibit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import polars as pl

from steelyard.domain.draws import LEAST_FOR_CURVES
from steelyard.domain.exhibit import Evidence, ExhibitOptions
from steelyard.domain.plugin import Exhibit
from steelyard.evaluation.replication.opinions import Collection
from steelyard.evaluation.replication.settings import DRAWS, Replication, ReplicationSettings
from steelyard.evaluation.replication.study import replicate_collections
from steelyard.exhibits._sources import signature_of, study_line


def replications(
    evidence: Sequence[Evidence], options: ExhibitOptions, *, both_ways: bool = False
) -> list[tuple[str, Replication]]:
    """The studies that the sources make, each under the title of the source that is drawn from.

    Two sources are two collections of the same items, of which the first is drawn from, and with
    `both_ways` then the second. Any other number of sources, or `options.split`, gives a study of each
    whose workers are split in halves.
    """
    collections = [
        Collection(source.title, source.kept, source.analysis.settings.method_settings) for source in evidence
    ]
    settings = [_settings(source, options) for source in evidence]
    if len(evidence) != 2 or options.split:
        return [
            (of.title, replicate_collections(of, None, asked))
            for of, asked in zip(collections, settings, strict=True)
        ]
    first, second = collections
    found = [(first.title, replicate_collections(first, second, settings[0]))]
    if both_ways:
        found.append((second.title, replicate_collections(second, first, settings[1])))
    return found


def replication_signature(exhibit: Exhibit, evidence: Sequence[Evidence], found: Replication) -> str:
    """The signatures of the sources, and of what was drawn from them."""
    study = study_line(
        exhibit,
        of="halves" if found.is_split else "collections",
        unit="worker",
        draws=found.settings.draws,
        seed=found.settings.analysis.seed,
    )
    return signature_of(evidence, study=study)


def rho_of(found: Replication) -> float | None:
    """The reliability of one standardised rating, over all ratings of a study."""
    rho: float | None = found.rho.filter((pl.col("of") == "") & (pl.col("scale") == "z"))["rho"].item()
    return rho


def draws_of_study(found: Replication) -> str:
    """What the draws of a study were, in a sentence."""
    made, seed = found.settings.draws, found.settings.analysis.seed
    if found.is_split:
        splits = (made + 1) // 2
        return (
            f"{made} draws from halves of the workers, split at random {splits} times, seed {seed}. "
            "A half has half the ratings."
        )
    return f"{made} draws, seed {seed}."


def _settings(source: Evidence, options: ExhibitOptions) -> ReplicationSettings:
    analysis = replace(source.analysis.settings, seed=options.seed)
    return ReplicationSettings(draws=max(LEAST_FOR_CURVES, min(options.draws, DRAWS)), analysis=analysis)
