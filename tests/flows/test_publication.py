"""A publication pack: what it says is true, it names nobody, and a stranger computes every number again."""

from __future__ import annotations

import hashlib
import json
import re
import shlex
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pyarrow.parquet as pq
import pytest
from tests.flows.conftest import NOON, People

from steelyard.cli.main import run
from steelyard.domain.entry import CampaignEntry, EntryQuestion
from steelyard.domain.errors import ChoiceError, NotEnoughData, SourceError
from steelyard.flows.analyse import analyse
from steelyard.flows.create import create
from steelyard.flows.entry_answers import answer_questions
from steelyard.flows.open import OpenCampaign, open_campaign
from steelyard.flows.pseudonyms import pseudonymised
from steelyard.flows.publication import PublicationOptions, pack_options, publish_campaign, publish_source
from steelyard.flows.publication_facts import campaign_facts, collection_facts
from steelyard.flows.settings import settings_from
from steelyard.flows.simulate import simulate
from steelyard.flows.source import Source, from_campaign, read_source
from steelyard.report.cited_text import Paragraph, cited_markdown
from steelyard.report.methods_analysis import quality_paragraph
from steelyard.report.methods_collection import answer_sentences, collection_paragraph, question_sentence

# What the analysis says of where the data come from; everything else must be the same.
OF_ORIGIN = ("signature", "title")
PROTOCOLS = {"da": "adequacy", "pairwise": "overall", "esa": "overall", "mqm": "overall"}
FEW = PublicationOptions(exhibits=("ranking",), licence="cc-by-4.0")
KEY = re.compile(r"[A-Z][a-z]+(?:19|20)\d\d[a-z]?")


@dataclass(frozen=True)
class Made:
    """A pack, and the judgements it was made from."""

    folder: Path
    source: Source
    database: Path

    def text(self, name: str) -> str:
        return (self.folder / name).read_text("utf-8")


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory, word_texts: Any) -> Callable[[str], Made]:
    """The pack of a small campaign of each protocol, with one worker excluded by hand."""
    found: dict[str, Made] = {}

    def make(protocol: str) -> Made:
        if protocol not in found:
            folder = tmp_path_factory.mktemp(protocol)
            database = folder / "eval.db"
            texts = word_texts(
                folder, protocol=protocol, attribute=PROTOCOLS[protocol], design=_design(protocol)
            )
            create(texts.write(), str(database), now=NOON)
            with open_campaign(str(database)) as campaign:
                simulate(campaign, 9, seed=4)
                assert run(["exclude", str(database), "W0003", "--reason", "Anna asked us to"]) == 0
                assert run(["settings", str(database), "--wage", "12", "--currency", "EUR"]) == 0
                publish_campaign(campaign, folder / "pack", FEW, draws=200)
                source = from_campaign(campaign)
            found[protocol] = Made(folder / "pack", source, database)
        return found[protocol]

    return make


def _design(protocol: str) -> dict[str, str]:
    if protocol in ("esa", "mqm"):
        return {"order": '"documents"', "groups": "", "quota": "{ degraded = 6, repeat = 2 }"}
    return {"groups": "", "quota": "{ degraded = 5, repeat = 2 }"}


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_the_command_in_the_pack_gives_every_number_again(
    protocol: str, made: Callable[[str], Made], monkeypatch: pytest.MonkeyPatch
) -> None:
    pack = made(protocol)
    command = shlex.split(pack.text("recompute.sh").splitlines()[-1])
    assert pack.text("recompute.sh").splitlines()[-1] in pack.text("README.md")

    monkeypatch.chdir(pack.folder)
    assert command[0] == "steelyard"
    assert run(command[1:]) == 0

    expected, again = (json.loads(pack.text(name)) for name in ("results.json", "recomputed.json"))
    for name in OF_ORIGIN:
        expected.pop(name, None), again.pop(name, None)
    assert expected["counts"]["excluded_judgements"] > 0
    assert again == expected


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_scores_clusters_and_verdicts_are_those_of_the_database(
    protocol: str, made: Callable[[str], Made]
) -> None:
    pack = made(protocol)
    found = json.loads(pack.text("results.json"))

    own = analyse(pack.source, settings_from(pack.source, draws=200))

    scores = {row["system_id"]: row["score"] for row in found["systems"]}
    assert scores == pytest.approx(dict(own.systems.select("system_id", "score").iter_rows()), abs=1e-9)
    clusters = {row["system_id"]: row["cluster"] for row in found["systems"]}
    assert clusters == dict(own.systems.select("system_id", "cluster").iter_rows())
    assert sorted(str(row["verdict"]) for row in found["workers"]) == sorted(
        str(verdict) for verdict in own.workers["verdict"]
    )


