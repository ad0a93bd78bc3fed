"""The texts a campaign file names, in all formats; gaps, and how they are answered."""

from __future__ import annotations

import json
from collections.abc import Callable
from importlib.resources import files
from pathlib import Path
from xml.etree import ElementTree

import polars as pl
import pytest

from steelyard.domain.campaign import GivenItem
from steelyard.domain.text import System
from steelyard.domain.work import ItemKind
from steelyard.formats.campaign_toml import CampaignSource
from steelyard.formats.table_file import write_table

Read = Callable[..., CampaignSource]
Problems = Callable[..., str]


def change_line(path: Path, number: int, text: str) -> None:
    lines = path.read_text("utf-8").splitlines()
    lines[number - 1] = text
    path.write_text("\n".join(lines) + "\n", "utf-8")


def test_different_numbers_of_lines_are_both_named(folder: Path, problems_with: Problems) -> None:
    (folder / "beta.txt").write_text("one line only\n", "utf-8")

    assert "beta.txt: has 1 lines, but source.txt has 20; line k of every file must" in problems_with()


@pytest.mark.parametrize("name", ["source", "reference"])
def test_empty_lines_of_source_and_reference_are_named_by_number(
    folder: Path, problems_with: Problems, name: str
) -> None:
    change_line(folder / f"{name}.txt", 4, "  ")
    change_line(folder / f"{name}.txt", 10, "")

    assert f"{name}.txt: line 4, 10 are empty; every segment needs its text." in problems_with()


def test_empty_translations_are_allowed_and_counted_in_a_warning(folder: Path, read_with: Read) -> None:
    change_line(folder / "alpha.txt", 4, "  ")
    change_line(folder / "alpha.txt", 10, "")

    source = read_with()

    assert source.campaign.translations["alpha"][3] == source.campaign.translations["alpha"][9] == ""
    assert source.warnings == (
        'The system "alpha" has an empty translation of 2 segments (4, 10); workers see a mark in its place.',
    )


def test_in_an_incomplete_campaign_an_empty_line_is_no_translation(folder: Path, read_with: Read) -> None:
    change_line(folder / "alpha.txt", 4, "")

    source = read_with("[texts]", "[texts]\nincomplete = true")

    assert source.campaign.translations["alpha"][3] is None
    assert source.warnings == ('The system "alpha" has no translation of 1 segment of 20.',)


def test_a_trial_uses_the_first_segments_only(folder: Path, read_with: Read) -> None:
    whole = read_with().campaign

    trial = read_with("[texts]", "[texts]\nfirst = 12").campaign

    assert trial.segments == whole.segments[:12]
    assert {name: len(found) for name, found in trial.translations.items()} == {"alpha": 12, "beta": 12}
    assert trial.translations["beta"][11] == whole.translations["beta"][11]


def test_more_first_segments_than_there_are_is_a_warning(folder: Path, read_with: Read) -> None:
    source = read_with("[texts]", "[texts]\nfirst = 21")

    assert len(source.campaign.segments) == 20
    assert source.warnings == ("[texts] first = 21, but there are only 20 segments: all are used.",)


def test_a_system_without_any_text_is_refused(folder: Path, problems_with: Problems) -> None:
    (folder / "alpha.txt").write_text("\n" * 20, "utf-8")

    assert 'the system "alpha" has no translations; add them, or remove the system.' in problems_with()


def test_an_empty_file_is_named(folder: Path, problems_with: Problems) -> None:
    for name in ("source", "reference", "alpha", "beta"):
        (folder / f"{name}.txt").write_text("", "utf-8")

    assert "source.txt: is empty." in problems_with()


def test_documents_belong_to_lines(folder: Path, read_with: Read) -> None:
    (folder / "documents.txt").write_text("news\n" * 12 + "blog\n" * 8, "utf-8")

    campaign = read_with("[texts]", '[texts]\ndocuments = "documents.txt"').campaign

    assert [segment.document_id for segment in campaign.segments[10:14]] == ["news", "news", "blog", "blog"]


def test_without_documents_every_segment_stands_alone(read_with: Read) -> None:
    assert read_with().campaign.segments[6].document_id == "7"


