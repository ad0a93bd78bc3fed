from __future__ import annotations

import hmac
import shutil
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from pathlib import Path

import pytest
from sqlalchemy import event, insert

from steelyard.domain.errors import Conflict, NotFound, SourceError
from steelyard.domain.running import CampaignState
from steelyard.domain.work import LinkRole
from steelyard.flows.create import create
from steelyard.flows.links import (
    LinkChanges,
    add_workers,
    change_links,
    holder,
    join_campaign,
    links,
    renew_all,
)
from steelyard.flows.open import OpenCampaign, open_campaign
from steelyard.flows.rules import change_rules
from steelyard.flows.state import change_state
from steelyard.store import links as stored
from steelyard.store import tables
from steelyard.store.actions import logged_actions

URL = "http://here"


def token_of(url: str) -> str:
    return url.rpartition("/")[2]


def opens(campaign: OpenCampaign, token: str, role: LinkRole) -> bool:
    try:
        holder(campaign, token, role)
    except NotFound:
        return False
    return True


@pytest.fixture
def own_secret(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Secrets are kept in files, as for anyone who sets no variable."""
    monkeypatch.delenv("STEELYARD_SECRET")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))


def test_links_are_the_same_each_time_they_are_shown(campaign: OpenCampaign, noon: datetime) -> None:
    [added] = add_workers(campaign, 1, base_url=URL, now=noon)

    assert links(campaign, base_url=URL) == links(campaign, base_url=URL)
    assert links(campaign, base_url=URL).workers == (added,)


def test_a_token_opens_what_it_is_for_and_nothing_else(campaign: OpenCampaign, noon: datetime) -> None:
    [worker] = add_workers(campaign, 1, base_url=URL, now=noon)
    found = links(campaign, base_url=URL)

    tokens = {
        "worker": worker.token,
        "manager": token_of(found.manager_url),
        "open": token_of(found.open_url),
    }
    opened = {
        (role, name)
        for role, token in tokens.items()
        for name in ("worker", "manager", "open")
        if opens(campaign, token, name)  # type: ignore[arg-type]
    }

    assert opened == {("worker", "worker"), ("manager", "manager"), ("open", "open")}
    assert holder(campaign, worker.token, "worker") == worker.worker_id


def test_no_token_is_in_the_database(campaign: OpenCampaign, noon: datetime) -> None:
    add_workers(campaign, 2, base_url=URL, now=noon)

    with campaign.store.read() as connection:
        assert stored.stored_links(connection) == []


@pytest.mark.parametrize("change", [-1, 0], ids=["its last letter", "its first letter"])
def test_a_changed_token_opens_nothing(campaign: OpenCampaign, noon: datetime, change: int) -> None:
    [worker] = add_workers(campaign, 1, base_url=URL, now=noon)
    letters = list(worker.token)
    letters[change] = "A" if letters[change] != "A" else "B"

    assert not opens(campaign, "".join(letters), "worker")


def test_the_code_of_one_worker_does_not_open_the_page_of_another(
    campaign: OpenCampaign, noon: datetime
) -> None:
    one, two = add_workers(campaign, 2, base_url=URL, now=noon)

    assert not opens(campaign, one.token.replace(one.worker_id, two.worker_id), "worker")


def test_a_renewed_link_replaces_the_earlier_one(campaign: OpenCampaign, noon: datetime) -> None:
    [before] = add_workers(campaign, 1, base_url=URL, now=noon)

    with campaign.store.write() as connection:
        stored.renew_worker_link(connection, before.worker_id)

    [after] = links(campaign, base_url=URL).workers
    assert not opens(campaign, before.token, "worker")
    assert holder(campaign, after.token, "worker") == before.worker_id


def test_a_revoked_link_opens_nothing_and_is_not_shown(campaign: OpenCampaign, noon: datetime) -> None:
    [before] = add_workers(campaign, 1, base_url=URL, now=noon)

    with campaign.store.write() as connection:
        stored.revoke_worker_link(connection, before.worker_id)

    [after] = links(campaign, base_url=URL).workers
    assert not opens(campaign, before.token, "worker")
    assert (after.is_revoked, after.token, after.url) == (True, "", "")


@pytest.mark.parametrize("role", ["manager", "open"])
def test_shared_links_are_renewed_too(campaign: OpenCampaign, role: LinkRole) -> None:
    name = f"{role}_url"
    before = token_of(getattr(links(campaign, base_url=URL), name))

    with campaign.store.write() as connection:
        stored.renew_shared_link(connection, role)

    after = token_of(getattr(links(campaign, base_url=URL), name))
    assert not opens(campaign, before, role)
    assert opens(campaign, after, role)


@pytest.mark.parametrize("who", ["known", "nobody"])
def test_finding_the_holder_takes_one_read(campaign: OpenCampaign, noon: datetime, who: str) -> None:
    [worker] = add_workers(campaign, 1, base_url=URL, now=noon)
    token = worker.token if who == "known" else worker.token.replace(worker.worker_id, "W0999")
    statements = []
    event.listen(
        campaign.store._engine, "before_cursor_execute", lambda *arguments: statements.append(arguments[2])
    )

    opens(campaign, token, "worker")

    assert sum("SELECT" in statement for statement in statements) == 1


@pytest.mark.parametrize("who", ["known", "nobody"])
def test_a_token_of_nobody_is_compared_like_any_other(
    campaign: OpenCampaign, noon: datetime, who: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    [worker] = add_workers(campaign, 1, base_url=URL, now=noon)
    token = worker.token if who == "known" else worker.token.replace(worker.worker_id, "W0999")
    compared = []
    compare = hmac.compare_digest
    monkeypatch.setattr(
        "steelyard.flows.links.hmac.compare_digest",
        lambda one, two: compared.append(len(one)) or compare(one, two),
    )

    opens(campaign, token, "worker")

    assert compared.count(len(token)) == 1


def test_links_stored_by_earlier_versions_are_shown_and_work(campaign: OpenCampaign, noon: datetime) -> None:
    [worker] = add_workers(campaign, 1, base_url=URL, now=noon)
    old = {"worker": "w" * 32, "manager": "m" * 32, "open": "o" * 32}
    with campaign.store.write() as connection:
        for role, token in old.items():
            owner = worker.worker_id if role == "worker" else None
            row = {"token": token, "role": role, "worker_id": owner, "created_at": noon}
            connection.execute(insert(tables.links), [row])

    found = links(campaign, base_url=URL)
    shown = {token_of(found.manager_url), token_of(found.open_url), found.workers[0].token}

    assert shown == set(old.values())
    assert holder(campaign, "w" * 32, "worker") == worker.worker_id
    assert holder(campaign, "m" * 32, "manager") is None
    assert not opens(campaign, "m" * 32, "worker")


def test_a_stored_link_ends_when_it_is_renewed(campaign: OpenCampaign, noon: datetime) -> None:
    row = {"token": "m" * 32, "role": "manager", "created_at": noon}
    with campaign.store.write() as connection:
        connection.execute(insert(tables.links), [row])
        stored.renew_shared_link(connection, "manager")

    assert not opens(campaign, "m" * 32, "manager")
    assert opens(campaign, token_of(links(campaign, base_url=URL).manager_url), "manager")


@pytest.mark.usefixtures("own_secret")
def test_a_copy_of_the_database_alone_opens_no_door(
    campaign_file: Path, tmp_path: Path, noon: datetime
) -> None:
    create(campaign_file, str(tmp_path / "a.db"), now=noon)
    (tmp_path / "stolen").mkdir()
    shutil.copy(tmp_path / "a.db", tmp_path / "stolen" / "a.db")

    with open_campaign(str(tmp_path / "stolen" / "a.db")) as stolen:
        with pytest.raises(SourceError, match=r"is missing\. Put the file .*a\.db\.secret back"):
            links(stolen, base_url=URL)
        with pytest.raises(SourceError, match="is missing"):
            holder(stolen, "m-" + "x" * 32, "manager")


@pytest.mark.usefixtures("own_secret")
def test_the_database_and_its_secret_can_be_moved_together(
    campaign_file: Path, tmp_path: Path, noon: datetime
) -> None:
    create(campaign_file, str(tmp_path / "a.db"), now=noon)
    with open_campaign(str(tmp_path / "a.db")) as campaign:
        before = links(campaign, base_url=URL)
    (tmp_path / "a.db").rename(tmp_path / "b.db")
    (tmp_path / "a.db.secret").rename(tmp_path / "b.db.secret")

    with open_campaign(str(tmp_path / "b.db")) as campaign:
        assert links(campaign, base_url=URL) == before


@pytest.mark.usefixtures("own_secret")
def test_campaigns_of_one_name_and_one_secret_have_different_links(
    campaign_file: Path, tmp_path: Path, noon: datetime, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STEELYARD_SECRET", "x" * 32)
    for name in ("a.db", "b.db"):
        create(campaign_file, str(tmp_path / name), now=noon)

    with open_campaign(str(tmp_path / "a.db")) as one, open_campaign(str(tmp_path / "b.db")) as two:
        assert links(one, base_url=URL).manager_url != links(two, base_url=URL).manager_url


def test_links_are_changed_all_together_or_not_at_all(campaign: OpenCampaign, noon: datetime) -> None:
    add_workers(campaign, 2, base_url=URL, now=noon)
    before = links(campaign, base_url=URL)

    with pytest.raises(NotFound, match="There is no worker W0009"):
        change_links(campaign, LinkChanges(renew=("W0001",), revoke=("W0009",)), by="manager", now=noon)

    assert links(campaign, base_url=URL) == before


def test_every_change_of_a_link_is_logged(campaign: OpenCampaign, noon: datetime) -> None:
    add_workers(campaign, 2, base_url=URL, now=noon)
    changes = LinkChanges(renew=("W0001",), revoke=("W0002",), renew_open=True, renew_manager=True)

    change_links(campaign, changes, by="manager", now=noon)
    renew_all(campaign, by="command line", now=noon)

    with campaign.store.read() as connection:
        logged = [(action.verb, action.worker_id) for action in logged_actions(connection)]
    assert logged == [
        ("add-workers", None),
        ("renew-link", "W0001"),
        ("revoke-link", "W0002"),
        ("renew-open-link", None),
        ("renew-manager-link", None),
        ("renew-all-links", None),
    ]


@pytest.mark.parametrize("where", ["file", "variable"])
def test_renewing_all_links_ends_every_earlier_one(
    campaign_file: Path, tmp_path: Path, noon: datetime, monkeypatch: pytest.MonkeyPatch, where: str
) -> None:
    if where == "file":
        monkeypatch.delenv("STEELYARD_SECRET")
    create(campaign_file, str(tmp_path / "a.db"), now=noon)

    with open_campaign(str(tmp_path / "a.db")) as campaign:
        [worker] = add_workers(campaign, 1, base_url=URL, now=noon)
        with campaign.store.write() as connection:
            row = {"token": "m" * 32, "role": "manager", "created_at": noon}
            connection.execute(insert(tables.links), [row])
        renew_all(campaign, by="command line", now=noon)
        after = links(campaign, base_url=URL)

        assert not opens(campaign, worker.token, "worker")
        assert not opens(campaign, "m" * 32, "manager")
        assert opens(campaign, after.workers[0].token, "worker")
        assert opens(campaign, token_of(after.manager_url), "manager")


@pytest.mark.usefixtures("own_secret")
def test_a_server_takes_up_a_new_secret_by_itself(
    campaign_file: Path, tmp_path: Path, noon: datetime
) -> None:
    create(campaign_file, str(tmp_path / "a.db"), now=noon)

    with open_campaign(str(tmp_path / "a.db")) as serving, open_campaign(str(tmp_path / "a.db")) as other:
        before = token_of(links(serving, base_url=URL).manager_url)
        assert opens(serving, before, "manager")
        renew_all(other, by="command line", now=noon)

        assert not opens(serving, before, "manager")
        assert opens(serving, token_of(links(other, base_url=URL).manager_url), "manager")


@pytest.mark.usefixtures("own_secret")
def test_a_lost_secret_is_replaced_only_by_renewing_all(
    campaign_file: Path, tmp_path: Path, noon: datetime
) -> None:
    create(campaign_file, str(tmp_path / "a.db"), now=noon)
    (tmp_path / "a.db.secret").unlink()

    with open_campaign(str(tmp_path / "a.db")) as campaign:
        with pytest.raises(SourceError, match="is missing"):
            add_workers(campaign, 1, base_url=URL, now=noon)
        renew_all(campaign, by="command line", now=noon)

        assert links(campaign, base_url=URL).workers == ()
    assert (tmp_path / "a.db.secret").stat().st_mode & 0o777 == 0o600


def test_nobody_joins_while_the_open_link_is_off(campaign: OpenCampaign, noon: datetime) -> None:
    change_rules(campaign, {"open_link": False}, by="manager", now=noon)

    with pytest.raises(Conflict, match="Nobody new can join") as caught:
        join_campaign(campaign, base_url=URL, now=noon)

    assert caught.value.code == "open_link_off"
    assert links(campaign, base_url=URL).workers == ()
    change_rules(campaign, {"open_link": True}, by="manager", now=noon)
    assert holder(campaign, join_campaign(campaign, base_url=URL, now=noon).token, "worker") == "W0001"


def test_nobody_joins_a_campaign_that_is_closed(campaign: OpenCampaign, noon: datetime) -> None:
    change_state(campaign, CampaignState.CLOSED, by="manager", now=noon)

    with pytest.raises(Conflict, match="Nobody new can join"):
        join_campaign(campaign, base_url=URL, now=noon)

    assert links(campaign, base_url=URL).workers == ()


def test_links_are_renewed_in_any_order_at_the_same_moment(campaign: OpenCampaign, noon: datetime) -> None:
    add_workers(campaign, 12, base_url=URL, now=noon)
    worker_ids = tuple(f"W{number:04d}" for number in range(1, 13))

    def renew(number: int) -> None:
        changes = LinkChanges(renew=worker_ids[:: 1 if number % 2 else -1])
        change_links(campaign, changes, by="command line", now=noon)

    with ThreadPoolExecutor(4) as managers:
        list(managers.map(renew, range(12)))

    assert not any(link.is_revoked for link in links(campaign, base_url=URL).workers)
