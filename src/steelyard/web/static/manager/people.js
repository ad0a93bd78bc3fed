// People and their links: the open link, personal links with a name beside them, the manager's own link.

import { make } from "../dom.js";
import { act } from "./ask.js";
import { call, desk, token } from "./desk.js";
import { fileButton } from "./files.js";
import { anchor, chip, copyButton, field, input, namedButton, panel, redraw } from "./parts.js";
import { makeTable } from "./table.js";
import { counted } from "./words.js";

// Links that no platform needs.
const HANDED_OUT = "local";
const path = (worker) => `/workers/${encodeURIComponent(worker)}`;

export function makePeople() {
  const shared = make("div", "");
  const table = makeTable({
    label: "Table of personal links",
    noun: "person",
    nouns: "people",
    columns: COLUMNS,
    keyOf: (row) => row.worker_id,
    textOf: (row) => [row.worker_id, row.name, row.email, row.platform, row.participant_id].join(" "),
    filters: [
      ["All", () => true],
      ["Link in use", (row) => !row.is_revoked],
      ["Link revoked", (row) => row.is_revoked],
      ["Without a name", (row) => !row.name && !row.email],
      ["From a platform", (row) => Boolean(row.platform)],
    ],
    empty: "There are no personal links yet. Add some above, or send out the open link.",
    order: { column: "Worker" },
  });
  const element = make("div", "", panel("Links to share", shared), panel("Add people", ...addForm()), panel("Personal links", make("div", "summary", make("p", "soft", "Send each person their own link; nobody else should use it."), fileButton("Links as CSV", "/links.csv", "links.csv")), table.element));
  return {
    title: "People",
    element: make("div", "", element, make("p", "soft needs-no-manager", "Only managers see people and their links.")),
    needs: () => [],
    update() {
      const { links, rules = {} } = desk.campaign;
      element.hidden = links === null;
      if (links === null) return;
      const isOn = rules.open_link ?? Boolean(links.open_url);
      redraw(shared, [links.open_url, links.manager_url, isOn], () => [openLink(links, isOn), links.manager_url ? managerLink(links.manager_url) : null]);
      table.update(links.workers);
    },
  };
}

function openLink({ open_url: url, platform = HANDED_OUT }, isOn) {
  const says = platform === HANDED_OUT ? "Everyone who joins with it becomes a worker." : `For ${platform}: enter it there as the address of the study. It says who comes, so everyone is one worker only.`;
  const set = (on) => call("POST", "/links/open", { on });
  const turn = isOn
    ? namedButton("Turn off", "open link", () =>
        act({
          title: "Turn the open link off?",
          text: ["Nobody can join by it from now on. Whoever has joined keeps their own link."],
          confirm: "Turn off",
          send: () => set(false),
          done: "The open link is off: the list of people is closed.",
          undo: { send: () => set(true), done: "The open link is on again." },
        }))
    : namedButton("Turn on", "open link", () =>
        act({
          title: "Turn the open link on?",
          text: ["Everyone who has the link can join and becomes a worker."],
          confirm: "Turn on",
          send: () => set(true),
          done: "The open link is on.",
          undo: { send: () => set(false), done: "The open link is off again." },
        }));
  const renew = namedButton("Renew", "renew open link", () =>
    act({
      title: "Renew the open link?",
      text: ["The link changes: the one you have sent out stops working. Whoever has joined keeps their own link."],
      confirm: "Renew",
      isGrave: true,
      send: () => call("POST", "/links/open", { action: "renew" }),
      done: "The open link is a new one now.",
    }));
  renew.setAttribute("aria-label", "Renew the open link");
  turn.setAttribute("aria-label", isOn ? "Turn off the open link" : "Turn on the open link");
  return linkRow(
    "Open link",
    isOn ? says : "Off: nobody can join. Personal links work as before.",
    isOn ? url : "",
    isOn ? [copyButton(url, "the open link", "copy open link"), turn, renew] : [turn],
  );
}

function managerLink(url) {
  const renew = namedButton("Renew", "renew manager link", async () => {
    const reply = await act({
      title: "Renew the manager’s link?",
      text: ["The link that everyone shares who has none of their own stops working. If it is the address of this page, you are taken to the new one; keep it."],
      confirm: "Renew",
      isGrave: true,
      send: () => call("POST", "/links/manager", { action: "renew" }),
      done: "The manager’s link is a new one now.",
    });
    const address = reply?.url ?? reply?.manager_url;
    // The same page under its new token, by the host that this browser already uses.
    if (address && token && desk.campaign.you?.manager_id === null) location.replace(`${address.split("/").pop()}#/people`);
  });
  renew.setAttribute("aria-label", "Renew the manager’s link");
  return linkRow("Manager’s link", "Whoever has it is an owner. Give others links of their own: Settings, Managers.", url, [copyButton(url, "the manager’s link", "copy manager link"), renew]);
}

function linkRow(name, says, url, buttons) {
  return make(
    "div",
    "link-row",
    make("div", "link-words", make("h4", "", name), make("p", "soft", says), url ? anchor(url, url) : null),
    make("p", "buttons", ...buttons),
  );
}

