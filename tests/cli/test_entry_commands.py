"""What workers said and wrote, at the command line."""

from __future__ import annotations

import io
import json
import shutil
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import polars as pl
import pytest

from steelyard.cli.main import DONE, UNSUPPORTED, UNUSABLE, run
from steelyard.domain.entry import Remark
from steelyard.domain.wording import notes_of
from steelyard.flows.create import create
from steelyard.flows.entry_answers import answer_questions, give_consent, try_training
from steelyard.flows.links import add_workers
from steelyard.flows.open import open_campaign
from steelyard.flows.remarks import add_remark
from steelyard.flows.source import from_campaign


@pytest.fixture(scope="module")
def said_once(
    small_example: str, tmp_path_factory: pytest.TempPathFactory, ask_first: Callable[..., None]
) -> Path:
    """A campaign whose only worker has said everything and written a line; tests work on copies."""
    folder, now = tmp_path_factory.mktemp("said"), datetime.fromisoformat("2024-05-01T12:00:00+00:00")
    (folder / "campaign.toml").write_text(small_example, "utf-8")
    create(folder / "campaign.toml", str(folder / "said.db"), now=now)
    with open_campaign(str(folder / "said.db")) as campaign:
        ask_first(campaign)
        [worker] = add_workers(campaign, 1, base_url="", now=now)
        give_consent(campaign, worker.worker_id, agrees=True, revision=2, now=now)
        answer_questions(campaign, worker.worker_id, {"native": "Yes", "age": 40}, now=now)
        try_training(campaign, worker.worker_id, 1, {"rating": 80}, now=now)
        add_remark(campaign, Remark("r1", worker.worker_id, "comment", "Fine\n\x1b[31mtexts", now))
    return folder / "said.db"


@pytest.fixture
def said(said_once: Path, tmp_path: Path) -> str:
    return str(shutil.copy(said_once, tmp_path / "said.db"))


def test_what_workers_said_and_wrote_is_printed(said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["background", said]) == DONE
    background = capsys.readouterr().out
    assert run(["remarks", said]) == DONE
    remarks = capsys.readouterr().out
    assert run(["worker", said, "W0001"]) == DONE
    worker = capsys.readouterr().out

    assert background == (
        "W0001  agreed on 2024-05-01 12:00; native: Yes; age: 40; training: 1 of 2 tried, "
        "1 of 1 as expected at once\n"
    )
    assert remarks.startswith("2024-05-01 12:00  W0001  comment: Fine ")
    assert "\x1b" not in remarks + worker
    assert "Before the first set: agreed on 2024-05-01 12:00; native: Yes" in worker
    assert "comment: Fine" in worker


