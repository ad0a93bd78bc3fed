// The worker's page around every protocol: consent, questions, practice, start, one item after another, end. It
// decides what is shown next; the server says where the worker stands. The protocol's widget draws the item and
// returns the answer; see protocols/*/widget.js.

import { showConsent } from "./consent.js";
import { ask, deliver, isAboutStanding, keptAnswer, makeNotice } from "./delivery.js";
import { make, makeButton } from "./dom.js";
import { returnLink } from "./giving_back.js";
import { ApiError } from "./http.js";
import { showIntro } from "./intro.js";
import { showItem } from "./item_screen.js";
import { showQuestions } from "./questions.js";
import { problemLink, sendKeptRemarks } from "./remarks.js";
import { options, page, say, showMessage, showProgress, showScreen } from "./screen.js";
import { isToBegin, showReturned, showStanding } from "./standing.js";
import { showTraining } from "./training.js";

// Replies to what the worker did before the first set that say: it was done in another window, or its text is a new one.
const MOVED_ON = ["answered", "revision"];

/**
 * @type {{
 *   mount: Function,
 *   introduction?: (options: Object) => {element: HTMLElement, destroy: () => void},
 *   steps?: (options: Object) => string[],
 *   recall?: (answer: Object, options: Object) => HTMLElement|null,
 * }}
 */
let widget;

function showFailure(error) {
  if (error instanceof ApiError && MOVED_ON.includes(error.code)) {
    location.reload();
    return;
  }
  if (isAboutStanding(error)) {
    // Whoever wanted to go on reads at once what comes before that.
    showWhereIStand(undefined, error.code === "entry" ? showBeginning : show);
    return;
  }
  if (error instanceof ApiError && [401, 403, 404].includes(error.status)) {
    showProgress();
    showMessage(say("link_title"), say("link_text"));
    return;
  }
  const details = error instanceof ApiError && error.code ? make("p", "soft", error.message) : null;
  const again = makeButton(say("try_again"), () => location.reload());
  showMessage(say("trouble_title"), say("trouble_text"), details, make("p", "actions", again));
}

/** @param {Object} work  where the worker stands @param {Object} [finished]  the reply that ended a set */
async function show(work, finished) {
  if (isToBegin(work)) return showBeginning(work);
  // These words are there where sets are posted back.
  // What is imported as the page runs has no copies of these functions.
  const here = { ask, say, showBeginning, showFailure, showMessage };
  const posting = page.words.posting_text && (await import("./posting.js")).drawPosting(work, here);
  showStanding(work, { onBegin: showBeginning, onChange: show, posting }, finished, quietly(consentLink(work)));
}

/** What comes next for one who wants to go on: whatever is due before the first set, then the instructions. */
function showBeginning(work) {
  // The page itself holds the texts: what was corrected comes with a new one.
  if (work.revision > page.revision) location.reload();
  else if (work.step === "consent") showConsent(work, stepDone, showFailure);
  else if (work.step === "questions") showQuestions(stepDone, showFailure);
  else if (work.step === "training") showTraining(widget, work, stepDone, showFailure);
  else showIntro(widget, work, goOn, quietly(work.can_return ? returning(work) : null, consentLink(work)));
}

const stepDone = (work) => (work.more ? showBeginning : show)(work);

// Consent can be read again, and taken back, at any time.
function consentLink(work) {
  if (!page.entry?.consent || work.step || work.state === "screened") return null;
  return makeButton(say("consent_link"), () => showConsent(work, stepDone, showFailure), "link-button");
}

function returning(work) {
  return returnLink(work, (now) => showReturned(now, showBeginning), showFailure);
}

/** What may be done besides, further down. @param {...(Node|null)} links */
function quietly(...links) {
  const shown = links.filter(Boolean);
  return shown.length ? make("p", "soft aside", ...shown) : null;
}

/** @param {Object} next  the reply to asking for work @param {string} [remark]  shown below the item */
function showNext(next, remark = "") {
  // One truth for the end of a set and for coming back later.
  if (next.finished) showWhereIStand(next);
  else if (next.revision > page.revision) location.reload();
  else showItemOf(next, remark);
}

function showItemOf(next, remark) {
  showItem(widget, next, {
    remark,
    below: quietly(problemLink(next), returning(next)),
    onDelivered: (reply) => {
      if (reply.work) show(reply.work);
      else showNext(reply.next, reply.remark);
    },
    onFailure: showFailure,
  });
}

function goOn() {
  ask("POST", "/api/v1/work/next").then(showNext).catch(showFailure);
}

/** @param {Object} [finished]  the reply that ended a set @param {Function} [onKnown]  shows it */
async function showWhereIStand(finished, onKnown = show) {
  try {
    await onKnown(await ask("GET", "/api/v1/work"), finished);
  } catch (error) {
    showFailure(error);
  }
}

async function begin() {
  widget = await import(new URL(page.protocol.widget_url, location.href));
  const { context } = options.presentation;
  // Only for documents that the protocol does not draw itself.
  const isPlain = context && !(context === "whole" && widget.drawSegment);
  if (isPlain) widget = { ...widget, ...(await import("./plain_segment.js")) };
  sendKeptRemarks();
  const judgement = keptAnswer.read();
  if (judgement) {
    const notice = makeNotice(say("kept_answer"));
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
