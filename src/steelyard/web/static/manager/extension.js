// More ratings, segments or systems for a running campaign. What it costs is said before it is done.

import { make } from "../dom.js";
import { act, complain } from "./ask.js";
import { call } from "./desk.js";
import { field, input } from "./parts.js";
import { counted, money, number } from "./words.js";

export function makeExtension() {
  const ratings = input("number", 1, { min: 1, max: 100, step: 1, required: "" });
  const campaignFile = input("file", "", { accept: ".toml", required: "" });
  const texts = input("file", "", { multiple: "" });
  const byRatings = form("Add ratings", () => ({ ratings: Number(ratings.value) }), [
    field("Further ratings per item", ratings, "Every item is offered to this many more workers; controls and balance are kept."),
  ]);
  const byTexts = form("Add texts", async () => ({ campaign_file: await campaignFile.files[0].text(), files: await readFiles(texts.files) }), [
    field("Campaign file", campaignFile, "With the segments or systems to add. What is there already stays as it is."),
    field("Files of texts that it names", texts),
  ]);
  return make("div", "two", byRatings, byTexts);
}

function form(label, read, fields) {
  const submit = make("button", "button", label);
  submit.type = "submit";
  const element = make("form", "", ...fields, make("p", "actions", submit));
  element.addEventListener("submit", async (event) => {
    event.preventDefault();
    submit.disabled = true;
    let body;
    let found = null;
    try {
      body = await read();
      found = await call("POST", "/extend", { ...body, dry_run: true });
    } catch (error) {
      complain(error);
    }
    submit.disabled = false;
    if (found) confirm(label, body, found);
  });
  return element;
}

function confirm(label, body, found) {
  const { systems, n_segments: nSegments, n_hits: nHits, n_judgements: nJudgements, hours, cost, currency, warnings } = found;
  const added = [systems.length ? `the systems ${systems.join(", ")}` : null, nSegments ? counted(nSegments, "segment") : null].filter(Boolean);
  const price = Number.isFinite(cost) ? `, about ${money(cost, currency)}` : "";
  return act({
    title: `${label}?`,
    text: [
      ...(added.length ? [`Adds ${added.join(" and ")}.`] : []),
      `${counted(nHits, "HIT")} with ${counted(nJudgements, "judgement")}: about ${number(hours, 1)} hours of work${price}.`,
      "They are offered as soon as you confirm, after the HITs that are there. This cannot be undone, but the campaign can be closed at any time.",
      ...warnings.map((text) => text.charAt(0).toUpperCase() + text.slice(1)),
    ],
    confirm: label,
    send: () => call("POST", "/extend", body),
    done: (reply) => `${counted(reply.n_hits, "HIT")} added.`,
  });
}

async function readFiles(files) {
  return Object.fromEntries(await Promise.all([...files].map(async (file) => [file.name, await file.text()])));
}
