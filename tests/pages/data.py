"""The small data that pages speak of: what a reader has when a page begins, and smaller examples."""

from __future__ import annotations

import re
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random
from uuid import UUID, uuid4

import pytest

from steelyard.cli.main import run
from steelyard.flows.assign import NextItem, next_item
from steelyard.flows.create import ID_BYTES
from steelyard.flows.links import add_workers, remember_url
from steelyard.flows.open import OpenCampaign, open_campaign
from steelyard.flows.simulate import make_hands
from steelyard.flows.submit import Submission, submit
from steelyard.protocols import protocols

# Where ids come from on a page.
DRAWN = Random()
SYSTEM = '[[systems]]\nname = "{0}"\ntranslations = "demo:{0}.en.txt"\n'


def example(protocol: str = "da", **changes: str | float) -> str:
    """The campaign file that ships with a protocol, some of its keys with other values, without comments."""
    text = (protocols()[protocol].folder / "example.toml").read_text("utf-8")
    text = re.sub(r"^#.*\n", "", text, flags=re.M)
    for key, value in changes.items():
        text, n = re.subn(rf"^{key} = .*$", f"{key} = {value}", text, flags=re.M)
        if not n:
            text = text.replace("[design]\n", f"[design]\n{key} = {value}\n")
    return text


def without(text: str, *systems: str) -> str:
    """A campaign file without some of its systems."""
    for name in systems:
        text = re.sub(rf'\[\[systems\]\]\nname = "{name}"\n(?:\w.*\n)*\n?', "", text)
    return text


def first(text: str, n: int) -> str:
    """A campaign file about the first segments alone."""
    return text.replace("[texts]\n", f"[texts]\nfirst = {n}\n")


# Ten HITs of 16 items: one translation of each segment, so that they are designed at once.
QUICK = (
    first(example(hit_size=16, ratings_per_item=2), 9)
    + "[design.quota]\ndegraded = 5\nrepeat = 1\nreference = 1\n"
)
FOUR = without(example(hit_size=50, ratings_per_item=2, wage=15.0, currency='"EUR"'), "lead")
THRICE = QUICK.replace("ratings_per_item = 2", "ratings_per_item = 3")
TINY = QUICK.replace("ratings_per_item = 2", "ratings_per_item = 1")
SERIES = {
    f"{name}.toml": TINY.replace('name = "demo-de-en"', f'name = "{name}"').replace('"en"', f'"{target}"')
    for name, target in (("en-de", "de"), ("en-cs", "cs"))
}
MARKED = without(
    first(example("esa", ratings_per_item=4, hit_size=40).replace('"brass"', '"online-B"'), 15),
    *("iron", "tin", "lead"),
)
RATED = "worker,segment,system,kind,rating,hit\n" + "".join(
    f"w{w},{k},{system},{kind},{base + 3 * w + k % 7 - (40 if kind == 'degraded' else 0)},h{w}\n"
    for w in range(6)
    for k in range(12)
    for system, base in (("online-A", 60), ("online-B", 70))
    for kind in (("regular", "degraded") if k < 6 else ("regular",))
)
BATCH = "HITId,WorkerId,Input.segment,Input.system,Answer.rating,Input.id,Input.mt,Answer.slider\n" + "".join(
    f"H{w},A{w},{k},{system},{base + 3 * w + k % 7},{k},{system},{base + 3 * w + k % 7}\n"
    for w in range(6)
    for k in range(12)
    for system, base in (("online-A", 60), ("online-B", 70))
)


@dataclass(frozen=True, slots=True)
class Judged:
    """A campaign whose crowd is simulated; without workers, one that nobody has judged."""

    file: str
    workers: int | None = 20
    begun: int = 0
    """How many people are in the middle of a HIT."""
    url: str | None = None
    """Where it was served before."""


@dataclass(frozen=True, slots=True)
class Folder:
    """A folder of files, or of the campaigns made from them."""

    files: Mapping[str, str]
    judged: bool = False


