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

from typing import TYPE_CHECKING

from steelyard.version import __version__

if TYPE_CHECKING:
    from steelyard.api import (
        Analysis,
        Campaign,
        Figure,
        Judgements,
        Plan,
        Study,
        analyse,
        compare_years,
        create,
        evaluate,
        explain_layout,
        judge_metrics,
        link,
        normalise,
        open,  # noqa: A004 (the name users know from the README)
        plan,
        read,
        replicate,
    )
    from steelyard.api import analyse as analyze
    from steelyard.api import normalise as normalize

__all__ = [
    "Analysis",
    "Campaign",
    "Figure",
    "Judgements",
    "Plan",
    "Study",
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

if TYPE_CHECKING:
    __all__ += ["analyze", "normalize"]
else:
    # Other spellings that work as well.
    _SPELLINGS = {"analyze": "analyse", "normalize": "normalise"}

    def __getattr__(name: str) -> object:
        """Load the public names on first use, so that importing a part needs only what that part needs."""
        name = _SPELLINGS.get(name, name)
        if name in __all__:
            from steelyard import api

            return getattr(api, name)
        raise AttributeError(f"module 'steelyard' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
