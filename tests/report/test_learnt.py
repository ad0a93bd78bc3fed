"""What reports say of draws, of workers' manners and of how a method came to its answer; else nothing."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from steelyard.domain.exhibit import Figure
from steelyard.domain.result import Analysis, Diagnostics
from steelyard.exhibits.rank_probabilities import expected_ranks_table
from steelyard.exhibits.workers import short_workers_table
from steelyard.report.html import report_html
from steelyard.report.json import analysis_json, analysis_record
from steelyard.report.latex import write_latex
from steelyard.report.text import analysis_text
from steelyard.report.words import settled

SPACE = "\N{NO-BREAK SPACE}"


def section(page: str, name: str) -> str:
    """One section of a page."""
    start = page.index(f'<section id="{name}">')
    return page[start : page.index("</section>", start)]


def rows_of(page: str, heading: str) -> list[str]:
    """The rows below the heading."""
    body = page[page.index(f"<h3>{heading}</h3>") :]
    table = body[body.index("<tbody>") : body.index("</tbody>")]
    return [re.sub(r"<[^>]+>", "|", row) for row in table.split("<tr>")[1:]]


class Closed(HTMLParser):
    """Asserts that elements are closed in order."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: object) -> None:
        if tag != "meta":
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: object) -> None:
        pass

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


# JSON


def test_the_json_has_the_posterior_of_ranks(learnt: Analysis) -> None:
    posterior = json.loads(analysis_json(learnt))["posterior"]

    # Ranks of the first system: 1 1 2 1; of the second: 2 2 1 2; the third is always last.
    assert posterior == [
        {
            "system_id": "<b>good</b>",
            "expected_rank": 1.25,
            "p_best": 0.75,
            "rank_probabilities": [0.75, 0.25, 0.0],
        },
        {
            "system_id": "fair & square",
            "expected_rank": 1.75,
            "p_best": 0.25,
            "rank_probabilities": [0.25, 0.75, 0.0],
        },
        {"system_id": "bad_50%", "expected_rank": 3.0, "p_best": 0.0, "rank_probabilities": [0.0, 0.0, 1.0]},
    ]


def test_the_json_has_the_diagnostics_with_the_contracts_keys_first(learnt: Analysis) -> None:
    diagnostics = json.loads(analysis_json(learnt))["diagnostics"]

    assert list(diagnostics.items()) == [
        ("converged", True),
        ("sweeps", 23),
        ("seconds", 1.25),
        ("skipped", 2.0),
    ]


def test_a_note_takes_the_place_of_no_key_and_is_null_if_it_is_no_number(learnt: Analysis) -> None:
    notes = (("sweeps", 99.0), ("change", float("nan")))
    told = analysis_record(replace(learnt, diagnostics=Diagnostics(True, 23, 1.25, notes)))["diagnostics"]

    assert told == {"converged": True, "sweeps": 23, "seconds": 1.25, "change": None}


def test_the_json_of_workers_has_deviations_and_portraits(learnt: Analysis) -> None:
    first, *_, last = json.loads(analysis_json(learnt))["workers"]

    assert (first["offset_sd"], first["slope_sd"], first["precision_sd"]) == (1.0, 0.1, 0.2)
    assert first["portrait"] == "generous <b>"
    assert [last[name] for name in ("offset", "offset_sd", "slope_sd", "precision_sd", "portrait")] == [
        None
    ] * 5


def test_without_draws_and_steps_the_json_has_neither(analysis: Analysis) -> None:
    document = analysis_record(analysis)

    assert not {"posterior", "diagnostics"} & set(document)


def test_draws_that_give_no_order_give_no_posterior(learnt: Analysis) -> None:
    assert "posterior" not in analysis_record(replace(learnt, draws=np.full((4, 3), np.nan)))


def test_the_posterior_of_a_single_system_is_certain(learnt: Analysis) -> None:
    assert learnt.draws is not None
    alone = replace(learnt, systems=learnt.systems.head(1), draws=learnt.draws[:, :1])

    (row,) = analysis_record(alone)["posterior"]
    assert (row["expected_rank"], row["p_best"], row["rank_probabilities"]) == (1.0, 1.0, [1.0])


# The terminal