Data = str | Judged | Folder
# By the name that pages use.
USUAL: dict[str, Data] = {
    "campaign.toml": QUICK,
    "eval.db": Judged(QUICK),
    "campaign.db": Judged(QUICK),
    "earlier.db": Judged(QUICK, None),
    "pilot.db": Judged(QUICK),
    "people.csv": "name,email\nAna López,ana@example.org\nBo Berg,bo@example.org\n",
    "piloted.csv": "participant_id\n5f0a1b2c3d4e5f60718293a4\n",
    "esa.db": Judged(MARKED, 4),
    "judgements.csv": RATED,
    "results.csv": RATED,
    "Batch_1_batch_results.csv": BATCH,
    "Batch_123_batch_results.csv": BATCH,
    "event": Folder(SERIES, judged=True),
    "pairs": Folder(SERIES),
    "campaigns": Folder(SERIES),
}
GIVEN: dict[str, dict[str, Data]] = {
    "docs/howto/adjudicate.md": {"campaign.db": Judged(MARKED, 4)},
    "docs/howto/correct-a-mistake.md": {
        "campaign.db": Judged(THRICE, None, begun=12),
        "more.toml": THRICE.replace("first = 9", "first = 18"),
        "corrected.toml": QUICK,
    },
    "docs/howto/extend-a-campaign.md": {
        "campaign.db": Judged(first(FOUR, 35)),
        "longer.toml": FOUR,
        "with-lead.toml": FOUR + SYSTEM.format("lead"),
    },
    "docs/howto/pay-workers.md": {
        # A worker fails so clearly that pay may be refused only with more controls.
        "eval.db": Judged(
            first(example(hit_size=40, ratings_per_item=2, currency='"EUR"'), 35)
            + "[design.quota]\ndegraded = 10\nrepeat = 1\nreference = 1\n"
        ),
    },
    "docs/howto/run-a-campaign.md": {"people.csv": "name\n" + "".join(f"Person {k}\n" for k in range(8))},
    "docs/howto/links-and-people.md": {"eval.db": Judged(QUICK, None, url="https://eval.example.org")},
    "docs/explanation/pairwise-comparisons.md": {
        "eval.db": Judged(first(example("pairwise", ratings_per_item=2), 25))
    },
}


def make(data: Data, target: Path) -> None:
    """Write data to a file, a database or a folder that is not there yet, whichever page asks first."""
    before = DRAWN.getstate()
    DRAWN.seed(8)  # not that of the pages, which add to it
    target.parent.mkdir(parents=True, exist_ok=True)
    if isinstance(data, str):
        target.write_text(data, "utf-8")
    elif isinstance(data, Judged):
        _make_judged(data, target)
    else:
        files = target.with_name(f"{target.name}-files") if data.judged else target
        files.mkdir()
        for name, text in data.files.items():
            (files / name).write_text(text, "utf-8")
        if data.judged:
            _done(["create", str(files), "--db", f"{target}/"])
            _done(["simulate", f"{target}/", "--workers", "13"])
            shutil.rmtree(files)
    DRAWN.setstate(before)


def _make_judged(data: Judged, target: Path) -> None:
    file = target.with_suffix(".made.toml")
    file.write_text(data.file, "utf-8")
    _done(["create", str(file), "--db", str(target)])
    file.unlink()
    if data.url:
        with open_campaign(str(target)) as campaign:
            remember_url(campaign, data.url)
    if data.begun:
        with open_campaign(str(target)) as campaign:
            _begin(campaign, data.begun)
    if data.workers is not None:
        _done(["simulate", str(target), "--workers", str(data.workers)])


def _begin(campaign: OpenCampaign, n: int) -> None:
    """Let people answer three items each, and leave the page open."""
    now = datetime.now(UTC) - timedelta(minutes=10)
    people = add_workers(campaign, n, base_url="", now=now)
    for person, hand in zip(people, make_hands(campaign, n, seed=7), strict=True):
        for _ in range(3):
            view = next_item(campaign, person.worker_id, now=now)
            assert isinstance(view, NextItem)
            answer, milliseconds = hand.judge(view.assignment_id, view.item.item_id)
            given = Submission(str(uuid4()), view.assignment_id, view.item.item_id, answer, milliseconds)
            submit(campaign, person.worker_id, given, now=now)


