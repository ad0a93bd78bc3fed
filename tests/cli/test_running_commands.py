"""Commands of a running campaign: what they print and leave behind."""

from __future__ import annotations

import json
import shutil
from dataclasses import fields
from pathlib import Path

import click
import pytest

from steelyard.cli.main import DONE, UNUSABLE, run
from steelyard.cli.settings_command import settings
from steelyard.domain.running import Rules


@pytest.fixture(scope="module")
def made_draft(small_example: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The database of a campaign that was created as a draft; tests work on copies."""
    folder = tmp_path_factory.mktemp("draft")
    (folder / "campaign.toml").write_text(small_example, "utf-8")
    made = ["create", str(folder / "campaign.toml"), "--db", str(folder / "draft.db"), "--draft"]
    assert run(made) == DONE
    return folder / "draft.db"


@pytest.fixture
def draft(made_draft: Path, tmp_path: Path) -> str:
    return str(shutil.copy(made_draft, tmp_path / "draft.db"))


def test_a_draft_is_opened_paused_and_closed(draft: str, capsys: pytest.CaptureFixture[str]) -> None:
    for command in ("resume", "pause", "close"):
        assert run([command, draft]) == DONE

    lines = capsys.readouterr().out.splitlines()
    assert [line.partition(".")[0] for line in lines] == [
        "The campaign is open now; it was a draft",
        "The campaign is paused now; it was open",
        "The campaign is closed now; it was paused",
    ]


def test_a_campaign_that_is_open_already_is_left_alone(
    draft: str, capsys: pytest.CaptureFixture[str]
) -> None:
    run(["resume", draft])
    capsys.readouterr()

    assert run(["resume", draft]) == DONE

    assert capsys.readouterr().out == "The campaign is open already; nothing was changed.\n"


def test_a_draft_cannot_be_paused(draft: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["pause", draft]) == UNUSABLE

    assert "nothing to pause" in capsys.readouterr().err


def test_settings_prints_every_rule_as_the_campaign_file_writes_it(
    draft: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["settings", draft]) == DONE

    assert capsys.readouterr().out == (
        "[rules]\nlease_minutes = 120.0\n# hits_per_worker is not set\nopen_link = true\n"
        "joins_per_hour = 60\nunbegun_hits = 30\n"
        "# completion_code is not set\n# completion_url is not set\n"
        "# screened_code is not set\n# blocked_code is not set\n# retain_until is not set\n\n"
        '[pay]\nwage = 12.0\ncurrency = "USD"\n# per_hit is not set\nfee = 0.0\n'
        "# budget is not set\nafter_days = 7.0\ntell_workers = false\n\n"
        '[platform]\nname = "local"\n# id_parameter is not set\n# study_parameter is not set\n'
        "# session_parameter is not set\n# id_pattern is not set\n"
        "# description is not set\n# settings is not set\n"
    )


def test_settings_changes_what_is_given(draft: str, capsys: pytest.CaptureFixture[str]) -> None:
    changes = ["--lease-minutes", "30", "--hits-per-worker", "2", "--open-link", "off", "--wage", "none"]
    changes += ["--joins-per-hour", "200", "--unbegun-hits", "0"]
    changes += ["--currency", "EUR", "--pay-per-hit", "5.5", "--fee", "0.33"]
    address = "https://app.example.org/done?cc=C1A2"
    changes += ["--tell-pay", "on", "--completion-code", "C1A2", "--completion-url", address]
    changes += ["--screened-code", "S1", "--blocked-code", "B1", "--platform", "url-parameter"]
    changes += ["--id-parameter", "who", "--study-parameter", "study", "--session-parameter", "visit"]
    changes += ["--id-pattern", "[0-9]{5}", "--budget", "250", "--pay-after-days", "3"]
    changes += ["--description", "Rate texts.", "--platform-settings", '{"project": "p1"}']
    changes += ["--retain-until", "2030-12-31"]
    assert run(["settings", draft, *changes]) == DONE
    capsys.readouterr()

    assert run(["settings", draft, "--json", "-"]) == DONE

    assert json.loads(capsys.readouterr().out) == {
        "lease_minutes": 30.0,
        "hits_per_worker": 2,
        "open_link": False,
        "joins_per_hour": 200,
        "unbegun_hits": 0,
        "wage": None,
        "currency": "EUR",
        "pay_per_hit": 5.5,
        "fee": 0.33,
        "tell_pay": True,
        "completion_code": "C1A2",
        "completion_url": address,
        "screened_code": "S1",
        "blocked_code": "B1",
        "platform": "url-parameter",
        "id_parameter": "who",
        "study_parameter": "study",
        "session_parameter": "visit",
        "id_pattern": "[0-9]{5}",
        "budget": 250.0,
        "pay_after_days": 3.0,
        "description": "Rate texts.",
        "platform_settings": {"project": "p1"},
        "retain_until": "2030-12-31",
    }


def test_every_rule_can_be_set_from_the_command_line() -> None:
    options = {param.name for param in settings.params if isinstance(param, click.Option)}

    assert options - {"json_file"} == {field.name for field in fields(Rules)}


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--wage", "much"], "'much' is neither a number nor none"),
        (["--hits-per-worker", "2.5"], "'2.5' is neither a whole number nor none"),
        (["--fee", "33"], "write 0.4 for 40 %"),
        (["--currency", "Euro"], "three capital letters"),
    ],
)
def test_an_impossible_rule_is_explained(
    draft: str, capsys: pytest.CaptureFixture[str], options: list[str], words: str
) -> None:
    assert run(["settings", draft, *options]) == UNUSABLE

    assert words in capsys.readouterr().err


def test_printed_instructions_can_be_corrected_and_given_back(
    draft: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["correct", draft, "--print-instructions"]) == DONE
    words = capsys.readouterr().out.replace("How", "In what way")
    (tmp_path / "words.toml").write_text(words, "utf-8")

    corrected = ["correct", draft, "--instructions", str(tmp_path / "words.toml"), "--title", "New"]
    assert run([*corrected, "--reason", "unclear"]) == DONE

    first, second = capsys.readouterr().out.splitlines()
    assert first.endswith("UTC, as created: 0 judgements")
    assert second.endswith("UTC, title and instructions corrected (unclear): 0 judgements")
    run(["correct", draft, "--print-instructions"])
    assert capsys.readouterr().out == words


def test_every_problem_of_corrected_instructions_is_listed(
    draft: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "words.toml").write_text("hint = 3\ncolour = 'red'", "utf-8")

    assert run(["correct", draft, "--instructions", str(tmp_path / "words.toml")]) == UNUSABLE

    message = capsys.readouterr().err
    assert "words.toml: " in message
    assert "hint: must be a text in quotes" in message
    assert "colour: unknown; remove it." in message


def test_the_log_says_who_did_what_when_and_why(draft: str, capsys: pytest.CaptureFixture[str]) -> None:
    run(["resume", draft, "--reason", "all is ready"])
    capsys.readouterr()

    assert run(["log", draft]) == DONE

    line = capsys.readouterr().out.rstrip()
    assert line.endswith("command line  resume              draft → open; because: all is ready")


def test_the_log_of_a_new_campaign_says_that_there_is_nothing(
    draft: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["log", draft]) == DONE

    assert capsys.readouterr().out == "Nothing was done to this campaign so far.\n"