def test_segments_are_counted_by_the_reference_where_there_is_no_source(read_with: Read) -> None:
    campaign = read_with('source = "source.txt"\n', "").campaign

    assert len(campaign.segments) == 20
    assert campaign.segments[0].source == ""


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ('translations = "beta.txt"\n', "", '[[systems]] number 2: "beta" lacks the key "translations"'),
        (
            "[texts]",
            '[texts]\nformat = "table"',
            '[texts] "format" says how to read [texts] file, which is miss',
        ),
        ("[texts]", '[texts]\ncolumns = {segment = "x"}', '[texts] "columns" says how to read [texts] file'),
    ],
)
def test_plain_files_need_their_own_keys(problems_with: Problems, old: str, new: str, expected: str) -> None:
    assert expected in problems_with(old, new)


def test_plain_files_need_systems(problems_of_file: Problems) -> None:
    tables = '[texts]\nsource = "source.txt"\nreference = "reference.txt"\n'

    assert "[[systems]] is missing: add a block with name and translations" in problems_of_file(tables)


SGM = """<srcset setid="toy" srclang="de">
<DOC docid="news.1" genre="news"><p><seg id="1">Eins &amp; eins.</seg>
<seg id="2"> Zwei
Zeilen. </seg></p></DOC>
<doc docid='news.2'><seg id="1">Drei.</seg></doc>
</srcset>
"""


def sgm_tables() -> str:
    systems = "".join(f'[[systems]]\nname = "{name}"\ntranslations = "{name}.sgm"\n' for name in ("a", "b"))
    return f'[texts]\nsource = "source.sgm"\nreference = "reference.sgm"\n{systems}'


def test_sgm_files_bring_their_documents(folder: Path, read_file: Read) -> None:
    for name in ("source", "reference", "a", "b"):
        (folder / f"{name}.sgm").write_text(SGM, "utf-8")

    campaign = read_file(sgm_tables()).campaign

    assert [segment.source for segment in campaign.segments] == ["Eins & eins.", "Zwei Zeilen.", "Drei."]
    assert [segment.document_id for segment in campaign.segments] == ["news.1", "news.1", "news.2"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("no tags\n", "source.sgm: has no <seg> in it; is it an SGM file?"),
        ('<doc docid="1">\n<seg id="1">never', "source.sgm: line 2: <seg> is never closed"),
    ],
)
def test_broken_sgm_files_are_named(
    folder: Path, problems_of_file: Problems, text: str, expected: str
) -> None:
    for name in ("reference", "a", "b"):
        (folder / f"{name}.sgm").write_text(SGM, "utf-8")
    (folder / "source.sgm").write_text(text, "utf-8")

    assert expected in problems_of_file(sgm_tables())


def long_table(path: Path, *, leave_out: int = 0) -> None:
    """Three systems and four segments, the last translations of the last system left out."""
    rows = [
        (f"s{k}", system, f"{system} {k}", f"source {k}", f"reference {k}")
        for system in ("alpha", "beta", "gamma")
        for k in range(1, 5)
    ]
    rows = rows[: len(rows) - leave_out]
    names = ["segment", "system", "translation", "source", "reference"]
    pl.DataFrame(rows, schema=names, orient="row").write_csv(path)


def test_a_table_holds_everything(folder: Path, read_file: Read) -> None:
    long_table(folder / "texts.csv")

    campaign = read_file('[texts]\nfile = "texts.csv"\n').campaign

    assert [system.system_id for system in campaign.systems] == ["alpha", "beta", "gamma"]
    assert campaign.segments[1].segment_id == "s2"
    assert campaign.translations["gamma"] == ["gamma 1", "gamma 2", "gamma 3", "gamma 4"]


def test_the_campaign_may_choose_and_describe_systems(folder: Path, read_file: Read) -> None:
    long_table(folder / "texts.csv")
    systems = '[[systems]]\nname = "gamma"\nis_human = true\n[[systems]]\nname = "alpha"\nweight = 0.5\n'

    campaign = read_file(f'[texts]\nfile = "texts.csv"\n{systems}').campaign

    assert campaign.systems == (System("gamma", is_human=True), System("alpha", weight=0.5))
    assert list(campaign.translations) == ["gamma", "alpha"]


