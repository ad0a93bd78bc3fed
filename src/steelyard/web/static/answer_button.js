// The button that sends an answer: what it says, what it does first, and why it does not work yet.

import { make, makeButton } from "./dom.js";
import { inProtocolLanguage } from "./screen.js";

/**
 * @param {string} label  what the button usually says
 * @param {() => void} send  called when it is pressed and nothing else is to be done first
 * @returns {{button: HTMLButtonElement, actions: HTMLElement, press: () => void,
 *   follow: (mounted: import("./one_rating.js").Mounted, isOpen: boolean) => void}}
 *   `follow` shows how the item stands; `press` is what the button does, for other ways of pressing it
 */
export function makeAnswerButton(label, send) {
  let shown = null;
  const reason = inProtocolLanguage(make("span", "missing"));
  reason.id = "missing";
  reason.setAttribute("role", "status");
  const button = makeButton(label, press, "button next");
  const actions = make("p", "actions", button);

  function press() {
    const step = shown?.step?.();
    if (step) step.take(send);
    else send();
  }

  function follow(mounted, isOpen) {
    shown = mounted;
    const step = mounted.step?.();
    button.disabled = !isOpen || !(step || mounted.isComplete());
    const own = step?.label ?? mounted.nextLabel?.();
    const wanted = own ?? label;
    if (button.textContent !== wanted) button.replaceChildren(own ? inProtocolLanguage(make("span", "", own)) : label);
    if (!mounted.missing) return;
    if (!reason.isConnected) actions.prepend(reason);
    button.setAttribute("aria-describedby", reason.id);
    const missing = isOpen ? mounted.missing() : "";
    if (reason.textContent !== missing) reason.textContent = missing;
  }

  return { button, actions, press, follow };
}
