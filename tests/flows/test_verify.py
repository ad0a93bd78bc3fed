"""Whoever gets past the triggers and changes something is found out."""

from __future__ import annotations

import json
import re
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Connection, text

from steelyard import api
from steelyard.cli.main import run
from steelyard.domain.campaign import Campaign, CampaignSettings, DesignSettings
from steelyard.domain.entry import CampaignEntry, Consent
from steelyard.domain.errors import SourceError
from steelyard.domain.judgement import Behaviour
from steelyard.domain.text import Segment, System
from steelyard.domain.work import Hit, Item, ItemKind, PlacedItem, ShownText
from steelyard.flows.assign import NextItem, next_item
from steelyard.flows.backup import backup
from steelyard.flows.entry_answers import give_consent
from steelyard.flows.open import OpenCampaign
from steelyard.flows.submit import Submission, submit
from steelyard.flows.verify import Verification, verify
from steelyard.store import campaigns, work
from steelyard.store.chains import stored_root
from steelyard.store.database import Store, open_store

NOW = datetime(2024, 5, 1, 12, 0, tzinfo=UTC)


def fill(address: str) -> None:
    """Pairs of translations. The first worker finishes HIT h1, the second judges three items of h2."""
    segments = tuple(Segment(f"s{k}", "d1", f"Quelle {k}", f"source {k}") for k in (1, 2))
    entry = CampaignEntry(Consent("We record how you handle the page."))
    settings = CampaignSettings(
        *("toy", "Toy", "pairwise", "adequacy", "de", "en"),
        design=DesignSettings(hit_size=4),
        presentation={"entry": entry.recorded},
    )
    texts = {"alpha": ("a1", "a2"), "beta": ("b1", "b2")}
    campaign = Campaign(settings, (System("alpha"), System("beta")), segments, texts)
    items = [
        Item("i1", ItemKind.REGULAR, "alpha", "s1", "a1", beside=(ShownText("beta", "s1", "b1"),)),
        Item("i2", ItemKind.REGULAR, "beta", "s2", "b2", beside=(ShownText("alpha", "s2", "a2"),)),
        Item("i3", ItemKind.REPEAT, "alpha", "s1", "a1", "i1", beside=(ShownText("beta", "s1", "b1"),)),
        # The control is the second: the first text is as regular as in a regular item.
        Item(
            "i4",
            ItemKind.DEGRADED,
            "beta",
            "s2",
            "b2",
            "i2",
            beside=(ShownText("beta", "s2", "bad", ItemKind.DEGRADED),),
        ),
    ]
    placed = tuple(PlacedItem(item.item_id, position, 1) for position, item in enumerate(items, start=1))
    hits = [Hit(f"h{number}", number, number, placed) for number in (1, 2)]
    with open_store(address, create=True) as store:
        with store.write() as connection:
            campaigns.add_campaign(
                connection, campaign, items=items, hits=hits, openings_per_hit=1, now=NOW, created_with="test"
            )
            for number in (1, 2):
                worker = work.add_worker(connection, now=NOW).worker_id
                work.claim_opening(connection, worker, assignment_id=f"a{number}", now=NOW)
        opened = OpenCampaign(store, settings)
        for worker in ("W0001", "W0002"):
            give_consent(opened, worker, agrees=True, revision=1, now=NOW)
        for number in range(1, 8):
            judge(opened, number)


def judge(campaign: OpenCampaign, number: int) -> None:
    """Judgement j1 and so on: the first four are the first worker's."""
    worker_id, now = f"W000{1 + (number > 4)}", NOW + timedelta(seconds=number)
    view = next_item(campaign, worker_id, now=now)
    assert isinstance(view, NextItem)
    answer = {"preference": "ab"[number % 2]}
    # Of the first worker alone it is known how they handled the page.
    behaviour = (
        Behaviour(hidden_ms=700, n_pastes=0, straightness=0.9, is_automated=True) if number < 5 else None
    )
    submission = Submission(
        f"j{number}", view.assignment_id, view.item.item_id, answer, 4000, behaviour=behaviour
    )
    submit(campaign, worker_id, submission, now=now)


