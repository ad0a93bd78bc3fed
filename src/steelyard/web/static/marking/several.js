// An item with several translations side by side, each marked and scored by itself.

import { fill, make } from "../dom.js";
import { drawStatement } from "../one_rating.js";
import { recallLine } from "../scales/line.js";
import { lengthStep } from "../texts.js";
import { drawPlaces, NARROW } from "./places.js";
import { drawScore } from "./score.js";
import { drawMarkingSheet, drawReadSource, drawStill, onceUsed, phrase, worded } from "./texts.js";

/**
 * Draw one item into `root`. On a narrow screen one translation is shown at a time.
 * @param {HTMLElement} root
 * @param {{translations?: {text: string}[], text?: string, source?: string}} item
 * @param {import("../texts.js").Options} options
 * @param {() => void} onChange
 * @returns {import("../one_rating.js").Mounted}
 */
export function mountSeveral(root, item, options, onChange) {
  const onSource = onceUsed(root, (share) => judged.forEach((one) => one.pointAt(share)));
  const source = item.source === undefined ? null : drawReadSource(item.source, options, onSource);
  const translations = translationsOf(item);
  const judged = translations.map(({ text }, place) =>
    drawJudged(text, options, {
      label: nameOf(place, options),
      draft: options.draft?.translations?.[place],
      onChange: refresh,
      onPoint: onceUsed(root, (share) => pointElsewhere(place, share)),
    }),
  );
  const places = drawPlaces(judged.length, options, show);
  const narrow = matchMedia(NARROW);
  let shown = Math.max(judged.findIndex((one) => one.state() !== "done"), 0);

  function pointElsewhere(place, share) {
    source?.pointAt(share);
    judged.forEach((one, at) => at === place || one.pointAt(share));
  }

  function refresh() {
    follow();
    onChange();
  }

  function follow() {
    places.follow(shown, judged.map((one) => one.state()));
    // What stands around the item shows the same translation.
    for (const element of [root, root.parentElement]) if (element) element.dataset.shown = shown;
  }

  function show(place) {
    shown = place;
    refresh();
    const sheet = judged[place].element;
    const { bottom } = pinned.getBoundingClientRect();
    window.scrollBy({ top: Math.min(sheet.getBoundingClientRect().top - bottom - 8, 0), behavior: "instant" });
  }

  // The next one that is not done, from the one that is shown on; undefined if all are.
  function nextOpen() {
    const order = judged.map((_, at) => (shown + at) % judged.length);
    return order.find((place) => judged[place].state() !== "done");
  }

  function missing() {
    const of = (state) => judged.flatMap((one, place) => (one.state() === state ? [place] : []));
    if (narrow.matches && judged[shown].state() === "open") return phrase(options, "missing_score");
    if (of("unsaid").length) return phrase(options, "missing_category");
    if (of("refused").length) return phrase(options, "refused", { places: listed(of("refused"), options) });
    return of("open").length ? phrase(options, "missing_scores", { places: listed(of("open"), options) }) : "";
  }

  function step() {
    const next = nextOpen();
    if (!narrow.matches || next === undefined || next === shown) return null;
    const label = phrase(options, "next_translation", { number: next + 1 });
    return {
      label,
      take() {
        show(next);
        judged[next].focus();
      },
    };
  }

  const pinned = make("div", "pinned", source?.element, judged.length > 1 ? places.element : null);
  const sheets = make("div", "sheets", ...judged.map((one) => one.element));
  const texts = make("div", "marking marking-several", pinned, sheets);
  texts.id = "texts";
  texts.dir = options.direction;
  texts.style.setProperty("--beside", String(besideEachOther(judged.length)));
  texts.dataset.length = lengthStep([item.source, ...translations.map(({ text }) => text)]);
  const panel = make("div", "answers marking-panel", drawStatement(options));
  root.replaceChildren(texts, panel);
  narrow.addEventListener("change", refresh);
  follow();
  return {
    answer: () => ({ translations: judged.map((one) => one.answer()) }),
    isComplete: () => judged.every((one) => one.state() === "done"),
    missing,
    step,
    focus: () => {
      follow();
      judged[narrow.matches ? shown : 0].focus();
    },
    reveal: ({ expected, spans }) =>
      judged.map((one, place) => one.reveal(ofPlace(expected, place), spans?.[place])).filter(Boolean).join(" "),
    panel: { element: panel },
    destroy() {
      narrow.removeEventListener("change", refresh);
      source?.destroy();
      judged.forEach((one) => one.destroy());
      root.replaceChildren();
    },
  };
}

