"""`steelyard plan`: text, JSON, plot and exit codes."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from steelyard.cli.main import COMMANDS, run
from steelyard.domain.campaign import DesignSettings
from steelyard.flows.plan_choices import DEFAULT_ATTRIBUTE, DEFAULT_PROTOCOL

PAGE = Path(__file__).parent.parent.parent / "docs" / "explanation" / "planning.md"
EXAMPLE = ("--systems", "5", "--ratings-per-system", "1500")


@pytest.fixture
def plan(monkeypatch: pytest.MonkeyPatch) -> Callable[..., int]:
    """Run the command; returns its exit code."""
    monkeypatch.setitem(COMMANDS, "plan", "plan_command")

    def run_plan(*arguments: str) -> int:
        return run(["plan", *arguments])

    return run_plan


def test_the_worked_example_as_text(plan: Callable[..., int], capsys: pytest.CaptureFixture[str]) -> None:
    assert plan(*EXAMPLE) == 0

    text = capsys.readouterr().out
    assert "1,108.80" in text
    assert "77.0" in text


def test_the_worked_example_as_json(plan: Callable[..., int], capsys: pytest.CaptureFixture[str]) -> None:
    options = ("--usable-share", ".8", "--pass-rate", ".61", "--seconds", "18", "--wage", "12", "--fee", ".2")

    assert plan(*EXAMPLE, *options, "--json", "-") == 0

    document = json.loads(capsys.readouterr().out)
    assert (document["hits"], document["pay_per_hit"], document["hours"]) == (154, 6.0, 77.0)
    assert document["cost"] == pytest.approx(1108.80)


def test_json_in_a_file_leaves_the_text_on_the_terminal(
    plan: Callable[..., int], capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    assert plan(*EXAMPLE, "--json", str(tmp_path / "plan.json")) == 0

    assert json.loads((tmp_path / "plan.json").read_text("utf-8"))["hits"] == 154
    assert "HITs" in capsys.readouterr().out


@pytest.mark.parametrize("ending", ["png", "svg"])
def test_the_plot_is_written(plan: Callable[..., int], tmp_path: Path, ending: str) -> None:
    target = tmp_path / f"plan.{ending}"

    assert plan(*EXAMPLE, "--plot", str(target)) == 0

    assert b"What money buys" in target.read_bytes() or target.stat().st_size > 10_000


def test_a_campaign_file_is_enough(
    plan: Callable[..., int], campaign_file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert plan("--campaign", str(campaign_file), "--json", "-") == 0

    document = json.loads(capsys.readouterr().out)
    assert document["goal"]["name"] == "hits"
    assert document["settings"]["segments"] == 70


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (
            ("--systems", "5"),
            "--difference, --ratings-per-system, --reliability, --ratings-per-item, --budget",
        ),
        (("--budget", "100"), "--systems, or a --campaign file"),
        (("--systems", "5", "--reliability", ".9"), "give --segments"),
        ((*EXAMPLE, "--wage", "9", "--pay-per-hit", "3"), "--wage and --pay-per-hit"),
        ((*EXAMPLE, "--pass-rate", "61"), "--pass-rate must be from 0.01 to 1, not 61"),
        ((*EXAMPLE, "--campaign", "c.toml"), "--systems: the campaign file says this"),
        ((*EXAMPLE, "--plot", "plan.gif"), ".svg, .png or .pdf"),
        (("--campaign", "missing.toml"), "missing.toml"),
    ],
)
def test_wrong_usage_names_the_options(
    plan: Callable[..., int], capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...], named: str
) -> None:
    assert plan(*arguments) == 2

    assert named in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "least"),
    [
        (("--systems", "5", "--budget", "3"), "costs 7.20"),
        (("--systems", "5", "--segments", "500", "--difference", ".02"), "cannot show a difference of 0.02"),
    ],
)
def test_a_goal_out_of_reach_says_what_is_within(
    plan: Callable[..., int], capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...], least: str
) -> None:
    assert plan(*arguments) == 1

    assert least in capsys.readouterr().err


def test_low_pay_is_warned_of(plan: Callable[..., int], capsys: pytest.CaptureFixture[str]) -> None:
    assert plan(*EXAMPLE, "--pay-per-hit", "0.60") == 0

    assert "Warning: The pay comes to 1.20 an hour" in capsys.readouterr().out


def test_a_plot_that_cannot_be_written_is_said_plainly(
    plan: Callable[..., int], capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    assert plan(*EXAMPLE, "--plot", str(tmp_path / "absent" / "plan.png")) == 2

    assert "No such file or directory" in capsys.readouterr().err


@pytest.mark.parametrize("default", [DEFAULT_PROTOCOL, DEFAULT_ATTRIBUTE, str(DesignSettings().hit_size)])
def test_the_help_names_the_defaults(
    plan: Callable[..., int], capsys: pytest.CaptureFixture[str], default: str
) -> None:
    assert plan("--help") == 0

    assert f"[default: {default}]" in " ".join(capsys.readouterr().out.split())


def test_the_example_of_the_explanation_is_what_the_command_prints(
    plan: Callable[..., int],
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    command, printed = (
        PAGE.read_text("utf-8").partition("$ steelyard plan ")[2].split("```")[0].split("\n", 1)
    )
    monkeypatch.chdir(tmp_path)

    assert plan(*command.split()) == 0

    assert capsys.readouterr().out == printed
    assert (tmp_path / "plan.png").exists()
