"""Files of WMT's releases of crowd judgements, in their layouts; the numbers are invented."""

from __future__ import annotations

import gzip
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from steelyard.control_pairs import control_pairs
from steelyard.domain.errors import SourceError
from steelyard.domain.work import ItemKind
from steelyard.formats.hit_times_file import read_hit_times
from steelyard.formats.judgements_file import read_judgements
from steelyard.frames import gather_credit

DATA = Path(__file__).parents[3] / "shared" / "data"
HEADER = "HITId WorkerId Input.src Input.trg Input.item hit sys_id rid type sid score time"
# Worker, system, key of the document, kind, segment, rating.
Judged = tuple[str, str, str, str, int, int]
JUDGED: list[Judged] = [
    ("M1", "Sys-A.3", "1000001", "SYSTEM", 7, 90),
    ("M1", "Sys-A.3", "1000001", "SYSTEM", 8, 60),
    ("M1", "Sys-A.3", "1000002", "BAD_REF", 7, 15),
    ("M1", "Sys-A.3", "1000002", "REPEAT", 8, 58),
    ("M2", "HUMAN.0", "1000003", "SYSTEM", 7, 0),
    ("M2", "HUMAN.0", "1000003", "SYSTEM", 8, 100),
]
# The two systems gave the same text of the document 1000003.
CREDITED = [*JUDGED, *(("M2", "Sys-B.1", *rest) for _, _, *rest in JUDGED[4:])]
TIMES = "HITId WorkerId  src trg item  hit work-seconds  accept  submit  approval"


def _moments(judged: Sequence[Judged]) -> dict[str, tuple[str, str]]:
    """Each worker's mean and standard deviation as R prints them, seven digits at most."""
    ratings: dict[str, list[int]] = {}
    for worker, *_, rating in judged:
        ratings.setdefault(worker, []).append(rating)
    return {
        worker: (f"{np.mean(own):.7g}", f"{np.std(own, ddof=1):.7g}" if len(own) > 1 else "NA")
        for worker, own in ratings.items()
    }


def _release(
    folder: Path,
    judged: Sequence[Judged] = JUDGED,
    *,
    counted: Sequence[Judged] = JUDGED,
    name: str = "ad-xxen-good-stnd.csv",
) -> Path:
    """A file of z scores, and beside it what they were computed with; `counted` are all judgements."""
    moments = _moments(counted)
    rows = []
    for worker, system, key, kind, segment, rating in judged:
        mean, sd = moments[worker]
        z = "NA" if sd in ("0", "NA") else f"{(rating - float(mean)) / float(sd):.15g}"
        rows.append(f"H{worker}\t{worker}\txx\ten\tad\t4\t{system}\t{key}\t{kind}\t{segment}\t{z}\t900.0")
    printed = [f'[1] "{worker}"\n[1] {mean}\n[1] {sd}\n' for worker, (mean, sd) in moments.items()]
    (folder / "ad-xxen-trk-mean-sd.txt").write_text("".join(printed))
    (folder / "ad-xxen-trk-mean-sd-no-refs.txt").write_text('[1] "M1"\n[1] 1\n[1] 1\n')
    (folder / name).write_text("\n".join([HEADER, *rows]) + "\n")
    return folder / name


def _said(frame: pl.DataFrame) -> list[tuple[object, ...]]:
    return frame.select("worker_id", "system_id", "item_kind", "segment_id", "rating").rows()


KINDS = {"SYSTEM": "regular", "BAD_REF": "degraded", "REPEAT": "repeat"}
SAID = [
    (worker, system, KINDS[kind], str(segment), float(rating))
    for worker, system, _, kind, segment, rating in JUDGED
]


def _problems(path: Path) -> tuple[str, ...]:
    with pytest.raises(SourceError) as caught:
        read_judgements(path)
    return caught.value.problems


def test_ratings_come_back_from_standardised_scores(tmp_path: Path) -> None:
    found = read_judgements(_release(tmp_path))

    assert _said(found.frame) == SAID
    assert found.frame["hit_id"].to_list() == ["HM1"] * 4 + ["HM2"] * 2
    assert found.warnings == (
        "Ignored columns: hit.",
        "Recovered the raw ratings from standardised scores, with ad-xxen-trk-mean-sd.txt.",
    )


def test_a_zipped_file_of_scores_is_read_as_well(tmp_path: Path) -> None:
    plain = _release(tmp_path)
    zipped = tmp_path / "ad-xxen-good-stnd.csv.gz"
    zipped.write_bytes(gzip.compress(plain.read_bytes()))

    assert _said(read_judgements(zipped).frame) == SAID


