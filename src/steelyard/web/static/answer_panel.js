// The question, the answers and the button of an item. They stand below the texts; where the texts are longer than
// the window, the panel with all three stays in view while the texts scroll past it.

// Our choice: a panel that would take more of the window than this stays where it is.
const LARGEST_SHARE = 0.45;

/**
 * Puts the button and what is said about it at the end of an item's answers.
 * @param {HTMLElement} root  the item
 * @param {import("./one_rating.js").Mounted} mounted  what the widget has drawn into it
 * @param {HTMLElement} actions  holds the button
 * @param {HTMLElement} notice
 * @returns {{settle: () => void, freeze: () => void, destroy: () => void}}
 *   `settle`: to be called once the item is on the page; `freeze`: the item takes no more answers, only the notice
 *   can be used
 */
export function attachControls(root, mounted, actions, notice) {
  if (!mounted.panel) {
    root.after(actions, notice);
    return { settle: () => {}, freeze: () => freeze([root, actions]), destroy: () => {} };
  }
  const { element: panel, question } = mounted.panel;
  panel.append(actions, notice);
  const frozen = () => freeze([...root.children, ...panel.children].filter((part) => part !== panel && part !== notice));
  if (!question) return { ...keepAbove(panel), freeze: frozen };
  const texts = question.nextElementSibling;
  // What decides where the panel is. Not the part of the window that a phone's address bar gives and takes.
  const measured = () => {
    const { clientWidth, clientHeight } = document.documentElement;
    return `${clientWidth} ${clientHeight} ${texts.offsetHeight}`;
  };
  let settledAt = "";

  function undock() {
    panel.classList.remove("answers-docked");
    root.prepend(question);
  }

  function settle() {
    undock();
    const height = document.documentElement.clientHeight;
    if (panel.getBoundingClientRect().bottom + window.scrollY > height) {
      panel.classList.add("answers-docked");
      panel.prepend(question);
      if (panel.offsetHeight > LARGEST_SHARE * height) undock();
    }
    settledAt = measured();
  }

  const onResize = () => {
    if (measured() !== settledAt) settle();
    // A notice makes the panel higher.
    keepClear(panel.classList.contains("answers-docked") ? panel.offsetHeight : 0);
  };
  // Pictures of texts get their height only when they are on the page.
  const sizes = new ResizeObserver(onResize);
  sizes.observe(texts);
  sizes.observe(panel);
  window.addEventListener("resize", onResize);
  return {
    settle,
    freeze: frozen,
    destroy() {
      sizes.disconnect();
      window.removeEventListener("resize", onResize);
      keepClear(0);
    },
  };
}

// A panel that its style sheet holds in view.
function keepAbove(panel) {
  const sizes = new ResizeObserver(() => keepClear(getComputedStyle(panel).position === "sticky" ? panel.offsetHeight : 0));
  sizes.observe(panel);
  return {
    settle: () => {},
    destroy() {
      sizes.disconnect();
      keepClear(0);
    },
  };
}

// What gets the focus is scrolled clear of the panel; see one_rating.css.
function keepClear(pixels) {
  document.documentElement.style.setProperty("--docked", `${pixels}px`);
}

function freeze(parts) {
  for (const part of parts) part.inert = true;
}
