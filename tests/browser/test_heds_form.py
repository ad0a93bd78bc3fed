"""The datasheet loads into a form with the structure of HEDS 3.0: its elements, kinds and way of storing."""

from __future__ import annotations

import csv
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from playwright.sync_api import Page

import steelyard
from steelyard.domain.publication import AskedWords, CampaignFacts, CollectionFacts
from steelyard.domain.result import Analysis
from steelyard.report.heds import HedsSheet, heds_json, heds_open, heds_sheet
from steelyard.report.heds_form import CRITERION, QUESTIONS

# The structure of the form, one line for each question: its element, how many options it has, which of these
# ask for an explanation, and which exclude all others. Taken from the form itself, not from our own table.
FORM = Path(__file__).with_name("heds_form.tsv")

# What the form does: it puts the file into the browser's storage, entry by entry, and fills its elements from
# there; those of section 4 with the value of the current criterion. Then it counts what is blank or wrong.
LOAD = """([questions, sheet]) => {
    document.body.replaceChildren();
    const store = {};
    for (const [id, entry] of Object.entries(sheet)) store[id] = JSON.stringify(entry);
    const read = (id) => JSON.parse(store[id] ?? '{"data": {}, "control": {}, "text": {}}');
    const criteria = read("CRITERION").control;
    const current = Object.keys(criteria).find((name) => criteria[name]) ?? "";
    const known = new Set(["CRITERION"]);
    const show = (id, type, number) => {
        const element = document.createElement(type === "text" ? "textarea" : "input");
        if (type !== "text") element.type = type;
        element.id = id;
        document.body.append(element);
        known.add(id);
        const value = read(id).data[number.startsWith("4.") ? current : ""];
        if (type === "text") element.value = value || "";
        else element.checked = value || false;
        return element;
    };
    const blank = [], wrong = [];
    for (const { number, kind, element: id, options, explained, alone } of questions) {
        const keys = number.startsWith("4.") ? Object.keys(criteria) : [""];
        const places = (words) => words.split(" ").filter(Boolean).map(Number);
        if (kind === "text" || kind === "whole") {
            show(id, "text", number);
            for (const key of keys) {
                const value = read(id).data[key] || "";
                if (!/\\S/.test(value)) blank.push(number);
                if (kind === "whole" && !/^([0-9]+|N[/]A|)$/.test(value)) wrong.push(`${number}: not whole`);
            }
            continue;
        }
        for (let k = 1; k <= options; k++) show(`${id}-${k}`, kind === "one" ? "radio" : "checkbox", number);
        const other = show(`${id}-other_text`, "text", number);
        for (const key of keys) {
            const chosen = [];
            for (let k = 1; k <= options; k++) if (read(`${id}-${k}`).data[key] === true) chosen.push(k);
            if (!chosen.length) blank.push(number);
            if (kind === "one" && chosen.length > 1) wrong.push(`${number}: several`);
            const said = read(`${id}-other_text`).data[key] || "";
            if (chosen.some((k) => places(explained).includes(k)) && !/\\S/.test(said)) {
                wrong.push(`${number}: not explained`);
            }
            const stands_alone = chosen.some((k) => places(alone).includes(k));
            if (chosen.length > 1 && stands_alone) wrong.push(`${number}: none and others`);
        }
    }
    // What the form would not write like this when it is saved again.
    for (const [id, entry] of Object.entries(sheet)) {
        if (id === "CRITERION") continue;
        const question = questions.find(({ element }) => id === element || id.startsWith(`${element}-`));
        const is_option = typeof Object.values(entry.data)[0] === "boolean";
        const is_whole = entry.control && is_option === Boolean(entry.text);
        if (entry.number !== question?.number || !is_whole) wrong.push(id);
    }
    const unknown = Object.keys(sheet).filter((id) => !known.has(id));
    const checked = [...document.querySelectorAll("input:checked")].map((each) => each.id);
    return { unknown, wrong, blank: [...new Set(blank)], checked };
}""".replace("CRITERION", CRITERION)

CAMPAIGN = CampaignFacts(
    protocol="da",
    attribute="adequacy",
    source_language="cs",
    target_language="en",
    asked=AskedWords(
        "Rate how much you agree that the translation adequately expresses the meaning.",
        anchors=("strongly disagree", "strongly agree"),
    ),
    instructions="Read both texts.",
    words_language="en",
    shows=("text", "reference"),
    hit_size=100,
    n_hits=4,
    whole_documents=False,
    wage=12.0,
    background={"Which is your first language?": {"English": 4}},
    questions=("Which is your first language?",),
)


@pytest.fixture(scope="module")
def analysis() -> Analysis:
    """Two systems, rated by three workers, who agree."""
    rows = [
        (worker, f"s{number}", system, 40.0 + 5 * number + (20 if system == "A" else 0) + place)
        for place, worker in enumerate(("one", "two", "three"))
        for number in range(4)
        for system in "AB"
    ]
    table = pl.DataFrame(rows, schema=["worker", "segment", "system", "rating"], orient="row")
    return steelyard.analyse(table, check="none", draws=0)


def facts(campaign: CampaignFacts | None, *, attributes: tuple[str, ...] = ("adequacy",)) -> CollectionFacts:
    return CollectionFacts("Toy", "ratings", {"regular": 9}, attributes, 20, 4, (20, 20), campaign=campaign)