def test_columns_of_a_table_can_be_named(folder: Path, read_file: Read) -> None:
    (folder / "x.tsv").write_text("nr\twho\twhat\tquelle\tgut\n1\ta\tb\tc\td\n", "utf-8")
    columns = 'segment = "nr", system = "who", translation = "what", source = "quelle", reference = "gut"'

    campaign = read_file(f'[texts]\nfile = "x.tsv"\ncolumns = {{ {columns} }}\n').campaign

    assert campaign.translations == {"a": ["b"]}
    assert campaign.segments[0].reference == "d"


def test_missing_translations_are_named_by_segment(folder: Path, problems_of_file: Problems) -> None:
    long_table(folder / "texts.csv", leave_out=2)

    assert (
        'the system "gamma" has no translation of 2 segments (s3, s4). Add them, remove the system, or set '
        "[texts] incomplete = true."
    ) in problems_of_file('[texts]\nfile = "texts.csv"\n')


def test_missing_translations_can_be_allowed(folder: Path, read_file: Read) -> None:
    long_table(folder / "texts.csv", leave_out=2)

    source = read_file('[texts]\nfile = "texts.csv"\nincomplete = true\n')

    assert source.campaign.translations["gamma"] == ["gamma 1", "gamma 2", None, None]
    assert source.warnings == ('The system "gamma" has no translation of 2 segments of 4.',)


@pytest.mark.parametrize(
    ("tables", "expected"),
    [
        ('[[systems]]\nname = "gama"', 'texts.csv has no system "gama"; did you mean "gamma"?'),
        ('[[systems]]\nname = "xyz"', 'texts.csv has no system "xyz"; it has: alpha, beta, gamma.'),
        (
            '[[systems]]\nname = "alpha"\ntranslations = "a.txt"',
            '"translations" is for plain files; those of "al',
        ),
        (
            'reference = "refA"',
            'several references, which this file does not have: columns = { reference = "COLUMN" }',
        ),
        ('source = "source.txt"', "[texts] source: texts.csv already has its own; leave it out."),
        ('documents = "source.txt"', "source.txt: has 20 lines, but texts.csv has 4 segments"),
        ('format = "wmt-xml"', "texts.csv: line 1 is not well-formed XML"),
        (
            'format = "wmt-xml"\ncolumns = {segment = "x"}',
            "[texts] columns is for tables, and this is read as wmt",
        ),
        (
            'format = "csv"',
            "[texts] \"format\" should be 'table', 'wmt-xml', 'mt-metrics-eval', 'appraise', 'pearmut' or",
        ),
        (
            'columns = {segmnt = "x"}',
            '[texts.columns] does not know the key "segmnt". Did you mean "segment"?',
        ),
        (
            'columns = {segment = "x"}',
            'texts.csv: there is no column "x" to take as segment; it has: segment,',
        ),
    ],
)
def test_a_mistake_with_one_file_is_named(
    folder: Path, problems_of_file: Problems, tables: str, expected: str
) -> None:
    long_table(folder / "texts.csv")

    assert expected in problems_of_file(f'[texts]\nfile = "texts.csv"\n{tables}\n')


def test_a_table_without_reference_is_refused_where_workers_see_it(
    folder: Path, problems_of_file: Problems
) -> None:
    (folder / "x.csv").write_text("segment,system,translation\n1,a,b\n", "utf-8")

    text = problems_of_file('[texts]\nfile = "x.csv"\n')

    assert "x.csv: has no reference, but da shows it to workers who judge adequacy. Add it to the" in text


def test_references_that_are_missing_are_named(folder: Path, problems_of_file: Problems) -> None:
    (folder / "x.csv").write_text("segment,system,translation,reference\n1,a,b,c\n2,a,b,\n", "utf-8")

    assert "x.csv: lacks the reference of 1 segment (2), but da shows it" in problems_of_file(
        '[texts]\nfile = "x.csv"\n'
    )


def test_source_and_documents_may_come_from_lines_beside_a_table(folder: Path, read_file: Read) -> None:
    (folder / "x.csv").write_text("segment,system,translation,reference\n7,a,b,c\n9,a,b,c\n", "utf-8")
    (folder / "lines.txt").write_text("one\ntwo\n", "utf-8")

    campaign = read_file('[texts]\nfile = "x.csv"\nsource = "lines.txt"\ndocuments = "lines.txt"\n').campaign

    assert [(segment.source, segment.document_id) for segment in campaign.segments] == [
        ("one", "one"),
        ("two", "two"),
    ]


