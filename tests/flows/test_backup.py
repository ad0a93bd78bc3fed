"""Backups: complete while others write, the same in both databases, never half a file."""

from __future__ import annotations

import errno
import sqlite3
import stat
import threading
import uuid
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select

from steelyard.domain.entry import Remark
from steelyard.domain.errors import Conflict, SourceError
from steelyard.domain.running import CampaignState
from steelyard.flows.assign import NextItem, next_item
from steelyard.flows.backup import backup, restore
from steelyard.flows.correct import Correction, correct
from steelyard.flows.create import create
from steelyard.flows.entry_answers import give_consent
from steelyard.flows.links import add_workers, holder, links
from steelyard.flows.log import log
from steelyard.flows.open import OpenCampaign, open_campaign
from steelyard.flows.remarks import add_remark
from steelyard.flows.state import change_state
from steelyard.flows.submit import Submission, submit
from steelyard.store import copying, tables


def rows_of(address: str) -> dict[str, list[Any]]:
    """Everything in a database, table by table."""
    with open_campaign(address) as campaign, campaign.store.read() as connection:
        return {
            table.name: [tuple(row) for row in connection.execute(select(table).order_by(*table.primary_key))]
            for table in tables.metadata.sorted_tables
        }


def judge(campaign: OpenCampaign, worker_id: str, n: int, given: list[str], now: datetime) -> None:
    """Answer this many items; each is listed once it is acknowledged."""
    for _ in range(n):
        view = next_item(campaign, worker_id, now=now)
        if not isinstance(view, NextItem):
            return
        judgement_id = str(uuid.uuid4())
        answer = Submission(judgement_id, view.assignment_id, view.item.item_id, {"rating": 50}, 900)
        submit(campaign, worker_id, answer, now=datetime.now(UTC))
        given.append(judgement_id)


@pytest.fixture
def judged(campaign: OpenCampaign, noon: datetime) -> OpenCampaign:
    """A campaign in which something of everything has happened."""
    correct(campaign, Correction(consent="We store your answers."), by="manager", now=noon)
    for link in add_workers(campaign, 2, base_url="", now=noon):
        give_consent(campaign, link.worker_id, agrees=True, revision=2, now=noon)
        judge(campaign, link.worker_id, 3, [], noon)
        add_remark(campaign, Remark(str(uuid.uuid4()), link.worker_id, "comment", "Grüße", noon))
    change_state(campaign, CampaignState.PAUSED, by="manager", now=noon, reason="näher ansehen")
    change_state(campaign, CampaignState.OPEN, by="manager", now=noon)
    return campaign


def test_backups_under_load_hold_everything_acknowledged_before_and_nothing_half(
    campaign: OpenCampaign, tmp_path: Path, noon: datetime, monkeypatch: pytest.MonkeyPatch
) -> None:
    # In many steps, so that others write in between.
    monkeypatch.setattr(copying, "PAGES", 10)
    acknowledged: list[str] = []
    workers = [link.worker_id for link in add_workers(campaign, 4, base_url="", now=noon)]
    writers = [
        threading.Thread(target=judge, args=(campaign, worker, 40, acknowledged, noon)) for worker in workers
    ]
    known_before = []
    for writer in writers:
        writer.start()
    try:
        for number in range(4):
            # Each backup begins after more was acknowledged than the last one had to hold.
            while len(acknowledged) < 20 * (number + 1):
                assert any(writer.is_alive() for writer in writers)
            known_before.append(set(acknowledged))
            backup(campaign, tmp_path / f"{number}.db", by="manager", now=noon)
    finally:
        for writer in writers:
            writer.join()

    for number, before in enumerate(known_before):
        with closing(sqlite3.connect(tmp_path / f"{number}.db")) as copy:
            assert copy.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
            rows = copy.execute("SELECT judgement_id, assignment_id, position FROM judgements").fetchall()
        assert before <= {row[0] for row in rows} <= set(acknowledged)
        positions = defaultdict(set)
        for _, assignment_id, position in rows:
            positions[assignment_id].add(position)
        assert all(found == set(range(1, len(found) + 1)) for found in positions.values())


@pytest.mark.parametrize("address", ["sqlite"], indirect=True)
def test_a_campaign_moves_between_databases_and_back_with_every_row(
    judged: OpenCampaign, postgres_address: str, tmp_path: Path, noon: datetime
) -> None:
    backup(judged, tmp_path / "first.db", by="manager", now=noon)
    restore(tmp_path / "first.db", postgres_address)
    with open_campaign(postgres_address) as moved:
        rows_moved = rows_of(postgres_address)
        backup(moved, tmp_path / "second.db", by="manager", now=noon)
    restore(tmp_path / "second.db", str(tmp_path / "again.db"))

    first = rows_of(str(tmp_path / "first.db"))
    assert all(first[name] for name in ("judgements", "actions", "revisions", "hit_items", "shared_links"))
    assert (len(first["entries"]), len(first["remarks"])) == (2, 2)
    assert rows_moved == first
    assert rows_of(str(tmp_path / "again.db")) == first


