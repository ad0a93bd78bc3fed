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
  const isNew = work.step === "consent" && work.state !== "declined" && (work.n_judged || work.n_trained);
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

// Blank lines separate paragraphs; single ends of lines stay, as in addresses. Some are headings, some end in a list.
function paragraphs(text) {
  const parts = text.trim().split(/\s*\n\s*\n\s*/);
  return parts.flatMap(elementsOf).map(inCampaignLanguage);
}

function elementsOf(part) {
  if (part.startsWith("# ")) return make("h2", "", part.slice(2));
  const [text, ...points] = part.split(/^- |\n- /);
  const list = points.map((point) => make("li", "", point));
  return [text && make("p", "", text), list[0] && make("ul", "", ...list)].filter(Boolean);
}
