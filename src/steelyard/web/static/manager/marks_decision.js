// The manager's decision on the errors of one translation: marked in the text as workers do, with a note.

import { make, makeButton } from "../dom.js";
import { drawMarkable } from "../spans/markable.js";
import { announce, complain } from "./ask.js";
import { call, changed, may, page } from "./desk.js";
import { MISSING, forServer, looks, ofSide } from "./mark_shapes.js";
import { field, redraw } from "./parts.js";
import { counted, moment } from "./words.js";

const LONGEST_NOTE = 1000;

/** A place to decide in. `begin` starts anew from some marks; `update` shows what is decided. */
export function makeDecision() {
  const element = make("div", "marks-decision");
  const said = make("div", "");
  const editors = make("div", "marks-editors");
  const note = make("textarea");
  note.rows = 2;
  note.maxLength = LONGEST_NOTE;
  const save = makeButton("Save the decision", () => send(current()), "button");
  const withdraw = makeButton("Withdraw it", () => send(null), "button quiet");
  const tools = make("div", "needs-manager", editors, field("Note", note, "Why. Kept with the decision in the log of the campaign."), make("p", "actions", save, withdraw));
  element.append(said, tools);
  let found = null;
  let drawn = [];
  // The decision that the editors show or began from; another one is drawn anew.
  let shownNumber;

  function current() {
    return drawn.flatMap((one) => one.marks().map(forServer));
  }

  function begin(marks) {
    drawn.forEach((one) => one.destroy());
    drawn = sidesOf(found).map((side) => drawEditor(found, side, marks));
    editors.replaceChildren(...drawn.map((one) => one.element));
  }

  async function send(marks) {
    const { system_id, segment_id } = found.translation;
    const before = found.decision;
    save.disabled = withdraw.disabled = true;
    try {
      await decide(marks, note.value.trim());
      const words = marks === null ? "The decision was withdrawn." : `Decided: ${counted(marks.length, "error")} in segment ${segment_id} by ${system_id}.`;
      const undone = before ? before.marks.map(plain) : null;
      announce(words, { send: () => decide(undone, before?.note ?? ""), done: "The earlier decision holds again." });
      changed();
    } catch (error) {
      complain(error);
    }
    save.disabled = withdraw.disabled = false;
  }

  function decide(marks, why) {
    const { system_id, segment_id } = found.translation;
    return call("POST", "/marks/decision", { system_id, segment_id, marks, note: why });
  }

  return {
    element,
    begin(marks) {
      begin(marks);
      drawn[0]?.focus();
      element.scrollIntoView({ block: "nearest" });
    },
    update(given) {
      found = given;
      const { decision } = given;
      redraw(said, decision, () => [make("p", decision ? "" : "soft", decision ? inWords(decision) : noneYet())]);
      withdraw.hidden = !decision;
      const number = decision?.number ?? 0;
      if (number === shownNumber) return;
      shownNumber = number;
      note.value = decision?.note ?? "";
      begin(decision?.marks ?? []);
    },
  };
}

function noneYet() {
  if (!may("manager")) return "Nothing was decided yet.";
  return "Nothing was decided yet. Begin with somebody’s marks above, or mark the errors here. Judgements stay as they are.";
}

function inWords({ marks, decided_at: time, decided_by: by, note }) {
  return `${counted(marks.length, "error")}, decided ${moment(time)} by ${by}${note ? `: “${note}”` : "."}`;
}

function plain({ start, end, severity, category, side }) {
  const place = start === null ? {} : { start, end };
  return { ...place, severity, ...(category ? { category } : {}), side };
}

/** The target, and the source where somebody marked it. */
function sidesOf({ workers, decision, source }) {
  const every = [...workers.flatMap(({ marks }) => marks), ...(decision?.marks ?? [])];
  return source && every.some(({ side }) => side === "source") ? ["target", "source"] : ["target"];
}

function drawEditor(found, side, marks) {
  const settings = page.protocol.presentation.spans ?? {};
  const own = ofSide(marks, side);
  const tokens = side === "source" ? [] : [...new Set([...(settings.tokens ?? [MISSING]), ...own.flatMap(({ token }) => token ?? [])])];
  return drawMarkable(side === "source" ? found.source : found.text, {
    ...looks(found)[side],
    label: side === "source" ? "Errors of the source as decided" : "Errors of the translation as decided",
    by: settings.by ?? "word",
    tokens,
    marks: own,
    categories: settings.categories ?? null,
    most: null,
    elapsed: () => 0,
    ...(side === "source" ? { side } : {}),
  });
}
