"""`steelyard table`, `plot` and `report`: what they write, and how they refuse."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from steelyard.cli.main import run
from steelyard.exhibits import figures, tables

# What a file of one attribute, with controls and times, cannot show: nobody marked errors.
NEEDS_MORE = {"attributes", *(one.name for one in (*tables().values(), *figures().values()) if one.of_spans)}


@pytest.fixture(scope="module")
def judgements(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Eight workers with two HITs each, every other one careless; two systems; all kinds and times.

    An expert rated the first ten translations; five calibration texts are in both HITs of everyone.
    """
    rng = np.random.default_rng(4)
    rows = []
    for w in range(8):
        for s in range(40):
            system, quality = ("good", 75.0) if s % 3 else ("poor", 50.0)
            base = {"worker": f"w{w}", "hit": f"h{w}-{s % 2}", "segment": f"s{s}", "system": system}
            kinds = {"regular": 0.0, ("degraded" if s % 4 < 2 else "repeat"): -30.0 if s % 4 < 2 else 0.0}
            shown = [(base, kind, quality + change) for kind, change in kinds.items()]
            if s < 10:
                text = {**base, "segment": f"text {s // 2}", "system": "calibration"}
                shown.append((text, "calibration", 30.0 + 10 * (s // 2)))
            for item, kind, level in shown:
                given = rng.uniform(0, 100) if w % 2 else rng.normal(level, 5)
                known = level if kind == "calibration" or (kind == "regular" and s < 10) else None
                rating = float(np.clip(round(given), 0, 100))
                seconds = {"hit_seconds": 300 + 10 * w}
                rows.append({**item, "kind": kind, "rating": rating, "known": known, **seconds})
    path = tmp_path_factory.mktemp("judged") / "judgements.csv"
    pl.DataFrame(rows, schema_overrides={"known": pl.Float64}).write_csv(path)
    return path


def _options_of(name: str) -> list[str]:
    """Options for exhibits of what only worker models know, and for one that would take long."""
    needs_model = name in ("rank-probabilities", "score-posterior", "stopping", "worker-parameters")
    if name == "efficiency":
        # Two trials instead of twenty.
        return ["--draws", "100"]
    if name in ("normalisation", "random-resistance", "score-distribution"):
        return ["--methods", "mean-rating,two-stage"]
    if name == "longitudinal":
        return ["--cells", "curr_old=good,curr_new=poor,best_old=good,best_new=poor"]
    return ["--method", "worker-model"] if needs_model else []


@pytest.mark.parametrize("name", sorted(set(tables()) - NEEDS_MORE))
def test_every_table_is_printed_with_its_signature(
    name: str, judgements: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["table", name, str(judgements), *_options_of(name)]) == 0

    printed = capsys.readouterr().out
    assert printed.startswith(tables()[name].title)
    assert "steelyard:0.2|campaign:judgements|qc:paired-t" in printed


# Every figure as a drawing; Matplotlib paints these same drawings, so a few of its files will do:
# tests/report/test_figures.py paints every kind of mark to every kind of file.
DRAWN = [("ranking", "png"), ("repeat-against-first", "pdf"), ("significance", "pdf")]
DRAWN += [(name, "svg") for name in sorted(set(figures()) - NEEDS_MORE)]


@pytest.mark.parametrize(("name", "ending"), DRAWN)
def test_every_figure_is_drawn_and_painted_to_files(
    name: str, ending: str, judgements: Path, tmp_path: Path
) -> None:
    target = tmp_path / f"figure.{ending}"

    assert run(["plot", name, str(judgements), "--out", str(target), *_options_of(name)]) == 0

    begins = {"svg": b"<svg", "png": b"\x89PNG", "pdf": b"%PDF"}[ending]
    assert begins in target.read_bytes()[:200]


@pytest.mark.parametrize("ending", ["svg", "pdf", "png"])
def test_a_bare_figure_leaves_title_and_signature_to_the_terminal(
    judgements: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], ending: str
) -> None:
    whole, bare = tmp_path / f"whole.{ending}", tmp_path / f"bare.{ending}"

    assert run(["plot", "ranking", str(judgements), "--out", str(whole)]) == 0
    told = capsys.readouterr().out
    assert run(["plot", "ranking", str(judgements), "--out", str(bare), "--bare"]) == 0

    assert capsys.readouterr().out == told
    assert told.startswith("Ranking: judgements\n")
    assert "\nsteelyard:0.2|campaign:judgements" in told
    heights = [_height(path) for path in (whole, bare)]
    assert heights[1] < heights[0] - 30
    assert b"steelyard:0.2" not in bare.read_bytes()


def _height(path: Path) -> float:
    """The height of a picture, in units of its own."""
    written = path.read_bytes()
    if path.suffix == ".png":
        return int.from_bytes(written[20:24], "big")
    found = re.search(rb'height="([\d.]+)"|/MediaBox \[ 0 0 [\d.]+ ([\d.]+) \]', written)
    assert found
    return float(found[1] or found[2])


def test_a_table_is_written_as_json(judgements: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["table", "ranking", str(judgements), "--json", "-"]) == 0

    written = json.loads(capsys.readouterr().out)
    assert [row["system_id"] for row in written["rows"]] == ["good", "poor"]
    assert written["name"] == "ranking"


@pytest.mark.parametrize("ending", ["csv", "tex", "jsonl"])
def test_a_table_is_written_to_a_file(judgements: Path, tmp_path: Path, ending: str) -> None:
    target = tmp_path / f"ranking.{ending}"

    assert run(["table", "ranking", str(judgements), "--to", str(target)]) == 0

    text = target.read_text("utf-8")
    assert text.index("good") < text.index("poor")


def test_what_the_data_cannot_support_says_what_is_missing(
    judgements: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bare = tmp_path / "bare.csv"
    pl.read_csv(judgements).drop("hit_seconds").write_csv(bare)

    assert run(["plot", "p-against-pace", str(bare), "--out", str(tmp_path / "pace.svg")]) == 1

    assert "how long judgements or HITs took" in capsys.readouterr().err
    assert not (tmp_path / "pace.svg").exists()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["table", "tables"], "There is no table 'tables'. Use one of: agreement, "),
        (["plot", "pie", "--out", "pie.svg"], "There is no figure 'pie'. Use one of: agreement, "),
        (["plot", "ranking", "--out", "ranking.gif"], ".svg, .png or .pdf"),
        (["table", "agreement", "--categories", "five"], "must be a whole number"),
        (["table", "agreement", "--categories", "1"], "from 2 to 100"),
        (["plot", "worker-differences", "--out", "w.svg", "--worker", "nobody"], "nobody"),
        (["table", "ranking", "--check-attributes", "style"], "no rating is of attribute 'style'"),
    ],
)
def test_wrong_usage_is_refused(
    arguments: list[str], said: str, judgements: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    command, name, *options = arguments

    assert run([command, name, str(judgements), *options]) == 2

    assert said in capsys.readouterr().err


def test_several_sources_make_one_table(judgements: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["table", "pass-by-language", str(judgements), str(judgements), "--json", "-"]) == 0

    assert len(json.loads(capsys.readouterr().out)["rows"]) == 2


def test_a_table_of_one_source_refuses_two(judgements: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["table", "ranking", str(judgements), str(judgements)]) == 2

    assert "made from one source, not from 2" in capsys.readouterr().err


def test_the_report_is_written_for_latex(judgements: Path, tmp_path: Path) -> None:
    assert run(["report", str(judgements), "--latex", str(tmp_path / "paper")]) == 0

    document = (tmp_path / "paper" / "report.tex").read_text("utf-8")
    named = [line for line in document.splitlines() if r"\input" in line]
    assert len(named) >= 6
    assert (tmp_path / "paper" / "figure-ranking.pdf").read_bytes().startswith(b"%PDF")


def test_a_report_needs_a_place_to_go(judgements: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["report", str(judgements)]) == 2

    assert "--html FILE, --latex DIR" in capsys.readouterr().err


def test_exhibits_are_listed_with_their_citations(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["exhibits"]) == 0

    printed = capsys.readouterr().out
    assert all(name in printed for name in (*tables(), *figures()))
    assert "[Graham2013]" in printed


@pytest.mark.parametrize(
    "arguments",
    [
        ["analyse", "--json"],
        ["analyse", "--segments"],
        ["report", "--html"],
        ["table", "ranking", "--to"],
        ["table", "ranking", "--json"],
    ],
)
def test_what_is_read_is_never_written_over(
    arguments: list[str], judgements: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source = tmp_path / "mine.csv"
    source.write_bytes(judgements.read_bytes())
    *command, option = arguments

    assert run([*command, str(source), option, str(source)]) == 2

    assert "is being read" in capsys.readouterr().err
    assert source.read_bytes() == judgements.read_bytes()


def test_no_database_is_written_over(judgements: Path, tmp_path: Path) -> None:
    database = tmp_path / "other.db"
    database.write_bytes(b"SQLite format 3\x00 and all the judgements")

    assert run(["analyse", str(judgements), "--json", str(database)]) == 2

    assert database.read_bytes().endswith(b"all the judgements")


@pytest.mark.parametrize(
    "options",
    [["--segments", ""], ["--scale", "0,inf"], ["--scale=-1e308,1e308"], ["--draws", "1"], ["--json", ""]],
)
def test_nonsense_is_wrong_usage(options: list[str], judgements: Path) -> None:
    assert run(["analyse", str(judgements), *options]) == 2


@pytest.mark.parametrize("name", ["normalisation", "random-resistance"])
def test_a_table_of_everybodys_ratings_asks_nobody_to_pass(
    name: str, judgements: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    plain = tmp_path / "plain.csv"
    pl.read_csv(judgements).filter(pl.col("kind") == "regular").write_csv(plain)

    assert run(["table", name, str(plain), "--methods", "mean-rating,two-stage"]) == 0

    printed = capsys.readouterr().out
    assert f"exhibit:{name}|qc:none|methods:mean-rating,two-stage|" in printed


def test_one_translation_is_drawn_with_everybodys_marks(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = ["worker,system,segment,start,end,severity,text"]
    lines += [f"{w},A,{s},4,9,minor,The quick brown fox" for w in ("ann", "bob") for s in (1, 2)]
    path, drawn = tmp_path / "marks.csv", tmp_path / "marks.svg"
    path.write_text("\n".join(lines), "utf-8")

    code = run(
        [
            "plot",
            "marks",
            str(path),
            "--segment",
            "2",
            "--system",
            "A",
            "--method",
            "mean-rating",
            "--out",
            str(drawn),
        ]
    )

    assert code == 0
    assert "segment 2" in capsys.readouterr().out
    assert {"ann", "bob", "quick"} <= set(re.findall(r">(\w+)<", drawn.read_text("utf-8")))