def loaded(page: Page, sheet: HedsSheet) -> dict[str, Any]:
    with FORM.open(encoding="utf-8", newline="") as file:
        questions = [{**row, "options": int(row["options"])} for row in csv.DictReader(file, delimiter="\t")]
    found: dict[str, Any] = page.evaluate(LOAD, [questions, json.loads(heds_json(sheet))])
    found["filled"] = [each["number"] for each in questions if each["number"] not in found["blank"]]
    return found


def test_a_campaign_fills_what_the_form_has_and_nothing_else(page: Page, analysis: Analysis) -> None:
    sheet = heds_sheet(facts(CAMPAIGN), analysis, replay="replay")

    found = loaded(page, sheet)

    assert len(QUESTIONS) == 62
    assert found["unknown"] == found["wrong"] == []
    assert sorted(found["filled"]) == sorted(sheet.answered)
    # The 40 that a database can answer, but for the three on a power analysis, which no database stores.
    assert len(found["filled"]) == 37
    assert list(sheet.reasons) == ["3.1.3.1", "3.1.3.2", "3.1.3.3"]
    # Czech is the form's 36th language and English its 41st; "no language" stands before them all.
    assert "heds-system-input_languages-37" in found["checked"]
    assert "heds-system-output_languages-42" in found["checked"]
    assert "heds-system-tasks-15" in found["checked"]
    assert "heds-criteria-criterion-criteria-output_aspect-2" in found["checked"]
    assert "heds-criteria-criterion-response_elicitation-form_of_response-1" in found["checked"]


def test_each_criterion_has_answers_of_its_own_and_a_file_has_fewer(page: Page, analysis: Analysis) -> None:
    sheet = heds_sheet(facts(None, attributes=("adequacy", "fluency")), analysis)

    found = loaded(page, sheet)

    assert found["unknown"] == found["wrong"] == []
    assert sorted(found["filled"]) == sorted(sheet.answered)
    entry = json.loads(heds_json(sheet))
    name = "heds-criteria-criterion-response_elicitation-inter_annotator-agreement_score"
    assert set(entry[name]["data"]) == {"adequacy", "fluency"}
    # The judgements are of both, and so is what was computed from them all.
    assert all(
        score.endswith("; over adequacy and fluency together") for score in entry[name]["data"].values()
    )
    # No file says what workers were told.
    assert "4.3.1.1" in sheet.reasons
    assert entry[CRITERION]["control"] == {"adequacy": True, "fluency": False}


def test_a_name_that_workers_were_not_told_is_not_given_as_theirs(analysis: Analysis) -> None:
    told = replace(CAMPAIGN, instructions="We ask about adequacy.")

    names = [
        heds_sheet(facts(campaign), analysis).criteria["adequacy"]["4.3.1.1"].text
        for campaign in (CAMPAIGN, told)
    ]

    assert names == ["no name given", "adequacy"]


def test_what_the_form_asks_to_have_explained_is_explained(page: Page, analysis: Analysis) -> None:
    # No check, a language without a code of two letters, systems of different sizes; then workers chosen.
    plain = replace(CAMPAIGN, source_language="haw", platform="Prolific")
    chosen = replace(plain, admitted=(("Is English your first language?", ("Yes",)),))
    sheets = [
        heds_sheet(replace(facts(campaign), segments_per_system=(19, 20)), analysis)
        for campaign in (plain, chosen)
    ]

    pages = [loaded(page, sheet) for sheet in sheets]

    assert [found["wrong"] for found in pages] == [[], []]
    assert [each["3.3.3.1"].options for each in (sheet.answers for sheet in sheets)] == [(7,), (6,)]
    assert "answered “Is English your first language?” with “Yes”" in sheets[1].answers["3.3.3.1"].text
    assert sheets[0].answers["2.4"].text == "haw"
    assert sheets[0].answers["3.1.1"].text == "From 19 to 20: it differs by system."
    assert "Prolific" in sheets[0].answers["3.3.2"].text


def test_names_of_criteria_are_found_again_by_the_buttons_of_the_form(page: Page, analysis: Analysis) -> None:
    sheet = heds_sheet(facts(None, attributes=("R&D <b>quality</b>", "fluency")), analysis)
    names = list(json.loads(heds_json(sheet))[CRITERION]["control"])

    # A button shows the name as HTML, and a click looks for what it shows.
    found = page.evaluate(
        """(names) => names.map((name) => {
            const button = document.createElement("button");
            button.innerHTML = name;
            return button.innerHTML;
        })""",
        names,
    )

    assert found == names
    assert loaded(page, sheet)["wrong"] == []


def test_only_those_whose_judgements_count_are_evaluators(analysis: Analysis) -> None:
    some = replace(analysis, counts=replace(analysis.counts, workers=9, kept_workers=3))

    assert heds_sheet(facts(None), some).answers["3.2.1"].text == "3"


def test_every_question_is_answered_or_listed_as_open(analysis: Analysis) -> None:
    sheet = heds_sheet(facts(None), analysis)

    listed = heds_open(sheet)

    for number in QUESTIONS:
        assert (f"**{number}** " in listed) is (number not in sheet.answered)
