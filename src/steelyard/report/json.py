"""An analysis as the JSON that scripts rely on."""

from __future__ import annotations

import json
import math
from dataclasses import asdict
from typing import Any

import polars as pl

from steelyard.domain.result import Analysis

WORKER_KEYS = (
    "worker_id",
    "n_judgements",
    "n_pairs",
    "mean_difference",
    "statistic",
    "p_value",
    "verdict",
    "flags",
    "mean",
    "sd",
    "offset",
    "slope",
    "precision",
    "weight",
)


def to_dict(analysis: Analysis) -> dict[str, Any]:
    """The analysis in plain types. What is unknown is None, never 0 or NaN; nothing is rounded."""
    return {
        "signature": analysis.signature,
        "counts": asdict(analysis.counts),
        "workers": _records(analysis.workers.select(WORKER_KEYS)),
        "systems": _records(analysis.systems),
        "pairs": _records(analysis.pairs),
        "warnings": list(analysis.warnings),
    }


def to_json(analysis: Analysis) -> str:
    """The analysis as an indented JSON document."""
    return json.dumps(to_dict(analysis), indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def _records(frame: pl.DataFrame) -> list[dict[str, Any]]:
    return [{key: _known(value) for key, value in row.items()} for row in frame.iter_rows(named=True)]


def _known(value: Any) -> Any:
    return None if isinstance(value, float) and not math.isfinite(value) else value
