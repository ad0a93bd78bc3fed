"""Steelyard: credible human evaluation of machine translation.

>>> import steelyard as sy
>>> rows = {"worker": ["a", "a", "b", "b"], "system": ["x", "y"] * 2, "segment": [1] * 4}
>>> rows["rating"] = [90, 70, 60, 20]
>>> import polars
>>> analysis = sy.analyse(polars.DataFrame(rows), method="mean-rating", check="none")
>>> analysis.systems["system_id"].to_list()
['x', 'y']
"""

from __future__ import annotations

from typing import Any

from steelyard.version import __version__

__all__ = [
    "Analysis",
    "Campaign",
    "Judgements",
    "__version__",
    "analyse",
    "compare_years",
    "create",
    "evaluate",
    "explain_layout",
    "judge_metrics",
    "link",
    "normalise",
    "open",
    "plan",
    "read",
    "replicate",
]

_PUBLIC = frozenset(__all__) - {"__version__"}
# Other spellings that work as well.
_SPELLINGS = {"analyze": "analyse", "normalize": "normalise"}


def __getattr__(name: str) -> Any:
    """Load the public names on first use, so that importing a part needs only what that part needs."""
    name = _SPELLINGS.get(name, name)
    if name in _PUBLIC:
        from steelyard import api

        return getattr(api, name)
    raise AttributeError(f"module 'steelyard' has no attribute {name!r}")