def test_a_file_whose_format_cannot_be_told_is_refused(problems_of_file: Problems) -> None:
    text = problems_of_file('[texts]\nfile = "source.txt"\n')

    assert "source.txt: cannot tell the format; end the name in .csv" in text
    assert "or set [texts] format" in text


XML = """<dataset id="toy"><doc id="d">
<src lang="de"><seg id="1">eins</seg></src>
<ref lang="en" translator="A"><seg id="1">one</seg></ref>
<ref lang="en" translator="B"><seg id="1">a one</seg></ref>
<hyp lang="en" system="x"><seg id="1">won</seg></hyp>
</doc></dataset>"""


@pytest.mark.parametrize("name", ["x.xml", "x.anything"])
def test_xml_is_known_by_its_ending_or_its_beginning(folder: Path, read_file: Read, name: str) -> None:
    (folder / name).write_text(XML, "utf-8")

    campaign = read_file(f'[texts]\nfile = "{name}"\nreference = "refA"\n').campaign

    assert list(campaign.translations) == ["x"]
    assert campaign.segments[0].segment_id == "d:1"


def test_a_second_reference_takes_part_if_it_is_named(folder: Path, read_file: Read) -> None:
    (folder / "x.xml").write_text(XML, "utf-8")
    systems = '[[systems]]\nname = "x"\n[[systems]]\nname = "refB"\n'

    campaign = read_file(f'[texts]\nfile = "x.xml"\nreference = "A"\n{systems}').campaign

    assert campaign.systems == (System("x"), System("refB", is_human=True))


def test_a_folder_is_read_as_mt_metrics_eval(folder: Path, read_file: Read) -> None:
    for name, text in {
        "wmt/sources/de-en.txt": "eins\n",
        "wmt/references/de-en.refA.txt": "one\n",
        "wmt/system-outputs/de-en/x.txt": "won\n",
    }.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, "utf-8")

    campaign = read_file('[texts]\nfile = "wmt"\n').campaign

    assert campaign.translations == {"x": ["won"]}
    assert campaign.segments[0].reference == "one"


UPLOAD = """src,trg,item,hit,sys_0,sid_0,tst_0,rid_0,sys_1,sid_1,tst_1,rid_1
de,en,ad,1,alpha,3,SYSTEM,1000001,alpha,3,BAD_REF,1000002
de,en,ad,2,beta,4,SYSTEM,1000003,beta,4,REF,1000004
"""


def test_hits_laid_out_elsewhere_are_taken_as_given(folder: Path, read_with: Read) -> None:
    (folder / "upload.csv").write_text(UPLOAD, "utf-8")

    campaign = read_with("[texts]", '[texts]\nhits = "upload.csv"').campaign

    assert campaign.settings.design.order == "given"
    assert campaign.given == (
        (GivenItem(ItemKind.REGULAR, "alpha", "3"), GivenItem(ItemKind.DEGRADED, "alpha", "3")),
        (GivenItem(ItemKind.REGULAR, "beta", "4"), GivenItem(ItemKind.REFERENCE, "beta", "4")),
    )


def test_numbers_of_hits_mean_lines_where_segments_have_names(folder: Path, read_file: Read) -> None:
    long_table(folder / "texts.csv")
    (folder / "upload.csv").write_text(UPLOAD, "utf-8")

    campaign = read_file('[texts]\nfile = "texts.csv"\nhits = "upload.csv"\n').campaign

    assert [item.segment_id for hit in campaign.given for item in hit] == ["s3", "s3", "s4", "s4"]


def test_hits_must_name_systems_and_segments_of_the_texts(folder: Path, problems_with: Problems) -> None:
    upload = UPLOAD.replace("beta,4", "delta,400")
    (folder / "upload.csv").write_text(upload, "utf-8")

    text = problems_with("[texts]", '[texts]\nhits = "upload.csv"')

    assert "upload.csv: its HITs name 1 segment that the texts lack (400)" in text
    assert "upload.csv: its HITs name 1 system that the texts lack (delta)" in text


