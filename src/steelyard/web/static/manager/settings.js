// The rules of the campaign, a backup of it, and the log. What is typed stays until it is saved or taken back.

import { make, makeButton } from "../dom.js";
import { act } from "./ask.js";
import { call, desk, may, versionOf } from "./desk.js";
import { makeExtension } from "./extension.js";
import { fileButton } from "./files.js";
import { makeLog } from "./log.js";
import { makeManagers } from "./managers.js";
import { field, input, panel, select } from "./parts.js";
import { makeRevisions } from "./revisions.js";

const PERCENT = 100;
// Rules that are words, and may be missing.
const TEXTS = [
  ...["completion_code", "completion_url", "screened_code", "blocked_code"],
  ...["id_parameter", "study_parameter", "session_parameter", "id_pattern", "description", "retain_until"],
];

export function makeSettings() {
  const rules = makeRules();
  const revisions = makeRevisions();
  const managers = makeManagers();
  const log = makeLog();
  return {
    title: "Settings",
    element: make(
      "div",
      "",
      panel("Rules", rules.element),
      panel("Title, instructions, consent", revisions.element),
      forManagers(panel("Extend", makeExtension())),
      forManagers(panel("Backup", ...backup())),
      managers.element,
      panel("Log", log.element),
    ),
    needs: () => [revisions.resource, ...(may("owner") ? [managers.resource] : [])],
    update() {
      rules.update(desk.campaign.rules ?? {});
      revisions.update();
      managers.update();
      log.update(versionOf(true));
    },
  };
}

// Viewers do not see what would be refused.
function forManagers(element) {
  element.classList.add("needs-manager");
  return element;
}

function makeRules() {
  const boxes = {
    lease_minutes: input("number", "", { min: 1, step: "any", required: "" }),
    hits_per_worker: input("number", "", { min: 1, step: 1, placeholder: "no limit" }),
    joins_per_hour: input("number", "", { min: 0, step: 1, required: "" }),
    unbegun_hits: input("number", "", { min: 0, step: 1, required: "" }),
    wage: input("number", "", { min: 0, step: "any", placeholder: "not set" }),
    currency: input("text", "", { maxlength: 3, minlength: 3, pattern: "[A-Za-z]{3}", required: "", autocomplete: "off" }),
    pay_per_hit: input("number", "", { min: 0, step: "any", placeholder: "by the wage" }),
    fee: input("number", "", { min: 0, step: "any" }),
    budget: input("number", "", { min: 0, step: "any", placeholder: "no limit" }),
    pay_after_days: input("number", "", { min: 0, max: 30, step: "any", required: "" }),
    tell_pay: select([["false", "no"], ["true", "yes"]], "false"),
    completion_code: input("text", "", { maxlength: 100, placeholder: "none", autocomplete: "off" }),
    completion_url: input("text", "", { maxlength: 2000, placeholder: "the platform’s", autocomplete: "off", inputmode: "url" }),
    screened_code: input("text", "", { maxlength: 100, placeholder: "none", autocomplete: "off" }),
    blocked_code: input("text", "", { maxlength: 100, placeholder: "none", autocomplete: "off" }),
    platform: input("text", "", { maxlength: 64, required: "", autocomplete: "off" }),
    id_parameter: input("text", "", { maxlength: 64, placeholder: "the platform’s", autocomplete: "off" }),
    study_parameter: input("text", "", { maxlength: 64, placeholder: "the platform’s", autocomplete: "off" }),
    session_parameter: input("text", "", { maxlength: 64, placeholder: "the platform’s", autocomplete: "off" }),
    id_pattern: input("text", "", { maxlength: 100, placeholder: "the platform’s", autocomplete: "off" }),
    description: input("text", "", { maxlength: 2000, placeholder: "made from what is known", autocomplete: "off" }),
    retain_until: input("date", ""),
  };
  let shown = {};
  // Nothing can be typed before the rules are there.
  for (const box of Object.values(boxes)) box.disabled = true;
  const save = make("button", "button", "Save");
  save.type = "submit";
  const reset = makeButton("Undo changes", () => fill(shown), "button quiet");
  const form = make(
    "form",
    "",
    make(
      "div",
      "fields",
      field("Minutes until an idle HIT is released", boxes.lease_minutes, "After this long without an answer it goes back to the pool; what was judged stays."),
      field("HITs per worker, at most", boxes.hits_per_worker, "Empty: as many as there are."),
      field("Joins per address and hour", boxes.joins_per_hour, "By the open link. A class shares one address. 0: any number."),
      field("Unbegun HITs per address", boxes.unbegun_hits, "HITs taken but not yet begun. Others wait until one is begun. 0: any number."),
      field("Wage per hour", boxes.wage),
      field("Currency", boxes.currency, "A code such as EUR."),
      field("Pay per HIT", boxes.pay_per_hit, "In place of what the wage comes to."),
      field("Fee of the platform, in per cent", boxes.fee, "On top of the pay."),
      field("Budget", boxes.budget, "The most that is spent through a platform, its fees included. Empty: no limit."),
      field("Days until work is paid", boxes.pay_after_days, "What nobody has decided on by then is paid when the platform is next asked."),
      field("Tell workers about pay", boxes.tell_pay, "What a set pays, and what they have earned."),
      field("Completion code", boxes.completion_code, "Shown once a set is finished."),
      field("Completion address", boxes.completion_url, "A button leads there once a set is finished. {code} and {id} in it are filled in."),
      field("Code for those screened out", boxes.screened_code, "Shown to those whose answers to your questions are not looked for."),
      field("Code for those blocked", boxes.blocked_code, "Shown to those whom you block before they finish a set. Look at their work, and pay it."),
      field("Platform", boxes.platform, "local, prolific, mturk, connect, sona, besample or url-parameter."),
      field("Parameter with the participant’s id", boxes.id_parameter, "In the address by which people come from the platform."),
      field("Parameter with the study’s id", boxes.study_parameter),
      field("Parameter with the session’s id", boxes.session_parameter),
      field("What an id looks like", boxes.id_pattern, "A regular expression, such as [0-9]{5}."),
      field("Description on the platform", boxes.description, "What people read there before they come."),
      field("Keep what points to workers until", boxes.retain_until, "As your consent text promises. You are reminded to erase it."),
    ),
    make("p", "actions needs-manager", save, reset),
  );

  function read() {
    const amount = (box) => (box.value === "" ? null : Number(box.value));
    return {
      lease_minutes: amount(boxes.lease_minutes),
      hits_per_worker: amount(boxes.hits_per_worker),
      joins_per_hour: amount(boxes.joins_per_hour),
      unbegun_hits: amount(boxes.unbegun_hits),
      wage: amount(boxes.wage),
      currency: boxes.currency.value.toUpperCase(),
      pay_per_hit: amount(boxes.pay_per_hit),
      fee: (amount(boxes.fee) ?? 0) / PERCENT,
      budget: amount(boxes.budget),
      pay_after_days: amount(boxes.pay_after_days),
      tell_pay: boxes.tell_pay.value === "true",
      platform: boxes.platform.value.trim(),
      ...Object.fromEntries(TEXTS.map((name) => [name, boxes[name].value.trim() || null])),
    };
  }

  function fill(values) {
    for (const [name, box] of Object.entries(boxes)) {
      const value = values[name];
      box.value = value === null || value === undefined ? "" : String(name === "fee" ? Number((PERCENT * value).toPrecision(12)) : value);
    }
    mark();
  }

  // What differs from the campaign's rules; numbers are compared as they are written.
  const changes = () => Object.fromEntries(Object.entries(read()).filter(([name, value]) => value !== (shown[name] ?? null)));

  function mark() {
    save.disabled = reset.disabled = Object.keys(changes()).length === 0;
  }

  form.addEventListener("input", mark);
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const changed = changes();
    const before = Object.fromEntries(Object.keys(changed).map((name) => [name, shown[name] ?? null]));
    const patch = (values) => call("PATCH", "/rules", values);
    const saved = await act({
      title: "Change the rules?",
      text: Object.keys(changed).map((name) => `${words(name)}: ${value(before, name)} → ${value(changed, name)}`),
      confirm: "Change",
      send: () => patch(changed),
      done: "The rules are changed, from now on.",
      undo: { send: () => patch(before), done: "The rules are as before." },
    });
    if (saved) shown = { ...shown, ...changed };
    mark();
  });

  return {
    element: form,
    update(rules) {
      const hasChanges = Object.keys(changes()).length > 0;
      const isNew = JSON.stringify(rules) !== JSON.stringify(shown);
      if (!isNew) return;
      const isFirst = Object.keys(shown).length === 0;
      shown = rules;
      for (const box of Object.values(boxes)) box.disabled = !may("manager");
      // What somebody is typing is theirs.
      if (isFirst || !hasChanges) fill(rules);
      else mark();
    },
  };
}