def test_a_file_under_another_name_finds_its_means_by_languages(tmp_path: Path) -> None:
    path = _release(tmp_path, name="my-copy-stnd.csv")

    assert _said(read_judgements(path).frame) == SAID


def test_scores_of_several_language_pairs_find_the_means_of_each(tmp_path: Path) -> None:
    path = _release(tmp_path, name="all-good-stnd.csv")
    second = '[1] "M1"\n[1] 50\n[1] 10\n'
    (tmp_path / "ad-yyen-trk-mean-sd.txt").write_text(second)
    row = "H9\tM1\tyy\ten\tad\t4\tSys-A.3\t1000001\tSYSTEM\t7\t2.5\t900.0\n"
    path.write_text(path.read_text() + row)

    found = read_judgements(path)

    # 2.5 deviations of 10 above a mean of 50.
    assert found.frame.filter(segment_id="yy-en:7")["rating"].to_list() == [75.0]
    assert found.frame.filter(pl.col("segment_id") != "yy-en:7")["rating"].to_list() == [
        row[-1] for row in SAID
    ]


def test_one_file_of_means_may_serve_several_language_pairs(tmp_path: Path) -> None:
    path = _release(tmp_path, name="all-good-stnd.csv")
    (tmp_path / "ad-xxen-trk-mean-sd.txt").rename(tmp_path / "all-trk-mean-sd.txt")
    lines = path.read_text().split("\n")
    path.write_text("\n".join([*lines[:3], *(line.replace("\txx\t", "\tyy\t") for line in lines[3:])]))

    found = read_judgements(path)

    assert found.frame["rating"].to_list() == [row[-1] for row in SAID]
    assert not any("another mean" in warning for warning in found.warnings)


def test_keys_of_several_segments_are_documents(tmp_path: Path) -> None:
    found = read_judgements(_release(tmp_path)).frame

    assert found["document_id"].to_list() == [key for _, _, key, *_ in JUDGED]


def test_keys_of_single_segments_are_no_documents(tmp_path: Path) -> None:
    alone = [(*row[:2], str(number), *row[3:]) for number, row in enumerate(JUDGED)]

    found = read_judgements(_release(tmp_path, alone)).frame

    assert found["document_id"].null_count() == len(alone)


def test_controls_of_a_release_pair_with_their_bases(tmp_path: Path) -> None:
    found = read_judgements(_release(tmp_path)).frame

    pairs = control_pairs(found, ItemKind.DEGRADED)
    assert pairs.select("segment_id", "base_rating", "control_rating").rows() == [("7", 90.0, 15.0)]


def test_a_worker_without_deviation_rated_the_mean_throughout(tmp_path: Path) -> None:
    constant = [
        *JUDGED,
        *(("M3", "Sys-A.3", "1000009", "SYSTEM", segment, 67) for segment in (1, 2)),
        ("M4", "Sys-A.3", "1000008", "SYSTEM", 1, 1),
    ]

    found = read_judgements(_release(tmp_path, constant, counted=constant)).frame

    assert found.filter(worker_id="M3")["rating"].to_list() == [67.0, 67.0]
    assert found.filter(worker_id="M4")["rating"].to_list() == [1.0]


def test_without_means_scores_are_refused_with_the_file_that_is_missing(tmp_path: Path) -> None:
    path = _release(tmp_path)
    (tmp_path / "ad-xxen-trk-mean-sd.txt").unlink()

    problem = _problems(path)[0]

    assert problem.startswith("holds standardised scores, but raw ratings are needed.")
    assert "if ad-xxen-trk-mean-sd.txt " in problem


def test_means_of_another_campaign_are_refused_naming_the_worker(tmp_path: Path) -> None:
    path = _release(tmp_path)
    means = tmp_path / "ad-xxen-trk-mean-sd.txt"
    # M1's mean is (90 + 60 + 15 + 58) / 4.
    means.write_text(means.read_text().replace("[1] 55.75\n", "[1] 56.1\n"))

    problems = _problems(path)

    assert len(problems) == 1
    assert problems[0].startswith("line 2: score ")
    # 90 - 55.75 + 56.1
    assert " of worker M1 gives the rating 90.3" in problems[0]


