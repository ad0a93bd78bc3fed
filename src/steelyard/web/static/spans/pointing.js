// The pointer on a text: clicks and taps on units, dragging across them with a mouse or pen, and where it points to.

// A click between two lines is meant for the unit next to it; further away, for none. In pixels.
const NEAR = 24;

/**
 * @param {ReturnType<typeof import("./text_pieces.js").drawPieces>} pieces
 * @param {Object} on
 * @param {(index: number) => void} on.click
 * @param {(from: number, to: number) => void} on.drag  while it goes on
 * @param {(from: number, to: number) => void} on.dragged
 * @param {() => void} on.cancel  what was dragged is not meant
 * @param {(index: number) => void} on.point  -1: no longer in the text
 * @param {() => boolean} on.isFrozen  nothing can be changed: then it only points
 */
export function followPointing({ element, units, indexOf }, on) {
  let pressed = null;
  let isDragged = false;

  element.addEventListener("pointerdown", (event) => {
    isDragged = false;
    // A finger that moves scrolls the page.
    if (event.pointerType === "touch" || !event.isPrimary || event.button !== 0 || on.isFrozen()) return;
    const index = indexOf(event.target);
    pressed = index < 0 || units[index].token !== undefined ? null : { id: event.pointerId, from: index, to: index };
  });
  element.addEventListener("pointermove", (event) => {
    if (event.pointerType === "touch") return;
    // While the pointer is captured, all events are for the whole text.
    const index = indexOf(isDragged ? document.elementFromPoint(event.clientX, event.clientY) : event.target);
    if (index >= 0) on.point(index);
    const isOverText = index >= 0 && units[index].token === undefined;
    if (pressed?.id !== event.pointerId || !isOverText || index === pressed.to) return;
    if (!isDragged) element.setPointerCapture(event.pointerId);
    isDragged = true;
    pressed.to = index;
    on.drag(pressed.from, index);
  });
  element.addEventListener("pointerup", (event) => {
    if (pressed?.id === event.pointerId && isDragged) on.dragged(pressed.from, pressed.to);
    pressed = null;
  });
  element.addEventListener("pointercancel", () => {
    if (isDragged) on.cancel();
    pressed = null;
  });
  element.addEventListener("pointerleave", (event) => {
    if (event.pointerType !== "touch") on.point(-1);
  });
  element.addEventListener("click", (event) => {
    // The click that ends a drag.
    if (isDragged) {
      isDragged = false;
      return;
    }
    if (on.isFrozen()) return;
    const hit = indexOf(event.target);
    const index = hit >= 0 ? hit : nearest(units, event.clientX, event.clientY);
    if (index >= 0) on.click(index);
  });
}

/** The unit next to a point of the screen, -1 if none is near. */
export function nearest(units, x, y) {
  let best = -1;
  let least = NEAR;
  units.forEach(({ element }, index) => {
    for (const { left, right, top, bottom } of element.getClientRects()) {
      const distance = Math.hypot(Math.max(left - x, 0, x - right), Math.max(top - y, 0, y - bottom));
      if (distance < least) {
        least = distance;
        best = index;
      }
    }
  });
  return best;
}