/** A segment of the document that is not judged now. @param {Object|undefined} answer  if it has been */
export function drawSegmentOfSeveral({ source, ...item }, answer, options) {
  const translations = translationsOf(item);
  const stills = translations.map(({ text }, place) => {
    const said = answer?.translations[place];
    const still = drawStill(text, said?.spans ?? [], "target", options, nameOf(place, options));
    return make("div", "still-judged", still.element, said ? recallLine(said, options) : null);
  });
  const above = source === undefined ? null : drawStill(source, [], "source", options, options.words.labels.source);
  const element = make("div", "still-several", above?.element, make("div", "still-sheets", ...stills));
  element.dir = options.direction;
  element.style.setProperty("--beside", String(besideEachOther(translations.length)));
  return { element, destroy: () => above?.destroy() };
}

// One translation with its line. `state`: "open" without a score, "unsaid" while an error lacks its category, "refused"
// where a low score has no error beside it, "done".
function drawJudged(text, options, { label, draft, onChange, onPoint }) {
  const { refuse_below: refuseBelow, tokens } = options.presentation.spans;
  const canMark = Boolean(text.trim() || tokens.length);
  const sheet = drawMarkingSheet(text, options, { label, marks: draft?.spans ?? [], onChange: changed, onPoint });
  const scoreLabel = fill(options.words.spans.score_of, { label }, options.words.language);
  const score = drawScore(options, { draft, label: scoreLabel }, changed);
  const refusal = worded(make("p", "refusal"), options);
  refusal.setAttribute("role", "status");
  sheet.element.append(make("div", "sheet-score", score.element, refusal));
  sheet.element.setAttribute("role", "group");
  sheet.element.setAttribute("aria-label", label);

  function changed() {
    follow();
    onChange();
  }

  function state() {
    const rating = score.answer()?.rating;
    if (!sheet.isComplete()) return "unsaid";
    if (rating === undefined) return "open";
    return canMark && rating < refuseBelow && !sheet.marks().length ? "refused" : "done";
  }

  function follow() {
    const text = state() === "refused" ? phrase(options, "refuse") : "";
    if (refusal.textContent !== text) refusal.textContent = text;
  }

  follow();
  return {
    element: sheet.element,
    state,
    answer: () => ({ spans: sheet.marks(), ...score.answer() }),
    pointAt: sheet.pointAt,
    focus: () => sheet.markable.focus(),
    reveal(expected, targets) {
      if (targets) sheet.markable.reveal(targets);
      return score.reveal({ expected });
    },
    destroy() {
      sheet.destroy();
      score.destroy();
    },
  };
}

// Where systems do not divide evenly, one may be left to be shown alone.
function translationsOf({ translations, text }) {
  return translations ?? [{ text }];
}

// Our choice: beyond four, two rows.
function besideEachOther(n) {
  return n > 4 ? Math.ceil(n / 2) : n;
}

function nameOf(place, { words }) {
  return fill(words.labels.numbered, { number: place + 1 }, words.language);
}

// One range for all, or one for each.
function ofPlace(expected, place) {
  return Array.isArray(expected?.[0]) ? expected[place] : expected;
}

function listed(places, { words }) {
  const numbers = places.map((place) => (place + 1).toLocaleString(words.language));
  return new Intl.ListFormat(words.language, { type: "conjunction" }).format(numbers);
}