@pytest.mark.parametrize("protocol", ["da", "pairwise", "esa"])
def test_nothing_in_the_pack_leads_back_to_workers(protocol: str, made: Callable[[str], Made]) -> None:
    pack = made(protocol)
    frames = [pack.source.frame, pack.source.preferences, pack.source.spans]
    people = {name for frame in frames for column in ("worker_id", "hit_id") for name in frame[column]}
    ids = {name.partition("/")[0] for frame in frames for name in frame["judgement_id"].drop_nulls()}

    words = [
        path.read_bytes()
        for path in pack.folder.rglob("*")
        if path.suffix in (".md", ".json", ".csv", ".tex")
    ]
    data = [pl.read_parquet(path) for path in (pack.folder / "data").glob("*.parquet")]

    assert len(people) >= 3
    assert not [name for name in people for text in words if name.encode() in text]
    assert not [text for text in words if b"Anna" in text]
    cells = {cell for table in data for column in table.select(pl.col(pl.String)) for cell in column.unique()}
    assert not cells & (people | ids)
    assert not {name for table in data for name in table.columns} & {
        "submitted_at",
        "automated",
        "moves",
        "text",
    }


def test_pseudonyms_are_new_each_time(made: Callable[[str], Made], tmp_path: Path) -> None:
    publish_source(made("da").source, tmp_path / "again", FEW, draws=0)

    first, second = (
        pl.read_parquet(folder / "data" / "judgements.parquet")
        for folder in (made("da").folder, tmp_path / "again")
    )

    assert first["rating"].sort().equals(second["rating"].sort())
    assert not first["rating"].equals(second["rating"])
    assert first["worker"].unique().sort().equals(second["worker"].unique().sort())


def test_rows_tell_the_order_of_a_workers_judgements_and_not_who_worked_at_the_same_time(
    made: Callable[[str], Made],
) -> None:
    table = pl.read_parquet(made("da").folder / "data" / "judgements.parquet")
    given = made("da").source.frame.sort("submitted_at")

    assert len(given["worker_id"].rle()) > given["worker_id"].n_unique()
    assert table["worker"].is_sorted()
    ratings = [each["rating"].to_list() for each in table.partition_by("worker")]
    assert sorted(ratings) == sorted(each["rating"].to_list() for each in given.partition_by("worker_id"))


def test_ratings_made_of_errors_stand_in_the_order_in_which_readers_will_make_them(tmp_path: Path) -> None:
    """Sums of the same numbers in another order differ in their last digits."""
    marks = [("1", "minor", 1), ("2", "major", 2), ("1", "major", 3)]
    rows = [f"w,A,{segment},0,1,{severity},2026-01-01T12:0{at}:00+00:00" for segment, severity, at in marks]
    file = tmp_path / "spans.csv"
    file.write_text("\n".join(["worker,system,segment,start,end,severity,submitted_at", *rows]), "utf-8")

    hidden = pseudonymised(read_source(str(file)), np.random.default_rng(1), texts=False)

    assert hidden.frame.select("segment_id", "rating").rows() == [("1", -6.0), ("2", -5.0)]


