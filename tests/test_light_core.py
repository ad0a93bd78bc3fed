"""`pip install steelyard` alone analyses files; the rest of it is asked for by name."""

from __future__ import annotations

import json
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent

# What only the extras bring.
EXTRAS = (
    "fastapi",
    "starlette",
    "uvicorn",
    "pydantic",
    "sqlalchemy",
    "psycopg",
    "httpx2",
    "pandas",
    "pyarrow",
    "matplotlib",
    "sacrebleu",
    "boto3",
    "icu4py",
)
WITHOUT_EXTRAS = f"""
import sys
sys.modules.update(dict.fromkeys({EXTRAS!r}))
from steelyard.cli.main import run
sys.exit(run(sys.argv[1:]))
"""
# What a notebook does: each part of the core once, and each thing that needs more.
NOTEBOOK = f"""
import json
import sys
sys.modules.update(dict.fromkeys({EXTRAS!r}))
import steelyard as sy
from steelyard.metrics.chrf import METRIC
judgements = sy.read(sys.argv[1])
analysis = sy.analyse(judgements, check="none", draws=40)
analysis.table("ranking")
analysis.plot("significance", "significance.svg")
analysis.to_html("report.html")
sy.plan(systems=2, ratings_per_system=100)
sy.replicate(judgements, check="none")
asked = {{
    "folder": lambda: sy.read("."),
    "open": lambda: sy.open("eval.db"),
    "create": lambda: sy.create("campaign.toml", "eval.db"),
    "plot": lambda: analysis.plot("significance", "significance.png"),
    "metric": lambda: METRIC.segments(["a"], ["a"], "en"),
}}
said = {{}}
for name, ask in asked.items():
    try:
        ask()
    except Exception as error:
        said[name] = str(error)
print(json.dumps(said))
"""


@pytest.fixture
def judgements(tmp_path: Path) -> Path:
    path = tmp_path / "judgements.csv"
    rows = [
        f"w{worker},{system},{segment},{base + 3 * worker + segment % 7}"
        for worker in range(3)
        for segment in range(12)
        for system, base in (("good", 70), ("bad", 20))
    ]
    path.write_text("worker,system,segment,rating\n" + "\n".join(rows), "utf-8")
    return path


def run_without_extras(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", WITHOUT_EXTRAS, *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_a_file_is_analysed_by_the_core_alone(judgements: Path) -> None:
    done = run_without_extras("analyse", str(judgements), "--check", "none", "--json", "-")

    assert done.returncode == 0, done.stderr
    assert [system["system_id"] for system in json.loads(done.stdout)["systems"]] == ["good", "bad"]


def test_a_notebook_needs_the_core_alone_and_hears_what_the_rest_needs(
    judgements: Path, tmp_path: Path
) -> None:
    command = [sys.executable, "-c", NOTEBOOK, str(judgements)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path)

    assert done.returncode == 0, done.stderr
    assert (tmp_path / "significance.svg").read_text("utf-8").rstrip().endswith("</svg>")
    assert "Ranking" in (tmp_path / "report.html").read_text("utf-8")
    extras = {"open": "server", "create": "server", "plot": "plots", "metric": "metrics"}
    said = json.loads(done.stdout)
    assert said.pop("folder") == ".: is a folder. Name one of its files that can be analysed: judgements.csv."
    assert {name: f'pip install "steelyard[{extra}]"' in said[name] for name, extra in extras.items()} == (
        dict.fromkeys(extras, True)
    )


def test_the_extra_all_brings_every_other_one() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    extras = project["optional-dependencies"]
    (everything,) = extras.pop("all")

    assert everything == f"steelyard[{','.join(extras)}]"


@pytest.mark.parametrize(
    "arguments", [("analyse", "eval.db"), ("create", "c.toml", "--db", "x.db"), ("serve", "x.db")]
)
def test_a_part_that_is_missing_is_asked_for_by_name(arguments: tuple[str, ...]) -> None:
    done = run_without_extras(*arguments)

    assert done.returncode == 2
    assert 'pip install "steelyard[server]"' in done.stderr


@pytest.mark.parametrize(
    ("arguments", "unneeded"),
    [
        (["--help"], ["numpy", "polars", "scipy"]),
        # These do not list options of methods, so they need not look for methods.
        (["table", "--help"], ["numpy", "polars", "scipy"]),
        # Those of methods are in their modules, but the slowest parts of SciPy are not needed to find them.
        (["analyse", "--help"], ["scipy.stats", "scipy.optimize"]),
    ],
)
def test_help_does_not_wait_for_what_it_does_not_need(arguments: list[str], unneeded: list[str]) -> None:
    program = (
        "import sys; from steelyard.cli.main import run; code = run(sys.argv[1:]); "
        f"print([name for name in {unneeded!r} if name in sys.modules], file=sys.stderr); sys.exit(code)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, *arguments], capture_output=True, text=True, check=False
    )

    assert (done.returncode, done.stderr.strip()) == (0, "[]")
    assert "Options:" in done.stdout
