// What a worker takes away from a finished set: the code that shows it is finished, the way back, the pay.

import { copyText } from "./clipboard.js";
import { make, makeButton, writeMoney } from "./dom.js";
import { page, say } from "./screen.js";

const COPIED_MS = 2_000;

/**
 * The code and the way back to where the worker came from, with a set finished or without one to do; null before.
 * @param {Object} work
 */
export function drawCompletion({ completion }) {
  const url = webAddress(completion?.url);
  if (!completion?.code && !url) return null;
  const isFinished = completion.is_finished;
  // Where the way back brings the code along, taking it is enough; elsewhere the code is copied first.
  const brings = Boolean(completion.code && url?.includes(completion.code));
  const title = completion.code && isFinished && !brings ? "code_title" : "completion_title";
  const code = completion.code ? drawCode(completion.code, say(isFinished ? "code_text" : "leaving_code")) : [];
  const way = url ? drawWay(url, isFinished ? "completion" : "leaving") : [];
  return make("section", "completion", make("h2", "", say(title)), ...(brings ? [...way, ...code] : [...code, ...way]));
}

function drawCode(text, says) {
  const code = make("code", "completion-code", text);
  code.dir = "ltr";
  const told = make("span", "soft");
  told.setAttribute("role", "status");
  const copy = makeButton(
    say("copy"),
    async () => {
      await copyText(text);
      told.textContent = say("copied");
      setTimeout(() => {
        told.textContent = "";
      }, COPIED_MS);
    },
    "button quiet",
  );
  return [make("p", "", says), make("p", "completion-line", code, copy, told)];
}

function drawWay(url, words) {
  return [make("p", "", say(`${words}_text`)), make("p", "actions", linkTo(url, say(`${words}_link`)))];
}

function linkTo(url, label) {
  const link = make("a", "button", label);
  link.href = url;
  link.rel = "noreferrer";
  return link;
}

// Whatever else an address may be, such as a script, is not put behind a button.
function webAddress(url) {
  if (!url || !URL.canParse(url)) return null;
  return ["https:", "http:"].includes(new URL(url).protocol) ? url : null;
}

/** What the worker has earned, if workers are told. @param {Object} work */
export function drawEarned({ pay }) {
  if (!pay?.earned) return null;
  return make("p", "", say("pay_earned", { amount: inWords(pay.earned, pay) }));
}

/** What a set and an hour pay, if workers are told. @param {Object} work */
export function drawOffer({ pay }) {
  const offers = ["per_set", "per_hour"].filter((unit) => pay?.[unit]);
  const sentences = offers.map((unit) => say(`pay_${unit}`, { amount: inWords(pay[unit], pay) }));
  return sentences.length ? make("p", "", sentences.join(" ")) : null;
}

function inWords(amount, { currency }) {
  return writeMoney(amount, currency, page.words.language);
}