@dataclass(frozen=True)
class Tampered:
    """A campaign within one transaction that never ends well: whatever is done in it is undone."""

    connection: Connection

    @contextmanager
    def write(self) -> Iterator[Connection]:
        yield self.connection

    read = snapshot = write

    def change(self, *statements: str) -> None:
        for statement in statements:
            self.connection.execute(text(statement))

    def opened(self) -> OpenCampaign:
        store: Any = self
        return OpenCampaign(store, campaigns.settings(self.connection))

    def verify(self, root: str | None = None) -> Verification:
        return verify(self.opened(), root=root)


@pytest.fixture(scope="module")
def sqlite_store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    address = str(tmp_path_factory.mktemp("verify") / "toy.db")
    fill(address)
    # One that checks no foreign keys, as any other program's connection.
    with open_store(address, loading=True) as store:
        yield store


@pytest.fixture(scope="module")
def postgresql_store(postgres_databases: Any) -> Iterator[Store]:
    name = postgres_databases.take()
    fill(postgres_databases.address_of(name))
    with open_store(postgres_databases.address_of(name)) as store:
        yield store
    postgres_databases.give_back(name)


class _NeverMind(Exception):  # noqa: N818 (no error: it ends a transaction)
    """Undoes what a test did."""


@pytest.fixture(params=["sqlite", "postgresql"])
def campaign(request: pytest.FixtureRequest) -> Iterator[Tampered]:
    """A campaign whose triggers are out of the way."""
    store: Store = request.getfixturevalue(f"{request.param}_store")
    with pytest.raises(_NeverMind), store.write() as connection:
        tampered = Tampered(connection)
        if store.dialect == "postgresql":
            tampered.change("SET LOCAL session_replication_role = replica")
        else:
            names = connection.execute(
                text("SELECT name FROM sqlite_master WHERE type = 'trigger'")
            ).scalars()
            tampered.change(*(f"DROP TRIGGER {name}" for name in names.all()))
        yield tampered
        raise _NeverMind


def test_a_campaign_that_nobody_changed_is_sound(campaign: Tampered) -> None:
    found = campaign.verify()

    assert found.findings == ()
    assert (found.is_sound, found.n_judgements, found.n_assignments, found.n_unchained) == (True, 7, 2, 0)


def of(judgement: str, change: str) -> str:
    return f"UPDATE judgements SET {change} WHERE judgement_id = '{judgement}'"


