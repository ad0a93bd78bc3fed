// A set that a worker does not want to finish goes back to the others.

import { ask } from "./delivery.js";
import { makeButton } from "./dom.js";
import { isConfirmed, say } from "./screen.js";

/**
 * A quiet way to give the set back, after a question.
 * @param {{assignment_id: string}} work
 * @param {(work: Object) => void} onReturned  called with where the worker stands afterwards
 * @param {(error: Error) => void} onFailure
 */
export function returnLink({ assignment_id }, onReturned, onFailure) {
  const words = { title: say("return_title"), text: say("return_text"), yes: say("return_yes"), no: say("return_no") };
  const giveBack = makeButton(
    say("return_link"),
    async () => {
      if (!(await isConfirmed(words))) return;
      giveBack.disabled = true;
      ask("POST", "/api/v1/work/return", { assignment_id }).then(onReturned, onFailure);
    },
    "link-button",
  );
  return giveBack;
}