def test_what_was_said_of_single_people_when_a_file_was_read_is_left_out(
    made: Callable[[str], Made], tmp_path: Path
) -> None:
    person = made("da").source.frame["worker_id"][0]
    warnings = (f"The HITs disagree (one of worker '{person}' is one).", "Ignored columns: colour.")

    publish_source(replace(made("da").source, warnings=warnings), tmp_path / "pack", FEW, draws=0)

    for name in ("README.md", "results.json"):
        said = (tmp_path / "pack" / name).read_text("utf-8")
        assert "colour" in said
        assert "disagree" not in said


def test_checksums_are_those_of_the_data_and_the_results(made: Callable[[str], Made]) -> None:
    pack = made("esa")
    lines = pack.text("SHA256SUMS").splitlines()

    found = {name: told for told, name in (line.split("  ") for line in lines)}

    data = {f"data/{path.name}" for path in (pack.folder / "data").glob("*.parquet")}
    assert set(found) == data | {"results.json"}
    assert all(
        hashlib.sha256((pack.folder / name).read_bytes()).hexdigest() == told for name, told in found.items()
    )
    assert "\n".join(lines) in pack.text("README.md")


def test_methods_say_what_was_asked_of_whom_and_what_was_left_out(made: Callable[[str], Made]) -> None:
    pack = made("da")
    counts = json.loads(pack.text("results.json"))["counts"]

    words = pack.text("methods.md")

    assert f"A total of {counts['workers']} workers gave {counts['judgements']:,} ratings" in words
    assert "from German into English" in words
    assert "“Rate how much you agree that the translation adequately expresses the meaning.”" in words
    # Controls are among those kept, and do not count towards scores.
    assert f"We kept {counts['kept_judgements']:,} of {counts['judgements']:,} judgements" in words
    assert f"We excluded {counts['excluded_judgements']} judgements by hand" in words
    # Nobody pays simulated workers.
    assert "simulated" in words
    assert "EUR" not in words


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_the_bibliography_has_exactly_what_is_cited(protocol: str, made: Callable[[str], Made]) -> None:
    pack = made(protocol)
    listed = re.findall(r"^@\w+\{([^,]+),", pack.text("references.bib"), flags=re.M)

    in_markdown = re.findall(r"@([A-Za-z0-9]+)", pack.text("methods.md"))
    in_latex = [
        key for group in re.findall(r"\\citep\{(.*?)\}", pack.text("methods.tex")) for key in group.split(",")
    ]

    assert len(listed) > 3
    assert sorted(set(in_markdown)) == sorted(set(in_latex)) == sorted(listed)
    assert pack.text("methods.tex").count("{") == pack.text("methods.tex").count("}")


def test_a_file_is_not_said_to_know_what_it_does_not(made: Callable[[str], Made], tmp_path: Path) -> None:
    file = tmp_path / "news.csv"
    assert run(["export", str(made("da").database), "--to", str(file)]) == 0

    publish_source(read_source(str(file)), tmp_path / "pack", FEW, draws=0)

    words = (tmp_path / "pack" / "methods.md").read_text("utf-8")
    assert "German" not in words
    assert "Rate how much" not in words
    assert "direct assessment" not in words
    assert "interval" not in words


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_the_card_says_what_each_column_holds(protocol: str, made: Callable[[str], Made]) -> None:
    pack = made(protocol)
    card = pack.text("data/README.md")

    tables = [pl.read_parquet_schema(path) for path in (pack.folder / "data").glob("*.parquet")]

    assert len(tables) >= 4
    assert [name for table in tables for name in table if f"| `{name}` | " not in card] == []


@pytest.fixture
def people(campaign: OpenCampaign) -> People:
    """People of a campaign with words, which the toy campaign lacks."""
    return People(campaign, NOON)


