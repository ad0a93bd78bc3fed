"""The command line: what it prints, its exit codes, and what it leaves behind."""

from __future__ import annotations

import csv
import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from steelyard.cli.main import COMMANDS, DONE, UNUSABLE, run
from steelyard.flows.open import open_campaign
from steelyard.protocols import protocols


def test_the_printed_example_is_accepted_as_it_is(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["example", "da"]) == 0
    (tmp_path / "printed.toml").write_text(capsys.readouterr().out, "utf-8")

    assert run(["create", str(tmp_path / "printed.toml"), "--db", str(tmp_path / "printed.db")]) == 0

    assert "35 HITs of 100 items" in capsys.readouterr().out


@pytest.mark.parametrize("name", sorted(protocols()))
def test_the_example_of_every_protocol_is_accepted(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["example", name]) == 0
    (tmp_path / "printed.toml").write_text(capsys.readouterr().out, "utf-8")

    assert run(["create", str(tmp_path / "printed.toml"), "--explain-layout"]) == 0

    assert "Layout of" in capsys.readouterr().out
    assert [path.name for path in tmp_path.iterdir()] == ["printed.toml"]


def test_a_layout_is_explained_before_the_campaign_is_written(
    campaign_file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["create", str(campaign_file), "--db", str(tmp_path / "eval.db"), "--explain-layout"]) == 0

    printed = capsys.readouterr().out
    assert printed.index("items between a control and its base") < printed.index("Campaign demo-de-en")
    assert "20 to 28" in printed


def test_create_needs_to_know_what_to_do(campaign_file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["create", str(campaign_file)]) == 2

    assert "--explain-layout" in capsys.readouterr().err


def test_printed_instructions_can_be_used_as_ones_own(
    campaign_file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["example", "da", "--instructions", "de"]) == 0
    own = capsys.readouterr().out.replace("Weiter", "Vorwärts")
    (tmp_path / "own.toml").write_text(own, "utf-8")
    text = campaign_file.read_text("utf-8")
    campaign_file.write_text(f'{text}\n[presentation]\ninstructions = "own.toml"\n', "utf-8")

    assert run(["create", str(campaign_file), "--db", str(tmp_path / "own.db")]) == 0

    with open_campaign(str(tmp_path / "own.db")) as campaign:
        assert campaign.settings.presentation["words"] == tomllib.loads(own)


def test_words_in_an_unknown_language_are_refused_with_those_there_are(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert run(["example", "da", "--instructions", "xx"]) == 2

    assert "ar, cs, de, en" in capsys.readouterr().err


def test_the_schema_is_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["schema"]) == 0

    assert set(json.loads(capsys.readouterr().out)["required"]) >= {"campaign", "texts"}


@pytest.mark.parametrize(
    ("layout", "file"),
    [("upload-2016", "upload.csv"), ("appraise", "batches.json"), ("pearmut", "campaign.json")],
)
def test_hits_can_be_written_for_other_systems(
    layout: str, file: str, judged: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["hits", str(judged), "--to", str(tmp_path / file), "--as", layout]) == 0

    assert "500 items in" in capsys.readouterr().out
    assert (tmp_path / file).stat().st_size > 1000


