"""Reports: what they say, that they escape, that they compute nothing and fetch nothing."""

from __future__ import annotations

import json
import re
from base64 import b64decode
from dataclasses import replace
from html.parser import HTMLParser
from typing import Any

import polars as pl
import pytest

from steelyard.domain.exhibit import Figure, Table
from steelyard.domain.result import Analysis
from steelyard.domain.wording import Note
from steelyard.exhibits.ranking import short_ranking_table
from steelyard.report.html import report_html
from steelyard.report.json import analysis_json, analysis_record
from steelyard.report.numbers import number
from steelyard.report.text import agreement_line, analysis_text
from steelyard.review.payment import WORDS


class Outline(HTMLParser):
    """The ids, anchors, headings and text of a page, and whether its elements are closed."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.ids: list[str] = []
        self.anchors: list[str] = []
        self.open: list[str] = []
        self.words: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = dict(attrs)
        self.ids += [values["id"] or ""] if "id" in values else []
        if tag == "a" and (values.get("href") or "").startswith("#"):
            self.anchors.append((values["href"] or "")[1:])
        if tag != "meta":
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        pass

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.words.append(data)


def many_workers(analysis: Analysis, n_workers: int) -> Analysis:
    """The analysis with its workers repeated under new names."""
    copies = [
        analysis.workers.with_columns(pl.col("worker_id") + f"-{k}")
        for k in range(n_workers // len(analysis.workers))
    ]
    return replace(analysis, workers=pl.concat(copies))


def with_method_settings(analysis: Analysis, **choices: Any) -> Analysis:
    """The analysis as if its method had been told otherwise."""
    settings = analysis.settings
    told = replace(settings, method_settings=replace(settings.method_settings, **choices))
    return replace(analysis, settings=told)


def test_names_and_titles_are_escaped(analysis: Analysis, table: Table, every_mark: Figure) -> None:
    page = report_html(analysis, [table, every_mark])

    assert "&lt;b&gt;good&lt;/b&gt;" in page
    assert "<b>good</b>" not in page
    assert "<script" not in page
    assert "Mind &lt;this&gt;, at 50 %." in page
    assert "Careless &lt;here&gt;." in page


def test_the_page_fetches_nothing(analysis: Analysis, table: Table, every_mark: Figure) -> None:
    page = report_html(analysis, [table, every_mark])

    addresses = re.findall(r'href="([^"]*)"', page)
    assert addresses
    assert all(address.startswith(("#", "data:")) for address in addresses)
    assert re.findall(r"\bsrc=|url\(|@import|<link|<script|<iframe", page) == []


def test_every_element_is_closed_and_every_id_used_once(
    analysis: Analysis, table: Table, every_mark: Figure
) -> None:
    outline = Outline(report_html(analysis, [table, every_mark]))

    assert outline.open == []
    assert len(set(outline.ids)) == len(outline.ids)


def test_the_contents_lead_to_the_sections(analysis: Analysis, table: Table) -> None:
    outline = Outline(report_html(analysis, [table]))

    assert outline.anchors == ["ranking", "significance", "workers", "agreement", "further", "method"]
    assert set(outline.anchors) <= set(outline.ids)


def test_without_exhibits_the_ranking_is_drawn_all_the_same(analysis: Analysis) -> None:
    outline = Outline(report_html(analysis))

    assert "figure-ranking" in outline.ids
    assert "further" not in outline.anchors


def test_a_ranking_given_takes_the_place_of_ours(analysis: Analysis, every_mark: Figure) -> None:
    page = report_html(analysis, [replace(every_mark, name="ranking")])

    assert page.count('id="figure-ranking"') == 1
    assert "One of each." in page


@pytest.mark.parametrize(
    ("name", "section"),
    [
        ("ranking", "ranking"),
        ("significance", "significance"),
        ("agreement", "agreement"),
        ("odd", "further"),
    ],
)
def test_exhibits_stand_in_their_sections(
    analysis: Analysis, every_mark: Figure, name: str, section: str
) -> None:
    page = report_html(analysis, [replace(every_mark, name=name)])

    before = page[: page.index(f'id="figure-{name}"')]
    assert re.findall(r'<section id="(\w+)"', before)[-1] == section


def test_exhibits_keep_the_order_given(analysis: Analysis, table: Table, every_mark: Figure) -> None:
    page = report_html(analysis, [every_mark, table])

    assert page.index('id="figure-every-mark"') < page.index('id="table-toy"')


def test_the_pages_own_signature_is_not_repeated_under_each_exhibit(analysis: Analysis, table: Table) -> None:
    other = replace(table, name="other", signature="steelyard:0.2|other")

    page = report_html(analysis, [table, other])

    assert page.count(analysis.signature) == 1
    assert "steelyard:0.2|other" in page


def test_a_figure_saved_from_the_page_bears_the_signature(analysis: Analysis, every_mark: Figure) -> None:
    page = report_html(analysis, [every_mark])

    found = re.search(r'download="every-mark.svg" href="data:image/svg\+xml;base64,([^"]+)"', page)
    assert found
    assert analysis.signature in b64decode(found[1]).decode()


def test_the_page_names_the_winners_and_carries_the_signature(analysis: Analysis) -> None:
    page = report_html(analysis)

    assert "<strong>&lt;b&gt;good&lt;/b&gt;, fair &amp; square</strong> share the first place" in page
    assert f"<code>{analysis.signature}</code>" in page


@pytest.mark.parametrize(
    ("clusters", "said"),
    [
        ([1, 2, 2], "is rated above every other system"),
        ([1, 1, 1], "they form one cluster"),
    ],
)
def test_the_headline_follows_the_clusters(analysis: Analysis, clusters: list[int], said: str) -> None:
    systems = analysis.systems.with_columns(cluster=pl.Series(clusters))

    assert said in report_html(replace(analysis, systems=systems))


def test_a_single_system_is_no_winner(analysis: Analysis) -> None:
    alone = replace(analysis, systems=analysis.systems.head(1), pairs=analysis.pairs.clear())

    page = report_html(alone)

    assert "is the only system" in page
    assert 'id="significance"' not in page


def test_the_page_promises_no_more_about_borders_than_the_rule_does(analysis: Analysis) -> None:
    strict = report_html(analysis)
    weaker = report_html(replace(analysis, settings=replace(analysis.settings, clusters="wmt21")))

    promise = "every border between clusters separates systems that are"
    assert promise in strict
    assert promise not in weaker
    assert "rule of WMT21" in weaker


def test_the_page_has_each_systems_score_as_in_the_analysis(analysis: Analysis) -> None:
    page = report_html(analysis)

    for score in analysis.systems["score"]:
        assert f"<td>{number(score)}</td>" in page


def test_every_worker_is_on_the_page_with_verdict_flags_and_advice(analysis: Analysis) -> None:
    page = report_html(analysis)

    rows = [row for row in page.split("<tbody>") if 'class="verdict' in row]
    assert len(rows) == len(analysis.workers)
    (random,) = [row for row in rows if "w-random" in row]
    assert "failed" in random
    assert '<td class="text">refuse?</td>' in random
    assert f"“refuse?” stands for “{WORDS['refuse'].rstrip('.')}”" in page
    assert "degraded copies not rated lower, very fast" in random
    assert "Could not. About scores. About time." in random


def test_those_who_need_a_look_come_first(analysis: Analysis) -> None:
    page = report_html(analysis)

    places = [page.index(f'scope="row">{name}<') for name in ("w-random", "w-odd", "w-&lt;script&gt;")]
    assert places == sorted(places)
    assert places[-1] < page.index('scope="row">w-careful<')


def test_the_page_says_that_a_manager_decides(analysis: Analysis) -> None:
    page = report_html(analysis)

    assert (
        "Pay (3 workers). Look at the ratings before paying (1 worker). Refusing may be fair: look at the "
        "ratings, and decide yourself (1 worker)."
    ) in page
    assert "a manager decides: nobody is refused payment on a p-value" in page


def test_many_workers_are_folded_and_the_urgent_ones_shown(analysis: Analysis) -> None:
    crowd = many_workers(analysis, 300)

    page = report_html(crowd)

    assert "<details><summary>All 300 workers</summary>" in page
    assert "To be looked at first" in page
    assert "The first 10 of 120; the others lead the list of all workers." in page
    assert all(f"{name}-59" in page for name in ("w-careful", "w-random"))


def test_few_workers_are_listed_openly(analysis: Analysis) -> None:
    assert "<details open><summary>All 5 workers</summary>" in report_html(analysis)


def test_flags_contamination_and_hits_left_out_are_told(analysis: Analysis) -> None:
    page = report_html(analysis)

    assert "one HIT rated on another level (1 worker)" in page
    assert "about 2.1\N{NO-BREAK SPACE}% of those who passed" in page
    assert "1 single HIT was left out" in page
    assert "H3</td>" in page
    assert "H2</td>" not in page


def test_what_is_unknown_of_all_workers_has_no_column(analysis: Analysis) -> None:
    unknown = analysis.workers.with_columns(pl.lit(None, pl.Float64).alias("power"))

    assert ">Power</th>" in report_html(analysis)
    assert ">Power</th>" not in report_html(replace(analysis, workers=unknown))


def test_only_what_alarms_stands_in_the_alarm_box(analysis: Analysis) -> None:
    told = replace(
        analysis,
        warnings=("Nobody passed.", Note("Ignored columns: <colour>.")),
        notes=("3 % were ties.",),
    )

    page = report_html(told)

    box, after = page[page.index('<aside class="warnings"') :].split("</aside>", 1)
    assert "<li>Nobody passed.</li>" in box
    assert "Ignored" not in box
    assert "<li>3 % were ties.</li><li>Ignored columns: &lt;colour&gt;.</li>" in after
    assert "Read this first" not in report_html(replace(told, warnings=told.warnings[1:]))
    assert "Warning: Nobody passed.\nNote: Ignored columns: <colour>." in analysis_text(told)
    assert json.loads(analysis_json(told))["warnings"] == list(told.warnings)


def test_systems_that_could_not_be_tested_are_not_said_to_be_alike(analysis: Analysis) -> None:
    untested = replace(
        analysis,
        systems=analysis.systems.with_columns(cluster=pl.lit(1)),
        pairs=analysis.pairs.with_columns(pl.lit(None, pl.Float64).alias("p_value")),
    )

    page = report_html(untested)

    assert "No two systems could be tested against each other" in page
    assert "The chance that any true rank" not in page


def test_an_exhibit_does_not_repeat_the_title_of_the_page(analysis: Analysis, every_mark: Figure) -> None:
    page = report_html(analysis, [replace(every_mark, title=f"Every mark: {analysis.title}")])

    assert "<strong>Every mark.</strong>" in page


def test_without_a_check_everyone_counts(analysis: Analysis) -> None:
    unchecked = replace(
        analysis,
        settings=replace(analysis.settings, check="none"),
        workers=analysis.workers.with_columns(pl.lit(None, pl.String).alias("verdict")),
        contamination=None,
    )

    page = report_html(unchecked)

    assert "No check was applied: everyone's judgements count" in page
    assert "not checked" in page
    assert "clicked at random" not in page


@pytest.mark.parametrize(
    ("n_excluded", "said"),
    [
        (0, "everyone's judgements count."),
        (
            1,
            "judgements count, except those of 1 single HIT left out, listed below.",
        ),
        (2, "judgements count, except those of 2 single HITs left out, listed"),
    ],
)
def test_without_a_check_hits_left_out_are_told_all_the_same(
    analysis: Analysis, n_excluded: int, said: str
) -> None:
    hits = analysis.hits.with_columns(
        excluded=pl.when(pl.int_range(pl.len()) < n_excluded).then(pl.lit("It was rejected."))
    )
    settings = replace(analysis.settings, check="none")

    assert said in report_html(replace(analysis, settings=settings, hits=hits))


def test_the_page_says_what_could_not_be_shown_and_why(analysis: Analysis) -> None:
    said = "Check against pace is not shown: nothing is known of <time>."

    page = report_html(analysis, missing=[said])

    method = page[page.index('<section id="method">') :]
    assert "<li>Check against pace is not shown: nothing is known of &lt;time&gt;.</li>" in method
    assert "could be made" not in report_html(analysis)


@pytest.mark.parametrize(
    ("method", "said"),
    [
        ("mean-z", "95\N{NO-BREAK SPACE}%, by bootstrap over workers and segments, 1,000 draws"),
        ("expected-wins", "95\N{NO-BREAK SPACE}%, by bootstrap over texts alone, 1,000 draws"),
        ("easl", "95\N{NO-BREAK SPACE}%, by bootstrap over texts alone, 1,000 draws"),
    ],
)
def test_the_page_says_what_the_method_resamples(analysis: Analysis, method: str, said: str) -> None:
    settings = replace(analysis.settings, method=method)

    assert f"Intervals: {said}." in report_html(replace(analysis, settings=settings))


def test_without_draws_the_page_speaks_of_no_intervals(analysis: Analysis) -> None:
    assert "Intervals:" not in report_html(with_method_settings(analysis, draws=0))


@pytest.mark.parametrize(("level", "said"), [(0.9, "90"), (0.995, "99.5")])
def test_the_level_of_intervals_is_that_of_the_analysis(analysis: Analysis, level: float, said: str) -> None:
    other = with_method_settings(analysis, level=level)

    page = report_html(other).replace("\N{NO-BREAK SPACE}", " ")
    assert f"{said} % interval" in analysis_text(other)
    assert f"{said} % from" in page
    assert f"Intervals: {said} %," in page
    assert "95 %" not in analysis_text(other) + page


# Letters that end a text, make a terminal do things, or turn the order of what follows.
@pytest.mark.parametrize(
    "character", ["\x00", "\x1b", "\x9b", *map(chr, [*range(0x202A, 0x202F), *range(0x2066, 0x206A)])]
)
def test_no_name_brings_characters_that_change_the_page(
    analysis: Analysis, table: Table, every_mark: Figure, character: str
) -> None:
    bad = f"a{character}b"
    systems = analysis.systems.with_columns(system_id=pl.col("system_id") + bad, cluster=pl.Series([1, 2, 2]))
    named = replace(
        analysis,
        title=bad,
        systems=systems,
        workers=analysis.workers.with_columns(pl.col("worker_id", "reason") + bad),
        hits=analysis.hits.with_columns(pl.col("hit_id", "excluded") + bad),
        warnings=(bad,),
        signature=bad,
    )
    odd = replace(every_mark, title=bad, caption=bad)

    page = report_html(named, [replace(table, title=bad, notes=(bad,)), odd], [bad])

    assert character not in page
    assert "<strong>&lt;b&gt;good&lt;/b&gt;a\N{REPLACEMENT CHARACTER}b</strong> is rated above" in page
    assert character not in analysis_text(named)


def test_names_in_scripts_that_run_from_the_right_are_left_as_they_are(analysis: Analysis) -> None:
    page = report_html(replace(analysis, title="תרגום \u200fמכונה"))

    assert "תרגום \u200fמכונה" in page


def test_the_page_allows_itself_nothing_but_its_own_style(analysis: Analysis) -> None:
    page = report_html(analysis)

    policy = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"
    meta = f'<meta http-equiv="Content-Security-Policy" content="{policy}">'
    assert meta in page
    # What stands before a policy is not bound by it.
    assert page.index(meta) < page.index("<style>")


def test_each_attribute_has_its_ranking(analysis: Analysis) -> None:
    page = report_html(analysis)

    assert "By the attribute “adequacy” alone" in page
    assert "By the attribute “fluency_&amp;” alone" in page


def test_rankings_by_many_attributes_are_folded(analysis: Analysis) -> None:
    page = report_html(replace(analysis, attributes=analysis.attributes * 2))

    assert page.count("<details><summary>By the attribute “adequacy” alone</summary>") == 2


def test_agreement_is_shown_with_its_intervals(analysis: Analysis) -> None:
    page = report_html(analysis)

    assert "; between workers Krippendorff&#39;s alpha 0.43 [0.30, 0.50] (1,200 pairs).</p>" in page
    assert "<td>0.432</td><td>0.300</td><td>0.500</td>" in page


def test_agreement_of_z_comes_first_and_beside_it_that_of_plain_ratings(analysis: Analysis) -> None:
    of_z = analysis.agreement[2:3].with_columns(scale=pl.lit("z"), value=0.61, lower=0.55, upper=0.66)
    both = replace(analysis, agreement=pl.concat([analysis.agreement, of_z]))

    expected = "Krippendorff's alpha 0.61 [0.55, 0.66] of z, 0.43 of plain ratings (1,200 pairs)"
    assert expected in agreement_line(both)


def test_a_handful_of_pairs_gives_no_coefficient(analysis: Analysis) -> None:
    few = replace(analysis, agreement=analysis.agreement.with_columns(n_pairs=pl.lit(1, pl.Int64)))

    unknown = "unknown (too few: 1 pair)"
    assert agreement_line(few) == f"agreement within workers {unknown}; between workers {unknown}"
    page = report_html(few)
    assert "Fewer than 10 pairs are too few for a coefficient." in page
    assert "0.432" not in page


def test_two_workers_alone_give_no_coefficient(analysis: Analysis) -> None:
    few = replace(analysis, agreement=analysis.agreement.with_columns(n_workers=pl.lit(2, pl.Int64)))

    assert agreement_line(few).endswith("between workers unknown (too few: 1,200 pairs by 2 workers)")
    page = report_html(few)
    assert "1,200 pairs of ratings by 2 workers are there, too few workers for a coefficient." in page
    assert "0.432" not in page


def test_an_analysis_without_agreement_or_hits_has_no_such_sections(analysis: Analysis) -> None:
    bare = replace(analysis, agreement=analysis.agreement.clear(), hits=analysis.hits.clear(), attributes=())
    without_pairs = replace(analysis, agreement=analysis.agreement.with_columns(n_pairs=pl.lit(0, pl.Int64)))

    page = report_html(bare)

    assert 'id="agreement"' not in page
    assert "HITs left out" not in page
    assert "#agreement" not in report_html(without_pairs)


def test_the_style_follows_the_screen_but_paper_is_light(analysis: Analysis) -> None:
    page = report_html(analysis)

    assert "@media screen and (prefers-color-scheme: dark)" in page
    assert "@page { size: A4;" in page
    assert "--main-edge: #00588a;" in page


def test_the_page_is_the_same_every_time(analysis: Analysis, every_mark: Figure) -> None:
    assert report_html(analysis, [every_mark]) == report_html(analysis, [every_mark])


@pytest.mark.parametrize(("low", "high", "expected"), [(1, 1, "1"), (2, 5, "2–5")])
def test_rank_ranges_read_naturally(analysis: Analysis, low: int, high: int, expected: str) -> None:
    systems = analysis.systems.head(1).with_columns(rank_low=pl.lit(low), rank_high=pl.lit(high))

    assert short_ranking_table(analysis, systems).rows["ranks"].to_list() == [expected]


def test_the_terminal_draws_a_line_between_clusters(analysis: Analysis) -> None:
    lines = analysis_text(analysis).splitlines()

    header = next(place for place, line in enumerate(lines) if "95 % interval" in line)
    rules = [place - header for place, line in enumerate(lines[: header + 6]) if set(line) == {"-"}]
    assert rules == [1, 4]
    assert lines[-1] == analysis.signature


@pytest.mark.parametrize(
    "line",
    [
        "5 workers (2 fail, 1 insufficient, 2 pass); 60 of 200 judgements kept",
        "2 workers flagged for review: scores 1, shift 1, time 1",
        "1 single HIT left out, each for its own reason",
        "about 2.1 % of those who passed can be expected to have clicked at random",
        "agreement within workers Pearson's r 0.77 (30 pairs); between workers Krippendorff's alpha 0.43 "
        "[0.30, 0.50] (1,200 pairs)",
        "Warning: Mind <this>, at 50 %.",
    ],
)
def test_the_terminal_tells_what_was_found(analysis: Analysis, line: str) -> None:
    assert line in analysis_text(analysis).splitlines()


def test_the_terminal_sets_attributes_side_by_side(analysis: Analysis) -> None:
    lines = analysis_text(analysis).splitlines()

    place = next(k for k, line in enumerate(lines) if line.startswith("by attribute"))
    assert lines[place].split() == ["by", "attribute", "adequacy", "fluency_&"]
    assert lines[place + 4].split() == ["bad_50%", "−0.600", "(3)", "−0.600", "(1)"]


def test_the_terminal_is_silent_on_what_is_not_there(analysis: Analysis) -> None:
    bare = replace(
        analysis,
        agreement=analysis.agreement.clear(),
        hits=analysis.hits.clear(),
        attributes=(),
        contamination=None,
        warnings=(),
        workers=analysis.workers.with_columns(pl.lit([], pl.List(pl.String)).alias("flags")),
    )

    text = analysis_text(bare)

    assert not re.findall("agreement|HIT|attribute|random|flag|Warning", text)


def test_no_name_can_command_the_terminal(analysis: Analysis) -> None:
    systems = analysis.systems.with_columns(system_id=pl.Series(["\x1b[31mred", "b\r\nb", "c"]))

    text = analysis_text(replace(analysis, systems=systems, attributes=(), title="\x1b]0;x\x07"))

    assert not set("\x1b\r\x07") & set(text)


def test_json_has_null_for_what_is_unknown_and_full_precision(analysis: Analysis) -> None:
    document = json.loads(analysis_json(analysis))

    assert document["workers"][0]["offset"] is None
    assert document["workers"][4]["sd"] is None
    assert document["systems"][2]["lower"] is None
    assert document["systems"][0]["score"] == 0.51234567890123
    assert "NaN" not in analysis_json(analysis)


def test_the_json_of_a_worker_begins_with_the_contracts_keys(analysis: Analysis) -> None:
    keys = list(analysis_record(analysis)["workers"][0])

    contract = ["worker_id", "n_judgements", "n_pairs", "mean_difference", "statistic", "p_value", "verdict"]
    contract += ["flags", "mean", "sd", "offset", "slope", "precision", "weight"]
    added = [
        "offset_sd",
        "slope_sd",
        "precision_sd",
        "portrait",
        "sd_difference",
        "power",
        "n_repeats",
        "consistency_p",
        "equivalence_p",
    ]
    added += ["seconds_per_judgement", "suggestion", "reason", "remarks"]
    assert keys == contract + added


def test_the_json_has_attributes_agreement_and_hits_left_out(analysis: Analysis) -> None:
    document = json.loads(analysis_json(analysis))

    assert [ranking["attribute"] for ranking in document["attributes"]] == ["adequacy", "fluency_&"]
    assert document["attributes"][1]["systems"][0]["system_id"] == "bad_50%"
    assert document["agreement"][2]["value"] == 0.4321
    assert document["excluded_hits"] == [{"worker_id": "w-odd", "hit_id": "H3", "reason": "Careless <here>."}]
    assert document["contamination"] == 0.0213


def test_an_unknown_contamination_is_null(analysis: Analysis) -> None:
    assert analysis_record(replace(analysis, contamination=None))["contamination"] is None


def test_one_attribute_alone_gives_no_list_of_attributes(analysis: Analysis) -> None:
    assert analysis_record(replace(analysis, attributes=()))["attributes"] == []