def test_methods_say_that_not_all_hits_were_judged(people: People) -> None:
    people.judge(*people.add(), 3)
    source = from_campaign(people.campaign)

    facts = collection_facts(source, "ratings", campaign_facts(people.campaign, source))
    analysis = analyse(source, settings_from(source, method="mean-rating", check="none", draws=0))
    words = cited_markdown([collection_paragraph(facts, analysis)])

    assert f"Items were laid out in {len(people.hits())} HITs of" in words
    assert "; 1 of these HITs was judged, in full or in part." in words
    assert "A translation received 1.0 ratings on average" in words


def test_only_those_who_judged_are_described(people: People, ask_first: Callable[..., None]) -> None:
    native = EntryQuestion("native", "Is English your first language?", "choice", ("Yes", "No"), ("Yes",))
    ask_first(people.campaign, CampaignEntry(questions=(native,)))
    judge, reader, other = people.add(3)
    for worker, answer in ((judge, "Yes"), (reader, "Yes"), (other, "No")):
        answer_questions(people.campaign, worker, {"native": answer}, now=people.at(1))
    people.judge(judge, 1, minute=2)

    facts = campaign_facts(people.campaign, from_campaign(people.campaign))

    assert facts.background == {native.text: {"Yes": 1}}
    assert facts.admitted == ((native.text, ("Yes",)),)


def test_what_was_asked_in_another_language_is_told_in_english(tmp_path: Path, word_texts: Any) -> None:
    file = word_texts(tmp_path, attribute="fluency", design=_design("da")).write()
    file.write_text(
        file.read_text("utf-8").replace('target_language = "en"', 'target_language = "ar"'), "utf-8"
    )
    create(file, str(tmp_path / "eval.db"), now=NOON)
    with open_campaign(str(tmp_path / "eval.db")) as campaign:
        facts = campaign_facts(campaign, from_campaign(campaign))

    words = cited_markdown([Paragraph("Asked", (question_sentence(facts), *answer_sentences(facts)))])

    assert (
        "read, in Arabic, what says in English: “Rate how much you agree that the text is fluent Arabic"
        in words
    )
    assert "“strongly agree”" in words
    # The datasheet has it word for word.
    assert facts.asked.question.startswith("حد")


def test_methods_say_what_stands_along_the_line(made: Callable[[str], Made]) -> None:
    assert "a line with the words “Nonsense: no meaning is kept”, “Some of" in made("esa").text("methods.md")
    # Beside words at the ends of a line, those of its marks are spoken, and written nowhere.
    assert "a line from “strongly disagree” to “strongly agree”, which" in made("da").text("methods.md")
    assert "read (in English): “Mark every error with its category and severity." in made("mqm").text(
        "methods.md"
    )


def test_methods_name_the_attributes_that_workers_were_checked_by(made: Callable[[str], Made]) -> None:
    source = made("da").source

    words = cited_markdown(
        [quality_paragraph(analyse(source, settings_from(source, check_attributes=("adequacy",))))]
    )

    assert "[@Graham2014], by their ratings of adequacy alone, and passed at p < 0.05." in words


def test_letters_that_pdflatex_lacks_are_told_of(made: Callable[[str], Made], tmp_path: Path) -> None:
    source = made("da").source
    named = replace(source, frame=source.frame.with_columns(pl.col("system_id").replace("alpha", "翻译")))

    found = publish_source(named, tmp_path / "pack", FEW, draws=0)

    assert "use LuaLaTeX" not in made("da").text("README.md")
    assert "exhibits/, such as 翻: use LuaLaTeX" in " ".join(found.notes)
    assert "use LuaLaTeX" in (tmp_path / "pack" / "README.md").read_text("utf-8")


def test_a_campaign_without_judgements_is_refused_in_plain_words(
    campaign: OpenCampaign, tmp_path: Path
) -> None:
    with pytest.raises(NotEnoughData, match="There are no judgements yet"):
        publish_campaign(campaign, tmp_path / "pack", FEW)

    assert not (tmp_path / "pack").exists()


