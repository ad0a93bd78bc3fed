// Keeps at most one small window open beside a text, in its place while the page moves, until something else is meant.

import { placeBeside } from "./placing.js";

// Between a mark and the window, in pixels: the handles at the ends of the mark are there.
const GAP = 14;
const GAP_FOR_FINGERS = 30;

/**
 * @param {HTMLElement} root  what the window belongs to, and where it is put
 * @param {() => void} onLeave  something else on the page is clicked or gets the focus
 */
export function keepSideWindow(root, onLeave) {
  let open = null;

  function close() {
    const closing = open;
    open = null;
    closing?.listening.abort();
    closing?.element.remove();
  }

  function place() {
    const gap = matchMedia("(pointer: coarse)").matches ? GAP_FOR_FINGERS : GAP;
    if (open) placeBeside(open.element, open.boxes(), gap);
  }

  function leave(event) {
    const to = event.type === "focusout" ? event.relatedTarget : event.target;
    // The focus goes nowhere when the browser itself loses it.
    if (open && to && !root.contains(to)) onLeave();
  }

  return {
    /**
     * @param {{element: HTMLElement, focus: () => void}} window
     * @param {() => DOMRect[]} boxes  what it stands beside
     */
    open({ element, focus }, boxes) {
      close();
      const listening = new AbortController();
      const { signal } = listening;
      open = { element, boxes, listening };
      root.append(element);
      element.showPopover?.();
      place();
      focus();
      document.addEventListener("click", leave, { signal, capture: true });
      root.addEventListener("focusout", leave, { signal });
      addEventListener("resize", place, { signal });
      // With the page itself it moves anyway.
      const onScroll = ({ target }) => target !== document && !element.contains(target) && place();
      addEventListener("scroll", onScroll, { signal, capture: true });
    },
    place,
    close,
  };
}
