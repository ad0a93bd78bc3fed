"""The rules of a campaign as its file writes them, in the tables [rules] and [pay]."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from steelyard.domain.errors import CampaignError
from steelyard.domain.running import Rules
from steelyard.formats.campaign_mistakes import table_problems
from steelyard.formats.campaign_tables import PayTable, RulesTable

# Keys of [pay] whose rules have names that say more.
_OTHER_NAMES = {"per_hit": "pay_per_hit", "tell_workers": "tell_pay"}
# By table and key, the name of the rule.
RULES_OF_KEYS = {
    **{("rules", key): key for key in RulesTable.model_fields},
    **{("pay", key): _OTHER_NAMES.get(key, key) for key in PayTable.model_fields},
}


def rules_of(rules: RulesTable, pay: PayTable) -> Rules:
    """What the two tables say, together."""
    tables = {"rules": rules, "pay": pay}
    return Rules(**{name: getattr(tables[table], key) for (table, key), name in RULES_OF_KEYS.items()})


def changed_rules(rules: Rules, changes: Mapping[str, Any]) -> Rules:
    """The rules with these changes, by name of the rule; CampaignError with all problems.

    >>> changed_rules(Rules(), {"wage": 15.0, "currency": "EUR"}).wage
    15.0
    """
    problems = []
    for table in ("rules", "pay"):
        keys = {name: key for (of_table, key), name in RULES_OF_KEYS.items() if of_table == table}
        values = {key: changes[name] for name, key in keys.items() if name in changes}
        problems += table_problems(table, values)
    if problems:
        raise CampaignError("the rules", problems)
    return replace(rules, **changes)


def rules_toml(rules: Rules) -> str:
    """The rules as the tables of a campaign file; those without a value as comments.

    >>> print(rules_toml(Rules(wage=15.0)).partition("[pay]")[2].strip())
    wage = 15.0
    currency = "USD"
    # per_hit is not set
    fee = 0.0
    tell_workers = false
    """
    lines = []
    for table in ("rules", "pay"):
        keys = {key: name for (of_table, key), name in RULES_OF_KEYS.items() if of_table == table}
        lines += [f"[{table}]", *(_line(key, getattr(rules, name)) for key, name in keys.items()), ""]
    return "\n".join(lines)


def _line(key: str, value: Any) -> str:
    # JSON writes numbers, plain strings and truth values as TOML does.
    return f"# {key} is not set" if value is None else f"{key} = {json.dumps(value)}"
