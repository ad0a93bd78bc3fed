from __future__ import annotations

import shutil
from datetime import datetime
from pathlib import Path

import pytest
from sqlalchemy import insert, update

from steelyard.domain.errors import NotFound, SourceError
from steelyard.flows.create import create
from steelyard.flows.links import links, renew_all
from steelyard.flows.open import open_campaign
from steelyard.flows.secrets import exposed_secret, replaced_secret
from steelyard.flows.series import find_series
from steelyard.flows.series_links import renew_series_door, series_door
from steelyard.store import tables
from steelyard.store.links import set_secret_mark

pytestmark = pytest.mark.usefixtures("without_variable")


@pytest.fixture
def without_variable(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("STEELYARD_SECRET")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))


@pytest.fixture(scope="session")
def made_once(small_example: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A campaign and its secret, made without the variable; tests work on copies."""
    folder = tmp_path_factory.mktemp("with-secret")
    (folder / "campaign.toml").write_text(small_example, "utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("STEELYARD_SECRET")
        create(
            folder / "campaign.toml", str(folder / "a.db"), now=datetime.fromisoformat("2024-05-01T12:00Z")
        )
    return folder


@pytest.fixture
def database(made_once: Path, tmp_path: Path) -> Path:
    for name in ("a.db", "a.db.secret"):
        shutil.copy(made_once / name, tmp_path / name)
    return tmp_path / "a.db"


def manager_url(database: Path | str) -> str:
    with open_campaign(str(database)) as campaign:
        return links(campaign, base_url="").manager_url


def test_only_its_owner_may_read_the_secret(made_once: Path) -> None:
    assert (made_once / "a.db.secret").stat().st_mode & 0o777 == 0o600


def test_the_secret_is_not_in_the_database(made_once: Path) -> None:
    secret = (made_once / "a.db.secret").read_text().strip()

    assert len(secret) == 64
    assert secret.encode() not in (made_once / "a.db").read_bytes()


def test_a_missing_secret_is_not_replaced(database: Path) -> None:
    secret_file = database.with_name("a.db.secret")
    secret_file.unlink()

    with pytest.raises(SourceError, match=r"missing.*a\.db\.secret back.*--renew-all"):
        manager_url(database)

    assert not secret_file.exists()


def test_a_wrong_secret_is_noticed_and_left_alone(database: Path) -> None:
    secret_file = database.with_name("a.db.secret")
    secret_file.write_text("f" * 64)

    with pytest.raises(SourceError, match=r"made with another secret than the one in .*a\.db\.secret"):
        manager_url(database)

    assert secret_file.read_text() == "f" * 64


def test_the_secret_may_come_from_the_environment(database: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = manager_url(database)
    secret_file = database.with_name("a.db.secret")
    monkeypatch.setenv("STEELYARD_SECRET", secret_file.read_text())
    secret_file.unlink()

    assert manager_url(database) == before


def test_a_file_that_fits_is_used_beside_a_variable_that_does_not(
    database: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = manager_url(database)
    monkeypatch.setenv("STEELYARD_SECRET", "of another campaign " * 3)

    assert manager_url(database) == before


def test_the_secret_is_found_through_a_symbolic_link(database: Path, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "current.db").symlink_to(database)

    assert manager_url(tmp_path / "elsewhere" / "current.db") == manager_url(database)


def test_a_wrong_variable_is_named(database: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    database.with_name("a.db.secret").unlink()
    monkeypatch.setenv("STEELYARD_SECRET", "of another campaign " * 3)

    with pytest.raises(SourceError, match="another secret than the one in STEELYARD_SECRET"):
        manager_url(database)


def test_a_secret_that_could_be_guessed_is_refused(database: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STEELYARD_SECRET", "hunter2")

    with pytest.raises(SourceError, match=r"fewer than 32 characters.*openssl rand -hex 32"):
        manager_url(database)


def test_campaigns_of_one_folder_may_share_a_secret(
    campaign_file: Path, tmp_path: Path, noon: datetime
) -> None:
    (tmp_path / "steelyard.secret").write_text("s" * 64)

    create(campaign_file, str(tmp_path / "b.db"), now=noon)

    assert not (tmp_path / "b.db.secret").exists()
    assert manager_url(tmp_path / "b.db")


def test_a_database_of_version_0_1_is_given_a_secret_when_links_are_needed(
    database: Path, noon: datetime
) -> None:
    secret_file = database.with_name("a.db.secret")
    secret_file.unlink()
    with open_campaign(str(database)) as campaign, campaign.store.write() as connection:
        connection.execute(update(tables.campaigns).values(secret_mark=None))
        row = {"token": "m" * 32, "role": "manager", "created_at": noon}
        connection.execute(insert(tables.links), [row])

    assert manager_url(database) == "/m/" + "m" * 32
    assert secret_file.stat().st_mode & 0o777 == 0o600


def test_on_postgresql_the_secret_is_in_the_users_state_folder(
    campaign_file: Path, postgres_address: str, tmp_path: Path, noon: datetime
) -> None:
    create(campaign_file, postgres_address, now=noon)

    [secret_file] = (tmp_path / "state" / "steelyard").iterdir()
    assert secret_file.stat().st_mode & 0o777 == 0o600
    assert manager_url(postgres_address) == manager_url(f"{postgres_address}&application_name=again")
    secret_file.unlink()
    with pytest.raises(SourceError, match=f"Put the file {secret_file} back"):
        manager_url(postgres_address)


def test_a_folder_that_cannot_be_written_to_says_where_else_the_secret_may_be(
    campaign_file: Path, postgres_address: str, tmp_path: Path, noon: datetime
) -> None:
    (tmp_path / "state").write_text("this is a file")

    with pytest.raises(SourceError, match=r"cannot be kept.*or set STEELYARD_SECRET"):
        create(campaign_file, postgres_address, now=noon)


def test_links_are_not_ended_if_the_new_secret_cannot_be_kept(
    campaign_file: Path,
    postgres_address: str,
    tmp_path: Path,
    noon: datetime,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    create(campaign_file, postgres_address, now=noon)
    before = manager_url(postgres_address)
    (tmp_path / "file").write_text("this is a file")

    with monkeypatch.context() as patch, open_campaign(postgres_address) as campaign:
        patch.setenv("XDG_STATE_HOME", str(tmp_path / "file"))
        with pytest.raises(SourceError, match="cannot be kept"):
            renew_all(campaign, by="command line", now=noon)

    assert manager_url(postgres_address) == before


@pytest.mark.parametrize(("mode", "is_exposed"), [(0o600, False), (0o640, True), (0o604, True)])
def test_a_secret_that_others_may_read_is_noticed(database: Path, mode: int, is_exposed: bool) -> None:
    secret_file = database.with_name("a.db.secret")
    secret_file.chmod(mode)

    with open_campaign(str(database)) as campaign:
        assert exposed_secret(campaign) == (secret_file if is_exposed else None)


def test_a_renewed_link_of_a_series_ends_the_old_one_at_servers_that_run(database: Path) -> None:
    series = find_series(str(database.parent))
    assert series is not None
    door = series_door(series)
    before = door.token
    door.require_manager(before)

    renew_series_door(series)

    with pytest.raises(NotFound):
        door.require_manager(before)


def test_series_with_one_secret_have_different_links(
    database: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STEELYARD_SECRET", "a secret that several servers share")
    tokens = set()
    for name in ("wmt.2024", "wmt.2025"):
        (tmp_path / name).mkdir()
        shutil.copy(database, tmp_path / name)
        series = find_series(str(tmp_path / name))
        assert series is not None
        tokens.add(series_door(series).token)

    assert len(tokens) == 2


def test_of_two_who_renew_all_links_at_once_the_last_ones_secret_stays(
    database: Path, noon: datetime
) -> None:
    with open_campaign(str(database)) as campaign:
        with replaced_secret(campaign.store) as (_, mark):
            with campaign.store.write() as connection:
                set_secret_mark(connection, mark)
            # Before the new secret is in its place, somebody else does the same.
            renew_all(campaign, by="command line", now=noon)
        after = links(campaign, base_url="").manager_url

    assert manager_url(database) == after
    assert [file.name for file in database.parent.glob("a.db.secret*")] == ["a.db.secret"]
