"""The folder that a replay is: what it may not hold, and what it may not overwrite."""

from __future__ import annotations

import hashlib
import json
import re
from datetime import UTC, date, datetime
from pathlib import Path

import pytest

from steelyard.cli.main import DONE, run
from steelyard.domain.errors import NotFound, SourceError
from steelyard.domain.running import Rules
from steelyard.domain.work import ItemKind
from steelyard.flows.links import add_workers, links
from steelyard.flows.open import OpenCampaign, open_campaign
from steelyard.store import running
from steelyard.store.audit import audit_rows
from steelyard.web.replay import replay_writer, write_replay

DAY = date(2026, 1, 31)
RULES = Rules(completion_code="C1A2B3", completion_url="https://crowd.example/complete?cc=C1A2B3")


@pytest.fixture(scope="module")
def campaign(tmp_path_factory: pytest.TempPathFactory, small_example: str) -> OpenCampaign:
    """A campaign with every kind of control, with workers, and with a code that is worth money."""
    folder = tmp_path_factory.mktemp("campaign")
    (folder / "campaign.toml").write_text(small_example, "utf-8")
    assert run(["create", str(folder / "campaign.toml"), "--db", str(folder / "eval.db")]) == DONE
    opened = open_campaign(str(folder / "eval.db"))
    add_workers(opened, 2, base_url="https://judge.example", now=datetime.now(UTC))
    with opened.store.write() as connection:
        running.set_rules(connection, RULES)
    return opened


@pytest.fixture(scope="module")
def written(campaign: OpenCampaign, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A replay of the whole first HIT."""
    folder = tmp_path_factory.mktemp("written") / "replay"
    write_replay(campaign, folder, made_on=DAY, most_items=1000)
    return folder


def test_nobody_can_tell_systems_controls_or_people_from_the_folder(
    campaign: OpenCampaign, written: Path
) -> None:
    with campaign.store.read() as connection:
        rows = [row for row in audit_rows(connection) if row.hit == "H0001"]
    found = links(campaign, base_url="https://judge.example")
    page = (written / "index.html").read_text("utf-8")
    told = json.loads(re.findall(r'id="replay">(.*?)</script>', page, re.S)[0])

    # Every text is there, in order, so there is something to give away.
    assert [each["item"]["text"] for each in told["items"]] == [row.text for row in rows]
    assert {row.kind for row in rows} >= {ItemKind.REGULAR, ItemKind.REPEAT, ItemKind.DEGRADED}
    assert {key for each in told["items"] for key in each["item"]} == {"item_id", "text", "reference"}
    every = "\n".join(path.read_text("utf-8") for path in written.iterdir())
    secrets = [RULES.completion_code, "crowd.example", "judge.example", "W0001", "W0002", "H0001"]
    secrets += [url.rpartition("/")[2] for url in (found.open_url, found.manager_url)]
    secrets += [row.item_id for row in rows]
    assert [secret for secret in secrets if str(secret) in every] == []
    data = "\n".join(re.findall(r'<script type="application/json"[^>]*>(.*?)</script>', page, re.S))
    said = "\n".join(f"{row.text}\n{row.source}\n{row.reference}" for row in rows)
    names = [name for name in {row.system for row in rows} if not re.search(rf"\b{name}\b", said)]
    assert len(names) > 1
    assert [name for name in names if re.search(rf"\b{name}\b", data)] == []
    assert [kind for kind in ItemKind if f'"{kind}"' in data and kind is not ItemKind.REFERENCE] == []


def test_a_replay_without_texts_still_shows_the_way_of_answering(
    campaign: OpenCampaign, tmp_path: Path
) -> None:
    with campaign.store.read() as connection:
        first = next(row for row in audit_rows(connection) if row.hit == "H0001")

    replay_writer(campaign, texts=False)(tmp_path / "replay")

    every = "\n".join(path.read_text("utf-8") for path in (tmp_path / "replay").iterdir())
    told = json.loads(re.findall(r'id="replay">(.*?)</script>', every, re.S)[0])
    assert [set(each["item"]) for each in told["items"]] == [{"item_id", "text", "reference"}]
    assert first.text not in every
    assert first.reference not in every
    assert "The campaign's texts are not in it" in every


def test_the_policy_of_the_page_allows_its_own_script_and_style_and_nothing_else(written: Path) -> None:
    page = (written / "index.html").read_text("utf-8")
    [policy] = re.findall(r'Content-Security-Policy" content="([^"]*)"', page)

    assert policy.startswith("default-src &#39;none&#39;;")
    assert "unsafe" not in policy
    assert "http" not in policy
    assert not re.search(r'<(?:script|link|img|source)\b[^>]*(?:src|href)="(?!data:)', page)


def test_the_manifest_lists_the_files_and_the_same_day_gives_the_same_folder(
    campaign: OpenCampaign, written: Path, tmp_path: Path
) -> None:
    manifest = json.loads((written / "replay.json").read_text("utf-8"))
    write_replay(campaign, tmp_path / "again", made_on=DAY, most_items=1000)

    listed = {
        name: hashlib.sha256((written / name).read_bytes()).hexdigest()
        for name in ("index.html", "README.txt")
    }
    assert manifest["files"] == listed
    assert (manifest["made_on"], manifest["n_shown"]) == ("2026-01-31", manifest["n_items"])
    for path in written.iterdir():
        assert (tmp_path / "again" / path.name).read_bytes() == path.read_bytes()
    assert {path.name for path in (tmp_path / "again").iterdir()} == {path.name for path in written.iterdir()}


def test_only_an_empty_folder_or_an_earlier_replay_is_written_to(
    campaign: OpenCampaign, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "replay"
    folder.mkdir()
    command = ["replay", str(campaign.store.file), "--to", str(folder), "--items"]
    assert run([*command, "3"]) == DONE
    assert "3 of the 50 items of H0001" in capsys.readouterr().out
    assert run([*command, "2"]) == DONE
    assert json.loads((folder / "replay.json").read_bytes())["n_shown"] == 2

    (folder / "notes.txt").write_text("mine")
    assert run([*command, "3"]) != DONE
    assert "holds other files" in capsys.readouterr().err
    assert (folder / "notes.txt").read_text() == "mine"
    with pytest.raises(SourceError, match="this is a file"):
        write_replay(campaign, folder / "notes.txt", made_on=DAY)
    with pytest.raises(NotFound, match="H9999"):
        write_replay(campaign, tmp_path / "other", made_on=DAY, hit_id="H9999")
    assert [path.name for path in tmp_path.iterdir()] == ["replay"]


def test_a_failure_leaves_the_earlier_replay_and_nothing_beside_it(
    campaign: OpenCampaign, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "replay"
    write_replay(campaign, folder, made_on=DAY, most_items=1)
    before = (folder / "index.html").read_bytes()

    def fail(path: Path, content: bytes) -> int:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(Path, "write_bytes", fail)
        with pytest.raises(SourceError, match="No space left"):
            write_replay(campaign, folder, made_on=DAY, most_items=2)

    assert (folder / "index.html").read_bytes() == before
    assert [path.name for path in tmp_path.iterdir()] == ["replay"]