COPIED = (
    "INSERT INTO judgements SELECT 'j9', assignment_id, item_id, {position}, answer, shown_ms, submitted_at, "
    "NULL, shown_order, revision, {hashes}, behaviour FROM judgements WHERE judgement_id = 'j7'"
)
SWAPPED = [of("j1", "position = 99"), of("j2", "position = 1"), of("j1", "position = 2")]
TAMPERING = {
    "an answer": [of("j2", """answer = '{"preference": "b"}'""")],
    "an answer at the end": [of("j7", """answer = '{"preference": "a"}'""")],
    "spaces in an answer": [of("j2", """answer = '{"preference":  "a"}'""")],
    "the time shown": [of("j2", "shown_ms = 4001")],
    "when it was submitted": [of("j2", "submitted_at = '2024-05-01 12:00:02.000001+00:00'")],
    "the revision": [of("j2", "revision = 2")],
    "how the page was handled": [of("j2", "behaviour = replace(behaviour, 'true', 'false')")],
    "the handling away": [of("j2", "behaviour = NULL")],
    "handling that was never recorded": [of("j7", "behaviour = '{}'")],
    "the position": [of("j7", "position = 4")],
    "the item": [of("j2", "item_id = 'i3'")],
    "the id": [of("j2", "judgement_id = 'j0'")],
    "the assignment": [of("j4", "assignment_id = 'a2'")],
    "the order shown": [
        of("j2", "shown_order = CASE shown_order WHEN '[2, 1]' THEN '[1, 2]' ELSE '[2, 1]' END")
    ],
    "an order that cannot be": [of("j2", "shown_order = '[1, 1]'")],
    "an order that is none": [of("j2", "shown_order = 'first'")],
    "an item's hash": [of("j2", "item_hash = 'f' || item_hash")],
    "a hash": [of("j2", "chain_hash = 'f' || chain_hash")],
    "a hash away": [of("j2", "chain_hash = NULL, item_hash = NULL")],
    "half of the hashes away": [of("j2", "chain_hash = NULL")],
    "the last hash away": [of("j7", "chain_hash = NULL, item_hash = NULL")],
    "the hashes of the first two away": [
        of("j1", "chain_hash = NULL, item_hash = NULL"),
        of("j2", "chain_hash = NULL, item_hash = NULL"),
    ],
    "a judgement in the middle deleted": ["DELETE FROM judgements WHERE judgement_id = 'j2'"],
    "a first judgement deleted": ["DELETE FROM judgements WHERE judgement_id = 'j5'"],
    "the last judgement of a finished HIT deleted": ["DELETE FROM judgements WHERE judgement_id = 'j4'"],
    "all judgements of a finished HIT deleted": ["DELETE FROM judgements WHERE assignment_id = 'a1'"],
    "a gap closed": [
        "DELETE FROM judgements WHERE judgement_id = 'j6'",
        of("j7", "position = 2"),
    ],
    "two judgements swapped": SWAPPED,
    "two answers swapped": [
        of("j1", "answer = (SELECT answer FROM judgements WHERE judgement_id = 'j2')"),
        of("j2", """answer = '{"preference": "b"}'"""),
    ],
    "a judgement inserted": [COPIED.format(position=4, hashes="item_hash, chain_hash")],
    "a judgement inserted without hashes": [COPIED.format(position=4, hashes="NULL, NULL")],
    "a judgement inserted where there is no item": [COPIED.format(position=9, hashes="NULL, NULL")],
    "a text": ["UPDATE items SET text = 'better' WHERE item_id = 'i2'"],
    "the text beside": ["UPDATE item_translations SET text = 'better' WHERE item_id = 'i2'"],
    "a system": ["UPDATE items SET system_id = 'alpha' WHERE item_id = 'i2'"],
    "the system beside": ["UPDATE item_translations SET system_id = 'beta' WHERE item_id = 'i2'"],
    "a kind": ["UPDATE items SET kind = 'repeat' WHERE item_id = 'i2'"],
    "a kind that is none": ["UPDATE items SET kind = 'odd' WHERE item_id = 'i2'"],
    "the kind of a control": ["UPDATE items SET kind = 'regular' WHERE item_id = 'i4'"],
    "the kind beside": ["UPDATE item_translations SET kind = 'regular' WHERE item_id = 'i4'"],
    "a kind beside that is none": ["UPDATE item_translations SET kind = 'odd' WHERE item_id = 'i4'"],
    "a translation beside deleted": ["DELETE FROM item_translations WHERE item_id = 'i2'"],
    "a translation added": [
        "INSERT INTO item_translations SELECT item_id, 3, system_id, segment_id, kind, text, credited "
        "FROM item_translations WHERE item_id = 'i2'"
    ],
    "an item deleted": ["DELETE FROM items WHERE item_id = 'i2'"],
    "a source": ["UPDATE segments SET source = 'Haus' WHERE segment_id = 's2'"],
    "a reference": ["UPDATE segments SET reference = 'house' WHERE segment_id = 's2'"],
    "the order of a HIT": [
        "UPDATE hit_items SET item_id = 'i1' WHERE hit_id = 'h1' AND position = 2",
    ],
    "a HIT made longer": [
        "INSERT INTO hit_items SELECT hit_id, 5, 'i1', group_number, is_padding FROM hit_items "
        "WHERE hit_id = 'h1' AND position = 1"
    ],
    "an assignment's worker": ["UPDATE assignments SET worker_id = 'W0001' WHERE assignment_id = 'a2'"],
    "an assignment's HIT": ["UPDATE assignments SET hit_id = 'h1' WHERE assignment_id = 'a2'"],
    "when an assignment was accepted": [
        "UPDATE assignments SET accepted_at = '2024-05-01 11:00:00+00:00' WHERE assignment_id = 'a2'"
    ],
    "an assignment deleted": ["DELETE FROM assignments WHERE assignment_id = 'a2'"],
    "a correction": [
        COPIED.replace("NULL, shown_order", "'j7', shown_order").format(position=3, hashes="NULL, NULL")
    ],
    "a correction with a hash": [
        COPIED.replace("NULL, shown_order", "'j7', shown_order").format(
            position=3, hashes="item_hash, chain_hash"
        )
    ],
    "a correction of nothing": [
        COPIED.replace("NULL, shown_order", "'j0', shown_order").format(position=3, hashes="NULL, NULL")
    ],
}


