"""The rules of a campaign as its file writes them, in the tables [rules], [pay] and [platform]."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from steelyard.domain.errors import CampaignError
from steelyard.domain.running import Rules
from steelyard.formats.campaign_keys import StrictKeys
from steelyard.formats.campaign_mistakes import table_problems
from steelyard.formats.campaign_platform import PlatformTable
from steelyard.formats.campaign_tables import USUAL_RULES, PayTable, RulesTable

_TABLES: dict[str, type[StrictKeys]] = {"rules": RulesTable, "pay": PayTable, "platform": PlatformTable}
# Keys whose rules have names that say more.
_OTHER_NAMES = {
    ("pay", "per_hit"): "pay_per_hit",
    ("pay", "after_days"): "pay_after_days",
    ("pay", "tell_workers"): "tell_pay",
    ("platform", "name"): "platform",
    ("platform", "settings"): "platform_settings",
}
# Platforms that learn from the page itself who has finished.
NEED_NO_CODE = frozenset({"mturk"})
# Platforms on which whoever wants to do more takes another task, and is paid for it.
PAY_EACH_SET = frozenset({"mturk"})
# By table and key, the name of the rule.
RULES_OF_KEYS = {
    (table, key): _OTHER_NAMES.get((table, key), key)
    for table, model in _TABLES.items()
    for key in model.model_fields
}


def rules_of(rules: RulesTable, pay: PayTable, platform: PlatformTable) -> Rules:
    """What the three tables say, together."""
    tables = {"rules": rules, "pay": pay, "platform": platform}
    return Rules(**{name: getattr(tables[table], key) for (table, key), name in RULES_OF_KEYS.items()})


def changed_rules(rules: Rules, changes: Mapping[str, Any]) -> Rules:
    """The rules with these changes, by name of the rule; CampaignError with all problems.

    >>> changed_rules(Rules(), {"wage": 15.0, "currency": "EUR"}).wage
    15.0
    """
    problems = []
    for table in _TABLES:
        keys = {name: key for (of_table, key), name in RULES_OF_KEYS.items() if of_table == table}
        values = {key: changes[name] for name, key in keys.items() if name in changes}
        problems += table_problems(table, values)
    if problems:
        raise CampaignError("the rules", problems)
    return replace(rules, **changes)


def platform_warnings(rules: Rules) -> list[str]:
    """What organisers overlook who let a crowd platform send people."""
    if rules.platform == USUAL_RULES.platform:
        return []
    warnings = []
    if rules.hits_per_worker is None and rules.platform not in PAY_EACH_SET:
        warnings.append(
            "Crowd platforms pay a participant for one set: write [rules] hits_per_worker = 1, or pay "
            "further sets as a bonus."
        )
    needs_code = rules.platform not in NEED_NO_CODE
    if needs_code and rules.completion_code is None and rules.completion_url is None:
        warnings.append(
            f"[rules] has neither completion_code nor completion_url, so {rules.platform} does not learn who "
            "has finished. `steelyard publish` makes one up where it can; otherwise set it before people "
            "come: steelyard settings DB --completion-code CODE"
        )
    return warnings


def rules_toml(rules: Rules) -> str:
    """The rules as the tables of a campaign file; those without a value as comments.

    >>> print(rules_toml(Rules(wage=15.0)).partition("[pay]")[2].partition("[platform]")[0].strip())
    wage = 15.0
    currency = "USD"
    # per_hit is not set
    fee = 0.0
    # budget is not set
    after_days = 7.0
    tell_workers = false
    """
    lines = []
    for table in _TABLES:
        keys = {key: name for (of_table, key), name in RULES_OF_KEYS.items() if of_table == table}
        lines += [f"[{table}]", *(_line(key, getattr(rules, name)) for key, name in keys.items()), ""]
    return "\n".join(lines)


def _line(key: str, value: Any) -> str:
    return f"# {key} is not set" if value is None or value == {} else f"{key} = {_toml(value)}"


def _toml(value: Any) -> str:
    """A value in one line. JSON writes numbers, plain strings, truth values and lists as TOML does."""
    if isinstance(value, Mapping):
        pairs = ", ".join(f"{json.dumps(key)} = {_toml(each)}" for key, each in value.items())
        return f"{{ {pairs} }}"
    if isinstance(value, list):
        return f"[{', '.join(_toml(each) for each in value)}]"
    return json.dumps(value)
