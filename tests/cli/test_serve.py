from __future__ import annotations

import json
import shutil
import socket
from collections.abc import Callable, Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

import httpx2
import pytest

from steelyard.cli import listening
from steelyard.cli.listening import listening_at, listening_socket, url_of
from steelyard.cli.main import run
from steelyard.flows.create import create

NOON = datetime.fromisoformat("2024-05-01T12:00Z")


@pytest.fixture(scope="module")
def made_once(small_example: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("served")
    (folder / "campaign.toml").write_text(small_example, "utf-8")
    create(folder / "campaign.toml", str(folder / "a.db"), now=NOON)
    return folder / "a.db"


@pytest.fixture
def database(made_once: Path, tmp_path: Path) -> Path:
    return Path(shutil.copy(made_once, tmp_path / "a.db"))


@pytest.fixture
def taken() -> Iterator[int]:
    """A port that something listens on."""
    with listening_socket("127.0.0.1", 0, tries=1) as first:
        yield first.getsockname()[1]


def links_of(database: Path, capsys: pytest.CaptureFixture[str], *options: str) -> Any:
    assert run(["links", str(database), "--json", "-", *options]) == 0
    return json.loads(capsys.readouterr().out)


def test_a_port_that_is_asked_for_and_taken_is_an_error(
    database: Path, taken: int, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["serve", str(database), "--port", str(taken)]) == 2

    assert f"Port {taken} is taken by another program" in capsys.readouterr().err


def test_without_a_wish_the_next_free_port_is_taken(
    taken: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(listening, "USUAL_PORT", taken)

    with listening_at("127.0.0.1", None) as second:
        port = second.getsockname()[1]

    assert port > taken
    assert capsys.readouterr().out == f"Port {taken} is taken; using {port}.\n"


def test_a_host_that_is_not_ours_is_a_usage_error(database: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["serve", str(database), "--host", "192.0.2.1"]) == 2

    assert "Cannot listen at 192.0.2.1" in capsys.readouterr().err


def test_listening_everywhere_is_printed_as_this_machines_address() -> None:
    with listening_socket("0.0.0.0", 0, tries=1) as everywhere:  # noqa: S104
        host, port = everywhere.getsockname()[:2]
        shown = url_of(everywhere)

    assert host == "0.0.0.0"  # noqa: S104
    shown_host = shown.removeprefix("http://").removesuffix(f":{port}")
    # It is an address of this machine: a socket can be bound to it.
    with socket.create_server((shown_host, 0)):
        assert shown_host != host


def test_links_have_the_address_at_which_each_campaign_is_served(
    database: Path, serve: Callable[..., Any], capsys: pytest.CaptureFixture[str]
) -> None:
    second = Path(shutil.copy(database, database.with_name("second.db")))

    servers = [serve(str(database)), serve(str(second))]

    assert servers[0].base_url != servers[1].base_url
    for path, server in zip([database, second], servers, strict=True):
        manager_url = links_of(path, capsys)["manager_url"]
        assert manager_url.startswith(f"{server.base_url}/m/")
        assert httpx2.get(manager_url, trust_env=False).status_code == 200


def test_links_have_the_public_address(
    database: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("steelyard.cli.serve.run_server", lambda *_, **__: None)

    assert run(["serve", str(database), "--port", "0", "--url", "https://example.org/eval/"]) == 0

    printed = capsys.readouterr().out
    assert "at https://example.org/eval (Ctrl-C" in printed
    assert "listening at       http://127.0.0.1:" in printed
    assert links_of(database, capsys)["manager_url"].startswith("https://example.org/eval/m/")


def test_an_address_given_to_links_wins(database: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = links_of(database, capsys, "--base-url", "https://example.org/")

    assert found["open_url"].startswith("https://example.org/join/")


def test_links_of_a_campaign_that_was_never_served_say_so(
    database: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["links", str(database)]) == 0

    assert "has not been served yet: the links assume http://127.0.0.1:8000" in capsys.readouterr().err


@pytest.mark.parametrize("url", ["example.org", "ftp://example.org", "https://", "https://example.org?a=b"])
def test_what_is_no_address_of_a_server_is_refused(
    database: Path, url: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["serve", str(database), "--url", url]) == 2

    assert "is not the address of a server" in capsys.readouterr().err


def test_what_is_no_address_of_a_proxy_is_refused(database: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["serve", str(database), "--trusted-proxy", "nginx"]) == 2

    assert "'nginx' is neither an address such as 127.0.0.1 nor a network" in capsys.readouterr().err


def test_a_file_with_links_is_for_its_owner_only(database: Path, tmp_path: Path) -> None:
    target = tmp_path / "links.json"
    target.write_text("readable by all")
    target.chmod(0o644)

    assert run(["links", str(database), "--json", str(target)]) == 0

    assert target.stat().st_mode & 0o777 == 0o600


def test_a_wrong_secret_keeps_the_server_from_starting(
    database: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("STEELYARD_SECRET", "another secret than before, but long enough")

    assert run(["serve", str(database), "--port", "0"]) == 2

    assert "made with another secret than the one in STEELYARD_SECRET" in capsys.readouterr().err


def announced(
    database: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], *options: str
) -> str:
    monkeypatch.setattr("steelyard.cli.serve.run_server", lambda *_, **__: None)
    assert run(["serve", str(database), "--port", "0", *options]) == 0
    return capsys.readouterr().out


def test_a_service_prints_no_link(
    database: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    printed = announced(database, monkeypatch, capsys)

    assert "/m/" not in printed
    assert "/join/" not in printed
    assert f"steelyard links {database}" in printed


def test_the_service_of_a_series_prints_no_link(
    database: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    shutil.copy(database, database.with_name("b.db"))

    assert "/m/" not in announced(database.parent, monkeypatch, capsys)


def test_links_are_printed_where_that_is_asked_for(
    database: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    printed = announced(database, monkeypatch, capsys, "--print-links")

    assert "  the manager        http" in printed
    assert "/join/o-" in printed


def test_links_are_printed_on_a_terminal(
    database: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)

    assert "/m/m-" in announced(database, monkeypatch, capsys)


@pytest.mark.parametrize("replica", ["other.db", "postgresql://replica/eval"])
def test_a_replica_is_refused_unless_both_are_postgresql(
    database: Path, replica: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["serve", str(database), "--port", "0", "--read-replica", replica]) == 2

    assert "--read-replica needs PostgreSQL" in capsys.readouterr().err
