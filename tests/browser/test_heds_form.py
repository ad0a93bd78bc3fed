"""The datasheet loads into a form with the structure of HEDS 3.0: its elements, kinds and way of storing."""

from __future__ import annotations

import json
from typing import Any

import polars as pl
import pytest
from playwright.sync_api import Page

import steelyard
from steelyard.domain.publication import CampaignFacts, CollectionFacts
from steelyard.domain.result import Analysis
from steelyard.report.heds import HedsSheet, heds_json, heds_open, heds_sheet
from steelyard.report.heds_form import CRITERION, QUESTIONS

# The form keeps what its elements hold by their ids; those of section 4 hold a value for each criterion.
LOAD = """([questions, sheet]) => {
    document.body.replaceChildren();
    const elements = {};
    const add = (id, type, number) => {
        const element = document.createElement(type === "text" ? "textarea" : "input");
        if (type !== "text") element.type = type;
        element.id = id;
        element.setAttribute("number", number);
        document.body.append(element);
        elements[id] = element;
    };
    for (const [number, kind, id, n] of questions) {
        if (kind === "text") add(id, "text", number);
        else {
            for (let k = 1; k <= n; k++) add(`${id}-${k}`, kind === "one" ? "radio" : "checkbox", number);
            add(`${id}-other_text`, "text", number);
        }
    }
    const criteria = sheet["CRITERION"].control;
    const current = Object.keys(criteria).find((name) => criteria[name]);
    const unknown = [], wrong = [], filled = new Set();
    for (const [id, entry] of Object.entries(sheet)) {
        if (id === "CRITERION") continue;
        const element = elements[id];
        if (!element) { unknown.push(id); continue; }
        const number = element.getAttribute("number");
        const keys = number.startsWith("4.") ? Object.keys(criteria) : [""];
        const given = Object.keys(entry.data).sort().join();
        if (entry.number !== number || !entry.control || given !== keys.sort().join()) wrong.push(id);
        const value = entry.data[number.startsWith("4.") ? current : ""];
        if (element.tagName === "TEXTAREA") {
            if (typeof value !== "string") wrong.push(id);
            element.value = value;
            if (value && !id.endsWith("-other_text")) filled.add(number);
        } else {
            if (typeof value !== "boolean" || !entry.text) wrong.push(id);
            element.checked = value;
            if (value) filled.add(number);
        }
    }
    const checked = Object.keys(elements).filter((id) => elements[id].checked);
    return { unknown, wrong, filled: [...filled], checked };
}""".replace("CRITERION", CRITERION)

CAMPAIGN = CampaignFacts(
    protocol="da",
    attribute="adequacy",
    source_language="cs",
    target_language="en",
    question="Rate how much you agree that the translation adequately expresses the meaning.",
    instructions="Read both texts.",
    words_language="en",
    shows=("text", "reference"),
    hit_size=100,
    whole_documents=False,
    anchors=("strongly disagree", "strongly agree"),
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
    questions = [[each.number, each.kind, each.element, each.n_options] for each in QUESTIONS.values()]
    found: dict[str, Any] = page.evaluate(LOAD, [questions, json.loads(heds_json(sheet))])
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
    name = "heds-criteria-criterion-response_elicitation-qc_name-participant_criterion_name"
    assert entry[name]["data"] == {"adequacy": "adequacy", "fluency": "fluency"}
    assert entry[CRITERION]["control"] == {"adequacy": True, "fluency": False}


def test_every_question_is_answered_or_listed_as_open(analysis: Analysis) -> None:
    sheet = heds_sheet(facts(None), analysis)

    listed = heds_open(sheet)

    for number in QUESTIONS:
        assert (f"**{number}** " in listed) is (number not in sheet.answered)
