// Keeps at most one small window open beside a text, in its place while the page moves, until something else is clicked.

/**
 * @typedef {Object} SideWindow
 * @property {HTMLElement} element
 * @property {(boxes: DOMRect[]) => void} place
 * @property {() => void} focus
 */

/**
 * @param {HTMLElement} root  what the window belongs to, and where it is put
 * @param {() => void} onLeave  something else on the page is clicked or gets the focus
 */
export function keepSideWindow(root, onLeave) {
  let open = null;

  function close() {
    open?.listening.abort();
    open?.window.element.remove();
    open = null;
  }

  function leave(event) {
    const to = event.type === "focusout" ? event.relatedTarget : event.target;
    // The focus goes nowhere when the browser itself loses it.
    if (to && !root.contains(to)) onLeave();
  }

  return {
    /** @param {SideWindow} window @param {() => DOMRect[]} boxes  what it stands beside */
    open(window, boxes) {
      close();
      const listening = new AbortController();
      const { signal } = listening;
      open = { window, boxes, listening };
      root.append(window.element);
      window.element.showPopover?.();
      window.place(boxes());
      document.addEventListener("click", leave, { signal, capture: true });
      root.addEventListener("focusout", leave, { signal });
      addEventListener("resize", () => window.place(boxes()), { signal });
      // Of something within the page: with the page itself it moves anyway.
      addEventListener("scroll", ({ target }) => target !== document && !window.element.contains(target) && window.place(boxes()), {
        signal,
        capture: true,
      });
      window.focus();
    },
    replace: () => open?.window.place(open.boxes()),
    close,
    isOpen: () => open !== null,
    hasFocus: () => open !== null && open.window.element.contains(document.activeElement),
  };
}
