"""Gold ratings and calibration texts: what is read, and every way they can be wrong."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from steelyard.domain.text import CalibrationText
from steelyard.domain.work import ItemKind
from steelyard.formats.campaign_toml import CampaignSource

Read = Callable[..., CampaignSource]
Problems = Callable[..., str]
GOLD = '[gold]\nfile = "gold.csv"\n'


def test_gold_is_read_by_system_and_segment(folder: Path, read_with: Read) -> None:
    (folder / "gold.csv").write_text("system,segment,rating\nalpha,3,70\nbeta,20,12.5\n", "utf-8")

    campaign = read_with("hit_size = 50", "hit_size = 100", more=f"{GOLD}every = 8\n").campaign

    assert campaign.gold == {("alpha", "3"): 70.0, ("beta", "20"): 12.5}
    assert campaign.settings.design.gold_every == 8


def test_every_sixth_item_is_gold_unless_told(folder: Path, read_with: Read) -> None:
    (folder / "gold.csv").write_text("system,segment,rating\nalpha,3,70\n", "utf-8")

    design = read_with(more=f"quota = {{ degraded = 5 }}\n{GOLD}").campaign.settings.design

    assert design.gold_every == 6


def test_everything_wrong_with_gold_is_named_by_line(folder: Path, problems_with: Problems) -> None:
    rows = [
        "alpha,3,70",
        "alpha,3,60",
        "alpha,4,101",
        "gamma,5,50",
        "alhpa,5,50",
        "alpha,99,50",
        "alpha,6,good",
        "alpha,7,inf",
        "alpha,8,",
        ",9,50",
        "alpha,,50",
    ]
    (folder / "gold.csv").write_text("system,segment,rating\n" + "\n".join(rows), "utf-8")

    text = problems_with(more=f"quota = {{ degraded = 5 }}\n{GOLD}")

    assert "10 problems" in text
    for problem in (
        'gold.csv: line 3: "alpha" and segment 3 have their rating in line 2 too.',
        "gold.csv: line 4: the rating 101 is outside the scale 0 to 100 of the protocol.",
        'gold.csv: line 5: the system "gamma" does not take part; choose from: alpha, beta.',
        'gold.csv: line 6: the system "alhpa" does not take part; did you mean "alpha"?',
        'gold.csv: line 7: the segment "99" is not in the texts, whose segments are 1 to 20.',
        "gold.csv: line 8: the rating good is not a number.",
        "gold.csv: line 9: the rating inf is not a number.",
        "gold.csv: line 10: has no rating.",
        "gold.csv: line 11: has no system.",
        "gold.csv: line 12: has no segment.",
    ):
        assert problem in text


def test_gold_must_be_a_translation_that_exists(folder: Path, problems_with: Problems) -> None:
    lines = (folder / "alpha.txt").read_text("utf-8").splitlines()
    (folder / "alpha.txt").write_text("\n".join([*lines[:5], "", *lines[6:]]), "utf-8")
    (folder / "gold.csv").write_text("system,segment,rating\nalpha,6,50\n", "utf-8")

    text = problems_with("[texts]", "[texts]\nincomplete = true", more=GOLD)

    assert 'gold.csv: line 2: "alpha" has no translation of segment 6.' in text


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("system,rating\n", "gold.csv: lacks the column segment; it has: system, rating."),
        ("system,segment,rating\n", "gold.csv: has no ratings; add some, or remove the table [gold]."),
    ],
)
def test_gold_needs_its_columns_and_rows(
    folder: Path, problems_with: Problems, content: str, expected: str
) -> None:
    (folder / "gold.csv").write_text(content, "utf-8")

    assert expected in problems_with(more=GOLD)


def test_numbers_of_gold_are_checked_even_if_the_texts_cannot_be_read(
    folder: Path, problems_with: Problems
) -> None:
    (folder / "gold.csv").write_text("system,segment,rating\nalpha,3,much\n", "utf-8")
    (folder / "beta.txt").unlink()

    text = problems_with(more=GOLD)

    assert "beta.txt: there is no such file." in text
    assert "gold.csv: line 2: the rating much is not a number." in text


def calibration(path: Path, *, n_texts: int = 20, sd: str = "0.3") -> None:
    rows = [f"old-{k},text {k},reference {k},{k / 10},{sd}" for k in range(1, n_texts + 1)]
    path.write_text("id,text,reference,score,sd\n" + "\n".join(rows), "utf-8")


CALIBRATION = '[calibration]\nfile = "old.csv"\n'


def test_calibration_texts_come_with_score_and_deviation(folder: Path, read_with: Read) -> None:
    calibration(folder / "old.csv")

    campaign = read_with(more=f"{CALIBRATION}per_hit = 5\n").campaign

    assert len(campaign.calibration) == 20
    assert campaign.calibration[2] == CalibrationText("old-3", "text 3", "reference 3", "", 0.3, 0.3)


def test_calibration_texts_are_added_to_the_usual_quota(folder: Path, read_with: Read) -> None:
    calibration(folder / "old.csv")

    design = read_with(more=f"{CALIBRATION}per_hit = 5\n").campaign.settings.design

    # A tenth of 50 each, as without calibration.
    assert design.quota == {
        ItemKind.DEGRADED: 5,
        ItemKind.REPEAT: 5,
        ItemKind.REFERENCE: 5,
        ItemKind.CALIBRATION: 5,
    }


def test_the_quota_may_say_how_many(folder: Path, read_with: Read) -> None:
    calibration(folder / "old.csv")

    campaign = read_with(more=f"quota = {{ degraded = 5, calibration = 7 }}\n{CALIBRATION}").campaign

    assert campaign.settings.design.quota is not None
    assert campaign.settings.design.quota[ItemKind.CALIBRATION] == 7


def test_without_a_deviation_scores_are_taken_as_exact(folder: Path, read_with: Read) -> None:
    calibration(folder / "old.csv", sd="")

    assert read_with(more=f"{CALIBRATION}per_hit = 5\n").campaign.calibration[0].sd == 0.0


@pytest.mark.parametrize(
    ("more", "expected"),
    [
        (CALIBRATION, '[calibration] lacks the key "per_hit": set how many'),
        (f"{CALIBRATION}per_hit = 0", '[calibration] "per_hit" should be greater than or equal to 1'),
        (
            f"quota = {{ degraded = 5, calibration = 4 }}\n{CALIBRATION}per_hit = 5",
            "[calibration] per_hit = 5, but [design.quota] calibration = 4; leave out one.",
        ),
        (
            f"{CALIBRATION}per_hit = 21",
            "old.csv: has 20 texts, but each HIT must hold 21 different ones.",
        ),
    ],
)
def test_how_many_a_hit_holds_must_be_said_once(
    folder: Path, problems_with: Problems, more: str, expected: str
) -> None:
    calibration(folder / "old.csv")

    assert expected in problems_with(more=more)


def test_nineteen_texts_are_too_few(folder: Path, problems_with: Problems) -> None:
    calibration(folder / "old.csv", n_texts=19)

    text = problems_with(more=f"{CALIBRATION}per_hit = 5\n")

    assert "old.csv: has 19 texts, but workers are measured on 20 or more." in text


def test_everything_wrong_with_calibration_is_named_by_line(folder: Path, problems_with: Problems) -> None:
    calibration(folder / "old.csv")
    rows = [
        "old-1,text,reference,0,0",
        "new-1,,reference,0,0",
        "new-2,text,,0,0",
        "new-3,text,reference,nan,0",
        "new-4,text,reference,0,-1",
        "new-5,text,reference,0,wide",
        ",text,reference,0,0",
    ]
    with (folder / "old.csv").open("a", encoding="utf-8") as file:
        file.write("\n" + "\n".join(rows))

    text = problems_with(more=f"{CALIBRATION}per_hit = 5\n")

    assert "7 problems" in text
    for problem in (
        "old.csv: line 22: the id old-1 is in line 2 too.",
        "old.csv: line 23: has no text, which workers see.",
        "old.csv: line 24: has no reference, which workers see.",
        "old.csv: line 25: the score nan is not a number.",
        "old.csv: line 26: the sd -1 is negative.",
        "old.csv: line 27: the sd wide is not a number.",
        "old.csv: line 28: has no id.",
    ):
        assert problem in text


def test_calibration_needs_the_texts_that_workers_see(folder: Path, problems_with: Problems) -> None:
    calibration(folder / "old.csv")

    text = problems_with('"da"', '"sqm"', more=f"{CALIBRATION}per_hit = 5\n")

    assert "old.csv: lacks the column source; it has: id, text, reference, score, sd." in text