const COLUMNS = [
  {
    name: "Worker",
    isHeading: true,
    by: (row) => row.worker_id,
    cell: (row) => [
      anchor(row.worker_id, `#${path(row.worker_id)}`, `person ${row.worker_id}`),
      row.is_blocked ? " " : null,
      row.is_blocked ? chip("excluded", "■", "blocked") : null,
    ],
  },
  { name: "Name", className: "name", by: (row) => row.name || null, cell: (row) => row.name || "–" },
  { name: "E-mail", className: "name", by: (row) => row.email || null, cell: (row) => row.email || "–" },
  { name: "Platform", className: "name", by: (row) => row.platform || null, cell: fromPlatform },
  { name: "Link", by: (row) => Number(Boolean(row.is_revoked)), className: "link-cell", cell: (row) => (row.is_revoked || !row.url ? chip("excluded", "✕", "revoked") : make("code", "", row.url)) },
  { name: "Actions", className: "buttons", cell: linkButtons },
];

// Who sent a worker, and under which id; it may have been forgotten.
function fromPlatform({ platform, participant_id: id }) {
  return platform ? [`${platform} `, id ? make("code", "", id) : make("span", "soft", "id forgotten")] : "–";
}

/** What can be done about one person's link. */
export function linkButtons(row) {
  const worker = row.worker_id;
  const named = (label, verb, onClick) => {
    const button = namedButton(label, `${verb} ${worker}`, onClick);
    button.setAttribute("aria-label", `${label} ${verb === "name" ? "the name of" : "the link of"} ${worker}`);
    return button;
  };
  const buttons = [named("Edit", "name", () => editPerson(row))];
  if (!row.is_revoked && row.url) buttons.unshift(copyButton(row.url, `the link of ${worker}`, `copy ${worker}`));
  buttons.push(named(row.is_revoked ? "New link" : "Renew", "renew", () => renewLink(row)));
  if (!row.is_revoked) buttons.push(named("Revoke", "revoke", () => revokeLink(row)));
  return make("span", "button-row", ...buttons);
}

function editPerson({ worker_id: worker, name = "", email = "" }) {
  const nameBox = input("text", name ?? "", { maxlength: 200, autocomplete: "off" });
  const emailBox = input("email", email ?? "", { maxlength: 200, autocomplete: "off" });
  const put = (person) => call("PUT", `${path(worker)}/person`, person);
  return act({
    title: `Who is ${worker}?`,
    text: ["Only managers see this. It is not exported with the judgements."],
    confirm: "Save",
    fields: [field("Name", nameBox), field("E-mail", emailBox)],
    send: () => put({ name: nameBox.value.trim(), email: emailBox.value.trim() }),
    done: `Saved for ${worker}.`,
    undo: { send: () => put({ name: name ?? "", email: email ?? "" }), done: `${worker} is as before.` },
  });
}

function renewLink({ worker_id: worker, is_revoked: isRevoked }) {
  return act({
    title: isRevoked ? `Give ${worker} a new link?` : `Renew the link of ${worker}?`,
    text: [isRevoked ? `${worker} can go on with the new link. The old one stays revoked.` : "The old link stops working. Send the new one to this person; work and pay stay theirs."],
    confirm: isRevoked ? "New link" : "Renew",
    send: () => call("POST", `${path(worker)}/link`, { action: "renew" }),
    done: `${worker} has a new link.`,
  });
}

function revokeLink({ worker_id: worker }) {
  return act({
    title: `Revoke the link of ${worker}?`,
    text: [`${worker} can no longer open the page. What was judged stays and counts.`],
    confirm: "Revoke",
    isGrave: true,
    send: () => call("POST", `${path(worker)}/link`, { action: "revoke" }),
    done: `The link of ${worker} is revoked.`,
  });
}

function addForm() {
  const count = input("number", 10, { min: 1, max: 1000, required: "" });
  const list = make("textarea");
  list.rows = 4;
  list.placeholder = "Ada Lovelace, ada@example.org\nAlan Turing";
  const byNumber = form("Add links", field("How many", count), () => ({ n: Number(count.value) }), () => {});
  const byName = form(
    "Add these people",
    field("Names and e-mail addresses", list, "One person a line: name, e-mail address, or both with a comma between. Only managers see them."),
    () => ({ people: readPeople(list.value) }),
    () => {
      list.value = "";
    },
  );
  return [make("div", "two", byNumber, byName)];
}

function form(label, control, read, reset) {
  const submit = make("button", "button", label);
  submit.type = "submit";
  const element = make("form", "", control, make("p", "actions", submit));
  element.addEventListener("submit", async (event) => {
    event.preventDefault();
    const body = read();
    const count = body.n ?? body.people.length;
    if (!count) return;
    const added = await act({
      title: `Add ${counted(count, "link")}?`,
      text: ["Each person gets a link of their own, listed below. Nobody is sent anything."],
      confirm: label,
      send: () => call("POST", "/links", body),
      done: `${counted(count, "link")} added.`,
    });
    if (added) reset();
  });
  return element;
}

/** Names and addresses as pasted: lines of a table, of a mail program, or of a list. @param {string} text */
export function readPeople(text) {
  return text
    .split(/\n/)
    .map((line) => line.trim())
    .filter(Boolean)
    .map((line) => {
      const email = /[^\s,;<>"]+@[^\s,;<>"]+/.exec(line)?.[0] ?? "";
      const name = line.replace(email, "").replace(/[<>"]/g, "").replace(/[,;\t]+/g, " ").replace(/\s+/g, " ").trim();
      return { name, email };
    });
}
