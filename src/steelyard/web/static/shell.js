// The worker's page around every protocol: start, one item after another, end. It owns the network,
// the clock, the kept answer, progress and focus. The protocol's widget draws the item and returns
// the answer; see protocols/*/widget.js.

import { make, makeButton } from "./dom.js";
import { ApiError, makeUuid, persist, request } from "./http.js";
import { keep } from "./keep.js";
import { isConfirmed, page, say, showMessage, showProgress, showScreen, token } from "./screen.js";
import { showReturned, showStanding } from "./standing.js";
import { startStopwatch } from "./stopwatch.js";

// The server accepts no longer times, but a page may be left open over a weekend.
const ONE_DAY_MS = 24 * 60 * 60 * 1000;
// Replies that say: look where you stand. The answers in the first list can never be taken; others are kept,
// should the campaign go on.
const LOST = ["place_taken", "blocked", "returned", "submitted"];
const STANDING = [...LOST, "closed", "draft", "paused"];

// The answer on its way to the server survives a reload or a crash, under its first judgement_id.
const keptAnswer = keep(`answer:${token}`);
// The revision of the instructions that the worker has read last.
const readRevision = keep(`revision:${token}`);

const protocolWords = page.protocol.words;
/** What every item of this campaign has in common; see Options in texts.js. */
const options = {
  words: protocolWords,
  presentation: page.protocol.presentation,
  attribute: page.attribute,
  language: page.language,
  direction: page.direction,
  sourceLanguage: page.source_language,
  sourceDirection: page.source_direction,
};

/**
 * @type {{
 *   mount: Function,
 *   introduction?: (options: Object) => {element: HTMLElement, destroy: () => void},
 *   steps?: (options: Object) => string[],
 * }}
 */
let widget;

function showFailure(error) {
  if (error instanceof ApiError && [401, 403, 404].includes(error.status)) {
    showProgress();
    showMessage(say("link_title"), say("link_text"));
    return;
  }
  const details = error instanceof ApiError && error.code ? make("p", "soft", error.message) : null;
  const again = makeButton(say("try_again"), () => location.reload());
  showMessage(say("trouble_title"), say("trouble_text"), details, make("p", "actions", again));
}

function showWaiting(notice, error, retryNow, text) {
  const key = text ?? (error.code === "paused" ? "paused_answer" : error.status === 0 ? "offline" : "busy");
  notice.replaceChildren(say(key, { minutes: error.minutes }), " ", makeButton(say("retry_now"), retryNow, "link-button"));
}

// A request that may take over the whole screen while it waits, because no item is shown.
function ask(method, path, body) {
  const notice = make("p", "notice");
  notice.setAttribute("role", "status");
  return persist(
    () => request(method, path, token, body),
    (error, retryNow) => {
      if (!notice.isConnected) showScreen(make("section", "screen", notice));
      showWaiting(notice, error, retryNow, error.status === 429 ? "crowded" : "waiting");
    },
  );
}

function showIntro(work) {
  const total = work.n_items;
  const introduction = widget.introduction?.(options);
  const begin = makeButton(say(work.n_done > 0 || work.state === "open" ? "continue" : "start"), () => {
    begin.disabled = true;
    introduction?.destroy();
    readRevision.write(page.revision);
    goOn();
  });
  const about = {
    total,
    attribute: protocolWords.attributes[page.attribute],
    language: protocolWords.language_name,
  };
  const steps = [
    ...(widget.steps?.(options) ?? []),
    ...protocolWords.instructions[page.attribute],
    ...protocolWords.answering,
  ];
  const minutes = Math.ceil(((total - work.n_done) * page.seconds_per_item) / 60);
  const isCorrected = (readRevision.read() ?? page.revision) < page.revision;
  showProgress(work.n_done, total);
  showScreen(
    make(
      "section",
      "screen intro",
      make("h1", "", page.title),
      isCorrected ? make("p", "corrected", say("corrected")) : null,
      make("p", "large", say("summary", about)),
      make("h2", "", say("what_to_do")),
      make("ol", "steps", ...steps.map((text) => inProtocolLanguage(make("li", "", text)))),
      inProtocolLanguage(make("p", "soft wide-only", protocolWords.keyboard)),
      introduction?.element,
      make("p", "actions", begin),
      make("p", "soft", say("estimate", { minutes })),
      work.can_return ? returning(work) : null,
    ),
  );
}

/** A quiet way to give the set back. @param {{assignment_id: string}} work */
function returning({ assignment_id }) {
  const words = { title: say("return_title"), text: say("return_text"), yes: say("return_yes"), no: say("return_no") };
  const giveBack = makeButton(
    say("return_link"),
    async () => {
      if (!(await isConfirmed(words))) return;
      giveBack.disabled = true;
      const returned = ask("POST", "/api/v1/work/return", { assignment_id });
      returned.then((work) => showReturned(work, showIntro)).catch(showFailure);
    },
    "link-button",
  );
  return make("p", "soft returning", giveBack);
}