def same_ids(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let ids, which come from no seed, be the same in every run: a crowd would judge differently in each."""
    DRAWN.seed(7)
    monkeypatch.setattr(
        "steelyard.flows.create.new_ids", lambda n: [DRAWN.randbytes(ID_BYTES).hex() for _ in range(n)]
    )
    monkeypatch.setattr("uuid.uuid4", lambda: UUID(bytes=DRAWN.randbytes(16), version=4))


def _done(command: list[str]) -> None:
    assert run(command) == 0, command


# Examples that would take long are judged in a smaller size: patterns, and what stands there instead.
SMALL = (
    (r"^(ratings_per_item|hit_size) = .*\n", ""),
    (r"^quota = .*\n|^\[design\.quota\]\n(?:\w.*\n)*", ""),
    (r"^\[texts\]\n", "[texts]\nfirst = 9\n"),
    (
        r"^\[design\]\n",
        "[design]\nhit_size = 16\nratings_per_item = 2\n"
        "quota = { degraded = 5, repeat = 1, reference = 1 }\n",
    ),
)
FIRST = ((r"^\[texts\]\n", "[texts]\nfirst = 25\n"),)
ONE_EACH = ((r"^ratings_per_item = .*$", "ratings_per_item = 1"),)
TWO_EACH = ((r"^ratings_per_item = .*$", "ratings_per_item = 2"),)
# Whose workers have ten translations in common with others.
COMMON = (
    *SMALL,
    ("first = 9", "first = 12"),
    ("hit_size = 16", "hit_size = 20"),
    ("degraded = 5", "degraded = 6"),
    ("ratings_per_item = 2", "ratings_per_item = 5"),
)
FOUR_EACH = (*SMALL, ("ratings_per_item = 2", "ratings_per_item = 4"))
TEN_EACH = (*SMALL, ("ratings_per_item = 2", "ratings_per_item = 10"))
SMALLER: dict[str, tuple[tuple[str, str], ...]] = {
    "README.md": SMALL,
    "docs/howto/compare-methods.md": TEN_EACH,
    "docs/howto/comparing-years.md": TWO_EACH,
    "docs/howto/consent-and-training.md": FOUR_EACH,
    "docs/howto/crowd-platforms.md": SMALL,
    "docs/howto/documents.md": (*FIRST, *ONE_EACH),
    "docs/howto/extend-a-campaign.md": (),
    "docs/howto/error-spans.md": (*FIRST, *ONE_EACH),
    "docs/howto/mturk.md": SMALL,
    "docs/howto/pairwise.md": FIRST,
    "docs/howto/pay-workers.md": (),
    "docs/howto/prolific.md": SMALL,
    "docs/howto/prove-nothing-changed.md": (),
    "docs/howto/publication.md": SMALL,
    "docs/howto/ranking-systems.md": SMALL,
    "docs/howto/run-a-series.md": (),
    "docs/howto/segment-scores.md": FOUR_EACH,
    "docs/howto/tables-and-figures.md": COMMON,
    "docs/howto/weigh-workers.md": COMMON,
    "docs/howto/show-the-page-to-reviewers.md": (),
    "docs/tutorial/change-over-years.md": TWO_EACH,
    "docs/tutorial/expert-gold.md": TWO_EACH,
    "docs/tutorial/judging-metrics.md": SMALL,
    "docs/tutorial/replication.md": FOUR_EACH,
}
# Whose layout takes seconds: a smaller one is explained.
LONG_LAYOUT = {"docs/howto/comparing-years.md"}
# What pages quote is of these files.
QUOTED = {"docs/howto/publication.md": "pack/methods.md"}
# Whose emulators stand in for crowd platforms.
PLATFORMS = {"docs/howto/prolific.md": ("prolific",), "docs/howto/mturk.md": ("mturk",)}
# Where a campaign is served, people judge before the page goes on: here, simulated ones.
JUDGED = {
    "docs/howto/comparing-years.md",
    "docs/howto/consent-and-training.md",
    "docs/howto/crowd-platforms.md",
    "docs/howto/deploy.md",
    "docs/howto/documents.md",
    "docs/howto/error-spans.md",
    "docs/howto/pairwise.md",
    "docs/howto/ranking-systems.md",
    "docs/howto/run-a-campaign.md",
    "docs/howto/run-a-series.md",
    "docs/howto/segment-scores.md",
    "docs/tutorial/first-campaign.md",
}


def made_smaller(page: str, file: Path) -> Path:
    """A smaller copy of a campaign file beside it, if the page's examples are made smaller."""
    text = whole = file.read_text("utf-8")
    for pattern, other in SMALLER.get(page, ()):
        text = re.sub(pattern, other, text, flags=re.M)
    if text == whole:
        return file
    small = file.with_name(f".small-{file.name}")
    small.write_text(text, "utf-8")
    return small
