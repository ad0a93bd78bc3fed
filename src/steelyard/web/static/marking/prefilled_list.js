// Errors that were marked beforehand, listed below their text: each is kept or removed here, or changed in the text.

import { make, makeButton } from "../dom.js";
import { spoken } from "../spans/mark_words.js";
import { isUnseen } from "../spans/marks.js";
import { countCodePoints } from "../spans/offsets.js";
import { phrase, worded } from "./texts.js";

/**
 * Errors marked beforehand as marks, with their numbers. One without ends is on a token, as in files of errors.
 * @param {Object[]} spans
 * @param {import("../texts.js").Options} options
 * @returns {import("../spans/marks.js").Mark[]}
 */
export function asMarks(spans, { presentation: { spans: { tokens } } }) {
  return spans.map((span, prefilled) => {
    if (span.start !== undefined) return { ...span, prefilled };
    const { category, ...mark } = span;
    const isOwn = tokens.includes(category);
    return { ...mark, ...(isOwn || !category ? {} : { category }), token: isOwn ? category : tokens[0], prefilled };
  });
}

/**
 * @param {import("../spans/marks.js").Mark[]} given  as `asMarks` gives them
 * @param {{text: string, source?: string}} item
 * @param {import("../texts.js").Options} options
 * @param {{target: Object, source: Object, all: () => Object[]}} parts
 * @returns {import("./one_translation.js").Extra}
 */
export function drawPrefilled(given, item, options, { target, source, all }) {
  const rows = given.map((mark, index) => drawRow(mark, index));
  const list = make("ul", "prefilled-list", ...rows.map(({ element }) => element));
  const title = worded(make("p", "prefilled-title", phrase(options, "prefilled_title")), options);
  const element = make("div", "below-text", ...(given.length ? [title, list] : []));

  const markOf = (index) => all().find((mark) => mark.prefilled === index);
  const sideOf = ({ side }) => (side === "source" && source.markable ? source : target);

  // The button that was pressed goes away, so the focus goes on to the next one.
  function settle(index, act) {
    sideOf(given[index]).markable[act](index);
    const left = rows.slice(index).flatMap(({ keepIt, remove }) => [keepIt, remove]).find(({ hidden }) => !hidden);
    if (left) left.focus({ preventScroll: true });
    else target.markable.focus();
  }

  function drawRow(mark, index) {
    const { slice } = countCodePoints(mark.side === "source" ? item.source : item.text);
    const { severity, text: marked } = spoken(options.words, mark, slice);
    const state = worded(make("span", "prefilled-state"), options);
    const keepIt = makeButton(phrase(options, "accept"), () => settle(index, "accept"), "chip");
    const remove = makeButton(phrase(options, "remove"), () => settle(index, "dismiss"), "chip");
    const quoted = make("bdi", "prefilled-text", marked);
    quoted.lang = mark.side === "source" ? options.sourceLanguage : options.language;
    const kind = worded(make("span", "prefilled-kind", severity), options);
    const actions = make("span", "prefilled-actions", keepIt, remove);
    return { element: make("li", "prefilled", quoted, kind, state, actions), mark, state, keepIt, remove, actions };
  }

  return {
    element,
    follow() {
      rows.forEach((row, index) => {
        const now = markOf(index);
        const state = !now ? "removed" : isUnseen(now) ? "" : isSame(now, row.mark) ? "kept" : "changed";
        row.element.dataset.state = state;
        row.state.textContent = state ? phrase(options, `state_${state}`) : "";
        row.keepIt.hidden = state !== "";
        row.remove.hidden = !now;
      });
    },
    nextLabel() {
      const n = all().filter(isUnseen).length;
      return n ? phrase(options, n === 1 ? "keep_one" : "keep_some", { n }) : null;
    },
  };
}

function isSame(mark, given) {
  return ["start", "end", "severity", "category", "token"].every((key) => mark[key] === given[key]);
}
