// What a worker sees when there is no item to show: thanks, a set that went to somebody else, a pause, the end.

import { make, makeButton } from "./dom.js";
import { request } from "./http.js";
import { page, say, showMessage, showProgress, token } from "./screen.js";

// How often a page that waits for the campaign to go on asks again, and at most how much later.
const ASK_AGAIN_MS = 45_000;
const SPREAD_MS = 15_000;

// Campaigns that may go on while the page is open.
const WAITING = ["paused", "draft"];

let timer;

/**
 * Shows where the worker stands, unless there is something to judge at once.
 * @param {Object} work  the reply of GET /api/v1/work
 * @param {(work: Object) => void} showIntro  shows the instructions and the button to start
 */
export function showStanding(work, showIntro) {
  clearTimeout(timer);
  const isFirstVisit = work.n_hits_done === 0 && work.n_judged === 0;
  if (work.state === "open" || (work.state === "ready" && isFirstVisit)) {
    showIntro(work);
    return;
  }
  showProgress();
  const [title, text] = titleAndText(work);
  const begin = makeButton(say("more_button"), () => showIntro(atStart(work)));
  const again = makeButton(say("retry_now"), () => askAgain(work, showIntro), "button quiet");
  const isWaiting = WAITING.includes(work.state);
  showMessage(
    title,
    text,
    ...record(work),
    work.more ? make("p", "", say("more_text")) : null,
    work.more ? make("p", "actions", begin) : null,
    isWaiting ? make("p", "actions", again) : null,
  );
  if (isWaiting) {
    timer = setTimeout(() => askAgain(work, showIntro), ASK_AGAIN_MS + SPREAD_MS * Math.random());
  }
}

/** After a worker has given back a set. */
export function showReturned(work, showIntro) {
  showProgress();
  const begin = makeButton(say("more_button"), () => showIntro(atStart(work)));
  showMessage(say("returned_title"), say("returned_text"), work.more ? make("p", "actions", begin) : null);
}

function titleAndText(work) {
  switch (work.state) {
    case "released":
    case "paused":
    case "closed":
    case "draft":
    case "blocked":
      return [say(`${work.state}_title`), say(`${work.state}_text`)];
    case "ready":
      return [say("thanks_title"), say("judged_in_all", { judged: work.n_judged })];
    default:
      if (work.is_capped) return [say("thanks_title"), say("cap_text")];
      return [say(work.n_judged > 0 ? "thanks_title" : "nothing_title"), say("nothing_text")];
  }
}

// What the worker has done in all.
function record({ state, n_hits_done: hits, n_judged: judged }) {
  return [
    hits > 0 ? make("p", "soft", say("hits_done", { hits })) : null,
    judged > 0 && state !== "ready" ? make("p", "soft", say("judged_in_all", { judged })) : null,
  ];
}

// The set that comes next is a fresh one, even if the numbers are those of one that went to somebody else.
function atStart(work) {
  return work.state === "released" ? { ...work, n_done: 0, can_return: false } : work;
}

// Quietly: a page that waits says nothing new while there is nothing new.
async function askAgain(work, showIntro) {
  clearTimeout(timer);
  const now = await request("GET", "/api/v1/work", token).catch(() => work);
  if (now.revision > page.revision) location.reload();
  else showStanding(now, showIntro);
}
