"""A source that has only preferences goes all the way to a report."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import polars as pl
import pytest

from steelyard.domain.errors import ChoiceError, NotEnoughData
from steelyard.domain.exhibit import Evidence, ExhibitOptions
from steelyard.evaluation.normalisation.settings import NormalisationSettings
from steelyard.evaluation.settings import EvaluationSettings
from steelyard.exhibits import figures, tables
from steelyard.flows.analyse import analyse, weigh
from steelyard.flows.evaluate import evaluate
from steelyard.flows.exhibit import report_exhibits
from steelyard.flows.kept import keep_good
from steelyard.flows.normalise import normalise
from steelyard.flows.settings import settings_from
from steelyard.flows.source import Source
from steelyard.frames import RATINGS_SCHEMA, hit_times_frame, ratings_frame
from steelyard.report.html import report_html
from steelyard.report.json import analysis_json
from steelyard.report.text import analysis_text
from steelyard.simulate.preferences import PreferenceCrowd, simulated_preferences

STRENGTHS = {"A": 1.0, "B": 0.0, "C": -1.0}
CROWD = PreferenceCrowd(n_workers=16, n_careless=2, n_repeats=5, n_degraded=12, drop=4.0)


def _source(crowd: PreferenceCrowd = CROWD, *, seed: int = 3) -> Source:
    frame = simulated_preferences(STRENGTHS, crowd, np.random.default_rng(seed))
    return Source(pl.DataFrame(schema=RATINGS_SCHEMA), title="Pairs", campaign="pairs", preferences=frame)


@pytest.fixture(scope="module")
def evidence() -> Evidence:
    source = _source()
    return weigh(source, settings_from(source))


def test_the_usual_method_and_check_are_those_of_preferences(evidence: Evidence) -> None:
    settings = evidence.analysis.settings

    assert (settings.method, settings.check) == ("bradley-terry", "preferred-original")
    assert "|qc:preferred-original|" in evidence.analysis.signature
    assert "|method:bradley-terry|" in evidence.analysis.signature
    assert "|test:errors|" in evidence.analysis.signature


@pytest.mark.parametrize(
    ("method", "absent", "present"),
    [
        ("bradley-terry", {"unit", "over", "per", "boot"}, {"test", "clusters", "seed"}),
        ("trueskill", {"unit", "over", "per"}, {"boot", "seed"}),
    ],
)
def test_a_signature_states_only_what_applied(method: str, absent: set[str], present: set[str]) -> None:
    source = _source()

    signature = weigh(source, settings_from(source, method=method, draws=40)).analysis.signature

    keys = {part.partition(":")[0] for part in signature.split("|")}
    assert not absent & keys
    assert present <= keys


def test_a_signature_says_that_there_are_no_intervals() -> None:
    source = _source()

    assert "|boot:0|" in weigh(source, settings_from(source, draws=0)).analysis.signature


def test_shares_of_ties_are_reported_with_the_counts_and_are_no_warning(evidence: Evidence) -> None:
    analysis = evidence.analysis

    (note, *_) = analysis.notes
    assert "were for neither translation" in note
    assert not any("neither" in warning for warning in analysis.warnings)
    assert f"\n{note}\n" in analysis_text(analysis)
    assert json.loads(analysis_json(analysis))["notes"] == list(analysis.notes)
    page = report_html(analysis)
    # Among the notes at the head, before the first section.
    assert page.index('class="notes"') < page.index(note) < page.index('id="ranking"')


def test_the_check_of_a_campaign_gives_way_if_it_cannot_read_preferences() -> None:
    source = replace(_source(), check="paired-t")

    assert settings_from(source).check == "preferred-original"
    assert settings_from(replace(source, check="none")).check == "none"


def test_systems_are_ranked_and_judgements_counted(evidence: Evidence) -> None:
    analysis = evidence.analysis

    assert analysis.systems["system_id"].to_list() == ["A", "B", "C"]
    assert analysis.systems["mean_rating"].null_count() == 3
    assert analysis.counts.judgements == 16 * (40 + 5 + 12)
    assert analysis.counts.systems == 3
    assert analysis.counts.workers == 16


def test_workers_who_answer_at_random_are_left_out(evidence: Evidence) -> None:
    verdicts = dict(evidence.analysis.workers.select("worker_id", "verdict").iter_rows())

    assert {verdicts["w000"], verdicts["w001"]} == {"fail"}
    assert list(verdicts.values()).count("pass") >= 13
    kept = evidence.judged.filter(evidence.keeps)
    assert set(kept["worker_id"]) == {name for name, verdict in verdicts.items() if verdict == "pass"}


def test_agreement_is_within_and_between_workers(evidence: Evidence) -> None:
    found = evidence.analysis.agreement.select("of", "scale", "categories", "coefficient").rows()

    assert found == [
        ("intra", "preference", 3, "kappa"),
        ("inter", "preference", 3, "kappa"),
        ("inter", "preference", None, "alpha"),
    ]
    assert evidence.analysis.agreement["n_pairs"].min() > 0  # type: ignore[operator]


def test_reports_are_written(evidence: Evidence) -> None:
    made, missing = report_exhibits(evidence, ExhibitOptions())

    assert {"ranking", "significance"} <= {exhibit.name for exhibit in made}
    assert all("this needs ratings" in sentence for sentence in missing)
    assert "A" in analysis_text(evidence.analysis)
    assert json.loads(analysis_json(evidence.analysis))["systems"][0]["system_id"] == "A"
    assert "standard errors that allow for clusters" in report_html(evidence.analysis, made, missing)


@pytest.mark.parametrize("name", ["ranking", "significance", "agreement", "pass-counts", "workers"])
def test_tables_are_made(name: str, evidence: Evidence) -> None:
    assert len(tables()[name].make([evidence], ExhibitOptions(draws=60)).rows)


@pytest.mark.parametrize("name", ["ranking", "significance"])
def test_figures_are_made(name: str, evidence: Evidence) -> None:
    assert figures()[name].make([evidence], ExhibitOptions()).panels  # type: ignore[union-attr]


def test_an_exhibit_of_ratings_says_what_it_needs(evidence: Evidence) -> None:
    with pytest.raises(NotEnoughData, match="This needs ratings"):
        figures()["rating-histograms"].make([evidence], ExhibitOptions())


def test_a_method_of_ratings_names_those_that_can() -> None:
    source = _source()

    with pytest.raises(
        ChoiceError, match=r"mean-z reads ratings, .* preferences\. Use one of: bradley-terry, "
    ):
        analyse(source, settings_from(source, method="mean-z"))


def test_a_check_of_ratings_names_those_that_can() -> None:
    source = _source()

    with pytest.raises(ChoiceError, match=r"paired-t reads ratings, .* Use one of: preferred-original\."):
        analyse(source, settings_from(source, check="paired-t"))


def test_what_needs_ratings_says_so() -> None:
    source = _source()
    settings = settings_from(source)

    with pytest.raises(NotEnoughData, match="There are no ratings"):
        keep_good(source, settings)
    with pytest.raises(NotEnoughData, match="There are no ratings"):
        evaluate(source, EvaluationSettings(analysis=settings))
    with pytest.raises(NotEnoughData, match="There are no ratings"):
        normalise(source, NormalisationSettings(analysis=settings))


def test_a_source_with_ratings_too_is_checked_by_these() -> None:
    source = _source()
    rng = np.random.default_rng(4)
    rows = [
        (worker, kind, f"s{number}", 60.0 + rng.normal(0, 5) - 30 * (kind == "degraded" and worker != "w003"))
        for worker in source.preferences["worker_id"].unique().sort()
        for number in range(8)
        for kind in ("regular", "degraded")
    ]
    columns = ["worker_id", "item_kind", "segment_id", "rating"]
    frame = pl.DataFrame(rows, schema=columns, orient="row").with_columns(
        hit_id=pl.lit("h"), system_id=pl.lit("A"), attribute=pl.lit("")
    )
    both = replace(source, frame=ratings_frame(frame))

    by_rating = settings_from(both)
    evidence = weigh(both, settings_from(both, method="bradley-terry"))

    assert (by_rating.method, by_rating.check) == ("mean-z", "paired-t")
    assert evidence.analysis.counts.judgements == len(source.preferences)
    verdicts = dict(evidence.analysis.workers.select("worker_id", "verdict").iter_rows())
    assert [name for name, verdict in verdicts.items() if verdict == "fail"] == ["w003"]


@pytest.mark.parametrize("method", ["trueskill", "expected-wins", "hopkins-may"])
def test_comparators_rank_preferences(method: str) -> None:
    source = _source()

    assert analyse(source, settings_from(source, method=method)).systems["system_id"].to_list() == [
        "A",
        "B",
        "C",
    ]


def test_no_judgement_at_all_is_not_enough() -> None:
    source = Source(pl.DataFrame(schema=RATINGS_SCHEMA), title="", campaign="c")

    with pytest.raises(NotEnoughData, match="no judgements yet"):
        analyse(source, settings_from(source))


def test_leaning_to_one_side_is_reported() -> None:
    source = _source(replace(CROWD, first_bias=1.0))

    warnings = analyse(source, settings_from(source, check="none")).warnings

    assert any(warning.startswith("The translation shown first was preferred in") for warning in warnings)


def test_a_fair_crowd_leans_to_no_side(evidence: Evidence) -> None:
    assert not any("shown first" in warning for warning in evidence.analysis.warnings)


@pytest.mark.parametrize(
    ("method", "n_workers", "words"),
    [
        ("bradley-terry", 1, "The scores rest on 1 worker: agreement between workers cannot be computed"),
        (
            "bradley-terry",
            3,
            "The scores rest on 3 workers: with 2 degrees of freedom only large differences are significant",
        ),
        ("trueskill", 3, "The scores rest on 3 workers: what others would have said cannot be estimated"),
    ],
)
def test_few_workers_are_reported_as_the_intervals_have_it(method: str, n_workers: int, words: str) -> None:
    source = _source(replace(CROWD, n_workers=n_workers, n_careless=0))

    warnings = analyse(source, settings_from(source, method=method, check="none", draws=50)).warnings

    assert [warning for warning in warnings if warning.startswith(words)]
    assert len([warning for warning in warnings if "scores rest on" in warning]) == 1


def test_a_rejected_hit_is_left_out() -> None:
    source = _source()
    rejected = pl.DataFrame({"worker_id": ["w005"], "hit_id": ["h005"], "is_rejected": [True]})
    source = replace(source, hit_times=hit_times_frame(rejected))

    analysis = analyse(source, settings_from(source, check="none"))

    assert analysis.counts.kept_workers == 15
    assert "rejected" in dict(analysis.workers.select("worker_id", "flags").iter_rows())["w005"]


def test_controls_without_a_side_are_reported() -> None:
    source = _source()
    sideless = source.preferences.with_columns(control_side=pl.lit(None, pl.String))

    analysis = analyse(replace(source, preferences=sideless), settings_from(source, check="none"))

    assert any("do not say which side is the degraded copy" in warning for warning in analysis.warnings)


def test_sources_name_the_frames_they_have() -> None:
    source = _source()

    assert source.gives == ("preferences",)
    assert source.of("preferences") is source.preferences


def test_a_report_of_preferences_does_not_speak_of_ratings() -> None:
    source = _source()
    analysis = analyse(source, settings_from(source, worker_slopes=True))

    page = " ".join(report_html(analysis).split())

    assert "<strong>A</strong> is ranked above every other system." in page
    assert "in which the worker preferred the text, less the share" in page
    assert "Slope: how clearly a worker's preferences tell systems apart" in page
    assert not [word for word in ("is rated", "a worker rated", "How they rate", "Offset:") if word in page]
