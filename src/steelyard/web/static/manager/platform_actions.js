// What a manager does on the platform. Whatever costs money or takes something away asks before.

import { act, announce, complain } from "./ask.js";
import { make } from "../dom.js";
import { call, changed } from "./desk.js";
import { field, input, select } from "./parts.js";
import { counted, money } from "./words.js";

const CENTS = 100;
// The category of those who have judged nothing, where the platform has categories.
const NOTHING_JUDGED = "NO_DATA";
// More names than this are not read before a button is pressed.
const MOST_NAMED = 20;

/** Asks the platform how things stand. */
export async function syncNow() {
  try {
    const found = await call("POST", "/platform/sync");
    announce(`${counted(found.n_sessions, "session")}, ${found.n_changed} changed.`);
    changed();
  } catch (error) {
    complain(error);
  }
}

const LISTING = {
  publish: askToPublish,
  "add-places": addPlaces,
  pause: (platform) => change(platform, "pause", "Let nobody new come for a while?", "Those at work go on.", "Pause"),
  resume: (platform) => change(platform, "resume", "Let people come again?", "They come as long as there are places.", "Let people come"),
  stop: (platform) => change(platform, "stop", "Stop the listing for good?", "Nobody new comes after this, and it cannot be opened again. Those at work go on, and are paid.", "Stop", true),
};

/** @param {string} action  one of those that the status names @param {Object} platform  the status */
export function doToListing(action, platform) {
  return LISTING[action](platform);
}

function change(platform, action, title, text, confirm, isGrave = false) {
  return act({ title, text: [text], confirm, isGrave, send: () => call("POST", "/platform/listing", { action }), done: ({ state }) => `The listing on ${platform.platform} is ${state}.` });
}

async function askToPublish(platform) {
  let price;
  try {
    price = await call("POST", "/platform/price", {});
  } catch (error) {
    complain(error);
    return;
  }
  const amount = (cents) => money(cents / CENTS, price.currency);
  const places = input("number", String(price.places), { min: 1, max: price.places, step: 1, required: "" });
  const draft = input("checkbox");
  // What was begun keeps the places that it has.
  const isBegun = ["draft", "intended"].includes(platform.listings.at(-1)?.listing.state);
  await act({
    title: `Publish on ${platform.platform}?`,
    text: [
      `${counted(price.places, "place")} at ${amount(price.reward)} for about ${counted(Math.ceil(price.minutes), "minute")}.`,
      `If every place is taken and paid, it costs ${amount(price.pay + price.fee)}: ${amount(price.pay)} for people and ${amount(price.fee)} for the platform.`,
    ],
    fields: isBegun ? [] : [field("Places", places, "More can be added later; none can be taken away."), make("label", "check", draft, "Only a draft, to look at on the platform")],
    confirm: "Publish",
    send: () => call("POST", "/platform/publish", isBegun ? {} : { places: Number(places.value), draft: draft.checked }),
    done: ({ state, warnings }) => [state === "draft" ? "The draft is on the platform." : "The campaign is published.", ...warnings].join(" "),
  });
}

function addPlaces(platform) {
  const { listing, n_open } = platform.listings.at(-1);
  const { cost, places, currency, state } = listing;
  const again = state === "ended" ? [`The listing is over. It opens again, and so ${n_open === 1 ? "does" : "do"} the ${counted(n_open, "place")} that nobody took.`] : [];
  const each = money(Math.ceil(cost / places) / CENTS, currency);
  const n = input("number", "1", { min: 1, step: 1, required: "" });
  return act({
    title: "Add places?",
    text: [...again, `A platform takes no places away again. Each costs ${each} with the platform's fee, within the budget.`],
    fields: [field("Places more", n)],
    confirm: "Add",
    send: () => call("POST", "/platform/places", { add: Number(n.value) }),
    done: ({ places }) => `There are ${counted(places, "place")} now.`,
  });
}

/** @param {number} n  how many are finished and wait @param {string} sum  their rewards */
export function approveAll(n, sum) {
  return act({
    title: `Approve ${counted(n, "session")}?`,
    text: [`They are paid ${sum} in rewards.`, "Everybody whose set is finished is paid, those who failed the check too: checks decide what counts, not who is paid."],
    confirm: "Approve",
    send: () => call("POST", "/platform/approve", { workers: [] }),
    done: ({ workers }) => `${counted(workers.length, "worker")} paid.`,
  });
}

const SESSION = { approve, reject, "request-return": askToReturn, "pay-partly": payPartly, bonus: payBonus };

/** @param {string} action @param {Object} row  a session @param {Object} platform  the status */
export function doToSession(action, row, platform) {
  return SESSION[action](row.worker_id ?? row.session_id, platform, row);
}