// The page around the protocol may lack a translation into the language of the instructions.
function inProtocolLanguage(element) {
  element.lang = protocolWords.language;
  element.dir = "auto";
  return element;
}

function showEnd({ n_done: done, n_items: total, n_hits_done: hits, more, assignment_id: assignment }) {
  const isThanks = Boolean(assignment) || hits > 0;
  showProgress(assignment ? done : 0, assignment ? total : 0);
  const begin = makeButton(say("more_button"), () => {
    begin.disabled = true;
    goOn();
  });
  showMessage(
    say(isThanks ? "thanks_title" : "nothing_title"),
    assignment ? say("thanks_text", { done, total }) : say("nothing_text"),
    hits > 0 ? make("p", "soft", say("hits_done", { hits })) : null,
    more ? make("p", "", say("more_text")) : null,
    more ? make("p", "actions", begin) : null,
  );
}

/** @param {Object} next  the reply to asking for work @param {string} [remark]  shown below the item */
function showNext(next, remark = "") {
  if (next.finished) showEnd(next);
  // The page itself holds the instructions: what was corrected comes with a new one.
  else if (next.revision > page.revision) location.reload();
  else showItem(next, remark);
}

function showItem(next, remark) {
  let isSent = false;
  const stopwatch = startStopwatch();
  const root = make("div", "item");
  const notice = make("p", "notice", remark);
  notice.setAttribute("role", "status");
  const button = makeButton(say("next"), submit, "button next");
  button.disabled = true;
  const mounted = widget.mount(root, next.item, { ...options, elapsed: stopwatch.elapsed }, () => {
    button.disabled = isSent || !mounted.isComplete();
  });

  function submit() {
    if (isSent || !mounted.isComplete()) return;
    isSent = true;
    const judgement = {
      judgement_id: makeUuid(),
      assignment_id: next.assignment_id,
      item_id: next.item.item_id,
      answer: mounted.answer(),
      shown_ms: Math.min(Math.round(stopwatch.elapsed()), ONE_DAY_MS),
      revision: page.revision,
    };
    stopwatch.stop();
    root.inert = true;
    button.disabled = true;
    button.textContent = say("sending");
    deliver(judgement, notice).then((reply) => {
      mounted.destroy();
      if (reply.work) showStanding(reply.work, showIntro);
      else showNext(reply.next, reply.remark);
    }, showFailure);
  }

  root.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || event.repeat || event.isComposing) return;
    // Enter already means something there.
    if (event.target.closest("summary, button, a")) return;
    event.preventDefault();
    submit();
  });
  showProgress(next.n_done, next.n_items);
  const heading = say("item_label", { position: next.n_done + 1, total: next.n_items });
  showScreen(
    make(
      "section",
      "screen",
      make("h1", "visually-hidden", heading),
      root,
      make("p", "actions", button),
      notice,
      returning(next),
    ),
  );
}

// Keeps the answer until the server has stored it. If the server refuses it (because the item was answered in
// another window, say), the server decides what comes next: an item, or another screen for where the worker stands.
async function deliver(judgement, notice) {
  keptAnswer.write(judgement);
  try {
    const reply = await persist(
      () => request("POST", "/api/v1/work/judgements", token, judgement),
      (error, retryNow) => showWaiting(notice, error, retryNow),
      ["paused"],
    );
    keptAnswer.forget();
    return reply;
  } catch (error) {
    if (!(error instanceof ApiError) || error.status === 401) throw error;
    const isStanding = STANDING.includes(error.code);
    if (!isStanding || LOST.includes(error.code)) keptAnswer.forget();
    if (isStanding) return { work: await ask("GET", "/api/v1/work") };
    const remark = say([400, 422].includes(error.status) ? "refused" : "moved_on");
    return { next: await ask("POST", "/api/v1/work/next"), remark };
  }
}

async function goOn() {
  try {
    showNext(await ask("POST", "/api/v1/work/next"));
  } catch (error) {
    if (error instanceof ApiError && STANDING.includes(error.code)) await showWhereIStand().catch(showFailure);
    else showFailure(error);
  }
}

async function showWhereIStand() {
  showStanding(await ask("GET", "/api/v1/work"), showIntro);
}

async function begin() {
  widget = await import(new URL(page.protocol.widget_url, location.href));
  const judgement = keptAnswer.read();
  if (judgement) {
    const notice = make("p", "notice", say("kept_answer"));
    notice.setAttribute("role", "status");
    showScreen(make("section", "screen", notice));
    await deliver(judgement, notice);
  }
  await showWhereIStand();
}

// After the Back button, the page may show an item that has been answered since.
window.addEventListener("pageshow", (event) => {
  if (event.persisted) location.reload();
});
begin().catch(showFailure);
