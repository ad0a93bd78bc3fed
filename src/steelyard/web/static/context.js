// What stands around a segment of a document: the earlier ones as this worker saw them, with the answers they gave; where
// whole documents are shown, also those that are still to come.

import { drawDocument } from "./document_frame.js";
import { make, makeButton } from "./dom.js";
import { options, say } from "./screen.js";

// Segments that are there at once; those before them are drawn on request, since a document may be long.
const SHOWN = 3;

// What is known of the document on the screen. A reply that lists its earlier segments is always right; one that
// only says whether the document goes on follows the answer that this page has just sent.
let earlier = [];
let ahead = [];
let isUnfolded = false;

/**
 * The segments around an item of a document.
 * @param {{recall?: Function, drawSegment?: Function}} widget  the protocol's
 * @param {Object} next  the reply to asking for work, with an item
 * @returns {{element: HTMLElement|null, after: HTMLElement|null, answered: (answer: Object) => void,
 *   settle: (root: HTMLElement) => void, destroy: () => void}}
 *   `element` and `after` are null where nothing stands above or below; `answered` notes the answer to this item;
 *   `settle`: to be called once the item is on the page
 */
export function openContext(widget, next) {
  if (next.context) earlier = next.context;
  else if (!next.continues) earlier = [];
  ahead = next.ahead ?? (next.continues ? ahead.slice(1) : []);
  if (!earlier.length) isUnfolded = false;
  const isOfDocument = next.context !== undefined || next.continues !== undefined;
  const around = options.presentation.context === "whole" ? wholeDocument(widget) : earlierOnly(widget, isOfDocument);
  return {
    ...around,
    answered: (answer) => {
      earlier = [...earlier, { ...next.item, answer }];
    },
  };
}

function wholeDocument(widget) {
  const { before, ...rest } = drawDocument(widget, earlier, ahead);
  return { element: before, ...rest };
}

function earlierOnly(widget, isOfDocument) {
  const drawn = [];
  return {
    element: isOfDocument ? draw(widget, drawn) : null,
    after: null,
    settle: () => {},
    destroy: () => drawn.forEach((texts) => texts.destroy()),
  };
}

function draw(widget, drawn) {
  if (!earlier.length) return make("p", "context-start soft", say("context_start"));
  const nFolded = isUnfolded ? 0 : Math.max(earlier.length - SHOWN, 0);
  const segments = (from, to) => earlier.slice(from, to).map((each) => drawSegment(widget, each, drawn));
  const list = make("ol", "context-segments", ...segments(nFolded));
  list.start = nFolded + 1;
  const scroller = make("div", "context-scroller", list);
  // So that the keyboard can scroll it.
  scroller.tabIndex = 0;
  scroller.setAttribute("role", "group");
  scroller.setAttribute("aria-label", say("context_title"));
  const title = make("p", "context-title", say("context_title"));
  title.setAttribute("aria-hidden", "true");
  const head = make("div", "context-head", title);
  if (nFolded) {
    const unfold = makeButton(
      say("context_more", { folded: nFolded }),
      () => {
        isUnfolded = true;
        list.prepend(...segments(0, nFolded));
        list.start = 1;
        unfold.remove();
        scroller.focus({ preventScroll: true });
      },
      "link-button",
    );
    head.append(unfold);
  }
  return make("section", "context", head, scroller);
}

function drawSegment(widget, { answer, ...texts }, drawn) {
  const shown = widget.drawPlainSegment(texts, options);
  drawn.push(shown);
  const recalled = widget.recall?.(answer, options);
  const label = make("span", "visually-hidden", `${say("context_answer")} `);
  return make("li", "context-segment", shown.element, recalled ? make("div", "context-answer", label, recalled) : null);
}
