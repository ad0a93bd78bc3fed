"""The JSON Schema and the reference page say what the reader does."""

from __future__ import annotations

import copy
import json
import re
import tomllib
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic.fields import FieldInfo

from steelyard.formats import campaign_tables
from steelyard.formats.campaign_mistakes import parse_tables
from steelyard.formats.campaign_schema import DIRECTIVE, FILE_NAME, TABLE_NAMES, campaign_schema, schema_text
from steelyard.formats.campaign_tables import CampaignFile
from steelyard.protocols import protocols
from steelyard.qc import checks

PAGE = (Path(__file__).parents[2] / "docs" / "reference" / "campaign-file.md").read_text("utf-8")
EXAMPLES = {
    name: tomllib.loads((protocol.folder / "example.toml").read_text("utf-8"))
    for name, protocol in protocols().items()
}
VALIDATOR = jsonschema.Draft202012Validator(campaign_schema())


def fields() -> list[tuple[str, str, FieldInfo]]:
    return [
        (table, key, field)
        for table, model in [*TABLE_NAMES, ("the file", "CampaignFile")]
        for key, field in getattr(campaign_tables, model).model_fields.items()
    ]


def changed(path: str, value: Any) -> dict[str, Any]:
    """The example of direct assessment with one key set."""
    raw: Any = copy.deepcopy(EXAMPLES["da"])
    *tables, key = path.split(".")
    table = raw
    for name in tables:
        table = table[int(name)] if name.isdigit() else table.setdefault(name, {})
    table[key] = value
    return raw


def test_the_schema_is_a_schema() -> None:
    jsonschema.Draft202012Validator.check_schema(campaign_schema())


def test_what_is_published_is_the_schema() -> None:
    assert json.loads(schema_text()) == campaign_schema()


@pytest.mark.parametrize("name", sorted(EXAMPLES))
def test_the_example_of_every_protocol_is_valid(name: str) -> None:
    assert list(VALIDATOR.iter_errors(EXAMPLES[name])) == []


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("campaign.nmae", "x"),
        ("campaign.name", "a b"),
        ("campaign.seed", -1),
        ("texts.source", ""),
        ("texts.columns.segmnt", "x"),
        ("texts.format", "xml"),
        ("systems.0.weight", 0),
        ("systems.0.is_human", "yes"),
        ("design.layout", 2014),
        ("design.ratings_per_item", 0),
        ("design.quota.degarded", 5),
        ("design.quota.degraded", -1),
        ("presentation.line_width_px", 300),
        ("gold.every", 1),
        ("calibration.per_hit", 0),
        ("rules.lease_minutes", 0),
        ("pay.currency", "euro"),
        ("pay.fee", 40),
        ("desing.hit_size", 50),
    ],
)
def test_the_schema_refuses_what_the_reader_refuses(path: str, value: Any) -> None:
    raw = changed(path, value)

    assert parse_tables(raw)[1]
    assert list(VALIDATOR.iter_errors(raw))


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("systems.0.weight", 2),
        ("texts.columns", {"segment": "id"}),
        ("design.order", "documents"),
        ("design.degradation", "replace-words"),
        ("design.quota", {"degraded": 5}),
        ("presentation.texts_as_images", True),
        ("gold", {"file": "gold.csv"}),
    ],
)
def test_the_schema_allows_what_the_reader_allows(path: str, value: Any) -> None:
    raw = changed(path, value)

    assert parse_tables(raw)[1] == []
    assert list(VALIDATOR.iter_errors(raw)) == []


VALUES = st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=5))
NESTED = st.recursive(
    VALUES,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=5), inner, max_size=2),
)
KEYS = sorted(
    set(CampaignFile.model_fields)
    | {f"{table.strip('[]')}.{key}" for table, key, _ in fields() if " " not in table and "[[" not in table}
)


@given(path=st.sampled_from(KEYS), value=NESTED)
def test_whatever_stands_in_a_file_is_accepted_or_explained(path: str, value: Any) -> None:
    parsed, problems = parse_tables(changed(path, value))

    assert parsed is not None or problems
    assert all(problem.endswith((".", "?")) for problem in problems)


@pytest.mark.parametrize(
    ("table", "key", "names"),
    [
        ("CampaignTable", "protocol", set(protocols())),
        ("QualityTable", "check", set(checks())),
    ],
)
def test_what_is_registered_can_be_chosen(table: str, key: str, names: set[str]) -> None:
    assert set(campaign_schema()["$defs"][table]["properties"][key]["enum"]) == names


def test_every_table_is_named() -> None:
    models = {name for name in dir(campaign_tables) if name.endswith("Table")}

    assert {model for _, model in TABLE_NAMES} == models == set(campaign_schema()["$defs"])


@pytest.mark.parametrize(("table", "key", "field"), fields(), ids=lambda value: str(value)[:30])
def test_every_key_says_what_it_means(table: str, key: str, field: FieldInfo) -> None:
    assert field.description
    assert field.description.endswith(".")


def section(table: str) -> str:
    """The part of the reference page about one table."""
    found = re.search(rf"^#+ {re.escape(table)}\n(.*?)(?=^#+ \[|\Z)", PAGE, flags=re.M | re.S)
    assert found, f"the page has no heading {table}"
    return found[1]


def shown_default(field: FieldInfo) -> str:
    if field.is_required():
        return "required"
    default = field.get_default(call_default_factory=True)
    match default:
        case bool():
            return f"`{str(default).lower()}`"
        case str():
            return f'`"{default}"`'
        case int() | float():
            return f"`{default:g}`"
    return ""


@pytest.mark.parametrize(("table", "model"), TABLE_NAMES)
def test_the_reference_page_has_every_key_with_its_meaning_and_default(table: str, model: str) -> None:
    heading, rule = "| Key | Meaning | Default |", "|---|---|---|"
    keys = section(table).partition(f"{heading}\n{rule}\n")[2].partition("\n\n")[0]
    rows = re.findall(r"^\| `(\w+)` \| (.*?) \| ?(.*?) ?\|$", keys, flags=re.M)

    expected = [
        (key, field.description, shown_default(field))
        for key, field in getattr(campaign_tables, model).model_fields.items()
    ]
    assert rows == expected


@pytest.mark.parametrize(("table", "model"), TABLE_NAMES)
def test_the_reference_page_has_an_example_of_every_table_that_is_right(table: str, model: str) -> None:
    blocks = re.findall(r"```toml\n(.*?)```", section(table), flags=re.S)
    assert blocks

    for block in blocks:
        raw = {"campaign": EXAMPLES["da"]["campaign"], "texts": {}, **tomllib.loads(block)}
        assert parse_tables(raw)[1] == []


def test_the_page_and_the_directive_name_the_same_file() -> None:
    assert f"`{DIRECTIVE}`" in PAGE
    assert f"`steelyard schema > {FILE_NAME}`" in PAGE


def test_every_table_of_the_file_is_on_the_page() -> None:
    written = {table.strip("[]") for table, _ in TABLE_NAMES}

    assert set(CampaignFile.model_fields) <= written
