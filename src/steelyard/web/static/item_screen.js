// One item on the worker's page: the protocol's widget, the button below it, and the way to the server.

import { makeAnswerButton } from "./answer_button.js";
import { attachControls } from "./answer_panel.js";
import { watchBehaviour } from "./behaviour.js";
import { openContext } from "./context.js";
import { deliver, makeNotice } from "./delivery.js";
import { make, onEnter } from "./dom.js";
import { makeUuid } from "./http.js";
import { drawGuide, drawHelp } from "./instructions.js";
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
  const { button, actions, press, follow } = makeAnswerButton(say("next"), submit);
  const settings = { ...options, elapsed: stopwatch.elapsed, draft: draft.answer };
  const mounted = widget.mount(root, next.item, settings, () => {
    follow(mounted, !isSent);
    keepDraft();
  });
  follow(mounted, true);

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
      // While everything is in its place.
      context.destroy();
      controls.destroy();
      mounted.destroy();
      onDelivered(reply);
    }, onFailure);
  }

  onEnter(root, press);
  // The time of reading counts too.
  addEventListener("pagehide", keepDraft);
  const help = drawHelp(widget);
  // Where the panel is always in view, with it.
  const isHeld = mounted.panel && !mounted.panel.question;
  if (isHeld) mounted.panel.element.append(help);
  showProgress(next.n_done, next.n_items, isHeld ? null : help);
  const heading = make("h1", "visually-hidden", say("item_label", { position: next.n_done + 1, total: next.n_items }));
  heading.id = "item-heading";
  const guide = next.n_done === 0 ? drawGuide() : null;
  const screen = make("section", "screen", heading, guide, context.element, root, context.after, below);
  // The focus goes straight to the answers, and screen readers say what it has come to.
  screen.setAttribute("aria-labelledby", heading.id);
  const controls = attachControls(root, mounted, actions, notice);
  showScreen(screen);
  controls.settle();
  context.settle(root);
  if (!document.querySelector("dialog[open]")) mounted.focus?.();
}

function draftOf(itemId) {
  const kept = keptDraft.read();
  return kept?.item_id === itemId ? { answer: kept.answer ?? undefined, elapsed: Number(kept.elapsed) || 0 } : {};
}
