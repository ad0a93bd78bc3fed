// A whole document around the segment that is judged now: what came before it with its answers, what is still to come.

import { make } from "./dom.js";
import { options, page, say } from "./screen.js";

// Our choice: at most this share of the window shows what came before; the smallest distance from its edge, in pixels.
const ABOVE = 0.28;
const EDGE = 12;

// Where the segment that comes next stood in the window when it was still below the current one.
let comesFrom = null;

/**
 * @param {{drawSegment?: Function, recall?: Function}} widget  the protocol's
 * @param {Object[]} earlier  segments with their answers
 * @param {Object[]} ahead  segments without
 * @returns {{before: HTMLElement|null, after: HTMLElement|null, settle: (root: HTMLElement) => void, destroy: () => void}}
 *   `settle`: to be called once the item is on the page
 */
export function drawDocument(widget, earlier, ahead) {
  const drawn = [];
  const draw = (kind, title, segments, first) => {
    if (!segments.length) return null;
    const rows = segments.map(({ answer, ...texts }, at) => {
      const shown = drawOne(widget, texts, answer);
      drawn.push(shown);
      return numbered(make("li", "document-segment", shown.element), first + at);
    });
    const list = make("ol", "document-segments", ...rows);
    list.start = first;
    const section = make("section", `document document-${kind}`, list);
    section.setAttribute("aria-label", title);
    return section;
  };
  const before = draw("earlier", say("context_title"), earlier, 1);
  const after = draw("ahead", say("context_ahead"), ahead, earlier.length + 2);
  return {
    before,
    after,
    settle(root) {
      if (before || after) numbered(root, earlier.length + 1);
      bringIntoView(root, Boolean(before));
    },
    destroy() {
      comesFrom = after?.isConnected ? after.querySelector("li").getBoundingClientRect().top : null;
      for (const shown of drawn) shown.destroy();
    },
  };
}

// For the style sheet, which writes it before the texts.
function numbered(element, number) {
  element.dataset.number = number.toLocaleString(page.words.language);
  return element;
}

function drawOne(widget, texts, answer) {
  if (widget.drawSegment) return widget.drawSegment(texts, answer, options);
  const shown = widget.drawPlainSegment(texts, options);
  const recalled = answer ? widget.recall?.(answer, options) : null;
  return { element: make("div", "", shown.element, recalled), destroy: shown.destroy };
}

// The eye stays where it is: the new segment first stands where it stood in grey, and moves to its place from there.
function bringIntoView(root, hasBefore) {
  const from = comesFrom;
  comesFrom = null;
  if (!hasBefore) return;
  const { top, height } = root.getBoundingClientRect();
  const place = top + window.scrollY;
  const room = window.innerHeight - height;
  const wanted = place - Math.max(Math.min(room / 2, ABOVE * window.innerHeight), EDGE);
  const isMoving = from !== null && !matchMedia("(prefers-reduced-motion: reduce)").matches;
  if (isMoving) window.scrollTo({ top: place - from, behavior: "instant" });
  window.scrollTo({ top: wanted, behavior: isMoving ? "smooth" : "instant" });
}
