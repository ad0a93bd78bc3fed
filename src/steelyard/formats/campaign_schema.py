"""The campaign file as a JSON Schema, by which editors complete and check it while it is written."""

from __future__ import annotations

import json
from typing import Any

from steelyard.design.degradations import degradations
from steelyard.formats.campaign_tables import CampaignFile
from steelyard.protocols import protocols
from steelyard.qc import checks

# What editors look for in the first line of a campaign file: the schema lies beside it.
FILE_NAME = "campaign.schema.json"
DIRECTIVE = f"#:schema ./{FILE_NAME}"

# How a campaign file writes each table, and the name of its model.
TABLE_NAMES = (
    ("[campaign]", "CampaignTable"),
    ("[texts]", "TextsTable"),
    ("[texts] columns", "ColumnsTable"),
    ("[[systems]]", "SystemTable"),
    ("[design]", "DesignTable"),
    ("[design.quota]", "QuotaTable"),
    ("[quality]", "QualityTable"),
    ("[presentation]", "PresentationTable"),
    ("[spans]", "SpansTable"),
    ("[[examples]]", "ExampleTable"),
    ("[gold]", "GoldTable"),
    ("[calibration]", "CalibrationTable"),
    ("[consent]", "ConsentTable"),
    ("[[questions]]", "QuestionTable"),
    ("[[training]]", "TrainingTable"),
    ("[[training.spans]]", "TargetTable"),
    ("[rules]", "RulesTable"),
    ("[pay]", "PayTable"),
    ("[platform]", "PlatformTable"),
)


def campaign_schema() -> dict[str, Any]:
    """A JSON Schema (2020-12) of the campaign file, with what is registered as choices.

    It is made from the tables that the reader checks, so the two cannot differ. What a schema cannot
    say, such as whether files fit together, only the reader says.

    >>> campaign_schema()["properties"]["campaign"]["$ref"]
    '#/$defs/CampaignTable'
    """
    made = CampaignFile.model_json_schema()
    tables = made["$defs"]
    for table, key, names in (
        ("CampaignTable", "protocol", list(protocols())),
        ("CampaignTable", "attribute", _attributes()),
    ):
        tables[table]["properties"][key]["enum"] = names
    _text_choice(tables["DesignTable"]["properties"]["degradation"])["enum"] = list(degradations())
    _text_choice(tables["QualityTable"]["properties"]["check"])["enum"] = list(checks())
    plain = _plain(made)
    for key, model in TABLE_NAMES:
        plain["$defs"][model]["title"] = key
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Steelyard campaign file",
        **plain,
    }


def schema_text() -> str:
    """The schema as it is published: JSON with a line end."""
    return json.dumps(campaign_schema(), indent=2, ensure_ascii=False) + "\n"


def _attributes() -> list[str]:
    return sorted({attribute for protocol in protocols().values() for attribute in protocol.attributes})


def _text_choice(key: dict[str, Any]) -> dict[str, Any]:
    """Of a key that may be left out, the alternative that is a text."""
    found: dict[str, Any] = next(choice for choice in key["anyOf"] if choice.get("type") == "string")
    return found


def _plain(node: Any) -> Any:
    """The schema without `null`, which TOML has not, and without titles that repeat the keys."""
    if isinstance(node, list):
        return [_plain(each) for each in node]
    if not isinstance(node, dict):
        return node
    kept = {key: _plain(value) for key, value in node.items() if not _is_noise(key, value)}
    choices = kept.get("anyOf")
    if isinstance(choices, list) and {"type": "null"} in choices:
        others = [choice for choice in choices if choice != {"type": "null"}]
        del kept["anyOf"]
        return {**(others[0] if len(others) == 1 else {"anyOf": others}), **kept}
    return kept


def _is_noise(key: str, value: Any) -> bool:
    return (key == "title" and isinstance(value, str)) or (key == "default" and value is None)
