// Actions ask before, say what happened, and offer to undo it where that is possible.

import { make, makeButton } from "../dom.js";
import { ApiError } from "../http.js";
import { changed } from "./desk.js";
import { field } from "./parts.js";

const MOST_MESSAGES = 3;
const MESSAGE_MS = 12_000;
let asked = 0;

/**
 * @typedef {Object} Question
 * @property {string} title
 * @property {string[]} text  what will happen, a paragraph each
 * @property {string} confirm  the words on the button
 * @property {"required"|"optional"} [reason]  whether a reason is asked for
 * @property {HTMLElement[]} [fields]  further controls, read by `send`
 * @property {boolean} [isGrave]  whether it takes something away from somebody
 * @property {(reason: string) => Promise<any>} send
 * @property {string|((reply: any) => string)} done  what happened, in words
 * @property {{send: () => Promise<any>, done: string}} [undo]
 */

/** Asks in a dialog, sends, and tells what happened. @param {Question} question @returns {Promise<any>} the reply, or null */
export function act(question) {
  return new Promise((resolve) => {
    const dialog = makeDialog(question);
    const form = dialog.querySelector("form");
    const problem = dialog.querySelector(".problem");
    const [confirm, cancel] = dialog.querySelectorAll(".actions button");
    let result = null;
    cancel.addEventListener("click", () => dialog.close());
    dialog.addEventListener("close", () => {
      dialog.remove();
      // What was pressed may be gone, redrawn after the change.
      if (document.activeElement === document.body) document.getElementById("view-title")?.focus();
      resolve(result);
    });
    form.addEventListener("submit", async (event) => {
      event.preventDefault();
      confirm.disabled = true;
      problem.textContent = "";
      try {
        result = (await question.send(form.elements.reason?.value.trim() ?? "")) ?? true;
        dialog.close();
        announce(typeof question.done === "function" ? question.done(result) : question.done, question.undo);
        changed();
      } catch (error) {
        problem.textContent = inWords(error);
      }
      confirm.disabled = false;
    });
    document.body.append(dialog);
    dialog.showModal();
  });
}

/** @param {Question} question */
function makeDialog({ title, text, confirm, reason, fields = [], isGrave }) {
  const dialog = make("dialog", "ask");
  const heading = make("h2", "", title);
  heading.id = `ask-${(asked += 1)}`;
  dialog.setAttribute("aria-labelledby", heading.id);
  const controls = [...fields];
  if (reason) {
    const box = make("textarea");
    box.name = "reason";
    box.rows = 2;
    box.maxLength = 500;
    box.required = reason === "required";
    controls.push(field(reason === "required" ? "Reason" : "Reason (optional)", box, "Kept in the log of the campaign."));
  }
  const go = make("button", isGrave ? "button grave" : "button", confirm);
  go.type = "submit";
  const problem = make("p", "problem");
  problem.setAttribute("role", "alert");
  const leave = makeButton("Cancel", () => {}, "button quiet");
  // Without anything to fill in, Enter must not do what nobody has read yet.
  if (!controls.length) leave.autofocus = true;
  const form = make("form", "", heading, ...text.map((line) => make("p", "", line)), ...controls, problem);
  form.append(make("p", "actions", go, leave));
  dialog.append(form);
  return dialog;
}

/** Tells what happened. @param {string} text @param {{send: () => Promise<any>, done: string}} [undo] */
export function announce(text, undo) {
  const list = document.getElementById("messages");
  const message = make("p", "message", make("span", "", text));
  if (undo) {
    const button = makeButton("Undo", async () => {
      button.disabled = true;
      try {
        await undo.send();
        message.remove();
        announce(undo.done);
        changed();
      } catch (error) {
        button.disabled = false;
        complain(error);
      }
    }, "button small");
    message.append(button);
  }
  const close = makeButton("×", () => message.remove(), "link-button close");
  close.setAttribute("aria-label", "Dismiss");
  message.append(close);
  list.append(message);
  // What can be undone stays until it is dismissed or pushed out by others.
  if (!undo) setTimeout(() => message.remove(), MESSAGE_MS);
  while (list.children.length > MOST_MESSAGES) list.firstElementChild.remove();
}

/** Tells what went wrong. @param {unknown} error */
export function complain(error) {
  announce(inWords(error));
}

/** @param {unknown} error */
export function inWords(error) {
  if (!(error instanceof ApiError)) return String(error);
  if (error.status === 0) return "The server is not responding. Nothing was changed; please try again.";
  return error.message;
}