def test_a_median_of_no_time_and_controls_that_do_not_count_are_not_spoken_of(
    made: Callable[[str], Made],
) -> None:
    source = made("esa").source
    at_once = replace(source, frame=source.frame.with_columns(seconds=pl.lit(0.2)))
    analysis = analyse(source, settings_from(source, recipe="wmt24", draws=0))

    words = cited_markdown([collection_paragraph(collection_facts(at_once, "ratings", None), analysis)])

    assert "median" not in words
    assert "none of them counts towards a system's score" in words


def test_texts_are_published_only_if_asked_for(made: Callable[[str], Made], tmp_path: Path) -> None:
    options = PublicationOptions(exhibits=("ranking",), texts=True)
    with open_campaign(str(made("esa").database)) as campaign:
        publish_campaign(campaign, tmp_path / "pack", options, draws=0)

    texts = pl.read_parquet(tmp_path / "pack" / "data" / "texts.parquet")

    assert not (made("esa").folder / "data" / "texts.parquet").exists()
    assert set(texts["role"]) == {"source", "reference", "translation"}
    assert "text" in pl.read_parquet_schema(tmp_path / "pack" / "data" / "judgements.spans.parquet")


def test_the_card_names_files_that_pyarrow_reads_and_the_licence(made: Callable[[str], Made]) -> None:
    pack = made("esa")
    card = pack.text("data/README.md")
    header = card.split("---")[1]

    files = re.findall(r"data_files: (\S+)", header)

    assert 'license: "cc-by-4.0"' in header
    # A bare `no` would be false in YAML; the languages of the campaign are these.
    assert 'language:\n- "de"\n- "en"\n' in header
    assert sorted(files) == sorted(path.name for path in (pack.folder / "data").glob("*.parquet"))
    assert all(pq.read_table(pack.folder / "data" / name).num_rows for name in files)


def test_a_missing_licence_is_said_on_the_card(made: Callable[[str], Made], tmp_path: Path) -> None:
    publish_source(made("da").source, tmp_path / "pack", PublicationOptions(exhibits=("ranking",)), draws=0)

    assert "No licence has been stated yet" in (tmp_path / "pack" / "data" / "README.md").read_text("utf-8")


def test_a_folder_that_holds_anything_is_refused_and_stays_as_it_is(
    made: Callable[[str], Made], tmp_path: Path
) -> None:
    (tmp_path / "notes.txt").write_text("mine", "utf-8")

    with pytest.raises(SourceError, match="not empty"):
        publish_source(made("da").source, tmp_path, FEW)

    assert [path.name for path in tmp_path.iterdir()] == ["notes.txt"]


def test_what_fails_leaves_nothing_behind(made: Callable[[str], Made], tmp_path: Path) -> None:
    def fail(folder: Path) -> None:
        folder.mkdir()
        raise OSError("the disk is full")

    options = PublicationOptions(exhibits=("ranking",), write_replay=fail)
    with pytest.raises(SourceError, match="cannot be written: the disk is full"):
        publish_source(made("da").source, tmp_path / "pack", options, draws=0)

    assert list(tmp_path.iterdir()) == []


def test_an_exhibit_that_does_not_exist_is_refused(made: Callable[[str], Made], tmp_path: Path) -> None:
    with pytest.raises(ChoiceError, match="rankin"):
        publish_source(made("da").source, tmp_path / "pack", PublicationOptions(exhibits=("rankin",)))


