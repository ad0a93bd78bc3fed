// The crowd platform: its state beside ours, what differs, the ledger, and one button for each thing to do.

import { make } from "../dom.js";
import { Resource, may } from "./desk.js";
import { anchor, chip, facts, managersButton, panel, redraw } from "./parts.js";
import { approveAll, doToListing, doToSession, giveUp, payBonuses, syncNow } from "./platform_actions.js";
import { makeTable } from "./table.js";
import { ago, counted, money, number } from "./words.js";

const EVERY_MS = 30_000;
const CENTS = 100;
// More bonuses than this are refused in one request.
const MOST_AT_ONCE = 200;
const LISTING_WORDS = { publish: "Publish …", "add-places": "Add places …", pause: "Pause", resume: "Let people come", stop: "Stop …" };
const DOUBTS = {
  intended: "a bonus that was never sent",
  sent: "a bonus that the platform does not show yet",
  unknown: "a bonus whose reply was lost",
};
const SESSION_WORDS = { approve: "Approve", reject: "Reject …", "request-return": "Ask to return …", "pay-partly": "Pay in part …", bonus: "Bonus …" };

const status = new Resource("/platform", { fixed: true, everyMs: EVERY_MS });
const owed = new Resource("/platform/bonuses", { isHeavy: true });
const currency = () => status.data?.ledger?.currency ?? "USD";
/** @param {number|null|undefined} cents */
const inMoney = (cents) => money(Number.isFinite(cents) ? cents / CENTS : null, currency());

const COLUMNS = [
  { name: "Worker", isHeading: true, className: "name", by: (row) => row.worker_id ?? row.session_id, cell: drawWho },
  { name: "There", by: (row) => row.state, cell: (row) => [make("span", "", row.state)] },
  { name: "Here", by: (row) => row.status, cell: (row) => [make("span", "", row.status ?? "nothing taken")] },
  { name: "Items", className: "figure", by: (row) => row.n_done, cell: (row) => (row.n_items ? `${number(row.n_done)} of ${number(row.n_items)}` : "–") },
  { name: "Paid", className: "figure", by: (row) => row.reward + row.bonuses, cell: (row) => inMoney(row.reward + row.bonuses) },
  { name: "Since", by: (row) => row.changed_at, cell: (row) => ago(row.changed_at) },
  { name: "Differs", className: "wide", by: (row) => row.difference, cell: (row) => (row.difference ? [remark(row.difference)] : "") },
  { name: "Decide", className: "wide", cell: drawButtons },
];

function drawWho(row) {
  if (!row.worker_id) return [make("span", "soft", row.session_id)];
  return [anchor(row.worker_id, `#/workers/${encodeURIComponent(row.worker_id)}`, `session ${row.worker_id}`)];
}

/** @param {string} words  a sentence, which may need several lines */
function remark(words) {
  return chip("idle sentence", "!", words);
}

function drawButtons(row) {
  const actions = row.actions.filter((action) => action in SESSION_WORDS);
  return actions.length ? [make("div", "buttons", ...actions.map((action) => sessionButton(row, action)))] : "";
}

function sessionButton(row, action) {
  const name = `${action} ${row.session_id}`;
  return managersButton(SESSION_WORDS[action], name, () => doToSession(action, row, status.data));
}

export function makePlatform() {
  const listing = make("div");
  const ledger = make("div");
  const bonuses = make("div");
  const approve = make("p", "buttons");
  const table = makeTable({
    label: "Table of sessions",
    noun: "session",
    columns: COLUMNS,
    keyOf: (row) => row.session_id,
    textOf: (row) => [row.worker_id, row.session_id, row.state, row.status, row.difference].join(" "),
    filters: [
      ["All", () => true],
      ["Waiting for a decision", (row) => row.state === "submitted"],
      ["Different here and there", (row) => Boolean(row.difference)],
    ],
    empty: "Nobody has come from the platform yet.",
    order: { column: "Differs", isDown: true },
  });
  const people = panel("Sessions", approve, table.element);
  people.hidden = true;
  return {
    title: "Platform",
    element: make("div", "", panel("Listing", listing), panel("Money", ledger, bonuses), people),
    needs: () => [status, ...(may("manager") && status.data?.listings?.length ? [owed] : [])],
    update() {
      const found = status.data;
      redraw(listing, [found, status.error?.message, status.waitingWords], () => drawListing(found));
      redraw(ledger, [found?.ledger, found?.in_doubt], () => (found?.listings?.length ? drawLedger(found) : []));
      redraw(bonuses, [owed.data, found?.has_key], () => drawOwed(owed.data, found));
      const waiting = (found?.sessions ?? []).filter((row) => row.state === "submitted" && row.n_items && row.n_done === row.n_items);
      redraw(approve, [waiting.length, found?.has_key], () => (waiting.length && found.has_key ? [managersButton(`Approve ${counted(waiting.length, "finished session")} …`, "approve all", () => approveAll(waiting.length, inMoney(rewardsOf(waiting, found))), "button")] : []));
      people.hidden = !found?.sessions;
      table.update(found?.sessions ?? []);
    },
  };
}

