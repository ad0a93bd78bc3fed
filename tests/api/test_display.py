"""What results show in a notebook: short texts, views that keep to themselves, figures, tables."""

from __future__ import annotations

import pickle
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import steelyard as sy
from steelyard.api.display import Displayed
from steelyard.domain.errors import ChoiceError
from steelyard.report.drawing.palette import DARK, LIGHT

NASTY = 'x<script>alert("1")</script>&'
SYSTEMS = {"CURR-old": 80.0, "CURR-new": 70.0, "BEST-old": 50.0, "BEST-new": 60.0}
KINDS = [
    "judgements",
    "preferences",
    "analysis",
    "plan",
    "evaluation",
    "normalisation",
    "replication",
    "years",
    "linked",
    "metrics",
]


# Which of two translations is on the left is a matter of chance.
PREFERRED = pl.DataFrame(
    [("w1", 1, "x", "y", "a"), ("w1", 2, "y", "x", "tie"), ("w2", 1, "x", "z", "b")],
    schema=["worker", "segment", "system_a", "system_b", "preference"],
    orient="row",
)


def _table(seed: int = 1) -> pl.DataFrame:
    """Six workers judge four systems and five texts of an earlier campaign; an expert knows them all."""
    rng = np.random.default_rng(seed)
    systems = [*SYSTEMS.items(), ("calibration", 45.0)]
    rows = [
        (
            f"w{worker}",
            system,
            f"{system[-3:]}{k}",
            "calibration" if mean == 45 else "regular",
            mean + 4 * k - 18,
        )
        for worker in range(6)
        for system, mean in systems
        for k in range(5 if mean == 45 else 10)
    ]
    table = pl.DataFrame(rows, schema=["worker", "system", "segment", "kind", "known"], orient="row")
    return table.with_columns(rating=(pl.col("known") + pl.Series(rng.normal(0, 6, len(table)))).clip(0, 100))


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """One result of every kind, of judgements whose title would break a page that does not escape it."""
    folder = tmp_path_factory.mktemp("results")
    rng = np.random.default_rng(3)
    for name in ("human-scores/de-en.da", "metric-scores/de-en/near-src", "metric-scores/de-en/far-src"):
        path = folder / f"{name}.seg.score"
        path.parent.mkdir(parents=True, exist_ok=True)
        noise = 3.0 if "far" in name else 0.3
        scores = [
            f"{system}\t{k + rng.normal(0, noise)}" for k, system in enumerate("abcdef") for _ in range(3)
        ]
        path.write_text("\n".join(scores) + "\n")
    (folder / "documents").mkdir()
    (folder / "documents" / "de-en.docs").write_text("news\td\n" * 3)
    table = _table()
    path = folder / "judged.csv"
    table.write_csv(path)
    judgements = sy.read(table.with_columns(worker=pl.col("worker") + NASTY))
    draws: dict[str, Any] = {"check": "none", "draws": 50}
    return {
        "judgements": judgements,
        "preferences": sy.read(PREFERRED.with_columns(worker=pl.col("worker") + NASTY)),
        "analysis": sy.analyse(table.with_columns(system=pl.col("system") + NASTY), **draws),
        "plan": sy.plan(systems=5, budget=2000),
        "evaluation": sy.evaluate(judgements, methods=["mean-rating", "mean-z"], check="none", draws=3),
        "normalisation": sy.normalise(judgements, methods=["mean-rating", "scaling"], folds=2),
        "replication": sy.replicate(judgements, check="none", draws=20),
        "years": sy.compare_years({f"de-{NASTY}": path}, check="none"),
        "linked": sy.link([judgements, judgements], **draws),
        "metrics": sy.judge_metrics(folder, pair="de-en", gold="da", draws=20),
    }


