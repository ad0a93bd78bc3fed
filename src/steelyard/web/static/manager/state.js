// The state of the campaign: draft, open, paused or closed, and the buttons that change it.

import { make } from "../dom.js";
import { act } from "./ask.js";
import { call } from "./desk.js";
import { chip, managersButton } from "./parts.js";
import { counted } from "./words.js";

export const STATES = {
  draft: { mark: "✎", name: "Draft", says: "Nobody can judge yet. Look at everything, then open the campaign." },
  open: { mark: "●", name: "Open", says: "Workers can take HITs and judge." },
  paused: { mark: "❚❚", name: "Paused", says: "No work is given out. Workers keep their place and what they have written." },
  closed: { mark: "■", name: "Closed", says: "The campaign is over. Workers who come are thanked." },
};
const MOVES = {
  draft: [["open", "Open", "button"]],
  open: [["paused", "Pause", "button quiet"], ["closed", "Close", "button quiet"]],
  paused: [["open", "Resume", "button"], ["closed", "Close", "button quiet"]],
  closed: [["open", "Open again", "button quiet"]],
};
const WHAT = {
  open: "Workers can take HITs and judge from now on.",
  paused: "No HIT is given out and no answer is taken until you resume. Pages that are open tell the worker so, keep what is written there, and send it when you resume.",
  closed: "No HIT is given out and no answer is taken any more. You can open the campaign again.",
};
const DONE = { open: "The campaign is open.", paused: "The campaign is paused.", closed: "The campaign is closed.", draft: "The campaign is a draft." };

/** @param {string} state */
export function stateChip(state) {
  const { mark, name } = STATES[state] ?? { mark: "", name: state };
  return chip(`state-${state}`, mark, name);
}

/** The buttons that lead from a state to others. @param {string} state @param {number} nOpen  HITs that somebody works on */
export function stateButtons(state, nOpen) {
  return (MOVES[state] ?? []).map(([next, label, className]) =>
    managersButton(label, `state ${next}`, () => changeState(state, next, label, nOpen), className),
  );
}

function changeState(before, next, label, nOpen) {
  const working = next !== "open" && nOpen > 0 ? [`${counted(nOpen, "HIT is", "HITs are")} being worked on now.`] : [];
  const to = (state, reason = "") => call("POST", "/state", { state, reason });
  return act({
    title: `${label} the campaign?`.replace("Open again the campaign", "Open the campaign again"),
    text: [WHAT[next], ...working],
    confirm: label,
    reason: next === "open" ? undefined : "optional",
    send: (reason) => to(next, reason),
    done: DONE[next],
    // A draft that was opened may have been seen: that cannot be taken back.
    undo: before === "draft" ? undefined : { send: () => to(before), done: DONE[before] },
  });
}

/** The state in words, with what can be done about it. */
export function statePanel(state, nOpen) {
  const words = make("div", "state-words", stateChip(state), make("p", "", STATES[state]?.says ?? ""));
  return [words, make("p", "actions", ...stateButtons(state, nOpen))];
}
