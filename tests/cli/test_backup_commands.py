"""Backing up and restoring from the command line; what is done to a series as a whole."""

from __future__ import annotations

import json
import signal
from pathlib import Path

import pytest

from steelyard.cli.main import DONE, UNSUPPORTED, UNUSABLE, run
from steelyard.store import copying


@pytest.fixture
def database(
    campaign_file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> str:
    monkeypatch.delenv("STEELYARD_SECRET", raising=False)
    folder = tmp_path / "live"
    folder.mkdir()
    assert run(["create", str(campaign_file), "--db", str(folder / "live.db")]) == DONE
    capsys.readouterr()
    return str(folder / "live.db")


def test_a_backup_says_what_it_holds_and_where_the_secret_is(
    database: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["backup", database, str(tmp_path / "copy.db")]) == DONE

    out = capsys.readouterr().out
    assert out.startswith(f"0 judgements in {tmp_path / 'copy.db'} (")
    assert f"It is in {database}.secret: keep a copy of it elsewhere, or use --with-secret." in out


def test_a_backup_with_its_secret_restores_into_a_campaign_with_working_links(
    database: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run(["links", database, "--add", "2"])
    before = capsys.readouterr().out
    assert run(["backup", database, str(tmp_path / "copy.db"), "--with-secret"]) == DONE
    assert f"The secret of the links is in {tmp_path / 'copy.db'}.secret" in capsys.readouterr().out

    assert run(["restore", str(tmp_path / "copy.db"), str(tmp_path / "new.db")]) == DONE

    assert "Links do not open" not in capsys.readouterr().out
    run(["links", str(tmp_path / "new.db")])
    assert capsys.readouterr().out == before


def test_restoring_without_the_secret_says_what_to_do(
    database: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run(["backup", database, str(tmp_path / "copy.db")])

    assert run(["restore", str(tmp_path / "copy.db"), str(tmp_path / "new.db")]) == DONE

    assert f"Copy its secret file to {tmp_path / 'new.db.secret'}" in capsys.readouterr().out


def test_a_backup_that_is_told_to_stop_leaves_nothing(
    database: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def told_to_stop(*_: object, **__: object) -> int:
        # As the system would call it.
        handler = signal.getsignal(signal.SIGTERM)
        assert callable(handler)
        handler(signal.SIGTERM, None)
        return 0

    monkeypatch.setattr(copying, "_checked", told_to_stop)
    (tmp_path / "copies").mkdir()

    assert run(["backup", database, str(tmp_path / "copies" / "copy.db")]) == UNSUPPORTED

    assert capsys.readouterr().err.strip() == "Stopped."
    assert list((tmp_path / "copies").iterdir()) == []


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["backup", "{db}", "{db}"], "nothing was overwritten"),
        (["backup", "{db}", "{folder}/none/copy.db"], "none does not exist. Make it"),
        (["restore", "{folder}/none.db", "{folder}/new.db"], "that `steelyard backup` made"),
        (["restore", "{folder}/campaign.toml", "{folder}/new.db"], "this file is not a database"),
    ],
)
def test_what_cannot_be_done_is_explained(
    database: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], words: str
) -> None:
    given = [each.format(db=database, folder=tmp_path) for each in arguments]

    assert run(given) == UNUSABLE

    assert words in capsys.readouterr().err


@pytest.fixture
def series(small_example: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> str:
    """Two campaigns in one folder."""
    (tmp_path / "files").mkdir()
    for name in ("en-cs", "en-de"):
        text = small_example.replace("demo-de-en", name)
        (tmp_path / "files" / f"{name}.toml").write_text(text, "utf-8")
    assert run(["create", str(tmp_path / "files"), "--db", str(tmp_path / "event")]) == DONE
    capsys.readouterr()
    return str(tmp_path / "event")


def test_a_series_is_backed_up_into_a_folder_and_restored_from_it(
    series: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run(["links", f"{series}/en-de.db"])
    before = capsys.readouterr().out
    assert run(["backup", series, str(tmp_path / "copies"), "--with-secret"]) == DONE
    assert run(["restore", str(tmp_path / "copies"), str(tmp_path / "again")]) == DONE
    capsys.readouterr()

    assert run(["links", str(tmp_path / "again" / "en-de.db")]) == DONE

    assert capsys.readouterr().out == before


def test_a_series_is_restored_into_postgresql_one_schema_for_each_campaign(
    series: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], postgres_address: str
) -> None:
    assert run(["backup", series, str(tmp_path / "copies")]) == DONE

    assert run(["restore", str(tmp_path / "copies"), postgres_address]) == DONE

    for name in ("en-cs", "en-de"):
        assert run(["settings", f"{postgres_address}&schema={name}"]) == DONE
    assert run(["backup", postgres_address, str(tmp_path / "again")]) == DONE
    assert sorted(file.name for file in (tmp_path / "again").iterdir()) == ["en-cs.db", "en-de.db"]


def test_a_folder_that_is_not_empty_is_left_alone(
    series: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["backup", series, str(tmp_path / "files")]) == UNUSABLE

    assert "there is something in this folder already" in capsys.readouterr().err


def test_a_series_is_paused_and_resumed_as_one(series: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["pause", series]) == DONE

    lines = capsys.readouterr().out.splitlines()
    assert [line.partition(" now")[0] for line in lines] == [
        "en-cs: The campaign is paused",
        "en-de: The campaign is paused",
    ]


def test_a_rule_is_changed_in_all_campaigns_of_a_series(
    series: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["settings", series, "--wage", "15.5", "--json", "-"]) == DONE

    found = json.loads(capsys.readouterr().out)
    assert found["series"] == "event"
    assert [(each["campaign"], each["wage"]) for each in found["campaigns"]] == [
        ("en-cs", 15.5),
        ("en-de", 15.5),
    ]
