"""The interface does what its own description says, for requests nobody thought of."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import response_schema_conformance, status_code_conformance

from steelyard.flows.open import open_campaign
from steelyard.web.app import create_app
from steelyard.web.limits import Limits

CHECKS = (not_a_server_error, status_code_conformance, response_schema_conformance)
ROUTES = [
    ("GET", "/api/v1/work"),
    ("POST", "/api/v1/work/next"),
    ("POST", "/api/v1/work/judgements"),
    ("POST", "/api/v1/work/return"),
    ("POST", "/api/v1/work/finish"),
    ("POST", "/api/v1/work/consent"),
    ("POST", "/api/v1/work/questions"),
    ("POST", "/api/v1/work/training"),
    ("POST", "/api/v1/work/remarks"),
    ("GET", "/api/v1/remarks"),
    ("GET", "/api/v1/entries"),
    ("POST", "/api/v1/join"),
    ("GET", "/api/v1/campaign"),
    ("GET", "/api/v1/analysis"),
    ("GET", "/api/v1/verdicts"),
    ("GET", "/api/v1/methods"),
    ("GET", "/api/v1/workers/{worker_id}"),
    ("GET", "/api/v1/platform"),
    ("POST", "/api/v1/platform/price"),
    ("POST", "/api/v1/platform/publish"),
    ("POST", "/api/v1/platform/places"),
    ("POST", "/api/v1/platform/listing"),
    ("POST", "/api/v1/platform/sync"),
    ("POST", "/api/v1/platform/approve"),
    ("POST", "/api/v1/platform/reject"),
    ("POST", "/api/v1/platform/request-return"),
    ("POST", "/api/v1/platform/pay-partly"),
    ("GET", "/api/v1/platform/bonuses"),
    ("POST", "/api/v1/platform/bonuses"),
    ("POST", "/api/v1/platform/bonuses/{token}/give-up"),
    ("GET", "/api/v1/precision"),
    ("GET", "/api/v1/payments"),
    ("GET", "/api/v1/payments.csv"),
    ("GET", "/api/v1/judgements.csv"),
    ("GET", "/api/v1/hits"),
    ("GET", "/api/v1/marks"),
    ("GET", "/api/v1/marks/translation"),
    ("POST", "/api/v1/marks/decision"),
    ("POST", "/api/v1/assignments/{assignment_id}/release"),
    ("GET", "/api/v1/links"),
    ("POST", "/api/v1/links"),
    ("GET", "/api/v1/links.csv"),
    ("POST", "/api/v1/links/open"),
    ("POST", "/api/v1/links/manager"),
    ("GET", "/api/v1/managers"),
    ("POST", "/api/v1/managers"),
    ("POST", "/api/v1/managers/{manager_id}"),
    ("POST", "/api/v1/workers/{worker_id}/link"),
    ("PUT", "/api/v1/workers/{worker_id}/person"),
    ("POST", "/api/v1/state"),
    ("GET", "/api/v1/rules"),
    ("PATCH", "/api/v1/rules"),
    ("GET", "/api/v1/revisions"),
    ("POST", "/api/v1/revisions"),
    ("GET", "/api/v1/actions"),
    ("POST", "/api/v1/extend"),
    ("GET", "/api/v1/backup"),
    ("POST", "/api/v1/workers/{worker_id}/exclude"),
    ("POST", "/api/v1/workers/{worker_id}/reinstate"),
    ("POST", "/api/v1/workers/{worker_id}/block"),
    ("POST", "/api/v1/workers/{worker_id}/unblock"),
    ("POST", "/api/v1/workers/{worker_id}/erase"),
    ("GET", "/api/v1/workers/{worker_id}/record"),
]

# What comes before the first set, where something does.
STEPS = [f"/api/v1/work/{step}" for step in ("consent", "questions", "training")]


@pytest.fixture(scope="module")
def described(made_once: Path) -> Iterator[Any]:
    """The interface of the campaign, read once: all sites of this file are copies of it."""
    with open_campaign(str(made_once)) as campaign:
        yield schemathesis.openapi.from_asgi("/openapi.json", create_app(campaign, Limits.new()))


def bearer_for(site: Any, path: str) -> dict[str, str]:
    if path == "/api/v1/join":
        return {"Authorization": f"Bearer {site.open_token}"}
    is_workers = f"{path}/".startswith("/api/v1/work/")
    return dict(site.as_worker() if is_workers else site.as_manager())


def test_the_routes_tried_here_are_all_there_are(described: Any) -> None:
    operations = [result.ok() for result in described.get_all_operations()]

    assert sorted((each.method.upper(), each.path) for each in operations) == sorted(ROUTES)


@pytest.mark.parametrize(("method", "path"), ROUTES)
def test_a_route_keeps_its_promises(
    site: Any, described: Any, method: str, path: str, ask_first: Callable[..., None]
) -> None:
    if path in STEPS:
        ask_first(site.campaign)
    operation = described[path][method]
    takes_anything = operation.body or any(operation.iter_parameters())

    @settings(
        # What is added stays, so that every further example takes longer; what takes nothing has one request.
        max_examples=3 if path == "/api/v1/extend" else 20 if takes_anything else 2,
        deadline=None,
        derandomize=True,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(case=operation.as_strategy())
    def whatever_is_sent(case: Any) -> None:
        case.call_and_validate(app=site.client.app, headers=bearer_for(site, path), checks=CHECKS)

    whatever_is_sent()


@pytest.mark.parametrize(("method", "path"), ROUTES)
def test_a_route_is_closed_to_strangers(site: Any, method: str, path: str) -> None:
    response = site.client.request(method, path)

    assert response.status_code == 401


def test_the_description_shows_what_answers_of_this_campaign_look_like(site: Any) -> None:
    description = site.client.get("/openapi.json").json()

    request = description["paths"]["/api/v1/work/judgements"]["post"]["requestBody"]
    answer = request["content"]["application/json"]["schema"]["properties"]["answer"]
    assert answer["properties"]["rating"] == {"type": "number", "minimum": 0, "maximum": 100}
    assert (answer["required"], answer["additionalProperties"]) == (["rating"], False)


def test_the_description_shows_what_answers_to_training_look_like(site: Any) -> None:
    description = site.client.get("/openapi.json").json()

    answer = description["components"]["schemas"]["TrainingBody"]["properties"]["answer"]
    assert answer["properties"]["rating"] == {"type": "number", "minimum": 0, "maximum": 100}


def test_the_page_of_the_reference_names_every_route_and_no_other(site: Any) -> None:
    page = Path(__file__).parents[2] / "docs" / "reference" / "http.md"
    cells = "".join(re.findall(r"^\| (`[A-Z]+ /[^|]+) \|", page.read_text("utf-8"), flags=re.M))
    named = re.findall(r"`([A-Z]+ /api/v1/[^`]+)`", cells)
    paths = site.client.get("/openapi.json").json()["paths"]
    described = {f"{method.upper()} {path}" for path, methods in paths.items() for method in methods}

    # A server of a series has two of its own.
    assert {each for each in named if not each.partition(" /api/v1/")[2].startswith("series")} == described


def test_every_route_declares_that_it_needs_a_token(site: Any) -> None:
    description = site.client.get("/openapi.json").json()

    [(name, scheme)] = description["components"]["securitySchemes"].items()
    declared = [
        operation["security"] for each in description["paths"].values() for operation in each.values()
    ]
    assert (scheme["type"], scheme["scheme"]) == ("http", "bearer")
    assert declared == [[{name: []}]] * len(ROUTES)


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("PATCH", "/api/v1/rules", {"wage": "10"}),
        ("PATCH", "/api/v1/rules", {"hits_per_worker": True}),
        ("PATCH", "/api/v1/rules", {"open_link": 1}),
        ("POST", "/api/v1/links", {"n": "3"}),
        ("POST", "/api/v1/links", {"n": True}),
        ("POST", "/api/v1/extend", {"ratings": "1", "dry_run": True}),
        ("POST", "/api/v1/links/open", {"on": "yes"}),
        ("POST", "/api/v1/state", {"state": 1}),
    ],
)
def test_no_value_is_taken_for_one_of_another_type(site: Any, method: str, path: str, body: Any) -> None:
    response = site.client.request(method, path, json=body, headers=site.as_manager())

    assert response.status_code == 422
