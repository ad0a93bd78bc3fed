// What a person decides about a worker: exclude and reinstate, block and unblock. Each undoes the other. What is
// erased at a worker's wish is gone.

import { make } from "../dom.js";
import { act } from "./ask.js";
import { call } from "./desk.js";
import { input, managersButton } from "./parts.js";

const send = (worker, verb, body) => call("POST", `/workers/${encodeURIComponent(worker)}/${verb}`, body);

/** A button that leaves judgements out of analyses: a worker's, or those of one HIT. @param {string} worker @param {string|null} hit */
export function excludeButton(worker, hit = null) {
  const what = hit ? `${hit} of ${worker}` : worker;
  const button = managersButton("Exclude", `exclude ${hit ?? worker}`, () => {
    const box = input("checkbox");
    box.checked = true;
    const label = make("label", "check", box, hit ? "Offer the place to somebody else" : "Offer the places to others");
    const reasons = { hit_id: hit };
    return act({
      title: `Exclude ${what}?`,
      text: [
        hit ? `The judgements of ${hit} by ${worker} no longer count.` : `Nothing that ${worker} judged counts any more, and they get no further HIT.`,
        "Nothing is deleted: analyses say how many judgements a person left out and why, and can ignore that.",
      ],
      confirm: "Exclude",
      reason: "required",
      fields: [label],
      isGrave: true,
      send: (reason) => send(worker, "exclude", { ...reasons, reason, replace: box.checked }),
      done: ({ offered = [] }) => `${what} is excluded.${offered.length ? ` Offered to others: ${offered.join(", ")}.` : ""}`,
      undo: { send: () => send(worker, "reinstate", { ...reasons, reason: "undone" }), done: `${what} counts again.` },
    });
  });
  button.setAttribute("aria-label", `Exclude ${what}`);
  return button;
}

/** A button that lets judgements count again. */
export function reinstateButton(worker, hit = null, before = "") {
  const what = hit ? `${hit} of ${worker}` : worker;
  const button = managersButton("Reinstate", `reinstate ${hit ?? worker}`, () =>
    act({
      title: `Reinstate ${what}?`,
      text: ["The judgements count again. Places that nobody has taken in the meantime are theirs again."],
      confirm: "Reinstate",
      reason: "optional",
      send: (reason) => send(worker, "reinstate", { hit_id: hit, reason }),
      done: ({ surplus = [] }) => `${what} counts again.${surplus.length ? ` Judged once more than wanted: ${surplus.join(", ")}.` : ""}`,
      undo: { send: () => send(worker, "exclude", { hit_id: hit, reason: before || "as before", replace: false }), done: `${what} is excluded as before.` },
    }));
  button.setAttribute("aria-label", `Reinstate ${what}`);
  return button;
}

/** A button that gives a worker no further work, or lets them work again. */
export function blockButton(worker, isBlocked) {
  if (isBlocked) {
    return managersButton("Unblock", "block", () =>
      act({
        title: `Let ${worker} work again?`,
        text: [`${worker} can take HITs again.`],
        confirm: "Unblock",
        reason: "optional",
        send: (reason) => send(worker, "unblock", { reason }),
        done: `${worker} can take HITs again.`,
        undo: { send: () => send(worker, "block", { reason: "as before" }), done: `${worker} is blocked as before.` },
      }));
  }
  return managersButton("Block", "block", () =>
    act({
      title: `Block ${worker}?`,
      text: [`${worker} gets no further HIT, and one that is open goes back to the pool. What was judged stays and counts, unless you exclude it.`],
      confirm: "Block",
      reason: "optional",
      isGrave: true,
      send: (reason) => send(worker, "block", { reason }),
      done: `${worker} is blocked.`,
      undo: { send: () => send(worker, "unblock", { reason: "undone" }), done: `${worker} can take HITs again.` },
    }));
}

/** A button that erases what could tell who a worker is. There is no way back. */
export function eraseButton(worker) {
  return managersButton("Erase what points to them", "erase", () =>
    act({
      title: `Erase what points to ${worker}?`,
      text: [
        "Name, e-mail address, ids on a platform, answers to the questions, practice and remarks are erased for good. Do this if the person wishes it.",
        "That they agreed stays, as proof, and so do the amounts they were paid and their judgements: to leave those out of the scores, exclude the worker. Backups made before still hold everything. Write no name as the reason: the log is never changed.",
      ],
      confirm: "Erase",
      reason: "optional",
      isGrave: true,
      send: (reason) => send(worker, "erase", { reason }),
      done: `What pointed to ${worker} is erased.`,
    }));
}
