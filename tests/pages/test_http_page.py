"""The page on HTTP shows replies as they are: the same keys, all of them."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient
from tests.pages.blocks import blocks
from tests.pages.data import TINY, Judged, make

from steelyard.flows.links import links
from steelyard.flows.open import open_campaign
from steelyard.web.app import create_app

SHOWN = [block for block in blocks("docs/reference/http.md") if block.language == "json"]
# What is asked for the blocks of the page, from top to bottom; one is the reply to an answer in training.
ASKED = [
    *("work", None, "entries", "hits", "campaign", "verdicts", "methods", "precision"),
    *("workers/W0001", "workers/W0001/record", "payments"),
]
# There if the worker saw it, or once the campaign is closed.
AT_TIMES = {"source", "reference", "kind"}
# Their keys are names that the campaign has.
BY_NAME = {"phrases", "answers", "ratings", "detail", "links"}


@pytest.fixture(scope="module")
def replies(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    database = tmp_path_factory.mktemp("http") / "eval.db"
    make(Judged(TINY, 3), database)
    found = {}
    with open_campaign(str(database)) as campaign, TestClient(create_app(campaign)) as client:
        doors = links(campaign, base_url="")
        tokens = {"work": doors.workers[0].url.rpartition("/")[2]}
        for path in filter(None, ASKED):
            token = tokens.get(path, doors.manager_url.rpartition("/")[2])
            reply = client.get(f"/api/v1/{path}", headers={"Authorization": f"Bearer {token}"})
            assert reply.status_code == 200, (path, reply.text)
            found[path] = reply.json()
    shutil.rmtree(Path(database).parent)
    return found


def differing(shown: Any, reply: Any, place: str) -> list[str]:
    """The places at which the keys of two replies are not the same."""
    if isinstance(shown, list) and isinstance(reply, list) and shown and reply:
        return differing(shown[0], reply[0], f"{place}[]")
    if not (isinstance(shown, dict) and isinstance(reply, dict)) or not shown or "as" in shown:
        return []
    other = (shown.keys() ^ reply.keys()) - AT_TIMES
    found = [f"{place}: {', '.join(sorted(other))}"] if other else []
    for key in sorted((shown.keys() & reply.keys()) - BY_NAME):
        found += differing(shown[key], reply[key], f"{place}.{key}")
    return found


def test_replies_have_the_keys_that_the_page_shows(replies: dict[str, Any]) -> None:
    assert len(SHOWN) == len(ASKED)
    problems = [
        f"{block.place}: {difference}"
        for block, path in zip(SHOWN, ASKED, strict=True)
        if path is not None
        for difference in differing(json.loads(block.text), replies[path], path)
    ]

    assert not problems, "\n".join(problems)