def test_a_restored_campaign_goes_on_where_it_was(
    judged: OpenCampaign, tmp_path: Path, noon: datetime
) -> None:
    backup(judged, tmp_path / "copy.db", by="manager", now=noon)
    restored = restore(tmp_path / "copy.db", str(tmp_path / "new.db"))

    assert (restored.name, restored.n_judgements) == ("demo-de-en", 6)
    with open_campaign(str(tmp_path / "new.db")) as campaign:
        view = next_item(campaign, "W0001", now=noon)
        assert isinstance(view, NextItem)
        assert view.position == 4


def test_a_backup_is_logged_after_it_was_made(judged: OpenCampaign, tmp_path: Path, noon: datetime) -> None:
    backup(judged, tmp_path / "copy.db", by="manager", now=noon)

    assert (log(judged)[-1].verb, log(judged)[-1].detail) == ("backup", {"judgements": 6})


def test_a_backup_is_one_file_that_only_its_owner_may_read(
    judged: OpenCampaign, tmp_path: Path, noon: datetime
) -> None:
    folder = tmp_path / "backups"
    folder.mkdir()

    backup(judged, folder / "copy.db", by="manager", now=noon)

    assert [file.name for file in folder.iterdir()] == ["copy.db"]
    assert stat.S_IMODE((folder / "copy.db").stat().st_mode) == 0o600


def test_an_existing_file_is_not_overwritten(toy: OpenCampaign, tmp_path: Path, noon: datetime) -> None:
    (tmp_path / "copy.db").write_text("precious")

    with pytest.raises(SourceError, match="nothing was overwritten"):
        backup(toy, tmp_path / "copy.db", by="manager", now=noon)

    assert (tmp_path / "copy.db").read_text() == "precious"


def test_a_file_that_appears_meanwhile_is_not_overwritten(
    toy: OpenCampaign, tmp_path: Path, noon: datetime
) -> None:
    @contextmanager
    def somebody_else(_step: str, _length: int) -> Iterator[Callable[[int], None]]:
        (tmp_path / "copy.db").write_text("precious")
        yield lambda _: None

    with pytest.raises(SourceError, match="nothing was overwritten"):
        backup(toy, tmp_path / "copy.db", by="manager", now=noon, progress=somebody_else)

    assert (tmp_path / "copy.db").read_text() == "precious"


@pytest.mark.parametrize("trouble", [KeyboardInterrupt(), OSError(28, "No space left on device")])
def test_an_interruption_and_a_full_disk_leave_nothing(
    toy: OpenCampaign, tmp_path: Path, noon: datetime, trouble: BaseException
) -> None:
    folder = tmp_path / "backups"
    folder.mkdir()

    @contextmanager
    def interrupted(_step: str, _length: int) -> Iterator[Callable[[int], None]]:
        yield lambda _: None
        raise trouble

    with pytest.raises((KeyboardInterrupt, SourceError)) as caught:
        backup(toy, folder / "copy.db", by="manager", now=noon, progress=interrupted)

    assert list(folder.iterdir()) == []
    if isinstance(caught.value, SourceError):
        assert "copy.db: the disk is full" in str(caught.value)


def test_a_disk_that_cannot_be_written_to_is_said_to_be_so(
    toy: OpenCampaign, tmp_path: Path, noon: datetime, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: Any, **__: Any) -> None:
        raise OSError(errno.EROFS, "Read-only file system")

    monkeypatch.setattr(Path, "touch", refuse)
    monkeypatch.setattr(Path, "unlink", refuse)

    with pytest.raises(SourceError, match=r"copy.db: the file cannot be written: Read-only file system"):
        backup(toy, tmp_path / "copy.db", by="manager", now=noon)