def test_hits_exclude_another_order(folder: Path, problems_with: Problems) -> None:
    (folder / "upload.csv").write_text(UPLOAD, "utf-8")

    text = problems_with("[texts]", '[texts]\nhits = "upload.csv"', more='order = "free"\n')

    assert '[texts] hits are already laid out, so [design] order = "free" cannot be had' in text


def test_hits_need_all_segments(folder: Path, problems_with: Problems) -> None:
    (folder / "upload.csv").write_text(UPLOAD, "utf-8")

    text = problems_with("[texts]", '[texts]\nfirst = 10\nhits = "upload.csv"')

    assert "[texts] first cannot be used with HITs that are laid out already; leave it out." in text


def test_hits_have_no_place_for_gold(folder: Path, problems_with: Problems) -> None:
    (folder / "upload.csv").write_text(UPLOAD, "utf-8")
    (folder / "gold.csv").write_text("system,segment,rating\nalpha,3,50\n", "utf-8")

    text = problems_with("[texts]", '[texts]\nhits = "upload.csv"', more='[gold]\nfile = "gold.csv"\n')

    assert '[gold] cannot be used with [design] order = "given"' in text


def batches(path: Path) -> None:
    """One batch in which only alpha has the second segment."""
    items = [
        {"itemID": number, "itemType": kind, "sourceText": source, "targetID": system, "targetText": text}
        for number, kind, source, system, text in (
            (1, "TGT", "The dog sleeps.", "alpha", "The dog is asleep."),
            (1, "TGT", "The dog sleeps.", "beta", "The hound sleeps."),
            (1, "BAD", "The dog sleeps.", "alpha", "The dog tax asleep."),
            (2, "TGT", "It rains.", "alpha", "It is raining."),
            (1, "REF", "The dog sleeps.", "alpha", "The dog sleeps."),
        )
    ]
    path.write_text(json.dumps([{"task": {"batchNo": 1}, "items": items}]), "utf-8")


def test_batches_of_appraise_bring_their_hits(folder: Path, read_file: Read) -> None:
    batches(folder / "batches.json")

    campaign = read_file('[texts]\nfile = "batches.json"\n').campaign

    assert campaign.settings.design.order == "given"
    assert [item.kind for item in campaign.given[0]] == [
        ItemKind.REGULAR,
        ItemKind.REGULAR,
        ItemKind.DEGRADED,
        ItemKind.REGULAR,
        ItemKind.REFERENCE,
    ]
    assert campaign.translations["beta"] == ["The hound sleeps.", None]


def test_texts_of_appraise_may_be_laid_out_anew(folder: Path, read_file: Read) -> None:
    batches(folder / "batches.json")

    source = read_file('[texts]\nfile = "batches.json"\nincomplete = true\n[design]\norder = "grouped"\n')

    assert source.campaign.given == ()
    assert 'The HITs of the file are not used, since [design] order = "grouped".' in source.warnings


def test_laid_out_anew_they_must_be_complete(folder: Path, problems_of_file: Problems) -> None:
    batches(folder / "batches.json")

    text = problems_of_file('[texts]\nfile = "batches.json"\n[design]\norder = "grouped"\n')

    assert 'the system "beta" has no translation of 1 segment (2).' in text


def test_campaigns_of_pearmut_and_projects_of_anthea_are_known_by_their_beginning(
    folder: Path, read_file: Read
) -> None:
    names = [("d1", "Der Hund.", "Der Hund"), ("d2", "Es regnet.", "Regen")]
    items = [{"item_id": name, "src": source, "ref": "x", "tgt": {"A": text}} for name, source, text in names]
    content = {"campaign_id": "c", "info": {"assignment": "dynamic"}, "data": [[item] for item in items]}
    (folder / "pearmut.json").write_text(json.dumps(content), "utf-8")
    lines = ['{"source_language": "de", "target_language": "en"}']
    more = '{"references": {"r": "x"}, "primary_reference": "r"}'
    lines += [f"{source}\t{text}\t{name}\tA\t{more}" for name, source, text in names]
    (folder / "anthea.tsv").write_text("\n".join(lines), "utf-8")

    for file, ids in (("pearmut.json", ["d1", "d2"]), ("anthea.tsv", ["d1:1", "d2:1"])):
        campaign = read_file(f'[texts]\nfile = "{file}"\n').campaign
        assert [segment.segment_id for segment in campaign.segments] == ids
        assert campaign.translations["A"] == ["Der Hund", "Regen"]