function rewardsOf(sessions, { listings }) {
  const rewards = new Map(listings.map(({ listing }) => [listing.tag, listing.reward]));
  return sessions.reduce((total, each) => total + (rewards.get(each.tag) ?? 0), 0);
}

function drawListing(found) {
  if (!found) return [make("p", "soft", status.error?.message ?? status.waitingWords)];
  if (!found.has_client) return [make("p", "", `People come from ${found.platform}, which Steelyard cannot talk to: what is done there is done by hand.`)];
  const parts = found.listings.map(drawOneListing);
  if (!found.has_key) parts.push(make("p", "", found.problem), make("p", "soft", "Give it to the server, or use the commands: steelyard publish, sync, status, approve, bonus, stop."));
  const isOver = found.listings.every(({ listing }) => listing.state === "ended");
  const buttons = isOver && found.has_key ? [managersButton(LISTING_WORDS.publish, "publish", () => doToListing("publish", found), "button")] : [];
  if (found.listings.length && found.has_key) buttons.push(managersButton("Ask the platform now", "sync", syncNow));
  return [...(parts.length ? parts : [make("p", "", `Nothing is published on ${found.platform} yet.`)]), buttons.length ? make("p", "buttons", ...buttons) : null];
}

function drawOneListing({ listing, n_open, counts, difference, actions }) {
  const words = Object.entries(counts).map(([state, count]) => `${number(count)} ${state}`).join(", ");
  const buttons = actions.filter((action) => action in LISTING_WORDS);
  return make(
    "div",
    "",
    facts([
      ["Platform", listing.platform],
      ["Its id there", listing.listing_id ?? "no reply yet"],
      ["State there", listing.state],
      ["Places", `${number(listing.places)}, of which ${number(n_open)} free`],
      ["Reward", inMoney(listing.reward)],
      ["Cost of all places", inMoney(listing.cost)],
      ["Sessions", words || "nobody came yet"],
      ["Last asked", listing.synced_at ? ago(listing.synced_at) : "never"],
    ]),
    difference ? make("p", "", remark(difference)) : null,
    status.data.has_key && buttons.length ? make("p", "buttons", ...buttons.map((action) => managersButton(LISTING_WORDS[action], `${action} ${listing.tag}`, () => doToListing(action, status.data)))) : null,
  );
}

function drawLedger({ ledger, in_doubt: inDoubt = [] }) {
  const pairs = [
    ["Paid in rewards", inMoney(ledger.rewards)],
    ["Paid in bonuses", inMoney(ledger.bonuses)],
    ["Promised", inMoney(ledger.pending)],
    ["Fees and taxes", inMoney(ledger.fees)],
    ["Set aside for open places", inMoney(ledger.reserved)],
    ["Left of the budget", ledger.budget === null ? "no budget is set" : `${inMoney(ledger.left)} of ${inMoney(ledger.budget)}`],
  ];
  if (ledger.elsewhere) pairs.splice(2, 0, ["Bonuses not paid from here", inMoney(ledger.elsewhere)]);
  return [facts(pairs), ...inDoubt.map(drawDoubt)];
}

function drawDoubt(bonus) {
  return make(
    "p",
    "doubt",
    remark(`${inMoney(bonus.amount)} for ${bonus.worker_id ?? "somebody"}: ${DOUBTS[bonus.state] ?? bonus.state}`),
    " ",
    managersButton("It was not paid …", `doubt ${bonus.token}`, () => giveUp(bonus, inMoney(bonus.amount))),
  );
}

function drawOwed(found, platform) {
  if (!found?.bonuses?.length || !platform?.has_key) return [];
  const inAll = (bonuses) => inMoney(bonuses.reduce((total, each) => total + each.amount, 0));
  const next = found.bonuses.slice(0, MOST_AT_ONCE);
  const said = `${inAll(found.bonuses)} more than their rewards is owed to ${counted(found.bonuses.length, "worker")}: for further sets, and for parts of sets.`;
  const label = `Pay ${inAll(next)} to ${counted(next.length, "worker")} …`;
  return [make("p", "", said), make("p", "buttons", managersButton(label, "bonuses", () => payBonuses(next, inAll(next), inMoney), "button"))];
}