@pytest.mark.parametrize("what", TAMPERING)
def test_tampering_is_found(campaign: Tampered, what: str) -> None:
    campaign.change(*TAMPERING[what])

    found = campaign.verify()
    assert not found.is_sound
    assert found.n_findings == len(found.findings) > 0


def test_a_finding_says_which_judgement_of_which_assignment(campaign: Tampered) -> None:
    campaign.change(of("j6", "shown_ms = 1"))

    [finding] = campaign.verify().findings

    assert (finding.judgement_id, finding.assignment_id) == ("j6", "a2")
    assert finding.text.startswith("judgement j6 (assignment a2, position 2): it, or the judgement before it")


def test_one_changed_judgement_does_not_accuse_the_others(campaign: Tampered) -> None:
    campaign.change(of("j1", "answer = '{}'"))

    assert [finding.judgement_id for finding in campaign.verify().findings] == ["j1"]


def test_judgements_from_before_there_were_hashes_are_counted(campaign: Tampered) -> None:
    # The second worker began before the upgrade, and the database was upgraded then.
    campaign.change("DELETE FROM judgements WHERE judgement_id IN ('j6', 'j7')")
    campaign.change(of("j5", "item_hash = NULL, chain_hash = NULL"))

    found = campaign.verify()

    assert (found.is_sound, found.n_unchained) == (True, 1)


def test_judgements_without_hashes_after_the_upgrade_are_found(campaign: Tampered) -> None:
    campaign.change("UPDATE schema_versions SET applied_at = '2024-01-01 00:00:00+00:00'")
    campaign.change("UPDATE judgements SET item_hash = NULL, chain_hash = NULL")

    found = campaign.verify()

    assert (found.n_findings, found.root) == (7, None)


def test_an_assignment_that_went_on_after_the_upgrade_is_sound(campaign: Tampered) -> None:
    campaign.change("UPDATE judgements SET item_hash = NULL, chain_hash = NULL")
    judge(campaign.opened(), 8)

    found = campaign.verify()
    assert (found.findings, found.n_unchained, found.n_judgements) == ((), 7, 8)
    campaign.change(of("j8", "shown_ms = 1"))
    assert not campaign.verify().is_sound


def test_what_the_chain_cannot_show_the_root_does(campaign: Tampered) -> None:
    root = campaign.verify().root
    assert root is not None
    campaign.change("DELETE FROM judgements WHERE judgement_id = 'j7'")

    assert campaign.verify().is_sound
    assert not campaign.verify(root).is_sound
    assert not campaign.verify(root[:16]).is_sound


def test_a_judgement_more_gives_another_root(campaign: Tampered) -> None:
    before = campaign.verify().root
    judge(campaign.opened(), 8)

    assert campaign.verify().root != before


@pytest.mark.parametrize("prefix", ["", "root:"])
@pytest.mark.parametrize("digits", [16, 64])
def test_the_root_is_known_by_all_its_digits_or_the_first_sixteen(
    campaign: Tampered, prefix: str, digits: int
) -> None:
    root = campaign.verify().root
    assert root is not None

    assert campaign.verify(prefix + root[:digits].upper()).is_sound


@pytest.mark.parametrize("root", ["", "abc", "x" * 64, "0" * 65])
def test_what_can_be_no_root_is_refused(campaign: Tampered, root: str) -> None:
    with pytest.raises(SourceError, match="64 hexadecimal digits"):
        campaign.verify(root)


@pytest.fixture
def file(sqlite_store: Store, tmp_path: Path) -> Path:
    """A copy of the database, without the trigger that stands before answers."""
    assert sqlite_store.file is not None
    copy = Path(shutil.copy(sqlite_store.file, tmp_path / "toy.db"))
    with closing(sqlite3.connect(copy)) as connection:
        connection.execute("DROP TRIGGER judgements_no_update")
    return copy


def tamper(file: Path) -> None:
    with closing(sqlite3.connect(file)) as connection, connection:
        connection.execute("UPDATE judgements SET shown_ms = 1")


def test_a_sound_campaign_ends_the_command_with_zero(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["verify", str(file)]) == 0

    said = capsys.readouterr().out
    assert "7 judgements in 2 assignments" in said
    assert "Every hash fits" in said


