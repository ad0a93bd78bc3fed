"""Campaigns of marked errors from the example to the report, as somebody would try them out."""

from __future__ import annotations

import re
from importlib.resources import files
from pathlib import Path
from typing import NamedTuple

import polars as pl
import pytest

from steelyard.cli.main import run
from steelyard.flows.open import open_campaign
from steelyard.flows.simulate import make_hands
from steelyard.flows.source import Source, read_source
from steelyard.protocols import protocols
from steelyard.qc import checks

NAMES = ("esa", "esa-contrastive", "esa-ai", "mqm")
N_SEGMENTS, N_WORKERS, SEED = 40, 6, 7


class Tried(NamedTuple):
    """A campaign that simulated workers have judged, and how careful each of them is."""

    name: str
    database: Path
    source: Source
    profiles: dict[str, str]


def first_spans() -> str:
    """The errors marked beforehand in the first segments of the demo."""
    head, *rows = (files("steelyard") / "demo" / "spans.tsv").read_text("utf-8").splitlines(keepends=True)
    return head + "".join(row for row in rows if int(row.split("\t")[1]) <= N_SEGMENTS)


@pytest.fixture(scope="module", params=NAMES)
def tried(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Tried:
    folder = tmp_path_factory.mktemp(request.param)
    example = (protocols()[request.param].folder / "example.toml").read_text("utf-8")
    smaller = re.sub(r"^ratings_per_item = .*", "ratings_per_item = 1", example, flags=re.M)
    smaller = smaller.replace("[texts]\n", f"[texts]\nfirst = {N_SEGMENTS}\n")
    smaller = smaller.replace('"demo:spans.tsv"', '"spans.tsv"')
    (folder / "spans.tsv").write_text(first_spans(), "utf-8")
    (folder / "campaign.toml").write_text(smaller, "utf-8")
    database = folder / "campaign.db"
    assert run(["create", str(folder / "campaign.toml"), "--db", str(database)]) == 0
    options = ["--workers", str(N_WORKERS), "--seed", str(SEED)]
    assert run(["simulate", str(database), *options]) == 0
    with open_campaign(str(database)) as campaign:
        hands = make_hands(campaign, N_WORKERS, seed=SEED)
    profiles = {f"W{number:04}": hand.worker.profile for number, hand in enumerate(hands, start=1)}
    return Tried(request.param, database, read_source(str(database)), profiles)


def test_judgements_become_ratings_and_errors(tried: Tried) -> None:
    source = tried.source

    errors = source.spans.filter(pl.col("severity").is_not_null())
    assert source.gives == ("ratings", "spans")
    assert source.weights == ("mtme" if tried.name == "mqm" else None)
    assert errors["category"].is_not_null().any() == (tried.name == "mqm")
    assert errors["marked_seconds"].is_not_null().all()
    assert set(errors["severity"]) == {"minor", "major"}
    # Each judged translation has a rating, and a row that says so if it has no error.
    judged = ["worker_id", "item_id", "system_id", "item_kind"]
    assert source.spans.select(judged).unique().height == source.frame.select(judged).unique().height


def test_what_was_done_with_errors_marked_beforehand_is_known(tried: Tried) -> None:
    origins = set(tried.source.spans["origin"].drop_nulls())
    removed = tried.source.spans["n_removed"].drop_nulls()

    assert origins == ({"accepted", "changed"} if tried.name == "esa-ai" else set())
    assert (removed.sum() > 0) == (tried.name == "esa-ai")


def test_damage_is_marked_by_careful_workers(tried: Tried) -> None:
    damaged = tried.source.spans.filter(pl.col("injected_start").is_not_null())
    meets = (pl.col("start") < pl.col("injected_end")) & (pl.col("injected_start") < pl.col("end"))
    one = damaged.group_by("worker_id", "item_id").agg(found=meets.fill_null(value=False).any())
    careful = [worker for worker, profile in tried.profiles.items() if profile == "careful"]

    shares = one.group_by(pl.col("worker_id").is_in(careful).alias("careful")).agg(pl.col("found").mean())

    share = dict(shares.iter_rows())
    assert share[True] > 0.8
    assert share[True] > share.get(False, 0.0)


def test_careful_workers_pass_the_check_of_ratings(tried: Tried) -> None:
    check = checks()["paired-t"]
    verdicts = {found.worker_id: found.verdict for found in check.run(tried.source.frame, check.settings())}

    careful = [worker for worker in verdicts if tried.profiles[worker] == "careful"]
    assert careful
    assert {verdicts[worker] for worker in careful} == {"pass"}


def test_systems_are_ranked_and_reported(
    tried: Tried, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    assert run(["analyse", str(tried.database), "--check", "none", "--weights", "mtme"]) == 0
    by_errors = capsys.readouterr().out
    assert run(["analyse", str(tried.database)]) == 0
    by_ratings = capsys.readouterr().out
    assert run(["report", str(tried.database), "--html", str(tmp_path / "report.html")]) == 0

    assert "weights:mtme" in by_errors
    assert ("weights:mtme" in by_ratings) == (tried.name == "mqm")
    assert by_ratings.index("brass") < by_ratings.index("lead")
    assert (tmp_path / "report.html").stat().st_size > 10_000
