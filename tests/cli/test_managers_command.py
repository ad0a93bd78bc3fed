from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from steelyard.cli.main import run
from steelyard.domain.errors import NotFound
from steelyard.flows.create import create
from steelyard.flows.managers import caller_by_token
from steelyard.flows.open import open_campaign

NOON = datetime.fromisoformat("2024-05-01T12:00Z")
ANN = "Ann Example <ann@example.org>"


@pytest.fixture(scope="module")
def made_once(small_example: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("managed")
    (folder / "campaign.toml").write_text(small_example, "utf-8")
    create(folder / "campaign.toml", str(folder / "a.db"), now=NOON)
    return folder / "a.db"


@pytest.fixture
def database(made_once: Path, tmp_path: Path) -> Path:
    return Path(shutil.copy(made_once, tmp_path / "a.db"))


def found(database: Path, capsys: pytest.CaptureFixture[str], *options: str) -> Any:
    assert run(["managers", str(database), "--json", "-", *options]) == 0
    return json.loads(capsys.readouterr().out)["managers"]


def test_a_manager_is_added_with_a_role_and_a_link(
    database: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    [ann] = found(database, capsys, "--add", ANN, "--as", "manager", "--base-url", "https://example.org")

    assert (ann["manager_id"], ann["name"], ann["email"]) == ("M01", "Ann Example", "ann@example.org")
    with open_campaign(str(database)) as campaign:
        token = ann["url"].removeprefix("https://example.org/m/")
        assert caller_by_token(campaign, token).role == "manager"


def test_a_manager_is_changed_and_revoked_by_address(
    database: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    [ann] = found(database, capsys, "--add", ANN)
    [after] = found(database, capsys, "--role", "ann@example.org=owner", "--revoke", "ann@example.org")

    assert (ann["role"], after["role"], after["url"]) == ("viewer", "owner", "")
    with open_campaign(str(database)) as campaign, pytest.raises(NotFound):
        caller_by_token(campaign, ann["url"].rpartition("/")[2])


def test_a_campaign_without_managers_says_who_is_the_owner(
    database: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["managers", str(database)]) == 0

    assert "whoever has the manager's link" in capsys.readouterr().out


@pytest.mark.parametrize("option", ["M01", "M01=boss", "=owner"])
def test_a_role_that_is_none_is_refused(
    database: Path, option: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["managers", str(database), "--role", option]) == 2

    assert "write it as M01=ROLE" in capsys.readouterr().err


def test_the_managers_of_a_series_are_named_by_address(
    database: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shutil.copy(database, database.with_name("b.db"))
    folder = str(database.parent)

    assert run(["managers", folder, "--add", ANN]) == 0
    assert run(["managers", folder, "--revoke", "M01"]) == 2
    assert run(["managers", folder, "--revoke", "ann@example.org"]) == 0
    assert capsys.readouterr().out.count("(revoked)") == 2


@pytest.fixture
def no_umask() -> Iterator[None]:
    before = os.umask(0)
    yield
    os.umask(before)


@pytest.mark.usefixtures("no_umask")
def test_files_with_links_names_or_secrets_are_for_their_owner_only(
    small_example: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("STEELYARD_SECRET")
    (tmp_path / "campaign.toml").write_text(small_example, "utf-8")
    db = str(tmp_path / "made.db")
    assert run(["create", str(tmp_path / "campaign.toml"), "--db", db]) == 0
    before = {path.name for path in tmp_path.iterdir()} - {"made.db", "made.db.secret"}
    # Some are there already, open to all.
    for name in ("links.json", "letters.csv", "pay.csv", "worker.json"):
        (tmp_path / name).touch(mode=0o666)
    commands = [
        ["links", db, "--add", "1", "--json", "links.json"],
        ["links", db, "--to", "letters.csv"],
        ["payments", db, "--people", "--to", "pay.csv"],
        ["payments", db, "--people", "--json", "pay.json"],
        ["worker", db, "W0001", "--json", "worker.json"],
        ["managers", db, "--add", ANN, "--json", "managers.json"],
        ["backup", db, "copy.db", "--with-secret"],
        ["restore", "copy.db", "restored.db"],
        ["links", db, "--renew-all", "--json", "links.json"],
    ]
    monkeypatch.chdir(tmp_path)
    assert [run(command) for command in commands] == [0] * len(commands)

    written = {path.name: oct(path.stat().st_mode & 0o777) for path in tmp_path.iterdir()}
    assert set(written) - before >= {"made.db", "made.db.secret", "copy.db", "copy.db.secret", "pay.json"}
    assert {name: mode for name, mode in written.items() if name not in before and mode != "0o600"} == {}