def test_tampering_ends_the_command_with_one_and_is_told(
    file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    tamper(file)

    assert run(["verify", str(file)]) == 1

    said = capsys.readouterr().out
    assert "7 findings" in said
    assert "judgement j6 (assignment a2, position 2)" in said


def test_another_root_ends_the_command_with_one(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["verify", str(file), "--root", "0" * 16]) == 1

    said = capsys.readouterr().out
    assert "the root is not 0000000000000000" in said
    assert "not what workers gave" not in said  # perhaps people have only judged more


def test_a_root_that_fits_leaves_no_doubt(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["verify", str(file), "--json", "-"]) == 0
    root = json.loads(capsys.readouterr().out)["root"]

    assert run(["verify", str(file), "--root", root]) == 0

    assert "nothing was changed since it was published" in capsys.readouterr().out


@pytest.mark.parametrize("root", ["not hexadecimal", "abc"])
def test_a_root_that_cannot_be_one_ends_the_command_with_two(file: Path, root: str) -> None:
    assert run(["verify", str(file), "--root", root]) == 2


def test_what_cannot_be_read_ends_the_command_with_two(tmp_path: Path) -> None:
    (tmp_path / "odd.db").write_text("not a database at all, however long it may be" * 100, "utf-8")

    assert run(["verify", str(tmp_path / "odd.db")]) == 2


def test_only_the_first_twenty_findings_are_printed(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with closing(sqlite3.connect(file)) as connection, connection:
        connection.execute("UPDATE judgements SET position = position + 10, item_hash = 'x', item_id = 'i0'")

    run(["verify", str(file)])

    said = capsys.readouterr().out
    assert said.count("judgement j") == 20
    assert said.endswith("more\n")


def test_a_series_is_verified_campaign_by_campaign(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    other = Path(shutil.copy(file, file.with_name("other.db")))
    tamper(other)

    assert run(["verify", str(file.parent), "--json", "-"]) == 1

    changed, sound = json.loads(capsys.readouterr().out)["campaigns"]
    assert (sound["campaign"], sound["is_sound"], sound["n_findings"]) == ("toy", True, 0)
    assert (changed["is_sound"], len(changed["findings"])) == (False, 7)


def test_a_root_belongs_to_one_campaign_of_a_series(file: Path) -> None:
    shutil.copy(file, file.with_name("other.db"))

    assert run(["verify", str(file.parent), "--root", "0" * 64]) == 2


def test_python_verifies_too(file: Path) -> None:
    with api.open(str(file)) as campaign:
        root = campaign.verify().root
        assert campaign.verify(root=root).is_sound


def test_the_signature_of_a_database_holds_the_root_it_can_be_verified_by(file: Path) -> None:
    with api.open(str(file)) as campaign:
        signature = campaign.analyse(draws=0, check="none").signature
        [root] = [part for part in signature.split("|") if part.startswith("root:")]

        assert campaign.verify(root=root).is_sound


def test_the_signature_of_an_exported_file_has_no_root(file: Path, tmp_path: Path) -> None:
    with api.open(str(file)) as campaign:
        campaign.export(tmp_path / "exported.csv")

    assert "root:" not in api.analyse(str(tmp_path / "exported.csv"), draws=0, check="none").signature


def test_a_judgement_more_changes_the_signature(file: Path) -> None:
    with api.open(str(file)) as campaign:
        before = campaign.analyse(draws=0, check="none").signature
        judge(campaign._opened, 8)
        after = campaign.analyse(draws=0, check="none").signature

    roots = [re.findall(r"\|root:([0-9a-f]{16})\|", signature) for signature in (before, after)]
    assert roots[0] != roots[1]


def test_a_backup_of_either_database_has_the_same_root(
    sqlite_store: Store, postgresql_store: Store, tmp_path: Path
) -> None:
    for store in (sqlite_store, postgresql_store):
        with store.snapshot() as connection:
            settings, root = campaigns.settings(connection), stored_root(connection)
        backup(OpenCampaign(store, settings), tmp_path / store.dialect, by="manager", now=NOW)

        with api.open(str(tmp_path / store.dialect)) as copy:
            assert copy.verify(root=root).is_sound