def test_a_worker_without_a_mean_is_refused_by_name(tmp_path: Path) -> None:
    path = _release(tmp_path)
    means = tmp_path / "ad-xxen-trk-mean-sd.txt"
    means.write_text(means.read_text().replace('"M2"', '"M7"'))

    assert _problems(path) == (
        "line 6: the worker M2 is not in ad-xxen-trk-mean-sd.txt, so the raw ratings cannot be recovered.",
    )


def test_a_score_that_is_no_number_is_refused_with_its_line(tmp_path: Path) -> None:
    path = _release(tmp_path)
    lines = path.read_text().split("\n")
    cells = lines[2].split("\t")
    path.write_text("\n".join([*lines[:2], "\t".join([*cells[:10], "NA", cells[11]]), *lines[3:]]))

    assert _problems(path) == ("line 3: score NA of worker M1 is not a number.",)


@pytest.mark.parametrize(
    ("printed", "problem"),
    [
        ('[1] "M1"\n[1] 5\n', "line 1: three lines like"),
        ('"M1"\n[1] 5\n[1] 6\n', "line 1: three lines like"),
        ('[1] "M1"\n[1] NA\n[1] NA\n', "line 1: three lines like"),
        ('[1] "M1"\n[1] 5\n[1] 6\n[1] "M2"\n[1] five\n[1] 6\n', "line 4: three lines like"),
        ("", "line 1: three lines like"),
        ('[1] "M1"\n[1] 5\n[1] 6\n' * 2, "the worker M1 appears twice."),
    ],
)
def test_damaged_means_are_refused_by_name_and_line(tmp_path: Path, printed: str, problem: str) -> None:
    path = _release(tmp_path)
    means = tmp_path / "ad-xxen-trk-mean-sd.txt"
    means.write_text(printed)

    with pytest.raises(SourceError) as caught:
        read_judgements(path)

    assert caught.value.where == str(means)
    assert caught.value.problems[0].startswith(problem)


def test_whole_scores_on_the_scale_are_ratings_whatever_the_name(tmp_path: Path) -> None:
    path = tmp_path / "ad-xxen-good-stnd.csv"
    path.write_text(f"{HEADER}\nH1\tM1\txx\ten\tad\t4\tA\t1\tSYSTEM\t7\t55\t900.0\n")

    assert read_judgements(path).frame["rating"].to_list() == [55.0]


def test_scores_under_a_name_that_says_nothing_are_refused_as_ratings(tmp_path: Path) -> None:
    path = _release(tmp_path, name="scores.csv")

    assert "is outside the scale 0 to 100" in _problems(path)[0]


def test_a_judgement_of_several_systems_is_one(tmp_path: Path) -> None:
    path = _release(tmp_path, CREDITED, name="ad-xxen-good-stnd-redup.csv")

    found = read_judgements(path).frame

    gathered = gather_credit(found)
    assert len(found) == 8
    assert _said(gathered) == SAID
    assert gathered["credited"].to_list() == [None] * 4 + [["Sys-B.1"]] * 2


def test_means_and_deviations_come_back_when_each_judgement_counts_once(tmp_path: Path) -> None:
    path = _release(tmp_path, CREDITED, name="ad-xxen-good-stnd-redup.csv")

    found = read_judgements(path)

    gathered = (
        gather_credit(found.frame)
        .group_by("worker_id")
        .agg(pl.col("rating").mean().alias("mean"), pl.col("rating").std().alias("sd"))
    )
    # M2 rated 0 and 100: mean 50, deviation 100 / sqrt(2), credited rows or not.
    assert gathered.filter(worker_id="M2").row(0)[1:] == pytest.approx((50.0, 100 / 2**0.5))
    assert not any("another mean" in warning for warning in found.warnings)


@pytest.mark.parametrize(
    "other",
    [
        ("M2", "Sys-B.1", "1000004", "SYSTEM", 7, 0),
        ("M2", "Sys-B.1", "1000003", "REPEAT", 7, 0),
        ("M2", "Sys-B.1", "1000003", "SYSTEM", 9, 0),
        ("M2", "Sys-B.1", "1000003", "SYSTEM", 7, 1),
        ("M2", "HUMAN.0", "1000003", "SYSTEM", 7, 0),
    ],
    ids=["key", "kind", "segment", "rating", "system"],
)
def test_rows_that_differ_in_more_than_the_system_are_judgements_apart(tmp_path: Path, other: Judged) -> None:
    path = _release(tmp_path, [*JUDGED, other], name="ad-xxen-good-stnd-redup.csv")

    assert len(gather_credit(read_judgements(path).frame)) == 7


