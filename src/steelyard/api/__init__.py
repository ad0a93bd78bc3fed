"""The Python interface: plan, create and open campaigns, read and analyse judgements.

`steelyard` itself offers the same names; here are the classes of what each study returns as well.
"""

from __future__ import annotations

from steelyard.api.analysis import Analysis, analyse
from steelyard.api.campaign import Campaign, create, explain_layout, open  # noqa: A004 (as in the README)
from steelyard.api.figure import Figure
from steelyard.api.frame import Frame
from steelyard.api.planning import Plan, plan
from steelyard.api.reading import Judgements, read
from steelyard.api.studies import (
    Evaluation,
    Linked,
    Longitudinal,
    MetaEvaluation,
    Normalisation,
    Replication,
    Study,
    compare_years,
    evaluate,
    judge_metrics,
    link,
    normalise,
    replicate,
)

__all__ = [
    "Analysis",
    "Campaign",
    "Evaluation",
    "Figure",
    "Frame",
    "Judgements",
    "Linked",
    "Longitudinal",
    "MetaEvaluation",
    "Normalisation",
    "Plan",
    "Replication",
    "Study",
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
