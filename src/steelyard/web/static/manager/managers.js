// Who looks after the campaign: a link of their own for each, and how far they may go. For owners.

import { make } from "../dom.js";
import { act } from "./ask.js";
import { Resource, call, desk } from "./desk.js";
import { chip, copyButton, field, input, namedButton, panel, redraw, select } from "./parts.js";

const ROLES = [
  ["viewer", "Viewer"],
  ["manager", "Manager"],
  ["owner", "Owner"],
];
const WHAT = "A viewer reads everything but links, names, backups and what workers answered. A manager runs the campaign. An owner also says who the managers are.";
const path = (manager) => `/managers/${encodeURIComponent(manager)}`;

export function makeManagers() {
  const resource = new Resource("/managers", { fixed: true });
  const list = make("div", "");
  const element = panel("Managers", make("p", "soft", "Give each person a link of their own: the log then says who did what, and you can end one link without ending the others."), list, addForm());
  element.classList.add("needs-owner");
  return {
    element,
    resource,
    update() {
      const you = desk.campaign.you?.manager_id ?? null;
      redraw(list, [resource.version, resource.error?.message, resource.data, you], () => drawManagers(resource, you));
    },
  };
}

function drawManagers({ data, error }, you) {
  if (data === null) return [make("p", "soft", error?.message ?? "One moment …")];
  if (!data.length) return [make("p", "soft", "Nobody has a link of their own yet.")];
  return [make("ul", "plain-list", ...data.map((manager) => row(manager, you)))];
}

function row(manager, you) {
  const { manager_id: id, name, email, role, url, is_revoked: isRevoked } = manager;
  const who = make("span", "", make("strong", "", name || email || id), make("span", "soft", ` ${[id, name ? email : "", id === you ? "you" : ""].filter(Boolean).join(" · ")} `), isRevoked ? chip("excluded", "✕", "revoked") : chip("quiet", "●", role));
  const named = (label, verb, onClick) => {
    const button = namedButton(label, `${verb} ${id}`, onClick);
    button.setAttribute("aria-label", `${label}: ${name || email || id}`);
    return button;
  };
  const buttons = isRevoked
    ? [named("New link", "renew", () => renew(manager))]
    : [
        copyButton(url, `the link of ${name || email || id}`, `copy ${id}`),
        named("Role", "role", () => changeRole(manager)),
        named("Renew", "renew", () => renew(manager)),
        named("Revoke", "revoke", () => revoke(manager)),
      ];
  return make("li", "manager-row", who, make("span", "button-row", ...buttons));
}

function changeRole({ manager_id: id, name, role }) {
  const choice = select(ROLES, role);
  const to = (wanted) => call("POST", path(id), { role: wanted });
  return act({
    title: `Change the role of ${name || id}?`,
    text: ["It holds at once, also on a page that is open."],
    confirm: "Change",
    fields: [field("Role", choice, WHAT)],
    send: () => to(choice.value),
    done: ({ role: now }) => `${name || id} is ${now === "owner" ? "an" : "a"} ${now} now.`,
    undo: { send: () => to(role), done: `${name || id} is ${role === "owner" ? "an" : "a"} ${role} as before.` },
  });
}

function renew({ manager_id: id, name, is_revoked: isRevoked }) {
  return act({
    title: isRevoked ? `Let ${name || id} in again?` : `Renew the link of ${name || id}?`,
    text: [isRevoked ? "A new link opens the dashboard. The old one stays revoked." : "The old link stops working. Send the new one to this person."],
    confirm: isRevoked ? "New link" : "Renew",
    send: () => call("POST", path(id), { action: "renew" }),
    done: `${name || id} has a new link.`,
  });
}

function revoke({ manager_id: id, name }) {
  return act({
    title: `Revoke ${name || id}?`,
    text: ["They can no longer open the dashboard, neither by their link nor signed in. What they did stays in the log."],
    confirm: "Revoke",
    isGrave: true,
    send: () => call("POST", path(id), { action: "revoke" }),
    done: `${name || id} is revoked.`,
  });
}

function addForm() {
  const name = input("text", "", { maxlength: 200, autocomplete: "off" });
  const email = input("email", "", { maxlength: 200, autocomplete: "off" });
  const role = select(ROLES, "viewer");
  const submit = make("button", "button", "Add");
  submit.type = "submit";
  submit.setAttribute("aria-label", "Add a manager");
  const form = make("form", "add-manager", make("div", "fields", field("Name", name), field("E-mail", email), field("Role", role, WHAT)), make("p", "actions", submit));
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const body = { name: name.value.trim(), email: email.value.trim(), role: role.value };
    if (!body.name && !body.email) {
      name.focus();
      return;
    }
    const added = await act({
      title: `Add ${body.name || body.email} as ${body.role === "owner" ? "an" : "a"} ${body.role}?`,
      text: ["They get a link of their own, listed here for you to copy. Nobody is sent anything."],
      confirm: "Add",
      send: () => call("POST", "/managers", body),
      done: `${body.name || body.email} is added.`,
    });
    if (added) form.reset();
  });
  return form;
}