def test_what_was_seen_twice_is_two_judgements_of_the_same_systems(tmp_path: Path) -> None:
    path = _release(tmp_path, [*CREDITED, *CREDITED[4:]], name="ad-xxen-good-stnd-redup.csv")

    gathered = gather_credit(read_judgements(path).frame)

    assert len(gathered) == 8
    assert gathered["credited"].to_list()[4:] == [["Sys-B.1"]] * 4


def test_ratings_that_are_missing_are_noticed_by_the_means(tmp_path: Path) -> None:
    found = read_judgements(_release(tmp_path, JUDGED[:3] + JUDGED[4:]))

    assert found.warnings[-1].startswith("The ratings of 1 worker (M1) have another mean or deviation than")


def test_a_file_without_hits_and_keys_is_read(tmp_path: Path) -> None:
    names = HEADER.split()
    rows = [
        f'NA\tevaluator1\txx\tyy\tad\tNA\t"{system}"\tNA\tSYSTEM\txx-yy-0-71-1.{segment}\t{z}\t0'
        for system, segment, z in [("A.4", 1, "-1.5"), ("B.2", 1, "-1.5"), ("A.4", 2, "0.25")]
    ]
    path = tmp_path / "ad-xxyy-good-stnd-redup.csv"
    path.write_text("\n".join(["\t".join(names), *rows]) + "\n")
    (tmp_path / "ad-xxyy-trk-mean-sd.txt").write_text('[1] "evaluator1"\n[1] 70\n[1] 20\n')

    found = read_judgements(path)

    # 70 - 1.5 x 20 and 70 + 0.25 x 20; equal scores of two systems are not one judgement here.
    assert found.frame.select("system_id", "rating").rows() == [("A.4", 40.0), ("B.2", 40.0), ("A.4", 75.0)]
    assert found.frame["hit_id"].unique().to_list() == [""]
    assert found.frame["judgement_id"].null_count() == 3
    assert found.hit_times.is_empty()


def test_rows_may_have_spaces_and_tabs_in_turn(tmp_path: Path) -> None:
    rows = [f'NA\tevaluator3\txx\tyy ad NA\t"A b.{k}" NA SYSTEM\tx-{k}\t{30 + k}\t0' for k in range(2)]
    path = tmp_path / "ad-good-raw.csv"
    path.write_text("\n".join(["\t".join(HEADER.split()), *rows]) + "\n")

    found = read_judgements(path).frame

    assert _said(found) == [
        ("evaluator3", "A b.0", "regular", "x-0", 30.0),
        ("evaluator3", "A b.1", "regular", "x-1", 31.0),
    ]


def test_the_column_of_times_gives_the_times_of_hits(tmp_path: Path) -> None:
    found = read_judgements(_release(tmp_path)).hit_times

    assert found.select("worker_id", "hit_id", "work_seconds").rows() == [
        ("M1", "HM1", 900.0),
        ("M2", "HM2", 900.0),
    ]


def test_a_file_of_times_beside_says_more(tmp_path: Path) -> None:
    path = _release(tmp_path)
    rows = [
        'HM1 M1 xx en ad 4 900.0 "Tue Mar 03 09:30:05 2020" "Tue Mar 03 09:45:05 2020" Rejected',
        'H7 M1 zz en ad 5 60.0 "Tue Mar 03 09:31:00 2020" "Tue Mar 03 09:32:00 2020" Submitted',
        'H8 M9 xx en ad 6 60.0 "Tue Mar 03 09:31:00 2020" "Tue Mar 03 09:32:00 2020" Submitted',
    ]
    (tmp_path / "ad-hit-time.csv").write_text("\n".join([TIMES, *rows]) + "\n")

    found = read_judgements(path)

    start, end = datetime(2020, 3, 3, 9, 30, 5, tzinfo=UTC), datetime(2020, 3, 3, 9, 45, 5, tzinfo=UTC)
    assert found.hit_times.row(0) == ("M1", "HM1", 900.0, start, end, True, None, None, None)
    # Another HIT of M1 may overlap; M9 is not in the file; M2's time stands on its rows only.
    assert found.hit_times["hit_id"].to_list() == ["HM1", "H7", "HM2"]
    assert "Took the times of HITs from ad-hit-time.csv." in found.warnings


