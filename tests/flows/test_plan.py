"""Plans from numbers and from campaign files: defaults, wrong choices, and the real design's counts."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from steelyard.domain.errors import ChoiceError
from steelyard.flows.create import create
from steelyard.flows.plan import plan
from steelyard.planning.power import simulate_tests

WORDS = ("river", "market", "winter", "letter", "garden", "engine", "harbour", "window", "doctor", "singer")


@pytest.fixture(autouse=True)
def few_simulations(monkeypatch: pytest.MonkeyPatch) -> None:
    """Plans simulate a quarter of the campaigns: tests/planning shows that what they promise is kept."""
    for name, fewer in (("_ON_THE_WAY", 20), ("_AT_THE_END", 80), ("_TESTS_AT_THE_END", 200)):
        monkeypatch.setattr(f"steelyard.planning.search.{name}", fewer)


@pytest.fixture
def write_campaign(tmp_path: Path) -> Callable[..., Path]:
    """A campaign of two systems and 40 segments in HITs of 50; all texts differ unless `same` is set."""

    def sentences(name: str) -> str:
        order = [
            [WORDS[(k * step + shift) % 10] for shift, step in enumerate((1, 5, 7, 3, 2, 4))]
            for k in range(40)
        ]
        return "".join(f"{name} number {k} saw the {' and '.join(words)}\n" for k, words in enumerate(order))

    def write(design: str = "", *, same: bool = False) -> Path:
        for name in ("source", "reference", "iron", "tin"):
            (tmp_path / f"{name}.txt").write_text(
                sentences("iron" if same and name == "tin" else name), "utf-8"
            )
        path = tmp_path / "campaign.toml"
        path.write_text(
            '[campaign]\nname = "two"\ntitle = "Two"\nprotocol = "da"\nattribute = "fluency"\n'
            'source_language = "de"\ntarget_language = "en"\n'
            '[texts]\nsource = "source.txt"\nreference = "reference.txt"\n'
            '[[systems]]\nname = "iron"\ntranslations = "iron.txt"\n'
            '[[systems]]\nname = "tin"\ntranslations = "tin.txt"\n'
            f"[design]\nhit_size = 50\n{design}\n",
            "utf-8",
        )
        return path

    return write


def test_the_worked_example_needs_only_systems_and_ratings() -> None:
    spent = plan(systems=5, ratings_per_system=1500).expected.outlay

    assert (spent.hits, spent.hours, round(spent.cost, 2)) == (154, 77.0, 1108.80)


def test_the_worked_example_with_every_number_given() -> None:
    made = plan(
        systems=5, ratings_per_system=1500, usable_share=0.8, pass_rate=0.61, seconds=18, wage=12, fee=0.2
    )

    assert made.setup.terms.pay_per_hit == 6.00
    assert made.expected.outlay == plan(systems=5, ratings_per_system=1500).expected.outlay


def test_fluency_is_faster_and_more_of_it_is_kept() -> None:
    setup = plan(systems=5, difference=0.5, attribute="fluency").setup

    assert (setup.terms.seconds_per_item, setup.pass_rate) == (13, 0.64)


@pytest.mark.parametrize("hit_size", [50, 100, 200])
def test_shares_come_from_the_layout(hit_size: int) -> None:
    setup = plan(systems=5, difference=0.5, hit_size=hit_size).setup

    assert (setup.usable_share, setup.item_share) == (0.8, 0.7)


def test_what_was_not_said_is_listed_and_what_was_is_not() -> None:
    assumptions = plan(systems=5, difference=0.5, pass_rate=0.5).assumptions

    assert not any("kept" in sentence for sentence in assumptions)
    assert any("18 s" in sentence for sentence in assumptions)


@pytest.mark.parametrize(
    ("choices", "named"),
    [
        (
            {"systems": 5},
            "exactly one goal: difference, ratings_per_system, reliability, ratings_per_item, budget",
        ),
        ({"systems": 5, "difference": 0.1, "budget": 9}, "not difference and budget together"),
        ({"difference": 0.1}, "give systems, or a campaign file"),
        ({"systems": 5, "reliability": 0.9}, "reliability is about single translations: give segments"),
        (
            {"systems": 5, "ratings_per_item": 3},
            "ratings_per_item is about single translations: give segments",
        ),
        ({"systems": 5, "budget": 9, "wage": 9, "pay_per_hit": 1}, "wage and pay_per_hit"),
        ({"systems": 1, "segments": 9, "difference": 0.1}, "difference needs two systems"),
        ({"systems": 1, "budget": 100}, "give segments, or more systems"),
        ({"systems": 5, "budget": 9, "protocol": "dice"}, 'protocol "dice" is unknown; choose from:'),
        (
            {"systems": 5, "budget": 9, "attribute": "taste"},
            "attribute must be one that da has: adequacy, fluency",
        ),
        ({"systems": 5, "budget": 9, "protocol": "pairwise"}, "protocol pairwise gives preferences"),
        ({"systems": 5, "budget": 9, "fee": 20}, "fee must be from 0 to 1, not 20"),
        ({"systems": 5, "budget": float("nan")}, "budget must be from"),
        ({"systems": 5, "difference": float("inf")}, "difference must be from"),
        ({"systems": 5, "difference": 0.1, "power": 0.1, "level": 0.2}, "power must be above level"),
        ({"systems": 5, "budget": 9, "hit_size": 97}, "hit_size: "),
        (
            {"campaign": "c.toml", "systems": 5, "hit_size": 50},
            "systems, hit_size: the campaign file says this",
        ),
    ],
)
def test_choices_that_do_not_fit_are_refused_by_name(choices: dict[str, Any], named: str) -> None:
    with pytest.raises(ChoiceError) as refused:
        plan(**choices)

    assert named in str(refused.value)


def test_all_wrong_choices_are_named_at_once() -> None:
    with pytest.raises(ChoiceError) as refused:
        plan(systems=0, pass_rate=61, wage=3, pay_per_hit=4)

    assert len(str(refused.value).splitlines()) == 4


def test_an_unknown_choice_is_told_the_nearest_that_exists() -> None:
    with pytest.raises(ChoiceError, match=r"no option 'differences' in a plan\. Did you mean 'difference'\?"):
        plan(systems=5, differences=0.1)  # type: ignore[call-arg]


def test_a_campaign_is_planned_with_the_hits_that_create_makes(
    campaign_file: Path, tmp_path: Path, noon: datetime
) -> None:
    created = create(campaign_file, str(tmp_path / "made.db"), now=noon)

    assert plan(campaign=campaign_file).expected.outlay.hits == created.n_hits


def test_a_campaign_of_pairs_has_no_plan_but_its_hits_and_hours_are_said(
    write_campaign: Callable[..., Path],
) -> None:
    path = write_campaign()
    path.write_text(path.read_text("utf-8").replace('"da"', '"pairwise"'), "utf-8")

    with pytest.raises(ChoiceError, match="plans are about the precision of ratings") as refused:
        plan(campaign=path)

    # 40 pairs at 20 s each in HITs of 35 regular items.
    assert "campaign has 2 HITs with 100 items, about 0.6 hours of work in all." in str(refused.value)


def test_a_campaign_counts_the_ratings_of_its_own_hits(write_campaign: Callable[..., Path]) -> None:
    # 80 translations need 3 HITs of 35; each has 5 repeats as well: 120 ratings, 60 a system, 64 % kept.
    made = plan(campaign=write_campaign())

    assert made.expected.outlay.hits == 3
    assert made.expected.precision.ratings_per_system == pytest.approx(60 * 0.64, abs=2)
    assert made.expected.precision.ratings_per_item == pytest.approx(105 / 80 * 0.64)
    assert (made.setup.systems, made.setup.segments, made.setup.items) == (2, 40, 80)


def test_an_item_with_two_translations_brings_two_ratings(write_campaign: Callable[..., Path]) -> None:
    path = write_campaign("translations_per_item = 2\nquota = { degraded = 5, repeat = 5 }")
    text = path.read_text("utf-8").replace('"da"', '"esa-contrastive"').replace('"fluency"', '"overall"')
    path.write_text(text, "utf-8")

    # 40 groups of two fill a HIT of 50 with its 5 degraded and 5 repeats. Each shows both systems.
    made = plan(campaign=path, pass_rate=1)

    assert made.expected.outlay.hits == 1
    assert made.expected.precision.ratings_per_item == pytest.approx(1)
    # Beside each degraded copy stands the other system's translation, which the worker sees again.
    assert made.expected.precision.ratings_per_system == pytest.approx(40 + 5, abs=3)
    assert (made.setup.systems, made.setup.segments, made.setup.items) == (2, 40, 80)


def test_a_protocol_says_what_is_judged_and_how_many_translations_at_once() -> None:
    one, three = (
        plan(systems=7, segments=300, ratings_per_item=2, hit_size=50, pass_rate=1, protocol=name)
        for name in ("esa", "esa-contrastive")
    )

    assert one.expected.outlay.hits == pytest.approx(3 * three.expected.outlay.hits, abs=3)
    assert "overall" in three.title


def test_rounds_multiply_the_hits(write_campaign: Callable[..., Path]) -> None:
    assert plan(campaign=write_campaign("ratings_per_item = 4")).expected.outlay.hits == 12


def test_a_text_that_systems_share_is_paid_once_and_counts_for_each(
    write_campaign: Callable[..., Path],
) -> None:
    # 40 texts need 2 HITs with 40 ratings each, and both systems have all 80.
    made = plan(campaign=write_campaign(same=True))

    assert made.expected.outlay.hits == 2
    assert made.expected.precision.ratings_per_system == pytest.approx(80 * 0.64)


def test_a_fixed_partition_pays_every_worker_of_a_hit_and_the_higher_fee_from_ten(
    write_campaign: Callable[..., Path],
) -> None:
    made = plan(campaign=write_campaign('ratings_per_item = 10\npartition = "fixed"'))

    assert made.expected.outlay.hits == 30
    assert made.setup.terms.fee == 0.4


def test_a_goal_beside_a_campaign_wins_over_its_own_hits(write_campaign: Callable[..., Path]) -> None:
    made = plan(campaign=write_campaign(), ratings_per_item=5)

    # 80 items x 5 / (0.7 x 50 x 0.64) = 400 / 22.4 = 17.9
    assert made.expected.outlay.hits == 18
    assert made.rounds == 8


def test_designing_a_campaign_reports_its_progress(write_campaign: Callable[..., Path], heard: Any) -> None:
    plan(campaign=write_campaign(), progress=heard.progress)

    assert heard.announced == [("Designing", 3)]
    assert sum(heard.steps) == 3


def test_a_campaign_pays_what_its_file_says(write_campaign: Callable[..., Path]) -> None:
    path = write_campaign('[pay]\nwage = 18\ncurrency = "EUR"\nfee = 0.3')

    terms = plan(campaign=path).setup.terms

    # Fluency takes 13 seconds an item.
    assert (terms.pay_per_hit, terms.fee) == (pytest.approx(18 * 50 * 13 / 3600), 0.3)


def test_a_wage_given_beside_a_campaign_wins(write_campaign: Callable[..., Path]) -> None:
    path = write_campaign("[pay]\nper_hit = 9")

    assert plan(campaign=path).setup.terms.pay_per_hit == 9
    assert plan(campaign=path, wage=12).setup.terms.pay_per_hit == pytest.approx(12 * 50 * 13 / 3600)


def pilot_file(
    folder: Path, *, workers: int = 6, systems: int = 2, documents: bool = True, length: int = 5
) -> Path:
    """Every worker judges twelve documents, the systems in turn; some documents please a worker more."""
    rng = np.random.default_rng(2)
    lines = ["worker,system,document,segment,rating"]
    for worker in range(workers):
        for document in range(12):
            liked = rng.normal(50, 15)
            lines += [
                f"w{worker},s{(document + worker) % systems},{f'd{document}' if documents else ''},"
                f"{document}-{number},{min(max(rng.normal(liked, 10), 0), 100):.0f}"
                for number in range(length)
            ]
    path = folder / "pilot.csv"
    path.write_text("\n".join(lines), "utf-8")
    return path


def test_a_pilot_says_how_ratings_vary_and_what_belongs_together(tmp_path: Path) -> None:
    made = plan(systems=3, ratings_per_system=600, pilot=pilot_file(tmp_path))

    variation = made.setup.variation
    # A worker's liking of a document: 15 squared of 15 squared and 10 squared, about 0.7. What 6 workers seem
    # to have in common on 12 documents is chance, and part of it.
    found = variation.components
    liking = found.cell + found.document + found.document_system + found.worker_system
    assert liking == pytest.approx(0.7, abs=0.15)
    assert (variation.document_length, variation.together) == (5, 5)
    assert any("by 360 ratings of 2 systems by 6 workers on 12 documents" in s for s in made.assumptions)
    assert any("only 6 workers and 12 documents" in warning for warning in made.warnings)


def test_a_pilot_whose_ratings_belong_together_finds_less_than_usual(tmp_path: Path) -> None:
    usual, by_pilot = (
        plan(systems=3, ratings_per_system=600, document_length=5, pilot=pilot).expected.precision.difference
        for pilot in (None, pilot_file(tmp_path))
    )

    assert usual is not None
    assert by_pilot is not None
    assert by_pilot > 1.2 * usual


@pytest.mark.parametrize(
    ("made", "choices", "named"),
    [
        ({"systems": 1}, {}, "pilot has standardised ratings of 1 system only"),
        ({"workers": 1}, {}, "pilot has standardised ratings by 1 worker only"),
        ({"documents": False}, {"document_length": 5}, "pilot names no documents"),
    ],
)
def test_a_pilot_that_cannot_tell_is_refused(
    tmp_path: Path, made: dict[str, Any], choices: dict[str, Any], named: str
) -> None:
    with pytest.raises(ChoiceError) as refused:
        plan(systems=3, difference=0.2, pilot=pilot_file(tmp_path, **made), **choices)

    assert named in str(refused.value)


def test_a_pilot_without_documents_is_warned_of_where_segments_are_judged_singly(tmp_path: Path) -> None:
    made = plan(systems=3, ratings_per_system=600, pilot=pilot_file(tmp_path, documents=False))

    assert any("names no documents" in warning for warning in made.warnings)


def test_the_same_seed_gives_the_same_plan_and_another_hardly_another(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # Simulated again each time, though other tests remember.
    monkeypatch.setattr("steelyard.planning.search.simulate_tests", simulate_tests)
    first, same, other = (
        plan(systems=3, ratings_per_system=300, seed=seed).expected.precision.difference for seed in (7, 7, 8)
    )

    assert first == same
    assert first != other
    assert first == pytest.approx(other, rel=0.1)


def test_holm_takes_more_than_none() -> None:
    corrected, plain = (
        plan(systems=4, difference=0.3, correction=correction).expected.outlay.hits
        for correction in ("holm", "none")
    )

    assert corrected > 1.3 * plain


def test_few_workers_find_less() -> None:
    few, many = (
        plan(systems=3, ratings_per_system=600, workers=workers).expected.precision.difference
        for workers in (6, 60)
    )

    assert few is not None
    assert many is not None
    assert few > many


def test_documents_of_a_campaign_file_are_known(write_campaign: Callable[..., Path], tmp_path: Path) -> None:
    path = write_campaign()
    (tmp_path / "documents.txt").write_text("".join(f"d{k // 4}\n" for k in range(40)), "utf-8")
    text = path.read_text("utf-8").replace(
        'reference = "reference.txt"', 'reference = "reference.txt"\ndocuments = "documents.txt"'
    )
    path.write_text(text, "utf-8")

    variation = plan(campaign=path).setup.variation

    # Shuffled segments: hardly two of a document of a system are in one HIT.
    assert variation.document_length == 4
    assert 1 <= variation.together < 3
