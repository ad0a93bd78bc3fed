"""One worker in full where translations are compared, and after a correction."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from sqlalchemy import insert, select

from steelyard.flows.create import create
from steelyard.flows.open import OpenCampaign, open_campaign
from steelyard.flows.progress import Watch
from steelyard.flows.settings import settings_from
from steelyard.flows.simulate import simulate
from steelyard.flows.source import from_campaign
from steelyard.flows.verdicts import worker_verdicts
from steelyard.flows.worker import WorkerDetail, worker_detail
from steelyard.protocols import protocols
from steelyard.store import tables

NOW = datetime(2030, 1, 1, tzinfo=UTC)


def seen(campaign: OpenCampaign, worker_id: str) -> WorkerDetail:
    source = from_campaign(campaign)
    verdicts = worker_verdicts(source, settings_from(source))
    return worker_detail(Watch(campaign), verdicts, worker_id, now=NOW)


@pytest.fixture
def compared(tmp_path: Path, address: str, noon: datetime) -> OpenCampaign:
    text = (protocols()["pairwise"].folder / "example.toml").read_text("utf-8")
    (tmp_path / "campaign.toml").write_text(text, "utf-8")
    create(tmp_path / "campaign.toml", address, now=noon)
    return open_campaign(address)


def test_a_control_beside_its_base_is_a_pair_with_a_preference(compared: OpenCampaign) -> None:
    with compared:
        simulate(compared, 1, seed=3)
        found = seen(compared, "W0001")

    assert found.finding is not None
    assert len(found.pairs) == found.finding["n_pairs"] > 0
    assert any(pair.preferred for pair in found.pairs)
    assert all(pair.base_text != pair.control_text for pair in found.pairs)
    assert found.histogram == ()
    assert all(len(item.translations) == 2 for item in found.items)


def test_a_correction_takes_the_place_of_what_it_replaces(campaign: OpenCampaign) -> None:
    simulate(campaign, 1, seed=3)
    with campaign.store.write() as connection:
        old = dict(connection.execute(select(tables.judgements).limit(1)).mappings().one())
        later = old["submitted_at"] + timedelta(days=1)
        new = {"judgement_id": "new", "replaces": old["judgement_id"], "submitted_at": later}
        connection.execute(insert(tables.judgements), [old | new | {"answer": '{"rating": 12.5}'}])

    items = seen(campaign, "W0001").items

    assert len(items) == len({(item.hit_id, item.position) for item in items})
    assert items[-1].translations[0].ratings == {"adequacy": 12.5}