def test_a_folder_is_refused_with_its_files_that_can_be_analysed(tmp_path: Path) -> None:
    path = _release(tmp_path)
    (tmp_path / "ad-hit-time.csv").write_text(f"{TIMES}\n")
    (tmp_path / "ad-seg-scores-xx-en.csv").write_text("SYS SID RAW.SCR Z.SCR N\nA 1 50 0.1 1\n")
    (tmp_path / "mine.csv.gz").write_bytes(gzip.compress(b"worker,segment,rating\nw,1,5\n"))
    (tmp_path / "broken.csv.gz").write_bytes(b"worker,segment,rating\n")
    (tmp_path / "more.jsonl").write_text('{"worker": "w", "segment": 1, "rating": 5}\n')
    (tmp_path / "other.jsonl").write_text("[1]\n")
    (tmp_path / "bare.csv").write_text("w01,A,7,TGT,eng,liv,61,1.5,2.5\n")
    pl.DataFrame({"worker": ["w"], "segment": [1], "rating": [5]}).write_parquet(tmp_path / "z.parquet")
    (tmp_path / "folder.csv").mkdir()

    problems = _problems(tmp_path)

    names = ["ad-xxen-good-stnd.csv", "bare.csv", "mine.csv.gz", "more.jsonl", "z.parquet"]
    assert path.name in names
    assert problems == (f"is a folder. Name one of its files that can be analysed: {', '.join(names)}.",)


def test_a_folder_without_such_files_is_refused_saying_so(tmp_path: Path) -> None:
    (tmp_path / "ad-hit-time.csv").write_text(f"{TIMES}\n")

    assert _problems(tmp_path)[0].startswith("is a folder, and no file in it can be analysed")


@pytest.mark.skipif(not DATA.is_dir(), reason="the folder of real data is absent")
@pytest.mark.parametrize(
    ("campaign", "pair", "apart"),
    # The tidy files name no attribute; in lv-en each segment is a document of its own there.
    [("wmt21-toen", "cs-en", {"attribute"}), ("wmt22-toen", "lv-en", {"attribute", "document_id"})],
)
def test_a_real_campaign_in_the_layout_of_its_release_says_the_same(
    tmp_path: Path, campaign: str, pair: str, apart: set[str]
) -> None:
    tidy = DATA / campaign / f"{pair}.judgements.csv.gz"
    rows = pl.read_csv(tidy, infer_schema=False)
    workers = pl.read_csv(DATA / campaign / "expected" / f"{pair}.workers.csv")
    languages = [pl.lit(cell).alias(name) for name, cell in zip(("src", "trg"), pair.split("-"), strict=True)]
    time = pl.format("{}.0", "hit_seconds")
    flat = rows.select(
        *("hit", "worker", *languages, pl.lit("ad").alias("item"), "hit_no", "system"),
        *("doc_key", "item_type", "segment", "z_score", time.alias("time")),
    )
    group = f"ad-{pair.replace('-', '')}"
    path = tmp_path / f"{group}-good-stnd-redup.csv"
    path.write_text(f"{HEADER}\n" + flat.write_csv(separator="\t", include_header=False))
    # R prints seven significant digits.
    printed = [
        f'[1] "{name}"\n[1] {mean:.7g}\n[1] {sd:.7g}\n' for name, mean, sd, *_ in workers.drop_nulls().rows()
    ]
    (tmp_path / f"{group}-trk-mean-sd.txt").write_text("".join(printed))
    times = pl.read_csv(DATA / campaign / "expected" / f"{pair}.hit_times.csv.gz", try_parse_dates=True)
    spelt = [pl.col(name).dt.strftime("%a %b %d %H:%M:%S %Y") for name in ("accept_time", "submit_time")]
    line = pl.format(
        '{} {} {} {} ad 1 {}.0 "{}" "{}" {}', "hit", "worker", *languages, "work_seconds", *spelt, "approval"
    )
    (tmp_path / "ad-hit-time.csv").write_text("\n".join([TIMES, *times.select(line).to_series()]) + "\n")

    found = read_judgements(path)

    expected = read_judgements(tidy)
    compared = [name for name in expected.frame.columns if name not in apart]
    assert found.frame.select(compared).equals(expected.frame.select(compared))
    assert not any("another mean" in warning for warning in found.warnings)
    published = read_hit_times(DATA / campaign / "expected" / f"{pair}.hit_times.csv.gz")
    own = published.filter(pl.col("worker_id").is_in(rows["worker"].unique().implode()))
    assert found.hit_times.equals(own)
    both = found.hit_times.join(expected.hit_times, on=["worker_id", "hit_id"])
    assert len(both) == len(expected.hit_times)
    assert both["work_seconds"].equals(both["work_seconds_right"], check_names=False)