def test_the_terminal_says_how_sure_the_order_is(learnt: Analysis) -> None:
    lines = analysis_text(learnt).splitlines()

    place = lines.index(next(line for line in lines if line.startswith("how sure")))
    assert re.split(r"  +", lines[place]) == ["how sure", "expected rank", "best"]
    assert re.split(r"  +", lines[place + 2]) == ["<b>good</b>", "1.25", "75.0 %"]
    assert re.split(r"  +", lines[place + 4]) == ["bad_50%", "3.00", "0.0 %"]


def test_the_terminal_says_that_the_method_settled(learnt: Analysis) -> None:
    assert "mean-z settled after 23 sweeps over the ratings" in analysis_text(learnt).splitlines()


def test_the_terminal_says_nothing_of_draws_and_steps_where_there_are_none(analysis: Analysis) -> None:
    assert not re.findall("how sure|settled", analysis_text(analysis))


def test_the_terminal_draws_no_table_for_one_system(learnt: Analysis) -> None:
    assert learnt.draws is not None
    alone = replace(learnt, systems=learnt.systems.head(1), draws=learnt.draws[:, :1], attributes=())

    assert "how sure" not in analysis_text(alone)


@pytest.mark.parametrize(
    ("diagnostics", "told"),
    [
        (None, ""),
        (Diagnostics(True, 1), "settled after 1 sweep over the ratings"),
        (Diagnostics(True, 2000), "settled after 2,000 sweeps over the ratings"),
        (
            Diagnostics(False, 200),
            "not settled after 200 sweeps over the ratings: do not rely on these numbers",
        ),
    ],
)
def test_what_did_not_settle_is_not_to_be_relied_on(diagnostics: Diagnostics | None, told: str) -> None:
    assert settled(diagnostics) == told


# The page


def test_the_page_says_how_sure_the_order_is(learnt: Analysis) -> None:
    sure = section(report_html(learnt), "sure")

    assert (
        "<strong>&lt;b&gt;good&lt;/b&gt;</strong> is the best system with a probability of "
        f"75.0{SPACE}%" in sure
    )
    assert f"<td>1.25</td><td>75.0{SPACE}%</td>" in sure
    assert f"<td>3.00</td><td>0.0{SPACE}%</td>" in sure


def test_the_most_probable_best_need_not_be_the_first_of_the_ranking(learnt: Analysis) -> None:
    assert learnt.draws is not None
    sure = section(report_html(replace(learnt, draws=learnt.draws[:, [1, 0, 2]])), "sure")

    assert "<strong>fair &amp; square</strong> is the best system" in sure


def test_the_contents_lead_to_how_sure(learnt: Analysis) -> None:
    assert '<a href="#sure">How sure</a>' in report_html(learnt)


@pytest.mark.parametrize(
    ("name", "place"),
    [("rank-probabilities", "sure"), ("score-posterior", "sure"), ("worker-parameters", "workers")],
)
def test_the_new_figures_stand_in_their_sections(
    learnt: Analysis, every_mark: Figure, name: str, place: str
) -> None:
    page = report_html(learnt, [replace(every_mark, name=name)])

    assert f'id="figure-{name}"' in section(page, place)


def test_many_systems_are_folded(learnt: Analysis) -> None:
    n = 13
    names = [f"s{k}" for k in range(n)]
    systems = pl.concat([learnt.systems.head(1)] * n).with_columns(system_id=pl.Series(names))
    many = replace(learnt, systems=systems, draws=np.tile(np.arange(n, 0.0, -1.0), (2, 1)), attributes=())

    assert "<details><summary>All 13 systems</summary>" in section(report_html(many), "sure")


def test_each_worker_has_numbers_and_words_those_of_least_weight_first(learnt: Analysis) -> None:
    rows = rows_of(report_html(learnt), "How they rate")

    assert ["w-" + re.findall(r"w-([^|]+)", row)[0] for row in rows] == [
        *("w-random", "w-odd", "w-lost", "w-careful", "w-&lt;script&gt;"),
    ]
    assert "|w-careful||+9.2 ± 1.0||0.50 ± 0.10||2.10||generous &lt;b&gt;|" in rows[3]


@pytest.mark.parametrize(
    ("place", "said"),
    [
        # No deviation is known of the first; 0.04 is neither above nor below 0 in one digit.
        (0, "|+1.0||1.00 ± 0.10||0.01||adds nothing|"),
        (1, "|0.0 ± 2.0||1.50 ± 0.10||0.40||uses it all|"),
        (2, "|−4.0 ± 0.5||1.00 ± 0.20||1.00||harsh by 4 points|"),
        (4, "|–||–||–||–|"),
    ],
)
def test_signs_and_deviations_are_told_as_far_as_they_are_known(
    learnt: Analysis, place: int, said: str
) -> None:
    assert said in rows_of(report_html(learnt), "How they rate")[place]


