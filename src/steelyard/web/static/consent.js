// What a worker agrees to before the first set, and again whenever its text has changed.

import { makeNotice, send } from "./delivery.js";
import { make, makeButton } from "./dom.js";
import { inCampaignLanguage, page, say, showProgress, showScreen } from "./screen.js";

/**
 * @param {Object} work  where the worker stands
 * @param {(work: Object) => void} onDone  called with where they stand afterwards
 * @param {(error: Error) => void} onFailure
 */
export function showConsent(work, onDone, onFailure) {
  const { text, behaviour } = page.entry.consent;
  const notice = makeNotice();
  const decide = (agrees) => () => {
    for (const button of buttons) button.disabled = true;
    send("/consent", { agrees, revision: page.revision }, notice, { text: "waiting" }).then(onDone, onFailure);
  };
  const buttons = [makeButton(say("agree"), decide(true)), makeButton(say("disagree"), decide(false), "button quiet")];
  // Whoever has come further had agreed, or was never asked.
  const isNew = work.step === "consent" && work.state !== "declined" && (work.n_judged > 0 || work.n_trained > 0);
  showProgress();
  showScreen(
    make(
      "section",
      "screen consent",
      inCampaignLanguage(make("p", "kicker", page.title)),
      make("h1", "", say("consent_title")),
      isNew ? make("p", "corrected", say("consent_changed")) : null,
      make("div", "prose", ...paragraphs(text)),
      behaviour ? make("h2", "", say("behaviour_title")) : null,
      behaviour ? make("p", "", say("behaviour_text")) : null,
      make("p", "actions", ...buttons),
      notice,
    ),
  );
}

// Blank lines separate paragraphs; single ends of lines stay, as in lists and addresses.
function paragraphs(text) {
  const parts = text.split(/\n\s*\n/).map((part) => part.trim());
  return parts.filter(Boolean).map((part) => inCampaignLanguage(make("p", "", part)));
}
