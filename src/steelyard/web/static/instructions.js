// The instructions beside the work: open at the first item, then folded away behind a small button and a key.

import { make, makeButton } from "./dom.js";
import { inProtocolLanguage, openDialog, options, page, say } from "./screen.js";
import { drawMarkHint } from "./spans/mark_hint.js";

// Where these keys are part of what somebody writes.
const WRITING = "input, textarea, select, [contenteditable]";

/** All steps of the instructions, in order. @param {{steps?: Function}} widget  the protocol's */
export function drawSteps(widget) {
  const { words } = page.protocol;
  const { context } = options.presentation;
  const around = context ? say(context === "whole" ? "context_whole_step" : "context_step") : null;
  return make(
    "ol",
    "steps",
    ...[...(widget.steps?.(options) ?? []), ...words.instructions[page.attribute]].map(drawStep),
    ...drawAnswering(),
    around ? make("li", "", around) : null,
  );
}

/** What the keys do. */
export function drawKeys() {
  const { keyboard, spans } = page.protocol.words;
  const lines = spans ? [spans.keyboard, keyboard] : [keyboard];
  return make("div", "soft wide-only", ...lines.map((text) => inProtocolLanguage(make("p", "", text))));
}

function drawStep(text) {
  return inProtocolLanguage(make("li", "", text));
}

// How to answer, step by step.
function drawAnswering() {
  const { answering, spans } = page.protocol.words;
  return [...(spans ? [make("li", "", drawMarkHint(page.protocol.words))] : []), ...answering.map(drawStep)];
}

/** How to answer, open above the first item where it takes more than one step; null elsewhere. */
export function drawGuide() {
  if (!options.presentation.spans) return null;
  const list = make("ul", "guide-lines", ...drawAnswering());
  // So that the keyboard can scroll it.
  list.tabIndex = 0;
  const guide = make("details", "guide", make("summary", "", say("what_to_do")), list);
  guide.open = true;
  return guide;
}

/** A small button that brings the instructions back, as the keys ? and F1 do. @param {{steps?: Function}} widget */
export function drawHelp(widget) {
  const key = make("kbd", "help-key", "?");
  key.setAttribute("aria-hidden", "true");
  const button = makeButton("", () => openInstructions(widget), "link-button help-button");
  button.setAttribute("aria-label", say("what_to_do"));
  button.setAttribute("aria-keyshortcuts", "? F1");
  button.append(make("span", "wide-only", say("what_to_do")), key);
  document.addEventListener("keydown", function onKey(event) {
    if (!button.isConnected) document.removeEventListener("keydown", onKey);
    else if (isForHelp(event)) {
      event.preventDefault();
      if (!document.querySelector("dialog[open]")) openInstructions(widget);
    }
  });
  return button;
}

function isForHelp({ key, target, ctrlKey, altKey, metaKey, isComposing }) {
  if (ctrlKey || altKey || metaKey || isComposing) return false;
  return key === "F1" || (key === "?" && !target.closest?.(WRITING));
}

function openInstructions(widget) {
  const close = makeButton(say("close"), () => dialog.close(), "button quiet");
  const dialog = openDialog(say("what_to_do"), drawSteps(widget), drawKeys(), make("p", "actions", close));
  dialog.classList.add("help");
  // From its beginning, though the button at its end could have the focus.
  dialog.tabIndex = -1;
  dialog.focus();
  dialog.scrollTop = 0;
}