const RULES = {
  lease_minutes: "Minutes until an idle HIT is released",
  hits_per_worker: "HITs per worker",
  joins_per_hour: "Joins per address and hour",
  unbegun_hits: "Unbegun HITs per address",
  wage: "Wage per hour",
  currency: "Currency",
  pay_per_hit: "Pay per HIT",
  fee: "Fee",
  budget: "Budget",
  pay_after_days: "Days until work is paid",
  tell_pay: "Tell workers about pay",
  completion_code: "Completion code",
  completion_url: "Completion address",
  screened_code: "Code for those screened out",
  blocked_code: "Code for those blocked",
  platform: "Platform",
  id_parameter: "Parameter with the participant’s id",
  study_parameter: "Parameter with the study’s id",
  session_parameter: "Parameter with the session’s id",
  id_pattern: "What an id looks like",
  description: "Description on the platform",
  retain_until: "Keep what points to workers until",
};
const words = (name) => RULES[name] ?? name;

const NO_LIMIT = { hits_per_worker: null, budget: null, joins_per_hour: 0, unbegun_hits: 0 };

function value(values, name) {
  const found = values[name];
  if (name in NO_LIMIT && (found ?? null) === NO_LIMIT[name]) return "no limit";
  if (found === null || found === undefined) return "not set";
  if (typeof found === "boolean") return found ? "yes" : "no";
  return name === "fee" ? `${Number((PERCENT * found).toPrecision(12))} %` : String(found);
}

function backup() {
  return [
    make("p", "", "A complete copy of the campaign at this moment, while people go on judging. Restore it with ", make("code", "", "steelyard restore FILE DB"), "."),
    make("p", "soft", "The secret behind the links is not in the copy: keep the file that lies beside the database as well."),
    make("p", "actions", fileButton("Download a backup", "/backup", "backup.db", "button quiet")),
  ];
}
