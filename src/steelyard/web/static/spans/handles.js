// Handles at both ends of a mark, to be dragged with a finger or a mouse. The keyboard has the buttons of the editor.

import { make } from "../dom.js";

/**
 * @param {Object} on
 * @param {(side: "start"|"end", x: number, y: number) => void} on.move  an end is wanted at this point of the screen
 * @param {() => void} on.done
 * @param {() => void} on.cancel
 */
export function drawHandles(on) {
  const [start, end] = ["start", "end"].map((side) => {
    const handle = make("span", `mark-handle mark-handle-${side}`);
    followHandle(handle, side, on);
    return handle;
  });
  const element = make("div", "mark-handles", start, end);
  element.setAttribute("aria-hidden", "true");
  return {
    element,
    /** @param {DOMRect[]} boxes  of the mark */
    place(boxes, isMirrored) {
      const origin = element.getBoundingClientRect();
      const [first, last] = [boxes[0], boxes.at(-1)];
      put(start, isMirrored ? first.right : first.left, first.top, origin);
      put(end, isMirrored ? last.left : last.right, last.bottom, origin);
    },
  };
}

function put(handle, x, y, origin) {
  handle.style.left = `${x - origin.left}px`;
  handle.style.top = `${y - origin.top}px`;
}

function followHandle(handle, side, on) {
  let held = null;
  // A finger is taken to mean whatever near it can be clicked: without this, the word beside the handle.
  handle.addEventListener("click", (event) => event.stopPropagation());
  handle.addEventListener("pointerdown", (event) => {
    if (!event.isPrimary || event.button !== 0) return;
    event.preventDefault();
    handle.setPointerCapture(event.pointerId);
    // What is meant is the line of text at which the handle stands, not the place of the finger.
    const { left, right, top, bottom } = handle.getBoundingClientRect();
    const lineY = side === "start" ? bottom + 8 : top - 8;
    held = { dx: (left + right) / 2 - event.clientX, dy: lineY - event.clientY };
  });
  handle.addEventListener("pointermove", (event) => {
    if (held) on.move(side, event.clientX + held.dx, event.clientY + held.dy);
  });
  handle.addEventListener("pointerup", () => {
    if (held) on.done();
    held = null;
  });
  handle.addEventListener("pointercancel", () => {
    if (held) on.cancel();
    held = null;
  });
}
