// How the worker's page asks for things and sends answers: persistently, whatever the network does.

import { make, makeButton } from "./dom.js";
import { ApiError, persist, request } from "./http.js";
import { keep } from "./keep.js";
import { say, showScreen, token } from "./screen.js";

// Replies that say: look where you stand. The answers in the first list can never be taken; others are kept,
// should the campaign go on.
const LOST = ["place_taken", "blocked", "returned", "submitted"];
const STANDING = [...LOST, "closed", "draft", "paused", "entry", "screened"];

/** The answer on its way to the server survives a reload or a crash, under its first judgement_id. */
export const keptAnswer = keep(`answer:${token}`);

/** Whether an error only says that the worker stands elsewhere than this page thinks. */
export function isAboutStanding(error) {
  return error instanceof ApiError && STANDING.includes(error.code);
}

function showWaiting(notice, error, retryNow, text) {
  const key = text ?? (error.code === "paused" ? "paused_answer" : error.status === 0 ? "offline" : "busy");
  notice.replaceChildren(say(key, { minutes: error.minutes }), " ", makeButton(say("retry_now"), retryNow, "link-button"));
}

/** A line that says what goes on, also to screen readers. */
export function makeNotice(text = "") {
  const notice = make("p", "notice", text);
  notice.setAttribute("role", "status");
  return notice;
}

/** A request that may take over the whole screen while it waits, because nothing is shown that would be lost. */
export function ask(method, path, body) {
  const notice = makeNotice();
  return persist(
    () => request(method, path + location.search, token, body),
    (error, retryNow) => {
      if (!notice.isConnected) showScreen(make("section", "screen", notice));
      showWaiting(notice, error, retryNow, error.status === 429 ? "crowded" : "waiting");
    },
  );
}

/**
 * Sends something that stays on the screen until it has arrived.
 * @param {string} path  after /api/v1/work
 * @param {Object} body
 * @param {HTMLElement} notice  where waiting is announced
 * @param {{text?: string, codes?: string[]}} [waiting]  the key of what is said; further errors that will pass
 */
export async function send(path, body, notice, { text, codes } = {}) {
  const reply = await persist(
    () => request("POST", `/api/v1/work${path}${location.search}`, token, body),
    (error, retryNow) => showWaiting(notice, error, retryNow, text),
    codes,
  );
  notice.replaceChildren();
  return reply;
}

/**
 * Keeps the answer until the server has stored it. If the server refuses it (because the item was answered in
 * another window, say), the server decides what comes next: an item, or another screen for where the worker stands.
 * @param {Object} judgement  the body of the request
 * @param {HTMLElement} notice  where waiting is announced
 * @returns {Promise<{next?: Object, remark?: string, work?: Object}>}
 */
export async function deliver(judgement, notice) {
  keptAnswer.write(judgement);
  try {
    const reply = await send("/judgements", judgement, notice, { codes: ["paused"] });
    keptAnswer.forget();
    return reply;
  } catch (error) {
    if (!(error instanceof ApiError) || error.status === 401) throw error;
    const isStanding = isAboutStanding(error);
    if (!isStanding || LOST.includes(error.code)) keptAnswer.forget();
    if (isStanding) return { work: await ask("GET", "/api/v1/work") };
    const remark = say([400, 422].includes(error.status) ? "refused" : "moved_on");
    return { next: await ask("POST", "/api/v1/work/next"), remark };
  }
}