function approve(who, platform, row) {
  const { reward, currency } = platform.listings.find(({ listing }) => listing.tag === row.tag).listing;
  const text = [...(row.difference ? [`Look first: ${row.difference}.`] : []), `The reward is paid: ${money(reward / CENTS, currency)}.`];
  return act({ title: `Approve ${who}?`, text, confirm: "Approve", send: () => call("POST", "/platform/approve", { workers: [who] }), done: `${who} is paid.` });
}

// The first call changes nothing: it says what the evidence is, or that there is none.
async function reject(who, platform, row) {
  const send = (body) => call("POST", "/platform/reject", { worker_id: who, ...body });
  const category = platform.categories[0] ?? "";
  let evidence = "";
  try {
    await send({ category });
  } catch (error) {
    if (error.code !== "unconfirmed") {
      complain(error);
      return;
    }
    evidence = error.message;
  }
  const usual = row.n_done ? "" : NOTHING_JUDGED;
  const chosen = select([["", "Choose one"], ...platform.categories.map((name) => [name, name])], usual);
  chosen.required = true;
  const message = make("textarea");
  Object.assign(message, { rows: 4, maxLength: 2000, placeholder: "the evidence, as above" });
  const fields = [...(platform.categories.length ? [field("Category on the platform", chosen)] : []), field("What they read", message, `At least ${platform.least_message} letters. Empty: the evidence.`)];
  await act({
    title: `Refuse to pay ${who}?`,
    text: [evidence, "Their HIT is left out of the scores, and goes to somebody else. This follows people on the platform: do it only if there is no doubt."],
    fields,
    isGrave: true,
    confirm: "Refuse to pay",
    send: () => send({ category: chosen.value, message: message.value.trim(), confirmed: true }),
    done: `${who} is not paid.`,
  });
}

function askToReturn(who) {
  return act({
    title: `Ask ${who} to return the place?`,
    text: ["They read your reason, and no mark stays against them."],
    reason: "required",
    confirm: "Ask",
    send: (reason) => call("POST", "/platform/request-return", { worker_id: who, reason }),
    done: `${who} is asked to return the place.`,
  });
}

function payPartly(who) {
  const percent = input("number", "50", { min: 8, max: 99, step: 1, required: "" });
  return act({
    title: `Pay ${who} in part?`,
    text: ["For work that is not whole. The rest of what is owed can be a bonus."],
    fields: [field("Per cent of the reward", percent)],
    confirm: "Pay",
    send: () => call("POST", "/platform/pay-partly", { worker_id: who, percent: Number(percent.value) }),
    done: () => `${who} is paid ${percent.value} % of the reward.`,
  });
}

function payBonus(who, platform) {
  const amount = input("number", "", { min: 0.01, step: 0.01, required: "" });
  return act({
    title: `Pay ${who} a bonus?`,
    text: ["The platform is asked once. If its reply is lost, nothing is sent again: it is asked what it has paid."],
    fields: [field(`Amount in ${platform.ledger.currency}`, amount)],
    reason: "required",
    confirm: "Pay",
    send: (reason) => call("POST", "/platform/bonuses", { bonuses: [{ worker_id: who, amount: Math.round(CENTS * Number(amount.value)), reason }] }),
    done: `The platform pays ${who}.`,
  });
}

/** @param {Object[]} bonuses @param {string} sum @param {(cents: number) => string} inMoney */
export function payBonuses(bonuses, sum, inMoney) {
  const named = bonuses.slice(0, MOST_NAMED).map((each) => `${each.worker_id}: ${inMoney(each.amount)}, ${each.reason}`);
  const more = bonuses.length > MOST_NAMED ? [`… and ${bonuses.length - MOST_NAMED} more`] : [];
  return act({
    title: `Pay ${sum} in bonuses?`,
    text: [...named, ...more, "The platform is asked once. If its reply is lost, nothing is sent again: it is asked what it has paid."],
    confirm: "Pay",
    send: () => call("POST", "/platform/bonuses", { bonuses }),
    done: ({ bonuses: n }) => `The platform pays ${counted(n, "worker")}.`,
  });
}

/** @param {Object} bonus  one that nobody is sure of @param {string} amount */
export function giveUp(bonus, amount) {
  return act({
    title: "Was this bonus not paid?",
    text: [`${amount} for ${bonus.worker_id ?? "somebody"}. Look at the platform's own page first: if it was paid after all, paying it again pays it twice.`],
    isGrave: true,
    confirm: "It was not paid",
    send: () => call("POST", `/platform/bonuses/${encodeURIComponent(bonus.token)}/give-up`),
    done: "It counts as not paid, and can be paid anew.",
  });
}
