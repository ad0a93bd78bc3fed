"""Plans: what a campaign takes, or what a budget buys."""

from __future__ import annotations

from typing import TYPE_CHECKING, Unpack

from steelyard.api.reading import source_of
from steelyard.api.studies import Study
from steelyard.api.waiting import shown_progress
from steelyard.planning.plan import Plan as PlanRecord

if TYPE_CHECKING:
    from steelyard.domain.study import StudyResult
    from steelyard.flows.plan_choices import Choices as PlanChoices


class Plan(Study, PlanRecord):
    """HITs, hours and money with their range. A notebook shows them and what other amounts would buy.

    >>> planned = sy.plan(systems=5, ratings_per_system=1500)
    >>> planned.expected.outlay.hits
    154
    >>> planned.table("cases").select("case", "hits").rows()
    [('expected', 154), ('if fewer pass', 204), ('if more pass', 124)]
    >>> planned.plot("plan")
    <Figure 'plan': What money buys>
    """

    def to_json(self) -> str:
        """The plan as the JSON that `steelyard plan --json` gives.

        >>> import json
        >>> json.loads(sy.plan(systems=5, ratings_per_system=1500).to_json())["hits"]
        154
        """
        from steelyard.report.plan import to_json

        return to_json(self)

    def _result(self) -> StudyResult:
        from steelyard.exhibits.studies.plan import plan_study

        return plan_study(self)


def plan(**choices: Unpack[PlanChoices]) -> Plan:
    """HITs, hours and cost for a target precision, or what a budget buys; the options of `steelyard plan`.

    Describe what is judged (`systems`, `segments` or a `campaign` file), and choose one goal: `difference`,
    `ratings_per_system`, `reliability`, `ratings_per_item` or `budget`. `pilot`: judgements of a similar
    crowd, or anything that `read` takes.

    >>> sy.plan(systems=5, ratings_per_system=1500).expected.outlay.hits
    154
    """
    from steelyard.flows.plan import plan as make_plan

    if choices.get("pilot") is not None:
        choices["pilot"] = source_of(choices["pilot"])
    return Plan._of(make_plan(progress=shown_progress, **choices))