def test_both_are_written_to_files(said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for command in ("background", "remarks"):
        assert run([command, said, "--to", str(tmp_path / f"{command}.parquet")]) == DONE

    assert capsys.readouterr().out == (
        f"1 worker in {tmp_path}/background.parquet\n1 remark in {tmp_path}/remarks.parquet\n"
    )
    assert pl.read_parquet(tmp_path / "background.parquet")["answer.age"].to_list() == [40.0]
    assert run(["remarks", said, "--to", str(tmp_path / "remarks.docx")]) == UNUSABLE
    assert run(["remarks", said, "--to", said]) == UNUSABLE


def test_of_a_series_each_campaign_has_its_own(
    said_once: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    series = tmp_path / "series"
    series.mkdir()
    for name in ("one", "two"):
        shutil.copy(said_once, series / f"{name}.db")

    assert run(["remarks", str(series)]) == DONE
    assert run(["background", str(series), "--to", str(tmp_path / "people.csv")]) == DONE

    printed = capsys.readouterr().out
    assert printed.count("comment: Fine") == 2
    assert {file.name for file in tmp_path.glob("*.csv")} == {"people.one.csv", "people.two.csv"}


def test_a_worker_can_be_forgotten(said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["erase", said, "W0001", "--reason", "asked for it"]) == DONE
    assert run(["erase", said, "W0001"]) == DONE
    assert run(["erase", said, "W0009"]) == UNUSABLE

    assert capsys.readouterr().out == (
        "W0001: erased 2 answers and 1 remark.\nW0001: there was nothing to erase.\n"
    )


def test_everybody_is_forgotten_once_the_day_has_come(
    said: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def answer(text: str) -> None:
        monkeypatch.setattr("sys.stdin", io.StringIO(text))

    tomorrow = (datetime.now(UTC) + timedelta(days=1)).date()
    assert run(["settings", said, "--retain-until", str(tomorrow)]) == DONE
    capsys.readouterr()
    assert run(["progress", said]) == DONE
    assert f"may be kept until {tomorrow}, and the records still point to 1 person" in capsys.readouterr().out
    answer("y\n")
    assert run(["erase", said, "--all"]) == UNUSABLE
    assert "Close the campaign first" in capsys.readouterr().err
    assert run(["close", said]) == DONE
    answer("n\n")
    assert run(["erase", said, "--all"]) == UNSUPPORTED
    assert f"keeps it until {tomorrow}, which has not come yet" in capsys.readouterr().out
    for wrong in (["--all", "W0001"], []):
        assert run(["erase", said, *wrong]) == UNUSABLE
    capsys.readouterr()

    assert run(["erase", said, "--all", "--yes"]) == DONE
    assert run(["erase", said, "--all"]) == DONE

    assert capsys.readouterr().out == "Erased what pointed to 1 person.\nNothing points to anybody.\n"
    assert run(["progress", said]) == DONE
    printed = capsys.readouterr().out
    assert "Warning" not in printed
    assert "Note        Everything that pointed to workers was erased on 2" in printed


def test_how_many_were_erased_is_told_where_judgements_are(
    said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["erase", said, "W0001"]) == DONE
    assert run(["erase", said, "W0001"]) == DONE
    sentence = (
        "1 worker was erased at their wish; their judgements stay, without anything that points to them."
    )
    capsys.readouterr()

    assert run(["progress", said]) == DONE
    assert f"Note        {sentence}" in capsys.readouterr().out
    assert run(["export", said, "--to", str(tmp_path / "judgements.csv")]) == DONE
    assert capsys.readouterr().out.endswith(f"{sentence}\n")
    with open_campaign(said) as campaign:
        assert sentence in from_campaign(campaign).warnings
        # It informs, and alarms nobody.
        assert sentence in notes_of(from_campaign(campaign).warnings)


def test_a_consent_text_is_corrected(said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "consent.txt"
    file.write_text(" \n", "utf-8")
    assert run(["correct", said, "--consent", str(file)]) == UNUSABLE
    assert f"{file}: the consent text is empty" in capsys.readouterr().err
    file.write_text("We store less.\n", "utf-8")

    assert run(["correct", said, "--consent", str(file), "--reason", "less", "--json", "-"]) == DONE

    *_, last = json.loads(capsys.readouterr().out)
    assert (last["new_consent"], last["new_instructions"], last["reason"]) == (True, False, "less")
    assert last["consent"] == "We store less."
    run(["correct", said])
    assert f"corrected (less), consent text {last['consent_version']}: 0" in capsys.readouterr().out
    run(["background", said])
    assert "agreed to an earlier text" in capsys.readouterr().out
    run(["log", said])
    assert "consent: corrected" in capsys.readouterr().out


def test_a_campaign_in_which_nobody_said_anything_says_so(
    campaign_file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run(["create", str(campaign_file), "--db", str(tmp_path / "new.db")])
    capsys.readouterr()

    run(["background", str(tmp_path / "new.db")])
    run(["remarks", str(tmp_path / "new.db")])

    assert capsys.readouterr().out == "Nobody was asked anything yet.\nNobody has written anything yet.\n"


def test_a_consent_text_to_fill_in_is_printed_for_a_campaign(
    campaign_file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["example", "--consent"]) == DONE
    printed = capsys.readouterr()
    assert printed.out.startswith("# What this is about\n")
    assert "Fill in what is in brackets" in printed.err
    assert run(["example", "--consent", "--campaign", str(campaign_file)]) == DONE
    # The file of the protocol da pays by the hour, and asks no questions.
    out = capsys.readouterr().out
    assert "An hour of work is paid with USD 12.00." in " ".join(out.split())
    assert "about yourself at the start" not in out
    for wrong in ([], ["da", "--consent"], ["da", "--campaign", str(campaign_file)]):
        assert run(["example", *wrong]) == UNUSABLE


def test_everything_about_a_worker_is_written_for_its_owner_only(
    said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    target = tmp_path / "copy.json"
    target.touch(mode=0o644)

    assert run(["export", said, "--worker", "W0001", "--to", str(target)]) == DONE
    assert capsys.readouterr().out == f"Everything that is stored about W0001 in {target}\n"
    assert run(["export", said, "--worker", "W0001", "--to", "-"]) == DONE

    printed = json.loads(capsys.readouterr().out)
    written = json.loads(target.read_text("utf-8"))
    assert target.stat().st_mode & 0o077 == 0
    assert {**printed, "written_at": ""} == {**written, "written_at": ""}
    assert [each["answer"] for each in written["answers"]] == ["Yes", 40]
    assert run(["export", said, "--worker", "W0009", "--to", "-"]) == UNUSABLE
    assert run(["export", said, "--worker", "W0001", "--as", "esa", "--to", "-"]) == UNUSABLE
    assert run(["export", said, "--worker", "W0001", "--to", said]) == UNUSABLE
