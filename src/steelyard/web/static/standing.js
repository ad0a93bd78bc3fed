// What a worker sees when there is no item to show: thanks, a set that went to somebody else, a pause, the end.

import { drawCompletion, drawEarned } from "./completion.js";
import { make, makeButton } from "./dom.js";
import { request } from "./http.js";
import { drawComment } from "./remarks.js";
import { say, showMessage, showProgress, token } from "./screen.js";

// How often a page that waits for the campaign to go on asks again, and at most how much later.
const ASK_AGAIN_MS = 45_000;
const SPREAD_MS = 15_000;

// Campaigns that may go on while the page is open.
const WAITING = ["paused", "draft"];
// States with words of their own; see web/words.
const TOLD = ["posting", "released", "paused", "closed", "draft", "blocked", "declined", "screened"];

let timer;

/** Whether a worker is shown how to begin or go on, rather than what they have done. @param {Object} work */
export function isToBegin({ state, n_hits_done: hits, n_judged: judged }) {
  return state === "open" || (state === "ready" && hits === 0 && judged === 0);
}

/**
 * Shows where the worker stands.
 * @param {Object} work  the reply of GET /api/v1/work
 * @param {Object} ways
 * @param {(work: Object) => void} ways.onBegin  called for one who wants to begin a set
 * @param {(work: Object) => void} ways.onChange  called if the worker stands elsewhere by now
 * @param {Node|null} ways.posting  how a set is posted back to a platform
 * @param {Object|null} finished  what the server said to the last answer of a set
 * @param {Node|null} below  further down
 */
export function showStanding(work, { onBegin, onChange, posting }, finished = null, below = null) {
  clearTimeout(timer);
  const isWaiting = WAITING.includes(work.state);
  const completion = posting || drawCompletion(work);
  // One thing to do stands out: whoever came from elsewhere goes back there.
  const look = completion ? "button quiet" : "button";
  const begin = makeButton(say("more_button"), () => onBegin(work), look);
  const reconsider = makeButton(say("declined_button"), () => onBegin(work), "button quiet");
  const again = makeButton(say("retry_now"), async () => onChange(await askAgain(work)), "button quiet");
  showProgress(finished?.n_done, finished?.n_items);
  showMessage(
    ...titleAndText(work, finished),
    // Whoever has a way back takes that first: who closes the page before is not known to have finished.
    isOver(work) && !completion ? make("p", "", say("screened_close")) : null,
    ...record(work),
    drawEarned(work),
    completion,
    work.more ? make("p", "", say("more_text")) : null,
    work.more ? make("p", "actions", begin) : null,
    work.state === "declined" ? make("p", "actions", reconsider) : null,
    isWaiting ? make("p", "actions", again) : null,
    work.n_judged > 0 ? drawComment(finished?.assignment_id ?? null) : null,
    below,
  );
  if (isWaiting) watch(work, again, onChange);
}

/** After a worker has given back a set. */
export function showReturned(work, onBegin) {
  showProgress();
  const begin = makeButton(say("more_button"), () => onBegin(work));
  showMessage(say("returned_title"), say("returned_text"), work.more ? make("p", "actions", begin) : null);
}

function titleAndText(work, finished) {
  if (TOLD.includes(work.state)) return [say(`${work.state}_title`), say(`${work.state}_text`)];
  if (work.n_judged === 0) return [say("nothing_title"), say("nothing_text")];
  const { n_done: done, n_items: total } = finished ?? {};
  return [say("thanks_title"), total ? say("thanks_text", { done, total }) : say("saved_text")];
}

function isOver({ state, n_judged: judged }) {
  return state === "screened" || (judged > 0 && !TOLD.includes(state));
}

// What the worker has done in all, and why there is nothing further.
function record(work) {
  const { n_hits_done: hits, n_judged: judged } = work;
  const lines = [
    hits > 0 ? say("hits_done", { hits }) : null,
    judged > 0 ? say("judged_in_all", { judged }) : null,
  ].filter(Boolean);
  const isAll = !work.more && judged > 0 && !TOLD.includes(work.state);
  return [
    lines.length ? make("ul", "record", ...lines.map((line) => make("li", "", line))) : null,
    isAll ? make("p", "", say(work.is_capped ? "cap_text" : "no_more_text")) : null,
  ];
}

// Quietly: nobody is disturbed in reading or writing while there is nothing new.
function watch(work, shown, onChange) {
  timer = setTimeout(async () => {
    const now = await askAgain(work);
    if (!shown.isConnected) return;
    if (now.state === work.state) watch(work, shown, onChange);
    else onChange(now);
  }, ASK_AGAIN_MS + SPREAD_MS * Math.random());
}

function askAgain(work) {
  return request("GET", `/api/v1/work${location.search}`, token).catch(() => work);
}
