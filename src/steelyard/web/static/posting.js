// The end of a set on a platform that holds this page in a frame: the set is credited to the session here first, and then
// posted to the platform. Whoever does not get that far opens the work again there, and finds the same button.

import { make, makeButton } from "./dom.js";

// After this long without an answer of the platform, handing in may be tried again.
const AGAIN_MS = 10_000;
// States in which a set may still come.
const WAITING = ["paused", "draft"];

/**
 * The button that hands in the set, or what to do where there is none to hand in; null if neither is wanted.
 * @param {{state: string, more: boolean}} work  where the worker stands
 * @param {Object} shell  functions of the page around it
 */
export function drawPosting(work, shell) {
  const { ask, say, showFailure } = shell;
  const query = new URLSearchParams(location.search);
  const body = { session_id: query.get("session"), submit_to: query.get("submit_to") };
  if (work.state !== "posting") {
    const isOver = body.session_id && !work.more && !WAITING.includes(work.state);
    return isOver ? make("p", "", say("posting_leave")) : null;
  }
  const button = makeButton(say("posting_button"), async () => {
    button.disabled = true;
    try {
      post(await ask("POST", "/api/v1/work/finish", body));
      setTimeout(() => {
        button.disabled = false;
      }, AGAIN_MS);
    } catch (error) {
      if (error.code === "no_set") ask("GET", "/api/v1/work").then((now) => showOneMore(now, shell), showFailure);
      else showFailure(error);
    }
  });
  return make("p", "actions", button);
}

// A form of its own, as platforms expect it: the page goes where it leads.
function post({ address, fields }) {
  const inputs = Object.entries(fields).map(([name, value]) => Object.assign(make("input"), { type: "hidden", name, value }));
  const form = Object.assign(make("form", "", ...inputs), { method: "POST", action: address, hidden: true });
  document.body.append(form);
  form.submit();
}

// The set was handed in from another page: there is one more to do, if there is one.
function showOneMore(work, { say, showBeginning, showMessage }) {
  const begin = makeButton(say("more_button"), () => showBeginning(work));
  const way = work.more ? make("p", "actions", begin) : make("p", "", say("posting_leave"));
  showMessage(say("thanks_title"), say("posting_again"), way);
}