def test_all_systems_of_given_hits_take_part(folder: Path, problems_of_file: Problems) -> None:
    batches(folder / "batches.json")

    text = problems_of_file('[texts]\nfile = "batches.json"\n[[systems]]\nname = "alpha"\n')

    assert "batches.json: its HITs name 1 system that the texts lack (beta)" in text


def test_names_of_systems_have_a_limit(folder: Path, problems_of_file: Problems) -> None:
    name = "x" * 101
    (folder / "x.csv").write_text(f"segment,source,reference,{name}\n1,a,b,c\n", "utf-8")

    text = problems_of_file('[texts]\nfile = "x.csv"\n')

    assert 'the name of the system "xxxxxxxxxxxxxxxxxxxx…" is longer than 100 letters.' in text


def demo_texts() -> tuple[dict[str, list[str]], dict[str, list[str]]]:
    """The bundled texts: source, reference and documents; translations by system."""
    place = Path(str(files("steelyard"))) / "demo"

    def lines(name: str) -> list[str]:
        return (place / name).read_text("utf-8").splitlines()

    about = {"source": lines("source.de.txt"), "reference": lines("reference.en.txt")}
    about["document"] = lines("documents.txt")
    return about, {name: lines(f"{name}.en.txt") for name in ("brass", "copper", "iron", "lead", "tin")}


def write_as_xml(path: Path) -> None:
    about, systems = demo_texts()
    parts = [("src", "lang", "de", about["source"]), ("ref", "translator", "A", about["reference"])]
    parts += [("hyp", "system", name, lines) for name, lines in systems.items()]
    root = ElementTree.Element("dataset", id="demo")
    for document in dict.fromkeys(about["document"]):
        node = ElementTree.SubElement(root, "doc", id=document)
        for tag, attribute, name, lines in parts:
            part = ElementTree.SubElement(node, tag, {"lang": "en", attribute: name})
            for number, line in enumerate(lines):
                if about["document"][number] == document:
                    ElementTree.SubElement(part, "seg", id=str(number + 1)).text = line
    ElementTree.ElementTree(root).write(path, encoding="utf-8", xml_declaration=True)


def write_as_folder(folder: Path) -> None:
    about, systems = demo_texts()
    texts = {"sources/de-en.txt": about["source"], "references/de-en.refA.txt": about["reference"]}
    texts["documents/de-en.docs"] = [f"news\t{name}" for name in about["document"]]
    texts |= {f"system-outputs/de-en/{name}.txt": lines for name, lines in systems.items()}
    for name, lines in texts.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("\n".join(lines) + "\n", "utf-8")


def write_as_table(path: Path) -> None:
    about, systems = demo_texts()
    wide = pl.DataFrame({"segment": [str(k + 1) for k in range(len(about["source"]))], **about, **systems})
    if path.stem == "long":
        names = {"variable_name": "system", "value_name": "translation"}
        wide = wide.unpivot(on=list(systems), index=["segment", *about], **names)
    write_table(wide, path)


@pytest.mark.parametrize(
    ("name", "write"),
    [
        ("demo.xml", write_as_xml),
        ("demo", write_as_folder),
        ("wide.csv", write_as_table),
        ("wide.parquet", write_as_table),
        ("long.tsv", write_as_table),
        ("long.jsonl", write_as_table),
    ],
)
def test_the_same_texts_in_any_format_are_the_same_campaign(
    folder: Path, read_file: Read, name: str, write: Callable[[Path], None]
) -> None:
    about, systems = demo_texts()
    write(folder / name)

    campaign = read_file(f'[texts]\nfile = "{name}"\n').campaign

    assert campaign.translations == systems
    assert [segment.source for segment in campaign.segments] == about["source"]
    assert [segment.reference for segment in campaign.segments] == about["reference"]
    assert [segment.document_id for segment in campaign.segments] == about["document"]
