from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from pathlib import Path

import pytest

from steelyard.domain.errors import ChoiceError, Conflict, NotFound
from steelyard.domain.people import Person
from steelyard.domain.running import ByManager, CampaignState
from steelyard.flows.links import links, renew_all
from steelyard.flows.log import log
from steelyard.flows.managers import (
    Caller,
    ManagerChanges,
    add_managers,
    caller_by_email,
    caller_by_token,
    change_managers,
    managers,
)
from steelyard.flows.open import OpenCampaign
from steelyard.flows.state import change_state

ANN = Person("Ann Example", "ann@example.org")
BOB = Person("Bob")


def token(campaign: OpenCampaign, manager_id: str = "M01") -> str:
    [link] = [each for each in managers(campaign, base_url="") if each.manager_id == manager_id]
    return link.url.removeprefix("/m/")


def opens(campaign: OpenCampaign, given: str) -> bool:
    try:
        caller_by_token(campaign, given)
    except NotFound:
        return False
    return True


# Most of it is the same on each database; these are where transactions meet.
on_both = pytest.mark.parametrize("address", ["sqlite", "postgresql"], indirect=True)


@pytest.fixture
def address(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if getattr(request, "param", "sqlite") == "sqlite":
        return str(tmp_path / "toy.db")
    return str(request.getfixturevalue("postgres_address"))


@pytest.fixture
def campaign(toy: OpenCampaign) -> OpenCampaign:
    return toy


@pytest.fixture
def ann(campaign: OpenCampaign, noon: datetime) -> str:
    """Ann's token; she is the first manager, a viewer."""
    add_managers(campaign, [ANN], "viewer", by="command line", now=noon)
    return token(campaign)


def test_a_managers_own_link_opens_with_their_role(campaign: OpenCampaign, ann: str) -> None:
    assert ann.startswith("M01-")
    assert caller_by_token(campaign, ann) == Caller("viewer", "M01", "Ann Example")


def test_the_campaigns_own_link_is_an_owner(campaign: OpenCampaign, ann: str) -> None:
    shared = links(campaign, base_url="").manager_url.removeprefix("/m/")

    assert caller_by_token(campaign, shared) == Caller("owner", None)


def test_managers_are_numbered_in_turn(campaign: OpenCampaign, ann: str, noon: datetime) -> None:
    assert add_managers(campaign, [BOB, Person("Eve")], "owner", by="command line", now=noon) == [
        "M02",
        "M03",
    ]


@on_both
def test_managers_added_at_once_get_numbers_of_their_own(campaign: OpenCampaign, noon: datetime) -> None:
    def add(number: int) -> list[str]:
        return add_managers(campaign, [Person(f"P{number}")], "viewer", by="command line", now=noon)

    with ThreadPoolExecutor(4) as threads:
        added = [each for found in threads.map(add, range(4)) for each in found]

    assert sorted(added) == ["M01", "M02", "M03", "M04"]


def test_the_link_of_one_manager_is_not_that_of_another(
    campaign: OpenCampaign, ann: str, noon: datetime
) -> None:
    add_managers(campaign, [BOB], "owner", by="command line", now=noon)

    assert not opens(campaign, ann.replace("M01", "M02"))


def test_an_unknown_manager_opens_nothing(campaign: OpenCampaign, ann: str) -> None:
    assert not opens(campaign, ann.replace("M01", "M07"))


def test_a_new_role_holds_at_once(campaign: OpenCampaign, ann: str, noon: datetime) -> None:
    change_managers(campaign, ManagerChanges(roles={"M01": "manager"}), by="command line", now=noon)

    assert caller_by_token(campaign, ann).role == "manager"


def test_renewing_ends_the_link_that_was_sent(campaign: OpenCampaign, ann: str, noon: datetime) -> None:
    change_managers(campaign, ManagerChanges(renew=("M01",)), by="command line", now=noon)

    assert not opens(campaign, ann)
    assert opens(campaign, token(campaign))


def test_who_is_revoked_comes_in_by_neither_link_nor_address(
    campaign: OpenCampaign, ann: str, noon: datetime
) -> None:
    change_managers(campaign, ManagerChanges(revoke=("M01",)), by="command line", now=noon)

    assert not opens(campaign, ann)
    assert caller_by_email(campaign, "ann@example.org") is None
    assert managers(campaign, base_url="")[0].url == ""


def test_letters_that_only_look_alike_are_not_the_same_address(
    campaign: OpenCampaign, noon: datetime
) -> None:
    add_managers(campaign, [Person("", "kris@example.org")], "owner", by="command line", now=noon)

    assert caller_by_email(campaign, "KRIS@example.org") is not None
    # The sign of kelvin and the long s: Unicode folds both to the letters above.
    assert caller_by_email(campaign, "\u212aris@example.org") is None
    assert caller_by_email(campaign, "kri\u017f@example.org") is None


def test_renewing_lets_a_revoked_manager_in_again_by_a_new_link_only(
    campaign: OpenCampaign, ann: str, noon: datetime
) -> None:
    change_managers(campaign, ManagerChanges(revoke=("M01",)), by="command line", now=noon)
    change_managers(campaign, ManagerChanges(renew=("M01",)), by="command line", now=noon)

    assert not opens(campaign, ann)
    assert opens(campaign, token(campaign))


def test_managers_may_be_named_by_their_address(campaign: OpenCampaign, ann: str, noon: datetime) -> None:
    change_managers(campaign, ManagerChanges(revoke=("ANN@example.org",)), by="command line", now=noon)

    assert not opens(campaign, ann)


def test_renewing_all_links_ends_those_of_managers(campaign: OpenCampaign, ann: str, noon: datetime) -> None:
    renew_all(campaign, by="command line", now=noon)

    assert not opens(campaign, ann)


@pytest.mark.parametrize("written", ["ann@example.org", "Ann@Example.ORG", " ann@example.org "])
def test_an_address_is_the_same_in_capitals(campaign: OpenCampaign, ann: str, written: str) -> None:
    assert caller_by_email(campaign, written) == Caller("viewer", "M01", "Ann Example")


@pytest.mark.parametrize("written", ["", " ", "bob@example.org", "ann@example.org.evil.example"])
def test_nobody_else_is_known_by_an_address(
    campaign: OpenCampaign, ann: str, noon: datetime, written: str
) -> None:
    add_managers(campaign, [BOB], "owner", by="command line", now=noon)

    assert caller_by_email(campaign, written) is None


def test_two_managers_cannot_have_one_address(campaign: OpenCampaign, ann: str, noon: datetime) -> None:
    with pytest.raises(Conflict, match="already manager M01"):
        add_managers(campaign, [BOB, Person("A", "ANN@example.org")], "owner", by="command line", now=noon)

    assert len(managers(campaign, base_url="")) == 1


@pytest.mark.parametrize("person", [Person(), Person("A", "not an address"), Person("a\x00b")])
def test_a_manager_needs_a_name_or_address_that_can_be_one(
    campaign: OpenCampaign, noon: datetime, person: Person
) -> None:
    with pytest.raises(ChoiceError):
        add_managers(campaign, [person], "viewer", by="command line", now=noon)


def test_of_several_changes_all_are_made_or_none(campaign: OpenCampaign, ann: str, noon: datetime) -> None:
    changes = ManagerChanges(roles={"M01": "owner"}, revoke=("M09",))

    with pytest.raises(NotFound, match="no manager M09"):
        change_managers(campaign, changes, by="command line", now=noon)

    assert caller_by_token(campaign, ann).role == "viewer"


@on_both
def test_the_log_has_every_change_and_no_name(campaign: OpenCampaign, ann: str, noon: datetime) -> None:
    changes = ManagerChanges(roles={"M01": "owner"}, renew=("M01",), revoke=("M01",))
    change_managers(campaign, changes, by="command line", now=noon)

    found = [(action.verb, action.detail) for action in log(campaign)]
    assert found == [
        ("add-manager", {"manager": "M01", "role": "viewer"}),
        ("change-role", {"manager": "M01", "role": {"before": "viewer", "after": "owner"}}),
        ("renew-manager", {"manager": "M01"}),
        ("revoke-manager", {"manager": "M01"}),
    ]


@on_both
def test_the_log_says_which_manager_it_was(campaign: OpenCampaign, ann: str, noon: datetime) -> None:
    change_state(campaign, CampaignState.PAUSED, by=ByManager("M01"), now=noon)
    change_state(campaign, CampaignState.OPEN, by="manager", now=noon)

    found = [(action.done_by, action.manager_id) for action in log(campaign)[1:]]
    assert found == [("manager", "M01"), ("manager", None)]
