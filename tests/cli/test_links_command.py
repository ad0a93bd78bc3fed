from __future__ import annotations

import errno
import json
import shutil
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from steelyard.cli.main import run
from steelyard.flows.create import create

URL = ["--base-url", "http://here"]
NOON = datetime.fromisoformat("2024-05-01T12:00Z")


@pytest.fixture(scope="module")
def made_once(small_example: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("linked")
    (folder / "campaign.toml").write_text(small_example, "utf-8")
    create(folder / "campaign.toml", str(folder / "a.db"), now=NOON)
    return folder / "a.db"


@pytest.fixture
def database(made_once: Path, tmp_path: Path) -> str:
    return str(shutil.copy(made_once, tmp_path / "a.db"))


@pytest.fixture
def people_file(tmp_path: Path) -> Path:
    path = tmp_path / "people.csv"
    path.write_text("name,email\nAna López,ana@example.org\nBo,\n", "utf-8")
    return path


def links(database: str, capsys: pytest.CaptureFixture[str], *options: str) -> Any:
    assert run(["links", database, *options, *URL, "--json", "-"]) == 0
    return json.loads(capsys.readouterr().out)


def test_people_of_a_file_get_one_link_each_however_often_it_is_read(
    database: str, people_file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    first = links(database, capsys, "--people", str(people_file))

    assert run(["links", database, "--people", str(people_file), *URL]) == 0

    printed = capsys.readouterr()
    assert printed.err == "0 new links; 2 people have one already.\n"
    shown = [line for line in printed.out.splitlines() if line.startswith("W")]
    assert shown == [
        f"W0001    {first['workers'][0]['url']}  Ana López <ana@example.org>",
        f"W0002    {first['workers'][1]['url']}  Bo",
    ]


def test_a_table_for_letters_has_a_line_for_everyone_with_a_link(
    database: str, people_file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = links(database, capsys, "--people", str(people_file))
    letters = tmp_path / "letters.csv"

    assert run(["links", database, "--revoke", "W0002", *URL, "--to", str(letters)]) == 0

    url = found["workers"][0]["url"]
    assert letters.read_text("utf-8") == f"worker_id,name,email,url\nW0001,Ana López,ana@example.org,{url}\n"
    assert letters.stat().st_mode & 0o777 == 0o600
    assert capsys.readouterr().out == f"Links in {letters}\n"


def test_links_are_renewed_and_revoked(database: str, capsys: pytest.CaptureFixture[str]) -> None:
    before = links(database, capsys, "--add", "3")

    after = links(
        database, capsys, "--renew", "W0001", "--revoke", "W0002", "--renew-manager", "--renew-open"
    )

    changed = [
        old["token"] != new["token"] for old, new in zip(before["workers"], after["workers"], strict=True)
    ]
    assert changed == [True, True, False]
    assert [worker["is_revoked"] for worker in after["workers"]] == [False, True, False]
    assert after["manager_url"] != before["manager_url"]
    assert after["open_url"] != before["open_url"]


def test_a_revoked_link_is_shown_as_such(database: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["links", database, "--add", "1", *URL]) == 0

    assert run(["links", database, "--revoke", "W0001", "--name", "W0001=Bo", *URL]) == 0

    assert capsys.readouterr().out.endswith("W0001    (revoked)  Bo\n")


def test_the_open_link_is_switched_off(database: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert links(database, capsys, "--open", "off")["open_link"] is False

    assert run(["links", database, *URL]) == 0

    assert "(switched off)" in capsys.readouterr().out


def test_after_a_change_to_one_worker_only_their_link_is_printed(
    database: str, capsys: pytest.CaptureFixture[str]
) -> None:
    run(["links", database, "--add", "3"])
    capsys.readouterr()

    run(["links", database, "--renew", "W0002"])

    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == ["W0002"]


def test_all_links_are_renewed_at_once(database: str, capsys: pytest.CaptureFixture[str]) -> None:
    before = links(database, capsys, "--add", "1")

    after = links(database, capsys, "--renew-all")

    assert after["workers"][0]["worker_id"] == "W0001"
    assert after["workers"][0]["token"] != before["workers"][0]["token"]


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        (["--renew", "W0042"], "There is no worker W0042."),
        (["--name", "Bo"], "write it as W0001=TEXT"),
        (["--email", "W0042=bo@example.org"], "There is no worker W0042."),
        (["--again"], "--again goes with --people FILE."),
        (["--people", "nowhere.csv"], "nowhere.csv"),
    ],
)
def test_what_cannot_be_done_says_why(
    database: str, capsys: pytest.CaptureFixture[str], options: list[str], problem: str
) -> None:
    assert run(["links", database, *options]) == 2

    assert problem in capsys.readouterr().err


@pytest.fixture
def series(made_once: Path, tmp_path: Path) -> str:
    """A folder with two campaigns."""
    (tmp_path / "event").mkdir()
    text = (made_once.parent / "campaign.toml").read_text("utf-8")
    for name in ("en-de", "de-fr"):
        (tmp_path / f"{name}.toml").write_text(
            text.replace('name = "demo-de-en"', f'name = "{name}"'), "utf-8"
        )
        create(tmp_path / f"{name}.toml", str(tmp_path / "event" / f"{name}.db"), now=NOON)
    return str(tmp_path / "event")


def test_people_are_invited_to_every_campaign_of_a_series(
    series: str, people_file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = links(series, capsys, "--people", str(people_file))

    assert found["series"] == "event"
    assert found["manager_url"].startswith("http://here/m/")
    assert [each["campaign"] for each in found["campaigns"]] == ["de-fr", "en-de"]
    for each in found["campaigns"]:
        assert [worker["name"] for worker in each["workers"]] == ["Ana López", "Bo"]
        assert each["workers"][0]["url"].startswith(f"http://here/c/{each['campaign']}/w/W0001-")


def test_one_worker_of_a_series_needs_a_campaign(series: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["links", series, "--renew", "W0001"]) == 2

    assert "W0001 is another person in each campaign of a series" in capsys.readouterr().err


def test_a_secret_that_others_may_read_is_warned_of(
    campaign_file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("STEELYARD_SECRET")
    create(campaign_file, str(tmp_path / "a.db"), now=datetime.fromisoformat("2024-05-01T12:00Z"))
    (tmp_path / "a.db.secret").chmod(0o644)

    run(["links", str(tmp_path / "a.db")])

    assert f"chmod 600 {tmp_path / 'a.db.secret'}" in capsys.readouterr().err


def test_a_list_that_cannot_be_written_leaves_the_earlier_one(
    database: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "links.csv").write_text("the links of yesterday", "utf-8")

    def fill_the_disk(self: Path, *_: Any, **__: Any) -> None:
        self.write_bytes(b"wor")
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(Path, "write_text", fill_the_disk)
        assert run(["links", database, "--to", str(tmp_path / "links.csv")]) == 2

    assert "links.csv: cannot be written (No space left on device)" in capsys.readouterr().err
    assert (tmp_path / "links.csv").read_text("utf-8") == "the links of yesterday"
    assert not list(tmp_path.glob("*.partial")) + list(tmp_path.glob(".*.partial"))


def test_a_list_of_links_is_for_its_owner_only(database: str, tmp_path: Path) -> None:
    (tmp_path / "links.csv").touch(mode=0o644)

    run(["links", database, "--to", str(tmp_path / "links.csv")])

    assert (tmp_path / "links.csv").stat().st_mode & 0o777 == 0o600
