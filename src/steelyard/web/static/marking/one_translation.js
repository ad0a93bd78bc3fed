// An item with one translation: its source, the translation with its marked errors, and its score.

import { make } from "../dom.js";
import { drawStatement } from "../one_rating.js";
import { recallLine } from "../scales/line.js";
import { lengthStep } from "../texts.js";
import { drawGentleQuestion, drawScore } from "./score.js";
import { drawMarkingSheet, drawReadSource, drawStill, isPlain, onceUsed, phrase } from "./texts.js";

/**
 * Draw one item into `root`.
 * @param {HTMLElement} root
 * @param {{item_id: string, text: string, source?: string}} item
 * @param {import("../texts.js").Options} options
 * @param {() => void} onChange
 * @param {Object} [peculiar]
 * @param {Object[]} [peculiar.begin]  marks to begin with, where there is no draft
 * @param {Record<"source"|"target", Object>} [peculiar.engine]  more options of drawMarkable, by side
 * @param {(parts: {target: Object, source: Object, all: () => Object[], refresh: () => void}) => Extra} [peculiar.extra]
 *   what stands below the translation
 * @typedef {{element: HTMLElement, follow: () => void, nextLabel?: () => string|null}} Extra
 * @returns {import("../one_rating.js").Mounted}
 */
export function mountMarked(root, item, options, onChange, { begin = [], engine = {}, extra } = {}) {
  const { spans } = options.presentation;
  const given = options.draft?.spans ?? begin;
  const source = drawSourceOf(item, options, { marks: given.filter(isOnSource), engine: engine.source, onChange: refresh });
  const target = drawMarkingSheet(item.text, options, {
    label: options.words.labels.translation,
    marks: given.filter((mark) => !isOnSource(mark)),
    engine: { countOthers: () => source.marks().length, ...engine.target },
    onChange: refresh,
    onPoint: onceUsed(root, (share) => source.pointAt(share)),
  });
  source.onPointed = onceUsed(root, target.pointAt);
  const score = spans.score ? drawScore(options, { draft: options.draft }, refresh) : null;
  const all = () => [...source.marks(), ...target.marks()];
  const more = extra?.({ target, source, all, refresh });
  const question = drawGentleQuestion(item.item_id, options, () => target.markable.focus());
  const rating = () => score?.answer()?.rating;
  if (more) target.element.append(more.element);

  function refresh() {
    question.close();
    more?.follow();
    onChange();
  }

  const texts = make("div", "marking marking-one", source.element, target.element);
  texts.id = "texts";
  texts.dir = options.direction;
  texts.dataset.length = lengthStep([item.source, item.text]);
  const statement = drawStatement(options);
  const panel = make("div", "answers marking-panel", score ? statement : null, score?.element, question.element);
  root.replaceChildren(texts, panel);
  more?.follow();
  return {
    answer: () => ({ spans: all(), ...score?.answer() }),
    isComplete: () => missing() === "",
    missing,
    nextLabel: more?.nextLabel,
    step: () => (question.isDue(rating(), all().length) ? { take: question.open } : null),
    focus: target.markable.focus,
    reveal: ({ expected, spans: targets }) => {
      for (const part of targets ? [source, target] : []) {
        part.markable?.reveal(targets[0].filter((mark) => isOnSource(mark) === (part === source)));
      }
      return score?.reveal({ expected }) ?? "";
    },
    panel: { element: panel },
    destroy() {
      source.destroy();
      target.destroy();
      score?.destroy();
      root.replaceChildren();
    },
  };

  function missing() {
    if (!target.isComplete() || !source.isComplete()) return phrase(options, "missing_category");
    return score && !score.answer() ? phrase(options, "missing_score") : "";
  }
}

/** A segment of the document that is not judged now. @param {Object|undefined} answer  if it has been */
export function drawMarkedSegment({ source, text }, answer, options) {
  const { labels } = options.words;
  const marks = answer?.spans ?? [];
  const still = (of, side, label) =>
    drawStill(of, marks.filter((mark) => isOnSource(mark) === (side === "source")), side, options, label);
  const read = source === undefined ? null : still(source, "source", labels.source);
  const judged = still(text, "target", labels.translation);
  const recalled = answer ? recallLine(answer, options) : null;
  const element = make("div", "still-row", read?.element, make("div", "still-judged", judged.element, recalled));
  element.dir = options.direction;
  return { element, destroy: () => read?.destroy() };
}

function isOnSource(mark) {
  return mark.side === "source";
}

// The source, marked where the campaign allows that. `onPointed` is set once there is something to point at.
function drawSourceOf(item, options, { marks, engine, onChange }) {
  const nothing = () => {};
  const parts = { element: null, marks: () => [], isComplete: () => true, onPointed: nothing };
  for (const name of ["setMarks", "lock", "pointAt", "destroy"]) parts[name] = nothing;
  if (item.source === undefined) return parts;
  const onPoint = (share) => parts.onPointed(share);
  if (!options.presentation.spans.source || !isPlain(options)) {
    return Object.assign(parts, drawReadSource(item.source, options, onPoint));
  }
  const sheet = drawMarkingSheet(item.source, options, {
    label: options.words.labels.source,
    side: "source",
    marks,
    engine: { side: "source", ...engine },
    onChange,
    onPoint,
  });
  return Object.assign(parts, sheet);
}
