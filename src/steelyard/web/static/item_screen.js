// One item on the worker's page: the protocol's widget, the button below it, and the way to the server.

import { attachControls } from "./answer_panel.js";
import { watchBehaviour } from "./behaviour.js";
import { openContext } from "./context.js";
import { deliver, makeNotice } from "./delivery.js";
import { make, makeButton, onEnter } from "./dom.js";
import { makeUuid } from "./http.js";
import { keep } from "./keep.js";
import { options, page, say, showProgress, showScreen, token } from "./screen.js";
import { startStopwatch } from "./stopwatch.js";

// The server accepts no longer times, but a page may be left open over a weekend.
const ONE_DAY_MS = 24 * 60 * 60 * 1000;

// The answer that is not sent yet and the time that it took so far, for which item: they survive a reload.
const keptDraft = keep(`draft:${token}`);

/**
 * @param {{mount: Function}} widget  the protocol's
 * @param {Object} next  the reply to asking for work, with an item
 * @param {Object} around
 * @param {string} around.remark  shown below the item
 * @param {HTMLElement|null} around.below  further down
 * @param {(reply: Object) => void} around.onDelivered  called with what `deliver` found
 * @param {(error: Error) => void} around.onFailure
 */
export function showItem(widget, next, { remark, below, onDelivered, onFailure }) {
  let isSent = false;
  const { item_id: itemId } = next.item;
  const draft = draftOf(itemId);
  const stopwatch = startStopwatch(draft.elapsed);
  const behaviour = watchBehaviour();
  const context = openContext(widget, next);
  const root = make("div", "item");
  const notice = makeNotice(remark);
  const button = makeButton(say("next"), submit, "button next");
  const settings = { ...options, elapsed: stopwatch.elapsed, draft: draft.answer };
  const mounted = widget.mount(root, next.item, settings, () => {
    button.disabled = isSent || !mounted.isComplete();
    keepDraft();
  });
  button.disabled = !mounted.isComplete();

  function keepDraft() {
    const isOpen = !isSent && root.isConnected;
    if (isOpen) keptDraft.write({ item_id: itemId, answer: mounted.answer(), elapsed: stopwatch.elapsed() });
  }

  function submit() {
    if (isSent || !mounted.isComplete()) return;
    isSent = true;
    const judgement = {
      judgement_id: makeUuid(),
      assignment_id: next.assignment_id,
      item_id: itemId,
      answer: mounted.answer(),
      shown_ms: Math.min(Math.round(stopwatch.elapsed()), ONE_DAY_MS),
      revision: page.revision,
      ...behaviour.summary(),
    };
    stopwatch.stop();
    behaviour.stop();
    context.answered(judgement.answer);
    removeEventListener("pagehide", keepDraft);
    controls.freeze();
    // A set that is given back would take this answer with it.
    if (below) below.inert = true;
    button.disabled = true;
    button.textContent = say("sending");
    deliver(judgement, notice).then((reply) => {
      keptDraft.forget();
      controls.destroy();
      mounted.destroy();
      context.destroy();
      onDelivered(reply);
    }, onFailure);
  }

  onEnter(root, submit);
  // The time of reading counts too.
  addEventListener("pagehide", keepDraft);
  showProgress(next.n_done, next.n_items);
  const heading = make("h1", "visually-hidden", say("item_label", { position: next.n_done + 1, total: next.n_items }));
  heading.id = "item-heading";
  const screen = make("section", "screen", heading, context.element, root, below);
  // The focus goes straight to the answers, and screen readers say what it has come to.
  screen.setAttribute("aria-labelledby", heading.id);
  const controls = attachControls(root, mounted, make("p", "actions", button), notice);
  showScreen(screen);
  controls.settle();
  if (!document.querySelector("dialog[open]")) mounted.focus?.();
}

function draftOf(itemId) {
  const kept = keptDraft.read();
  return kept?.item_id === itemId ? { answer: kept.answer ?? undefined, elapsed: Number(kept.elapsed) || 0 } : {};
}
