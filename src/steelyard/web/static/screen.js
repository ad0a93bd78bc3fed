// The worker's page as a surface: its words, its progress bar, and one screen at a time.

import { fill, make, makeButton, readPage } from "./dom.js";

export const { page, token } = readPage();
const main = document.getElementById("main");
const progress = document.getElementById("progress");

export const say = (key, values = {}) => fill(page.words[key], values, page.words.language);

/** Replaces the screen, and moves focus to its heading so that screen readers follow. */
export function showScreen(screen) {
  const heading = screen.querySelector("h1") ?? screen;
  heading.tabIndex = -1;
  main.replaceChildren(screen);
  main.removeAttribute("aria-busy");
  window.scrollTo(0, 0);
  heading.focus({ preventScroll: true });
}

/** Without a total the bar is hidden. */
export function showProgress(done = 0, total = 0) {
  const text = progress.querySelector(".progress-text");
  text.textContent = total ? say("progress", { done, total }) : "";
  progress.querySelector(".progress-done").style.width = total ? `${(100 * done) / total}%` : "0";
  progress.hidden = !total;
}

/** A screen of its own for something the worker should know. @param {...(Node|null)} more */
export function showMessage(title, text, ...more) {
  showScreen(make("section", "screen", make("h1", "", title), make("p", "large", text), ...more));
}

/** Asks in a dialog; false also for Escape. @returns {Promise<boolean>} */
export function isConfirmed({ title, text, yes, no }) {
  return new Promise((resolve) => {
    const heading = make("h2", "", title);
    heading.id = "confirm-title";
    const close = (answer) => () => dialog.close(answer);
    const keepIt = makeButton(no, close("no"), "button quiet");
    keepIt.autofocus = true;
    const actions = make("p", "actions", makeButton(yes, close("yes")), keepIt);
    const dialog = make("dialog", "confirm", heading, make("p", "", text), actions);
    dialog.setAttribute("aria-labelledby", heading.id);
    dialog.addEventListener("close", () => {
      dialog.remove();
      resolve(dialog.returnValue === "yes");
    });
    document.body.append(dialog);
    dialog.showModal();
  });
}
