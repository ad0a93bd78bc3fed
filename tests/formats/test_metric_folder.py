"""Scores in folders laid out as in mt-metrics-eval, read and written."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from steelyard.domain.errors import SourceError
from steelyard.domain.text import Segment
from steelyard.formats.metric_folder import read_metric_folder
from steelyard.formats.metric_writing import write_scored_pair
from steelyard.formats.mt_metrics_eval import read_mt_metrics_eval
from steelyard.formats.texts import LanguagePair, Texts
from steelyard.meta.scores import ScoredPair, ScoreSet

DATA = Path(__file__).parents[3] / "shared" / "data" / "meta" / "en-de"
published_data = pytest.mark.skipif(not DATA.is_dir(), reason="the folder of real data is absent")
NAN = float("nan")
# Three segments; each file has the systems in another order.
FILES = {
    "human-scores/en-de.mqm.seg.score": "A\t-1\nA\tNone\nA\t-3.5\nB\t0\nB\t-25\nB\t-1\n" + 3 * "refA\t0\n",
    "human-scores/en-de.mqm.sys.score": "B\t-8.5\nA\t-2.25\nrefA\t0\n",
    "human-scores/en-de.wmt-z.sys.score": "A\t0.1\nB\t-0.1\n",
    "human-scores/zh-en.mqm.seg.score": "A\t1\n",
    "metric-scores/en-de/BLEU-refA.seg.score": "B\t10\nB\t20\nB\t30\nA\t1e1\nA\t+15.5\nA\t2\n",
    "metric-scores/en-de/BLEU-refA.sys.score": "A\t12\nB\t22\n",
    "metric-scores/en-de/Kiwi-23-src.seg.score": "A 1\nB 4\nA 2\nB 5\nA   3\nB\t6\n",
    "metric-scores/en-de/Kiwi-23-src.doc.score": "not looked at\n",
    "documents/en-de.docs": "news\tnews-1\nnews\tnews-1\nchat\tchat-7\n",
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, text in FILES.items():
        path = tmp_path / "wmt99" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    return tmp_path / "wmt99"


@pytest.fixture
def problems_with(folder: Path) -> Callable[..., str]:
    """The error text for the folder with one more file."""

    def problems(name: str = "", text: str = "", **wishes: list[str]) -> str:
        if name:
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(text, "utf-8")
        with pytest.raises(SourceError) as caught:
            read_metric_folder(folder, "en-de", **wishes)
        return str(caught.value)

    return problems


def named(scored: ScoredPair, name: str) -> ScoreSet:
    return next(each for each in (*scored.golds, *scored.metrics) if each.name == name)


def scores_of(scores: ScoreSet) -> dict[str, list[float]]:
    assert scores.segments is not None
    return dict(zip(scores.systems, scores.segments.tolist(), strict=True))


def same(first: ScoreSet, second: ScoreSet) -> bool:
    arrays = ((first.segments, second.segments), (first.overall, second.overall))
    return (first.name, first.systems, first.reference) == (
        second.name,
        second.systems,
        second.reference,
    ) and all((a is None and b is None) or np.array_equal(a, b, equal_nan=True) for a, b in arrays)


def test_everything_there_is_is_read(folder: Path) -> None:
    scored = read_metric_folder(folder, "en-de")

    assert [gold.name for gold in scored.golds] == ["mqm", "wmt-z"]
    assert [metric.name for metric in scored.metrics] == ["BLEU-refA", "Kiwi-23-src"]
    assert (scored.pair, scored.n_segments) == ("en-de", 3)
    assert scored.documents == ("news-1", "news-1", "chat-7")
    assert scored.domains == ("news", "news", "chat")
    assert scored.warnings == ()


def test_none_is_no_score(folder: Path) -> None:
    scores = scores_of(named(read_metric_folder(folder, "en-de"), "mqm"))

    assert scores["A"] == pytest.approx([-1, NAN, -3.5], nan_ok=True)
    assert scores["B"] == [0, -25, -1]


def test_systems_keep_their_scores_whatever_the_order_of_a_file(folder: Path) -> None:
    mqm, bleu = (named(read_metric_folder(folder, "en-de"), name) for name in ("mqm", "BLEU-refA"))

    assert mqm.overall is not None
    assert dict(zip(mqm.systems, mqm.overall.tolist(), strict=True)) == {"A": -2.25, "B": -8.5, "refA": 0}
    assert scores_of(bleu) == {"B": [10, 20, 30], "A": [10, 15.5, 2]}
    assert dict(zip(bleu.systems, bleu.overall.tolist(), strict=True)) == {"A": 12, "B": 22}


def test_the_lines_of_a_system_may_be_apart_and_set_in_spaces(folder: Path) -> None:
    assert scores_of(named(read_metric_folder(folder, "en-de"), "Kiwi-23-src")) == {
        "A": [1, 2, 3],
        "B": [4, 5, 6],
    }


@pytest.mark.parametrize("lines", ["My lab\t1\nB\t2\n", " My lab \t 1 \r\nB  2\r\n", "My lab\t1\n\tB\t\t2\n"])
def test_before_a_tab_names_may_hold_spaces(folder: Path, lines: str) -> None:
    (folder / "metric-scores/en-de/New-src.sys.score").write_text(lines, "utf-8", newline="")

    assert named(read_metric_folder(folder, "en-de"), "New-src").systems == ("My lab", "B")


def test_one_level_is_enough(folder: Path) -> None:
    scored = read_metric_folder(folder, "en-de")

    assert named(scored, "wmt-z").segments is None
    assert named(scored, "Kiwi-23-src").overall is None


def test_the_name_of_a_metric_tells_its_reference(folder: Path) -> None:
    text = FILES["metric-scores/en-de/BLEU-refA.seg.score"]
    names = ("YiSi-refA.refB", "Own-refA.hyp", "MetricX-24", "Plain", "Every-all")
    for name in names:
        (folder / f"metric-scores/en-de/{name}.seg.score").write_text(text, "utf-8")

    scored = read_metric_folder(folder, "en-de")

    assert {metric.name: metric.reference for metric in scored.metrics} == {
        "BLEU-refA": "refA",
        "Kiwi-23-src": None,
        "YiSi-refA.refB": "refA.refB",
        "Own-refA.hyp": "refA",
        "MetricX-24": None,
        "Plain": None,
        "Every-all": "refA.refB",
    }
    assert named(scored, "YiSi-refA.refB").held_against == ("refA", "refB")
    assert named(scored, "Plain").held_against == ()


def test_references_are_known_by_metrics_by_names_and_by_files(folder: Path) -> None:
    (folder / "references").mkdir()
    (folder / "references" / "en-de.gold.txt").write_text("x\n", "utf-8")
    (folder / "references" / "zh-en.other.txt").write_text("x\n", "utf-8")
    (folder / "metric-scores/en-de/New-refC.sys.score").write_text("A\t1\nsynthetic_ref\t2\nB\t0\n", "utf-8")
    (folder / "metric-scores/en-de/New-gold.sys.score").write_text("A\t1\nB\t2\n", "utf-8")

    scored = read_metric_folder(folder, "en-de")

    assert scored.references == ("gold", "refA", "refC", "synthetic_ref")
    assert named(scored, "New-gold").reference == "gold"


def test_references_are_known_by_metrics_that_are_not_read(folder: Path) -> None:
    assert read_metric_folder(folder, "en-de", golds=["wmt-z"], metrics=["Kiwi-23"]).references == ("refA",)


@pytest.mark.parametrize("wish", ["BLEU-refA", "BLEU"])
def test_a_metric_may_be_named_without_its_reference(folder: Path, wish: str) -> None:
    scored = read_metric_folder(folder, "en-de", golds=["mqm"], metrics=["Kiwi-23", wish, "BLEU"])

    assert [metric.name for metric in scored.metrics] == ["Kiwi-23-src", "BLEU-refA"]
    assert [gold.name for gold in scored.golds] == ["mqm"]


def test_a_name_that_could_be_two_metrics_is_refused(problems_with: Callable[..., str]) -> None:
    text = problems_with("metric-scores/en-de/BLEU-refB.sys.score", "A\t1\n", metrics=["BLEU"])

    assert 'the metric "BLEU" appears 2 times: name one of BLEU-refA, BLEU-refB.' in text


def test_unknown_names_are_refused_with_those_there_are(problems_with: Callable[..., str]) -> None:
    text = problems_with(golds=["da", "mqm"], metrics=["COMET", "BLEU-refZ"])

    assert 'has no human scores "da" for en-de; choose from: mqm, wmt-z. Other pairs: zh-en.' in text
    assert 'there is no metric "COMET"; choose from: BLEU-refA, Kiwi-23-src.' in text
    assert "3 problems" in text


def test_an_unknown_pair_is_refused_with_those_there_are(folder: Path) -> None:
    with pytest.raises(SourceError, match=r"has no scores for en-fr; it has: en-de, zh-en\. Choose"):
        read_metric_folder(folder, "en-fr")


def test_metrics_of_the_only_pair_need_no_folder_of_their_own(folder: Path) -> None:
    expected = read_metric_folder(folder, "en-de")
    (folder / "human-scores/zh-en.mqm.seg.score").unlink()
    for path in (folder / "metric-scores/en-de").iterdir():
        path.rename(folder / "metric-scores" / path.name)
    (folder / "metric-scores/en-de").rmdir()
    (folder / "documents/en-de.docs").rename(folder / "en-de.docs")

    scored = read_metric_folder(folder, "en-de")

    pairs = zip((*scored.golds, *scored.metrics), (*expected.golds, *expected.metrics), strict=True)
    assert all(same(first, second) for first, second in pairs)
    assert scored.documents == expected.documents


def test_metrics_that_could_be_of_any_pair_are_refused(folder: Path) -> None:
    (folder / "metric-scores/chrF-refA.seg.score").write_text("A\t1\n", "utf-8")

    with pytest.raises(SourceError, match="put the files of zh-en into metric-scores/zh-en"):
        read_metric_folder(folder, "zh-en")


def test_metrics_outside_the_folder_of_the_pair_are_left_out_with_a_warning(folder: Path) -> None:
    (folder / "metric-scores/chrF-refA.seg.score").write_text("A\t1\n", "utf-8")

    scored = read_metric_folder(folder, "en-de")

    assert len(scored.metrics) == 2
    assert scored.warnings == (
        "Files in metric-scores itself were not read: those of en-de are in a folder of their own.",
    )


def test_packed_files_are_unpacked(folder: Path) -> None:
    plain = read_metric_folder(folder, "en-de")
    for path in [path for path in folder.rglob("*") if path.is_file()]:
        path.with_name(f"{path.name}.gz").write_bytes(gzip.compress(path.read_bytes()))
        path.unlink()

    packed = read_metric_folder(folder, "en-de")

    assert all(map(same, (*plain.golds, *plain.metrics), (*packed.golds, *packed.metrics)))
    assert packed.documents == plain.documents


def test_a_file_beside_its_packed_copy_is_refused(folder: Path) -> None:
    path = folder / "human-scores/en-de.mqm.sys.score.gz"
    path.write_bytes(gzip.compress(b"A\t1\n"))

    with pytest.raises(SourceError, match=r"en-de\.mqm\.sys\.score: exists twice"):
        read_metric_folder(folder, "en-de")


def test_every_line_that_cannot_be_read_is_named(problems_with: Callable[..., str]) -> None:
    text = problems_with(
        "metric-scores/en-de/Bad-src.seg.score", "A\t1\nA\tNaN\nA\tinf\n\nB\t1,5\nB\nB\t1\t2\nC\tnone\n"
    )

    where = "metric-scores/en-de/Bad-src.seg.score: line"
    assert f'{where} 2: the score "NaN" is not a finite number; write None where there is none.' in text
    assert f'{where} 3: the score "inf"' in text
    assert f'{where} 4: "" is not a system and a score with a tab between.' in text
    assert f'{where} 5: the score "1,5"' in text
    assert f'{where} 6: "B" is not a system' in text
    assert f'{where} 7: "B\t1\t2" is not a system' in text
    assert f'{where} 8: the score "none"' in text


def test_of_many_bad_lines_the_first_twenty_are_named(problems_with: Callable[..., str]) -> None:
    text = problems_with("metric-scores/en-de/Bad-src.sys.score", "A\tx\n" * 50)

    assert "line 20: " in text
    assert "21 problems" in text


def test_systems_with_too_few_or_too_many_lines_are_named(problems_with: Callable[..., str]) -> None:
    text = problems_with(
        "metric-scores/en-de/Bad-src.seg.score", "A\t1\nA\t2\nB\t1\nB\t2\nB\t3\nB\t4\nC\t1\nC\t1\nC\t1\n"
    )

    where = "metric-scores/en-de/Bad-src.seg.score"
    assert f'{where}: has 2 lines of the system "A", but the file of documents has 3.' in text
    assert f'{where}: has 4 lines of the system "B"' in text
    assert '"C"' not in text


def test_without_documents_most_systems_decide_how_many_segments_there_are(
    problems_with: Callable[..., str], folder: Path
) -> None:
    (folder / "documents/en-de.docs").unlink()

    text = problems_with("metric-scores/en-de/Bad-src.seg.score", "A\t1\nB\t1\n")

    assert (
        'has 1 lines of the system "A", but most systems have 3: each must have one for every segment.'
        in text
    )


def test_the_source_tells_how_many_segments_there_are(
    problems_with: Callable[..., str], folder: Path
) -> None:
    (folder / "documents/en-de.docs").unlink()

    text = problems_with("sources/en-de.txt", "One.\nTwo.\n")

    assert 'en-de.mqm.seg.score: has 3 lines of the system "A", but sources/en-de.txt has 2.' in text


def test_a_system_has_one_score_as_a_whole(problems_with: Callable[..., str]) -> None:
    text = problems_with("human-scores/en-de.mqm.sys.score", "A\t1\nB\t2\nA\t3\n")

    assert 'has 2 lines of the system "A", but a file of system scores has one of each.' in text


def test_an_empty_file_is_refused(problems_with: Callable[..., str]) -> None:
    assert "Bad-src.sys.score: is empty" in problems_with("metric-scores/en-de/Bad-src.sys.score", "")


@pytest.mark.parametrize("text", ["news\tn1\nnews\nnews\tn2\n", "a\tb\tc\na\tb\tc\na\tb\tc\n", "\n\n\n"])
def test_documents_that_are_not_two_columns_are_refused(problems_with: Callable[..., str], text: str) -> None:
    assert "not a domain and a document with a tab between" in problems_with("documents/en-de.docs", text)


def test_documents_may_have_no_domain(folder: Path) -> None:
    (folder / "documents/en-de.docs").write_text("d1\nd1\nd2\n", "utf-8")

    scored = read_metric_folder(folder, "en-de")

    assert (scored.documents, scored.domains) == (("d1", "d1", "d2"), None)


def test_a_system_that_only_one_file_knows_is_named(folder: Path) -> None:
    (folder / "metric-scores/en-de/New-refA.seg.score").write_text(
        "A\t1\nA\t1\nA\t1\nb\t1\nb\t1\nb\t1\nrefB\t1\nrefB\t1\nrefB\t1\n", "utf-8"
    )

    # refB is a reference: metrics that take it have no scores of it.
    assert read_metric_folder(folder, "en-de").warnings == (
        "Only New-refA has scores of b: is it spelt differently elsewhere?",
    )


def test_systems_that_one_of_two_files_lacks_are_named_and_not_scored(folder: Path) -> None:
    (folder / "human-scores/en-de.mqm.sys.score").write_text("A\t1\nrefA\t2\n", "utf-8")

    scored = read_metric_folder(folder, "en-de")

    assert named(scored, "mqm").systems == ("A", "B", "refA")
    assert named(scored, "mqm").overall == pytest.approx(np.array([1, NAN, 2]), nan_ok=True)
    assert scored.warnings == (
        "human-scores/en-de.mqm.sys.score has no line of B, which the file of segment scores has: "
        "taken as not scored.",
    )


@pytest.mark.parametrize("name", ["nowhere", "documents"])
def test_any_other_folder_is_refused(folder: Path, name: str) -> None:
    with pytest.raises(SourceError, match=r"no such folder|is not a folder in the layout of mt-metrics-eval"):
        read_metric_folder(folder / name, "en-de")


numbers = st.one_of(st.floats(allow_infinity=False), st.just(NAN))


@settings(max_examples=50)
@given(
    st.lists(numbers, min_size=6, max_size=6),
    st.lists(numbers, min_size=2, max_size=2),
    st.booleans(),
)
def test_scores_come_back_to_the_last_bit(
    tmp_path_factory: pytest.TempPathFactory, segments: list[float], overall: list[float], has_domains: bool
) -> None:
    folder = tmp_path_factory.mktemp("scores")
    values = np.array(segments).reshape(2, 3)
    scored = ScoredPair(
        pair="en-de",
        n_segments=3,
        golds=(ScoreSet("da", ("B", "A"), values, np.array(overall)),),
        metrics=(
            ScoreSet("X-24", ("A", "B"), None, np.array(overall)),
            ScoreSet("X-refA", ("A", "B"), -values, None, "refA"),
        ),
        documents=("d1", "d1", "d2"),
        domains=("news", "news", "chat") if has_domains else None,
        references=("refA",),
    )

    assert write_scored_pair(folder, scored) == ()

    back = read_metric_folder(folder, "en-de")
    assert all(map(same, (*back.golds, *back.metrics), (*scored.golds, *scored.metrics)))
    assert replace(back, golds=(), metrics=()) == replace(scored, golds=(), metrics=())


def toy(*, gold: str = "da", systems: tuple[str, ...] = ("A", "B")) -> ScoredPair:
    values = np.array([[1.0, NAN, 3.0], [0.5, 0.25, 0.0]])
    return ScoredPair("de-en", 3, (ScoreSet(gold, systems, values, None),), ())


TEXTS = Texts(
    (
        Segment("s1", "news 1", "Eins.", "One."),
        Segment("s2", "news 1", "Zwei\nund drei.", "Two\r\nand three."),
        Segment("s9", "chat-1", "Vier.", "Four."),
    ),
    {"A": ["One!", None, "4"], "B": ["1", "", "Four\u2028it is"], "refB": ["One, one.", "Two.", "Four."]},
    humans=frozenset({"refB"}),
)


def test_the_lines_written_are_system_and_score(tmp_path: Path) -> None:
    write_scored_pair(tmp_path, toy())

    written = (tmp_path / "human-scores/de-en.da.seg.score").read_text("utf-8")
    assert written == "A\t1.0\nA\tNone\nA\t3.0\nB\t0.5\nB\t0.25\nB\t0.0\n"


def test_a_metric_gets_its_reference_into_its_name(tmp_path: Path) -> None:
    metric = ScoreSet("bleu", ("A", "B"), None, np.array([1.0, 2.0]), "refA")

    write_scored_pair(tmp_path, replace(toy(), metrics=(metric,)))

    assert [path.name for path in (tmp_path / "metric-scores/de-en").iterdir()] == ["bleu-refA.sys.score"]
    assert read_metric_folder(tmp_path, "de-en", metrics=["bleu"]).metrics[0].reference == "refA"


def test_texts_become_lines_that_campaigns_can_be_made_from(tmp_path: Path) -> None:
    write_scored_pair(tmp_path, replace(toy(), documents=("news 1", "news 1", "chat-1")), texts=TEXTS)

    back = read_mt_metrics_eval(tmp_path, pair=LanguagePair("de", "en"), reference="refA", incomplete=True)
    assert back.segments == (
        Segment("1", "news_1", "Eins.", "One."),
        Segment("2", "news_1", "Zwei und drei.", "Two and three."),
        Segment("3", "chat-1", "Vier.", "Four."),
    )
    assert back.translations == {
        "A": ["One!", None, "4"],
        "B": ["1", None, "Four it is"],
        "refB": ["One, one.", "Two.", "Four."],
    }
    assert back.humans == {"refB"}


def test_a_file_beside_the_folders_names_the_segments_of_the_lines(tmp_path: Path) -> None:
    write_scored_pair(tmp_path, toy(), texts=TEXTS)

    assert (tmp_path / "de-en.segments.txt").read_text("utf-8") == "s1\ns2\ns9\n"
    assert read_metric_folder(tmp_path, "de-en").n_segments == 3


def test_what_changes_in_texts_is_told(tmp_path: Path) -> None:
    assert write_scored_pair(tmp_path, toy(), texts=TEXTS) == (
        "Line ends within 3 texts were written as spaces: a line is a segment.",
        "Missing translations were written as empty lines: A 1.",
    )


def test_files_that_are_there_are_kept(tmp_path: Path) -> None:
    write_scored_pair(tmp_path, toy())
    path = tmp_path / "human-scores/de-en.da.seg.score"
    path.write_text("mine\n", "utf-8")

    with pytest.raises(SourceError, match=r"human-scores/de-en\.da\.seg\.score: already exists"):
        write_scored_pair(tmp_path, toy())

    assert path.read_text("utf-8") == "mine\n"
    assert write_scored_pair(tmp_path, toy(), overwrite=True) == ()
    assert path.read_text("utf-8").startswith("A\t1.0\n")


def test_further_scores_may_join_a_folder(tmp_path: Path) -> None:
    write_scored_pair(tmp_path, toy())

    write_scored_pair(tmp_path, toy(gold="mqm"))

    assert [gold.name for gold in read_metric_folder(tmp_path, "de-en").golds] == ["da", "mqm"]


def test_names_that_cannot_be_written_are_all_named(tmp_path: Path) -> None:
    with pytest.raises(SourceError) as caught:
        write_scored_pair(tmp_path, toy(gold="../da", systems=("A", "Online B")))

    assert 'the system "Online B" cannot be written' in str(caught.value)
    assert 'the score "../da" cannot be written' in str(caught.value)
    assert list(tmp_path.iterdir()) == []


def test_infinite_scores_are_refused(tmp_path: Path) -> None:
    scored = replace(toy(), golds=(ScoreSet("da", ("A",), None, np.array([np.inf])),))

    with pytest.raises(SourceError, match="da has infinite scores"):
        write_scored_pair(tmp_path, scored)


def test_a_folder_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("", "utf-8")

    with pytest.raises(SourceError, match="cannot be written"):
        write_scored_pair(tmp_path / "taken", toy())


@pytest.fixture(scope="module")
def published() -> ScoredPair:
    """WMT23, English to German."""
    return read_metric_folder(DATA, "en-de")


@published_data
def test_all_of_it_is_read(published: ScoredPair) -> None:
    assert published.n_segments == 557
    assert [gold.name for gold in published.golds] == ["da-sqm", "mqm"]
    assert len(published.metrics) == 8
    assert published.references == ("refA", "synthetic_ref")
    assert published.warnings == ()


@published_data
def test_cells_without_a_score_are_as_many_as_published(published: ScoredPair) -> None:
    # Numbers of judged cells of the 12 systems that are no references, as published.
    judged = {
        gold.name: sum(
            np.count_nonzero(~np.isnan(row))
            for name, row in zip(gold.systems, gold.segments, strict=True)
            if name not in published.references
        )
        for gold in published.golds
    }

    assert judged == {"mqm": 5520, "da-sqm": 6588}


@published_data
def test_system_scores_of_people_are_the_means_of_their_segments(published: ScoredPair) -> None:
    mqm = named(published, "mqm")

    assert mqm.overall == pytest.approx(np.nanmean(mqm.segments, axis=1), abs=1e-9)


@published_data
def test_it_comes_back_from_a_folder_of_ours(published: ScoredPair, tmp_path: Path) -> None:
    write_scored_pair(tmp_path, published)

    back = read_metric_folder(tmp_path, "en-de")

    assert all(map(same, (*back.golds, *back.metrics), (*published.golds, *published.metrics)))
    assert (back.documents, back.domains) == (published.documents, published.domains)


def test_blank_lines_at_the_end_of_a_file_say_nothing(tmp_path: Path) -> None:
    scores = tmp_path / "human-scores" / "de-en.da.seg.score"
    scores.parent.mkdir()
    scores.write_text("A\t1\nA\t2\nB\t3\nB\tNone\n\n  \n", "utf-8")

    (gold,) = read_metric_folder(tmp_path, "de-en").golds

    assert gold.segments is not None
    assert gold.segments.tolist() == [[1.0, 2.0], [3.0, pytest.approx(float("nan"), nan_ok=True)]]