@pytest.fixture(scope="module")
def judged_once(small_example: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A database that a simulated crowd has judged, for nobody to change."""
    folder = tmp_path_factory.mktemp("judged")
    (folder / "campaign.toml").write_text(small_example, "utf-8")
    database = folder / "eval.db"
    assert run(["create", str(folder / "campaign.toml"), "--db", str(database)]) == 0
    assert run(["simulate", str(database), "--seed", "3"]) == 0
    return database


@pytest.fixture
def judged(judged_once: Path, tmp_path: Path) -> Path:
    """A database that a simulated crowd has judged."""
    return Path(shutil.copy(judged_once, tmp_path / "eval.db"))


def test_a_simulated_crowd_finishes_all_hits(judged: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["simulate", str(judged)]) == 0

    assert "10 of 10 HITs are finished" in capsys.readouterr().out


@pytest.mark.parametrize("name", list(COMMANDS))
def test_every_command_explains_itself(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run([name, "--help"]) == 0

    assert "Usage: steelyard" in capsys.readouterr().out


def test_help_has_one_line_for_every_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["--help"]) == 0

    listed = [
        line.split()[0]
        for line in capsys.readouterr().out.splitlines()
        if re.match(r"  [a-z]+  +[A-Z]", line)
    ]
    assert listed == list(COMMANDS)


def test_a_name_without_its_ending_is_guessed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "eval.db").touch()

    assert run(["progress", str(tmp_path / "eval")]) == UNUSABLE

    assert f"Did you mean {tmp_path / 'eval.db'}?" in capsys.readouterr().err


HEAVY = {"numpy", "scipy", "polars", "sqlalchemy", "fastapi", "uvicorn", "pydantic", "jinja2", "narwhals"}
IMPORT_ALL_OF_STATS = """
import pkgutil, importlib, steelyard.stats as stats
for module in pkgutil.walk_packages(stats.__path__, "steelyard.stats."):
    importlib.import_module(module.name)
"""


def imported_by(code: str) -> set[str]:
    """Which of the heavy packages a fresh interpreter has imported after running the code."""
    code += f"\nimport sys; print(*sorted({HEAVY!r} & set(sys.modules)), file=sys.stderr)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(done.stderr.split())


def test_help_imports_nothing_heavy() -> None:
    assert imported_by("from steelyard.cli.main import run; run(['--help'])") == set()


def test_stats_need_numpy_and_scipy_only() -> None:
    assert imported_by(IMPORT_ALL_OF_STATS) == {"numpy", "scipy"}


def test_a_campaign_goes_from_example_to_ranking(judged: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["analyse", str(judged), "--check", "none", "--json", "-"]) == 0

    document = json.loads(capsys.readouterr().out)
    assert list(document) == [
        *("signature", "counts", "workers", "systems", "pairs", "test", "attributes", "agreement"),
        *("excluded_hits", "contamination", "warnings"),
    ]
    assert document["counts"]["judgements"] == 500
    assert len(document["systems"]) == 5
    assert len(document["pairs"]) == 20
    assert re.match(
        r"steelyard:0\.2\|campaign:demo-de-en\|protocol:da\|root:[0-9a-f]{16}\|qc:none\|",
        document["signature"],
    )


def test_the_terminal_gets_a_table_and_the_signature(
    judged: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["analyse", str(judged), "--check", "none"]) == 0

    text = capsys.readouterr().out
    assert "brass" in text
    assert "|seed:7" in text


def test_the_same_seed_gives_the_same_numbers(judged: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["analyse", str(judged), "--check", "none", "--json", "-", "--seed", "11"]
    run(arguments)
    first = capsys.readouterr().out

    run(arguments)

    assert capsys.readouterr().out == first


@pytest.mark.parametrize("ending", ["csv", "tsv", "jsonl", "parquet"])
def test_an_export_analyses_like_its_database(
    judged: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], ending: str
) -> None:
    exported = tmp_path / f"judgements.{ending}"
    assert run(["export", str(judged), "--to", str(exported)]) == 0
    capsys.readouterr()

    run(["analyse", str(judged), "--check", "none", "--json", "-"])
    from_database = json.loads(capsys.readouterr().out)
    assert run(["analyse", str(exported), "--check", "none", "--json", "-"]) == 0
    from_file = json.loads(capsys.readouterr().out)

    assert from_file["systems"] == from_database["systems"]
    assert from_file["pairs"] == from_database["pairs"]
    assert from_file["counts"] == from_database["counts"]


def test_segment_scores_are_written_as_a_table(judged: Path, tmp_path: Path) -> None:
    target = tmp_path / "segments.csv"

    assert run(["analyse", str(judged), "--check", "none", "--segments", str(target)]) == 0

    with target.open() as file:
        rows = list(csv.DictReader(file))
    assert list(rows[0]) == ["system_id", "segment_id", "score", "sd", "mean_rating", "n"]
    assert len(rows) == 350


def test_the_report_is_one_page_with_the_signature(judged: Path, tmp_path: Path) -> None:
    target = tmp_path / "report.html"

    assert run(["report", str(judged), "--html", str(target), "--check", "none"]) == 0

    text = target.read_text("utf-8")
    assert "steelyard:0.2|campaign:demo-de-en" in text
    assert "src=" not in text
    assert "http://" not in text


def test_hits_are_audited_with_their_separations(judged: Path, tmp_path: Path) -> None:
    target = tmp_path / "hits.csv"

    assert run(["hits", str(judged), "--to", str(target)]) == 0

    with target.open() as file:
        rows = list(csv.DictReader(file))
    wanted = ["hit", "position", "group", "kind", "system", "segment", "document", "base_position", "text"]
    assert list(rows[0])[: len(wanted)] == wanted
    assert len(rows) == 500
    pairs = [(int(row["position"]), int(row["base_position"])) for row in rows if row["base_position"]]
    assert len(pairs) == 150
    # H = 50 in ten groups of five: 20 to 28 items strictly between a control and its base.
    assert all(20 <= abs(position - base) - 1 <= 28 for position, base in pairs)


def test_links_come_as_the_contract_has_them(judged: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["links", str(judged), "--add", "2", "--json", "-"]) == 0

    found = json.loads(capsys.readouterr().out)
    assert set(found) >= {"manager_url", "open_url", "workers"}
    assert set(found["workers"][0]) >= {"worker_id", "token", "url"}
    assert len(found["workers"]) == 12


def test_protocols_publish_the_schemas_of_their_answers(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["protocols", "--json", "-"]) == 0

    found = {each["name"]: each for each in json.loads(capsys.readouterr().out)["protocols"]}
    assert set(found) == set(protocols())
    assert found["pairwise"]["gives"] == ["preferences"]
    assert found["da"]["answer_schema"] == protocols()["da"].answer_schema


@pytest.mark.parametrize("name", ["methods", "checks", "protocols"])
def test_what_is_registered_is_listed_with_citations(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run([name]) == 0

    assert "[Graham20" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["analyse", "no-such-file.csv"], 2, "no-such-file.csv"),
        (["analyse", "no-such.db"], 2, "steelyard create"),
        (["create", "no-such.toml", "--db", "x.db"], 2, "there is no such file"),
        (["example", "nope"], 2, "Use one of: adequacy4, da"),
        (["nonsense"], 2, "No such command"),
        (["analyse", "{judged}", "--method", "magic"], 2, "Use one of: "),
        (["analyse", "{judged}", "--check", "magic"], 2, "paired-t"),
        (["analyse", "{judged}", "--scale", "0,100"], 2, "known already"),
        (["analyse", "{judged}", "--attribute", "beauty"], 2, "beauty"),
        (["analyse", "{judged}", "--columns", "worker"], 2, "worker=login"),
        (["export", "{judged}", "--to", "file.docx"], 2, ".csv"),
        (["export", "{judged}", "--to", "/no/such/folder/file.csv"], 2, "cannot be written"),
        (
            ["analyse", "{judged}", "--check", "none", "--json", "/no/such/folder/a.json"],
            2,
            "/no/such/folder",
        ),
        (["report", "{judged}", "--check", "none", "--html", "/no/such/folder/r.html"], 2, "/no/such/folder"),
        (["create", "{campaign_file}", "--db", "{judged}"], 2, "already holds the campaign"),
        (["serve", "{campaign_file}"], 2, "not a database"),
    ],
)
def test_a_mistake_is_one_message_with_its_exit_code(
    judged: Path,
    campaign_file: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    arguments: list[str],
    code: int,
    message: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    before = sorted(path.name for path in tmp_path.iterdir() if not path.name.startswith("eval.db-"))

    assert run([part.format(judged=judged, campaign_file=campaign_file) for part in arguments]) == code

    captured = capsys.readouterr()
    assert message in captured.err
    assert "Traceback" not in captured.err
    assert sorted(path.name for path in tmp_path.iterdir() if not path.name.startswith("eval.db-")) == before


def test_data_that_cannot_support_the_question_exit_1(
    campaign_file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    database = tmp_path / "empty.db"
    run(["create", str(campaign_file), "--db", str(database)])

    assert run(["analyse", str(database)]) == 1

    assert "no judgements yet" in capsys.readouterr().err


def test_a_bad_campaign_file_leaves_nothing_behind(campaign_file: Path, tmp_path: Path) -> None:
    campaign_file.write_text(campaign_file.read_text().replace('"adequacy"', '"beauty"'))

    assert run(["create", str(campaign_file), "--db", str(tmp_path / "new.db")]) == 2

    assert not list(tmp_path.glob("new.db*"))


def test_something_unexpected_exits_3_and_shows_a_traceback_only_when_asked(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken() -> None:
        raise RuntimeError("a bug")

    monkeypatch.setattr("steelyard.qc.checks", broken)

    assert run(["checks"]) == 3
    quiet = capsys.readouterr().err
    assert run(["checks"], debug=True) == 3
    loud = capsys.readouterr().err

    assert "Traceback" not in quiet
    assert "a bug" in quiet
    assert "Traceback" in loud


def test_a_missing_extra_says_what_to_install(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def without_server() -> None:
        raise ModuleNotFoundError("No module named 'sqlalchemy'", name="sqlalchemy")

    monkeypatch.setattr("steelyard.qc.checks", without_server)

    assert run(["checks"]) == 2
    assert 'pip install "steelyard[server]"' in capsys.readouterr().err


def test_the_output_can_be_cut_short_by_its_reader(judged: Path) -> None:
    command = f"{sys.executable} -m steelyard links {judged} --base-url http://here | head -n 1"

    done = subprocess.run(
        ["sh", "-c", command], capture_output=True, text=True, check=True, env=dict(os.environ)
    )

    assert done.stdout.startswith("manager")
    assert done.stderr == ""


def test_links_do_not_take_the_place_of_the_campaign(
    judged: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = judged.read_bytes()

    assert run(["links", str(judged), "--json", str(judged)]) == UNUSABLE
    assert run(["protocols", "--json", str(judged)]) == UNUSABLE

    assert "name another file to write to" in capsys.readouterr().err
    assert judged.read_bytes() == before


def test_a_plan_does_not_take_the_place_of_the_campaign_file(
    campaign_file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = campaign_file.read_bytes()

    assert run(["plan", "--campaign", str(campaign_file), "--json", str(campaign_file)]) == UNUSABLE

    assert "is being read" in capsys.readouterr().err
    assert campaign_file.read_bytes() == before


def test_a_page_on_the_terminal_is_nothing_but_the_page(
    judged: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    outputs = ["--html", "-", "--latex", str(tmp_path / "tex")]

    assert run(["report", str(judged), "--check", "none", "--draws", "0", *outputs]) == DONE

    printed, said = capsys.readouterr()
    assert printed.rstrip().endswith("</html>")
    assert "report.tex" in said
