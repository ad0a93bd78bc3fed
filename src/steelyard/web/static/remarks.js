// What workers write to the organisers: a comment after a set, a problem with a text. What was sent is kept in the
// browser until the server has it, what was only begun until it is sent.

import { makeNotice } from "./delivery.js";
import { make, makeButton } from "./dom.js";
import { makeUuid, persist, request } from "./http.js";
import { keep } from "./keep.js";
import { openDialog, say, token } from "./screen.js";

const LONGEST = 2000;

const outbox = keep(`remarks:${token}`);

/** Sends what could not be sent on an earlier visit, whenever the network allows it. */
export function sendKeptRemarks() {
  for (const remark of outbox.read() ?? []) post(remark).catch(() => {});
}

async function post(remark, onWaiting = () => {}) {
  try {
    await persist(() => request("POST", "/api/v1/work/remarks", token, remark), onWaiting);
  } finally {
    const others = (outbox.read() ?? []).filter(({ remark_id: id }) => id !== remark.remark_id);
    if (others.length) outbox.write(others);
    else outbox.forget();
  }
}

/**
 * A box to write into and the button that sends it.
 * @param {{kind: "comment"|"problem", assignment_id?: string, item_id?: string}} about
 * @param {() => void} onSent  called when the server has it
 * @param {{look?: string, cancel?: Node}} [buttons]  how the button looks; another one beside it
 */
function drawForm(about, onSent, { look = "button", cancel = null } = {}) {
  const draft = keep(`${about.kind}:${token}:${about.item_id ?? ""}`);
  const box = make("textarea", "");
  box.id = `remark-${about.kind}`;
  box.rows = 4;
  box.maxLength = LONGEST;
  box.dir = "auto";
  box.value = draft.read() ?? "";
  const title = make("label", "", say(`${about.kind}_label`));
  title.htmlFor = box.id;
  const notice = makeNotice();
  const button = makeButton(say("send"), submit, look);
  const refresh = () => {
    button.disabled = !box.value.trim();
  };
  box.addEventListener("input", () => {
    if (box.value) draft.write(box.value);
    else draft.forget();
    refresh();
  });
  refresh();

  async function submit() {
    const remark = { ...about, remark_id: makeUuid(), text: box.value.trim() };
    outbox.write([...(outbox.read() ?? []), remark]);
    draft.forget();
    box.readOnly = true;
    button.disabled = true;
    // From here on closing the dialog no longer takes anything back.
    if (cancel) cancel.textContent = say("close");
    notice.textContent = say("sending");
    try {
      await post(remark, () => {
        notice.textContent = say("remark_waiting");
      });
      onSent();
    } catch {
      box.readOnly = false;
      draft.write(box.value);
      notice.textContent = say("remark_refused");
      refresh();
    }
  }

  return make("div", "remark", title, box, make("p", "actions", button, cancel), notice);
}

/** Room for a comment after a set. @param {string|null} assignment  the one just finished */
export function drawComment(assignment) {
  const about = { kind: "comment", ...(assignment ? { assignment_id: assignment } : {}) };
  const section = make("section", "comment", make("h2", "", say("comment_title")));
  const onSent = () => showSent(section, "comment_sent");
  section.append(drawForm(about, onSent, { look: "button quiet" }));
  return section;
}

// The confirmation takes the place of the form, and the focus that would be lost with it.
function showSent(box, key, ...more) {
  const told = make("p", "", say(key));
  told.tabIndex = -1;
  // The button that was pressed has lost it already.
  const hadFocus = document.activeElement === document.body || box.contains(document.activeElement);
  box.querySelector(".remark").replaceWith(told, ...more);
  if (hadFocus) told.focus();
}

/** A quiet way to tell the organisers that something is wrong with an item. */
export function problemLink({ assignment_id, item: { item_id } }) {
  const open = () => {
    const close = (words) => makeButton(say(words), () => dialog.close(), "button quiet");
    const onSent = () => showSent(dialog, "problem_sent", make("p", "actions", close("close")));
    const form = drawForm({ kind: "problem", assignment_id, item_id }, onSent, { cancel: close("cancel") });
    form.prepend(make("p", "soft", say("problem_text")));
    const dialog = openDialog(say("problem_title"), form);
    dialog.querySelector("textarea").focus();
  };
  return makeButton(say("problem_link"), open, "link-button");
}
