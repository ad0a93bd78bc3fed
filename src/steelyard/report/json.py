"""An analysis as the JSON that scripts rely on."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Any

import polars as pl

from steelyard.domain.differences import differences
from steelyard.domain.result import Analysis
from steelyard.exhibits.rank_probabilities import known_chances
from steelyard.exhibits.workers import excluded_hits, is_learnt
from steelyard.report.plain import plain, records

# The contract's keys come first, in its order.
WORKER_KEYS = (
    *("worker_id", "n_judgements", "n_pairs", "mean_difference", "statistic", "p_value", "verdict", "flags"),
    *("mean", "sd", "offset", "slope", "precision", "weight"),
    *("offset_sd", "slope_sd", "precision_sd", "portrait"),
    *("sd_difference", "power", "n_repeats", "consistency_p", "equivalence_p", "seconds_per_judgement"),
    *("suggestion", "reason", "remarks"),
)
# Counts that most analyses have none of.
_COUNTED_IF_ANY = ("excluded_judgements", "simulated_workers")


def analysis_record(analysis: Analysis) -> dict[str, Any]:
    """The analysis in plain types. What is unknown is None, never 0 or NaN; nothing is rounded.

    `posterior` is there if the method has drawn scores, `diagnostics` if it comes to its answer step by step,
    `recipe` beside the ranking of a recipe that shows our own too, `notes` if it has something to say about
    the judgements. Workers have `excluded` if a person excluded any of them, and counts have
    `excluded_judgements` and `simulated_workers` if there are any.
    """
    excluded = excluded_hits(analysis)
    return {
        "signature": analysis.signature,
        "counts": _counts(analysis),
        "workers": records(_workers(analysis)),
        "systems": records(analysis.systems),
        "pairs": records(analysis.pairs),
        "test": _test(analysis),
        "attributes": [
            {
                "attribute": ranking.attribute,
                "systems": records(ranking.systems),
                "pairs": records(ranking.pairs),
            }
            for ranking in analysis.attributes
        ],
        "agreement": records(analysis.agreement),
        "excluded_hits": records(excluded.select("worker_id", "hit_id", reason=pl.col("excluded"))),
        "contamination": plain(analysis.contamination),
        **_posterior(analysis),
        **_diagnostics(analysis),
        **_recipe(analysis),
        **({"notes": list(analysis.notes)} if analysis.notes else {}),
        "warnings": list(analysis.warnings),
    }


def _workers(analysis: Analysis) -> pl.DataFrame:
    """The workers under all keys; what the method knows nothing of is null."""
    known = analysis.workers.columns
    excluded = ["excluded"] if is_learnt(analysis.workers, "excluded") else []
    return analysis.workers.select(
        pl.col(name) if name in known else pl.lit(None).alias(name) for name in (*WORKER_KEYS, *excluded)
    )


def _counts(analysis: Analysis) -> dict[str, int]:
    known: dict[str, int] = asdict(analysis.counts)
    return {name: n for name, n in known.items() if n or name not in _COUNTED_IF_ANY}


def _test(analysis: Analysis) -> dict[str, Any]:
    """How systems were compared; `words` says it in a sentence. Units are null where the test has none."""
    test, units = analysis.test, analysis.test.rests_on
    return {
        "name": test.name,
        "level": test.level,
        "correction": test.correction,
        "deciding": test.deciding,
        "units": {
            "workers": None if units is None else units.workers,
            "documents": None if units is None else units.documents,
            "documents_known": None if units is None else units.documents_known,
        },
        "words": differences(analysis),
    }


def _recipe(analysis: Analysis) -> dict[str, Any]:
    """What stands beside a recipe's ranking: how often each system lost, our own ranking, and a sentence."""
    found = analysis.recipe
    if found is None:
        return {}
    return {
        "recipe": {
            "name": found.name,
            "systems": records(analysis.systems.select("system_id", "wins", losses=pl.col("rank_low") - 1)),
            "local": list(found.local),
            "comparison": found.comparison,
            "own": {
                "signature": found.own.signature,
                "systems": records(found.own.systems),
                "pairs": records(found.own.pairs),
                "test": _test(found.own),
            },
        }
    }


def _posterior(analysis: Analysis) -> dict[str, Any]:
    found = known_chances(analysis)
    return {} if found is None else {"posterior": records(found)}


def _diagnostics(analysis: Analysis) -> dict[str, Any]:
    found = analysis.diagnostics
    if found is None:
        return {}
    always = {"converged": found.converged, "sweeps": found.sweeps, "seconds": plain(found.seconds)}
    further = {name: plain(value) for name, value in found.notes if name not in always}
    return {"diagnostics": always | further}


def analysis_json(analysis: Analysis) -> str:
    """The analysis as a JSON document, with a line for each record."""
    members = [f"  {_dumps(name)}: {_member(value)}" for name, value in analysis_record(analysis).items()]
    return "{\n" + ",\n".join(members) + "\n}\n"


def _member(value: Any) -> str:
    if not isinstance(value, list) or not value:
        return _dumps(value)
    return "[\n" + ",\n".join(f"    {_dumps(record)}" for record in value) + "\n  ]"


def _dumps(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False)