def test_weights_against_an_expert_are_told_as_such(learnt: Analysis) -> None:
    unknown = [pl.lit(None, pl.Float64).alias(name) for name in ("slope", "slope_sd", "offset_sd")]

    page = report_html(replace(learnt, workers=learnt.workers.with_columns(unknown)))

    assert "than the expert" in page
    assert "1 being average" not in page


def test_what_the_method_does_not_learn_has_no_column(learnt: Analysis) -> None:
    workers = learnt.workers.with_columns(
        pl.lit(None, pl.Float64).alias("slope"), pl.lit(None, pl.Float64).alias("slope_sd")
    )

    page = report_html(replace(learnt, workers=workers))

    assert 'data-title="Offset"' in page
    assert 'data-title="Slope"' not in page
    assert "Slope: how far apart" not in page


def test_many_workers_are_folded(learnt: Analysis) -> None:
    copies = [learnt.workers.with_columns(pl.col("worker_id") + f"-{k}") for k in range(7)]

    page = report_html(replace(learnt, workers=pl.concat(copies)))

    assert "<details><summary>All 35 workers, those of least weight first</summary>" in page


def test_the_page_says_how_the_method_came_to_its_answer(learnt: Analysis) -> None:
    by_model = replace(learnt, settings=replace(learnt.settings, method="worker-model"))
    method = section(report_html(by_model), "method")

    assert "settled after 23 sweeps over the ratings" in method
    assert f"Intervals: 95{SPACE}%, from standard errors that allow for clusters of workers" in method


def test_how_long_it_took_is_not_on_the_page(learnt: Analysis) -> None:
    slower = replace(learnt, diagnostics=Diagnostics(True, 23, 99.0))

    assert report_html(slower) == report_html(learnt)


def test_the_page_is_well_formed(learnt: Analysis) -> None:
    page = report_html(learnt)

    assert Closed(page).open == []
    assert "<b>" not in page


def test_the_page_of_a_method_that_learns_nothing_has_none_of_it(analysis: Analysis) -> None:
    page = report_html(analysis)

    assert not re.findall('id="sure"|How they rate|settled', page)


# Tables


def test_the_workers_file_has_what_was_learnt(learnt: Analysis, analysis: Analysis) -> None:
    plain, more = (
        {column.name for column in short_workers_table(each).columns} for each in (analysis, learnt)
    )

    assert more - plain == {
        *("offset", "offset_sd", "slope", "slope_sd", "precision", "precision_sd", "weight", "portrait"),
    }


def test_the_table_of_ranks_rests_on_its_draws(learnt: Analysis, analysis: Analysis) -> None:
    table = expected_ranks_table(learnt)

    assert table is not None
    assert table.notes == ("From 4 draws of what the scores may be.",)
    assert expected_ranks_table(analysis) is None


# LaTeX


@pytest.fixture(scope="module")
def folder(learnt: Analysis, tmp_path_factory: pytest.TempPathFactory) -> Path:
    target = tmp_path_factory.mktemp("latex")
    write_latex(target, learnt)
    return target


def test_print_has_expected_ranks(folder: Path) -> None:
    table = (folder / "table-expected-ranks.tex").read_text("utf-8")

    assert r"bad\_50\% & 3.00 & 0.0~\% \\" in table


def test_print_says_that_the_method_settled(folder: Path) -> None:
    document = (folder / "report.tex").read_text("utf-8")

    assert "Mean-z settled after 23 sweeps over the ratings." in document
    assert r"\input{table-expected-ranks}" in document


def test_print_names_no_worker(folder: Path) -> None:
    assert all("w-careful" not in path.read_text("utf-8") for path in folder.glob("*.tex"))


def test_print_has_no_ranks_without_draws(analysis: Analysis, tmp_path: Path) -> None:
    write_latex(tmp_path, analysis)

    assert not (tmp_path / "table-expected-ranks.tex").exists()


def test_a_report_on_everyone_says_so(learnt: Analysis) -> None:
    everyone = replace(learnt, settings=replace(learnt.settings, keep_everyone=True))

    page = report_html(everyone)

    assert "Scores rest on everyone" in page
    assert "Scores rest on those who passed" not in page