class _Outline(HTMLParser):
    """The elements of a page that are not closed in order, and the names of all."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.names: set[str] = set()
        self.attributes: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.names.add(tag)
        self.attributes |= {name for name, _ in attrs}
        if tag not in ("br", "circle", "path", "rect"):
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.names.add(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag in self.open:
            assert self.open.pop() == tag


@pytest.mark.parametrize("kind", KINDS)
def test_the_text_of_a_result_is_short_and_says_what_it_is(results: dict[str, Any], kind: str) -> None:
    text = repr(results[kind])

    assert 40 < len(text) < 600
    assert len(text.splitlines()) <= 10
    assert text.splitlines()[0] == results[kind]._result().title[: len(text.splitlines()[0])]
    assert str(results[kind]) == text


@pytest.mark.parametrize("kind", KINDS)
def test_a_view_is_whole_safe_and_stands_alone(results: dict[str, Any], kind: str) -> None:
    view = results[kind]._repr_html_()

    outline = _Outline()
    outline.feed(view)
    assert outline.open == []
    assert "table" in outline.names
    assert outline.names.isdisjoint({"script", "link", "img", "iframe", "a", "html", "body"})
    assert not any(name.startswith("on") or name in ("id", "src", "href") for name in outline.attributes)
    assert "url(" not in view
    assert "@import" not in view
    assert len(view) < 60_000


@pytest.mark.parametrize(
    "kind", [kind for kind in KINDS if kind not in ("judgements", "preferences", "normalisation")]
)
def test_a_view_has_a_figure_that_follows_the_theme(results: dict[str, Any], kind: str) -> None:
    view = results[kind]._repr_html_()

    assert "<svg" in view
    assert "var(--ink)" in view
    assert "prefers-color-scheme: dark" in view
    assert '[data-jp-theme-light="false"]' in view
    assert ".vscode-dark" in view


def test_no_rule_of_a_view_holds_outside_of_it(results: dict[str, Any]) -> None:
    (style,) = re.findall(r"<style>(.*?)</style>", results["plan"]._repr_html_(), flags=re.S)

    bare = re.sub(r"@media[^{]*\{", "", style)
    selectors = [part for rule in re.findall(r"([^{}]+)\{", bare) for part in rule.split(",")]

    assert len(selectors) > 40
    assert [one for one in selectors if ".steelyard-view" not in one] == []


def test_the_text_of_an_analysis_has_the_first_systems_and_counts_the_rest() -> None:
    table = pl.DataFrame(
        [
            (f"w{w}", f"system-{s}", k, 90 - 5 * s + w + k)
            for w in range(3)
            for s in range(9)
            for k in range(4)
        ],
        schema=["worker", "system", "segment", "rating"],
        orient="row",
    )

    long = table.with_columns(pl.col("system").replace("system-0", "system-0-with-a-name-in-one-word"))
    lines = repr(sy.analyse(long, method="mean-rating", check="none", draws=0)).splitlines()

    assert lines[0] == "Analysis: table"
    assert lines[1].startswith("9 systems in ")
    first = ["system-0-with-a-name-in…", *(f"system-{s}" for s in range(1, 5))]
    assert [line.split()[1] for line in lines[3:8]] == first
    assert lines[8] == "… and 4 more"


def test_preferences_are_counted_by_pair_whichever_was_left(results: dict[str, Any]) -> None:
    found = results["preferences"]

    assert repr(found).splitlines()[1] == "3 judgements, 2 workers, 2 segments."
    assert [line.split() for line in repr(found).splitlines()[3:]] == [
        ["x", "y", "2", "2", "1"],
        ["x", "z", "1", "1", "1"],
    ]
    assert found.frame["preference"].to_list() == ["a", "tie", "b"]


def test_judgements_of_which_there_are_none_show_that() -> None:
    text = repr(sy.read(_table().head(0)))

    assert text.splitlines()[1] == "0 judgements, 0 workers, 0 segments."


def test_a_long_table_is_cut_and_says_so() -> None:
    table = pl.DataFrame({"worker": ["w"] * 40, "system": [f"s{k}" for k in range(40)], "segment": [1] * 40})

    view = sy.read(table.with_columns(rating=pl.lit(50.0)))._repr_html_()

    assert view.count("<tr") == 1 + 30
    assert "The first 30 of 40 rows." in view


@pytest.mark.parametrize("kind", ["plan", "replication", "metrics"])
def test_a_study_gives_its_tables_and_figures_by_name(results: dict[str, Any], kind: str) -> None:
    found, shown = results[kind], results[kind]._result()

    assert found.table().equals(shown.tables[0].rows)
    assert [found.table(table.name).columns for table in shown.tables] == [
        table.rows.columns for table in shown.tables
    ]
    assert found.plot(shown.figures[-1].name).title == shown.figures[-1].title
    with pytest.raises(ChoiceError, match=rf"There is no figure 'curves'\..*{shown.figures[0].name}"):
        found.plot("curves")
    with pytest.raises(ChoiceError, match="has no options: leave out worker"):
        found.table(worker="w1")


def test_a_study_without_figures_says_so(results: dict[str, Any]) -> None:
    with pytest.raises(ChoiceError, match="There is no figure here"):
        results["normalisation"].plot()


def test_a_study_writes_the_page_and_document_of_its_command(results: dict[str, Any], tmp_path: Path) -> None:
    for kind in ("plan", "replication"):
        results[kind].to_html(tmp_path / f"{kind}.html")
        assert results[kind]._result().title in (tmp_path / f"{kind}.html").read_text("utf-8")
    results["replication"].to_latex(tmp_path / "paper")

    assert (tmp_path / "paper" / "study.tex").exists()
    assert '"fitted_rho"' in results["replication"].to_json()


def test_a_figure_is_saved_as_it_is_shown(results: dict[str, Any], tmp_path: Path) -> None:
    analysis = results["analysis"]

    figure = analysis.plot("ranking", tmp_path / "first.svg")
    figure.save(tmp_path / "second.svg")

    assert (tmp_path / "first.svg").read_text("utf-8") == figure.svg == figure._repr_svg_()
    assert (tmp_path / "second.svg").read_text("utf-8") == figure.svg
    assert figure.svg.startswith("<?xml")
    assert "<script" not in figure._repr_html_()
    assert figure.data["system_id"].to_list() == analysis.systems["system_id"].to_list()
    assert analysis.plot().name == "ranking"


def test_a_figure_is_drawn_on_axes_that_are_there(results: dict[str, Any]) -> None:
    from matplotlib.figure import Figure as Canvas

    left, right = Canvas(figsize=(9, 3)).subplots(1, 2)

    assert results["analysis"].plot("ranking", ax=left) is left
    results["plan"].plot().draw(right)

    assert {text.get_color() for text in left.texts} == {LIGHT["ink"], LIGHT["soft"]}
    assert {text.get_text() for text in left.texts} >= {"95 % interval", "score"}
    assert "Money, fee included" in {text.get_text() for text in right.texts}
    assert all(text.get_fontsize() < 12 for text in (*left.texts, *right.texts))


def test_a_figure_on_a_dark_canvas_is_light(results: dict[str, Any]) -> None:
    from matplotlib.figure import Figure as Canvas

    axes = Canvas(facecolor="black").add_subplot()
    parted = Canvas(facecolor="black").subfigures(1, 2)[0].add_subplot(facecolor="black")

    for ax in (axes, parted):
        results["analysis"].plot("ranking", ax=ax)
        assert {text.get_color() for text in ax.texts} == {DARK["ink"], DARK["soft"]}


def test_an_analysis_can_be_kept_in_a_file(results: dict[str, Any]) -> None:
    again = pickle.loads(pickle.dumps(results["analysis"]))  # noqa: S301 (our own)

    assert again.to_json() == results["analysis"].to_json()
    assert again.table("ranking-variants").equals(results["analysis"].table("ranking-variants"))


def test_every_result_is_of_the_one_kind_that_shows_itself(results: dict[str, Any]) -> None:
    assert all(isinstance(found, Displayed) for found in results.values())
    assert [kind for kind, found in results.items() if isinstance(found, sy.Study)] == KINDS[3:]
