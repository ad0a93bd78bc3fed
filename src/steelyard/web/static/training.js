// Practice before the first set: the protocol's widget on texts that do not count, and what was expected afterwards.

import { makeAnswerButton } from "./answer_button.js";
import { attachControls } from "./answer_panel.js";
import { makeNotice, send } from "./delivery.js";
import { fill, make, makeButton, onEnter } from "./dom.js";
import { keep } from "./keep.js";
import { inCampaignLanguage, inProtocolLanguage, options, page, say, showProgress, showScreen, token } from "./screen.js";
import { startStopwatch } from "./stopwatch.js";

// The answer that is not sent yet, and which item it is for.
const draft = keep(`training:${token}`);

/**
 * The first training item that has no answer yet.
 * @param {{mount: Function}} widget  the protocol's
 * @param {Object} work  where the worker stands
 * @param {(work: Object) => void} onDone  called once every item has been tried
 * @param {(error: Error) => void} onFailure
 */
export function showTraining(widget, work, onDone, onFailure) {
  const { training } = page.entry;
  const index = Math.min(work.n_trained, training.length - 1);
  const goOn = (now) => (now.step === "training" ? showTraining(widget, now, onDone, onFailure) : onDone(now));
  showPractice(widget, training[index], { number: index + 1, total: training.length }, goOn, onFailure);
}

function showPractice(widget, item, place, goOn, onFailure) {
  let isSent = false;
  const stopwatch = startStopwatch();
  const root = make("div", "item");
  const notice = makeNotice();
  const { button, actions, press, follow } = makeAnswerButton(say("practice_check"), submit);
  const kept = draft.read();
  const begun = kept?.item_id === item.item_id ? kept.answer : undefined;
  const mounted = widget.mount(root, item, { ...options, elapsed: stopwatch.elapsed, draft: begun }, refresh);
  const screen = make(
    "section",
    "screen practice",
    make("h1", "practice-label", say("practice_label", place)),
    make("p", "soft", say("practice_text")),
    root,
  );
  const controls = attachControls(root, mounted, actions, notice);

  function refresh() {
    follow(mounted, !isSent);
    const answer = mounted.answer();
    if (answer) draft.write({ item_id: item.item_id, answer });
  }

  function submit() {
    if (isSent || !mounted.isComplete()) return;
    isSent = true;
    stopwatch.stop();
    controls.freeze();
    button.disabled = true;
    send("/training", { number: place.number, answer: mounted.answer() }, notice).then(tell).catch(onFailure);
  }

  function tell(found) {
    draft.forget();
    actions.hidden = true;
    const said = mounted.reveal?.(found);
    const leave = (then) => () => {
      controls.destroy();
      mounted.destroy();
      then();
    };
    const again = leave(() => showPractice(widget, item, place, goOn, onFailure));
    const feedback = drawFeedback(found, leave(() => goOn(found.work)), again);
    if (mounted.reveal) feedback.querySelector("h2").after(...drawRevealed(found, said));
    screen.append(feedback);
    feedback.querySelector("h2").focus({ preventScroll: true });
    feedback.scrollIntoView({ block: "nearest" });
  }

  onEnter(root, press);
  showProgress();
  showScreen(screen);
  refresh();
  controls.settle();
  mounted.focus?.();
}

function drawFeedback(found, goOn, tryAgain) {
  const outcome = outcomeOf(found);
  const heading = make("h2", "", say(`practice_${outcome}`));
  heading.tabIndex = -1;
  const next = makeButton(say(found.work.step === "training" ? "next" : "continue"), goOn);
  const again = makeButton(say("try_again"), tryAgain, "button quiet");
  const text = inCampaignLanguage(make("p", "", found.feedback));
  return make("section", `feedback feedback-${outcome}`, heading, text, make("p", "actions", next, again));
}

// How to read what is shown now.
function drawRevealed({ expected, preferred, spans, found, missed, extra }, said) {
  const { words } = options;
  const write = (key) => fill(words.spans[key], { found, total: found + missed, extra }, words.language);
  const about = [];
  if (expected ?? preferred) about.push(make("p", "soft", say("practice_outline"), unseen(said)));
  if (spans) {
    const keys = ["target_note", ...(found + missed ? ["targets_found"] : []), ...(extra ? ["targets_extra"] : [])];
    about.push(inProtocolLanguage(make("p", "soft", keys.map(write).join(" "))));
  }
  return about;
}

// What the outline shows, for those who do not see it.
function unseen(said) {
  return typeof said === "string" ? make("span", "visually-hidden", ` ${said}`) : null;
}

// The last part of the key of its words.
function outcomeOf({ is_expected: isExpected, side }) {
  if (isExpected === null) return "noted";
  return isExpected ? "expected" : side ?? "other";
}
