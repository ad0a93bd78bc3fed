// Copying for people, on pages of any kind.

import { make } from "./dom.js";

/** Puts `text` on the clipboard. */
export async function copyText(text) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    copyOldWay(text);
  }
}

// Pages served over plain http have no clipboard object, and a browser may refuse the use of it.
function copyOldWay(text) {
  const box = make("textarea", "visually-hidden", text);
  document.body.append(box);
  box.select();
  document.execCommand("copy");
  box.remove();
}
