// Corrections of the title, the instructions and the consent text. Each makes a revision; every judgement knows which one it saw.

import { make } from "../dom.js";
import { act } from "./ask.js";
import { Resource, call, may } from "./desk.js";
import { field, input, redraw } from "./parts.js";
import { moment } from "./words.js";

export function makeRevisions() {
  const resource = new Resource("/revisions", { fixed: true });
  const title = input("text", "", { maxlength: 200, required: "" });
  const instructions = make("textarea", "code");
  instructions.rows = 14;
  instructions.spellcheck = false;
  const consent = make("textarea", "");
  consent.rows = 10;
  // Nothing can be typed before the words are there.
  title.disabled = instructions.disabled = consent.disabled = true;
  const save = make("button", "button", "Correct");
  save.type = "submit";
  const form = make(
    "form",
    "",
    field("Title", title),
    field("Instructions", instructions, "In TOML, as the campaign began with. Change only the words between quotation marks."),
    field("Consent text", consent, "What workers agree to before anything else, a blank line between paragraphs. As long as there is none, nobody is asked; it can be changed later, not removed."),
    make("p", "actions needs-manager", save),
  );
  const list = make("div", "");
  let latest = null;

  const changes = () => ({
    ...(title.value !== latest?.title ? { title: title.value } : {}),
    ...(instructions.value !== latest?.instructions ? { instructions: instructions.value } : {}),
    ...(consent.value !== latest?.consent ? { consent: consent.value } : {}),
  });
  const mark = () => {
    save.disabled = latest === null || Object.keys(changes()).length === 0;
  };

  form.addEventListener("input", mark);
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const body = changes();
    const what = [
      body.title !== undefined ? "the title" : null,
      body.instructions !== undefined ? "the instructions" : null,
      body.consent !== undefined ? "the consent text" : null,
    ].filter(Boolean);
    const saved = await act({
      title: `Correct ${what.join(" and ")}?`,
      text: [
        "Workers see the new words from their next item on; those in the middle of a HIT are told, and shown the instructions again.",
        ...(body.consent !== undefined ? ["Whoever agreed to another consent text is asked again before they go on."] : []),
        "Judgements given so far stay, marked with the words they were given under.",
      ],
      confirm: "Correct",
      reason: "optional",
      send: (reason) => call("POST", "/revisions", { ...body, reason }),
      done: "Corrected. A new revision is in force.",
    });
    if (saved) latest = null;
  });

  return {
    element: make("div", "", form, list),
    resource,
    update() {
      const revisions = resource.data?.revisions ?? resource.data;
      redraw(list, [resource.version, resource.error?.message], () => drawRevisions(revisions, resource));
      if (!Array.isArray(revisions) || !revisions.length) return mark();
      const newest = revisions.reduce((one, other) => (other.revision > one.revision ? other : one));
      if (latest?.revision === newest.revision) return mark();
      // What somebody is typing is theirs.
      const isUntouched = latest === null || Object.keys(changes()).length === 0;
      const plain = (text) => (text ?? "").replaceAll("\r\n", "\n");
      latest = { ...newest, instructions: plain(newest.instructions), consent: plain(newest.consent) };
      title.disabled = instructions.disabled = consent.disabled = !may("manager");
      if (isUntouched) {
        title.value = latest.title;
        instructions.value = latest.instructions;
        consent.value = latest.consent;
      }
      return mark();
    },
  };
}

function drawRevisions(revisions, resource) {
  if (!Array.isArray(revisions)) return [make("p", "soft", resource.error?.message ?? "One moment …")];
  const entries = [...revisions].sort((one, other) => other.revision - one.revision).map((each) =>
    make(
      "details",
      "",
      make(
        "summary",
        "",
        `Revision ${each.revision}, ${moment(each.made_at)}`,
        each.reason ? make("span", "soft", ` “${each.reason}”`) : null,
        Number.isFinite(each.n_judgements) ? make("span", "soft", ` · ${each.n_judgements.toLocaleString("en")} judgements`) : null,
      ),
      make("p", "", make("strong", "", each.title)),
      make("pre", "", each.instructions ?? ""),
      each.consent ? make("pre", "", each.consent) : null,
    ),
  );
  return [make("h4", "", "Revisions"), ...entries];
}