def test_a_copy_for_which_sqlite_has_no_room_leaves_nothing(
    toy: OpenCampaign, tmp_path: Path, noon: datetime, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "backups"
    folder.mkdir()
    connect = sqlite3.connect

    def small_disk(*args: Any, **options: Any) -> sqlite3.Connection:
        connection = connect(*args, **options)
        connection.execute("PRAGMA max_page_count = 3")
        return connection

    monkeypatch.setattr(sqlite3, "connect", small_disk)
    with pytest.raises(SourceError, match="the disk is full"):
        backup(toy, folder / "copy.db", by="manager", now=noon)

    assert list(folder.iterdir()) == []


def write_rubbish(file: Path) -> None:
    with file.open("r+b") as opened:
        opened.seek(3 * 4096)
        opened.write(b"\xff" * 4096)


@pytest.mark.parametrize("address", ["sqlite"], indirect=True)
def test_a_damaged_backup_is_not_restored(
    toy: OpenCampaign, tmp_path: Path, noon: datetime, postgres_address: str
) -> None:
    backup(toy, tmp_path / "copy.db", by="manager", now=noon)
    write_rubbish(tmp_path / "copy.db")

    for target in (str(tmp_path / "new.db"), postgres_address):
        with pytest.raises(SourceError, match=r"copy\.db: .*damaged"):
            restore(tmp_path / "copy.db", target)

    assert not (tmp_path / "new.db").exists()


def test_a_damaged_copy_is_noticed_and_removed(
    toy: OpenCampaign, tmp_path: Path, noon: datetime, monkeypatch: pytest.MonkeyPatch
) -> None:
    checked = copying._checked

    def damage(partial: Path, *, where: str, problem: str) -> int:
        write_rubbish(partial)
        return checked(partial, where=where, problem=problem)

    monkeypatch.setattr(copying, "_checked", damage)
    with pytest.raises(SourceError, match="damaged"):
        backup(toy, tmp_path / "copy.db", by="manager", now=noon)

    assert not (tmp_path / "copy.db").exists()


def test_restoring_refuses_to_overwrite(
    judged: OpenCampaign, address: str, tmp_path: Path, noon: datetime
) -> None:
    backup(judged, tmp_path / "copy.db", by="manager", now=noon)
    before = rows_of(address)

    with pytest.raises((SourceError, Conflict), match="nothing was overwritten"):
        restore(tmp_path / "copy.db", address)

    assert rows_of(address) == before


def test_what_sqlite_left_of_another_database_is_not_mixed_in(
    toy: OpenCampaign, tmp_path: Path, noon: datetime
) -> None:
    backup(toy, tmp_path / "copy.db", by="manager", now=noon)
    (tmp_path / "new.db-wal").write_bytes(b"old pages")

    with pytest.raises(SourceError, match=r"new\.db-wal belongs to another database"):
        restore(tmp_path / "copy.db", str(tmp_path / "new.db"))


@pytest.mark.parametrize(
    ("content", "words"), [(b"no database", "not a database"), (b"", "not a copy of a campaign")]
)
def test_something_else_than_a_backup_is_refused_and_leaves_nothing(
    tmp_path: Path, content: bytes, words: str
) -> None:
    (tmp_path / "other.db").write_bytes(content)

    with pytest.raises(SourceError, match=words):
        restore(tmp_path / "other.db", str(tmp_path / "new.db"))

    assert not (tmp_path / "new.db").exists()


@pytest.mark.parametrize("address", ["sqlite"], indirect=True)
def test_a_backup_is_not_changed_by_restoring_it(
    toy: OpenCampaign, tmp_path: Path, noon: datetime, postgres_address: str
) -> None:
    folder = tmp_path / "backups"
    folder.mkdir()
    backup(toy, folder / "copy.db", by="manager", now=noon)
    content = (folder / "copy.db").read_bytes()

    restore(folder / "copy.db", str(tmp_path / "new.db"))
    restore(folder / "copy.db", postgres_address)

    assert (folder / "copy.db").read_bytes() == content
    assert [file.name for file in folder.iterdir()] == ["copy.db"]


class TestSecrets:
    """The secret of the links stays outside the backup unless it is asked for."""

    @pytest.fixture
    def made(
        self, campaign_file: Path, tmp_path: Path, noon: datetime, monkeypatch: pytest.MonkeyPatch
    ) -> Iterator[OpenCampaign]:
        monkeypatch.delenv("STEELYARD_SECRET", raising=False)
        folder = tmp_path / "live"
        folder.mkdir()
        create(campaign_file, str(folder / "live.db"), now=noon)
        with open_campaign(str(folder / "live.db")) as campaign:
            yield campaign

    def test_without_it_the_place_of_the_secret_is_named(
        self, made: OpenCampaign, tmp_path: Path, noon: datetime
    ) -> None:
        done = backup(made, tmp_path / "copy.db", by="manager", now=noon)

        assert done.secret_place == str(tmp_path / "live" / "live.db.secret")
        assert not (tmp_path / "copy.db.secret").exists()

    def test_links_open_a_campaign_that_was_restored_with_its_secret(
        self, made: OpenCampaign, tmp_path: Path, noon: datetime
    ) -> None:
        token = links(made, base_url="").manager_url.rpartition("/")[2]
        backup(made, tmp_path / "copy.db", by="manager", now=noon, with_secret=True)

        restored = restore(tmp_path / "copy.db", str(tmp_path / "new.db"))

        assert restored.advice == ""
        assert stat.S_IMODE((tmp_path / "copy.db.secret").stat().st_mode) == 0o600
        with open_campaign(str(tmp_path / "new.db")) as campaign:
            assert holder(campaign, token, "manager") is None

    def test_without_the_secret_one_learns_what_to_do(
        self, made: OpenCampaign, tmp_path: Path, noon: datetime
    ) -> None:
        backup(made, tmp_path / "copy.db", by="manager", now=noon)

        restored = restore(tmp_path / "copy.db", str(tmp_path / "new.db"))

        assert str(tmp_path / "new.db.secret") in restored.advice
        assert "--renew-all" in restored.advice

    def test_another_secret_is_not_overwritten(
        self, made: OpenCampaign, tmp_path: Path, noon: datetime
    ) -> None:
        backup(made, tmp_path / "copy.db", by="manager", now=noon, with_secret=True)
        (tmp_path / "new.db.secret").write_text("0" * 64)

        restored = restore(tmp_path / "copy.db", str(tmp_path / "new.db"))

        assert (tmp_path / "new.db.secret").read_text() == "0" * 64
        assert restored.advice