def test_the_datasheet_of_a_line_counts_its_whole_numbers_and_tells_of_marks_beside_ratings(
    made: Callable[[str], Made],
) -> None:
    sheet = json.loads(made("esa").text("heds.json"))
    asked = "heds-criteria-criterion-response_elicitation"

    assert list(sheet[f"{asked}-size_of_scale"]["data"].values()) == ["101"]
    # Direct estimation is the second option of the form, annotation the sixth.
    chosen = [n for n in range(1, 12) if sheet[f"{asked}-form_of_response-{n}"]["data"]["overall"]]
    assert chosen == [2]
    assert "mark its errors" in sheet[f"{asked}-form_of_response-other_text"]["data"]["overall"]


def test_a_replay_answers_where_the_pages_can_be_seen(made: Callable[[str], Made], tmp_path: Path) -> None:
    options = PublicationOptions(exhibits=("ranking",), write_replay=lambda folder: folder.mkdir())
    with open_campaign(str(made("da").database)) as campaign:
        published = publish_campaign(campaign, tmp_path / "pack", options, draws=0)

    sheet = json.loads((tmp_path / "pack" / "heds.json").read_text("utf-8"))

    link = "heds-sample_evaluators_design-experimental_design-what_evaluators_see-link"
    assert "replay" in sheet[link]["data"][""]
    assert (tmp_path / "pack" / "replay").is_dir()
    assert published.n_answered == 36


def test_several_attributes_are_reported_one_by_one(
    made: Callable[[str], Made], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "two.csv"
    assert run(["export", str(made("da").database), "--to", str(file)]) == 0
    rows = pl.read_csv(file, infer_schema=False).drop("judgement_id")
    pl.concat([rows, rows.with_columns(attribute=pl.lit("fluency"))]).write_csv(file)

    assert run(["publication", str(file), "--to", str(tmp_path / "pack"), "--draws", "0"]) == 0
    monkeypatch.chdir(tmp_path / "pack")
    assert run(shlex.split(Path("recompute.sh").read_text("utf-8").splitlines()[-1])[1:]) == 0

    expected, again = (
        json.loads(Path(name).read_text("utf-8")) for name in ("results.json", "recomputed.json")
    )
    assert [found["attribute"] for found in expected["attributes"]] == ["adequacy", "fluency"]
    assert again["attributes"] == expected["attributes"]
    assert set(pl.read_parquet("data/system_scores.parquet")["attribute"]) == {"", "adequacy", "fluency"}
    assert list(json.loads(Path("heds.json").read_text("utf-8"))["heds-criteria-criterion"]["control"]) == [
        "adequacy",
        "fluency",
    ]


def test_both_databases_give_a_pack(campaign: OpenCampaign, tmp_path: Path) -> None:
    simulate(campaign, 6, seed=3)

    published = publish_campaign(campaign, tmp_path / "pack", FEW, draws=0, check="none")

    assert published.n_answered >= 34
    assert (tmp_path / "pack" / "data" / "judgements.parquet").is_file()


def test_of_several_attributes_only_the_one_analysed_is_spoken_of(
    made: Callable[[str], Made], tmp_path: Path
) -> None:
    source = made("da").source
    two = pl.concat([source.frame, source.frame.with_columns(attribute=pl.lit("fluency"))])

    publish_source(replace(source, frame=two), tmp_path / "pack", FEW, draws=0, attribute="fluency")

    words = (tmp_path / "pack" / "methods.md").read_text("utf-8")
    n_degraded = len(source.frame.filter(pl.col("item_kind") == "degraded"))
    assert f"gave {len(source.frame):,} ratings" in words
    assert f" {n_degraded} degraded copies" in words


def test_one_exhibit_may_be_named_without_a_list() -> None:
    options, choices = pack_options({"exhibits": "ranking, agreement", "draws": 0})

    assert (options.exhibits, choices) == (("ranking", "agreement"), {"draws": 0})


def test_options_of_files_are_refused_with_a_database(made: Callable[[str], Made], tmp_path: Path) -> None:
    database = str(made("da").database)

    assert run(["publication", database, "--to", str(tmp_path / "pack"), "--scale", "0,10"]) == 2
    assert not (tmp_path / "pack").exists()
