// Taking a HIT back from somebody who left it.

import { act } from "./ask.js";
import { call } from "./desk.js";
import { counted } from "./words.js";

const KEPT = "What was judged stays and counts. The worker can go on if nobody else has taken the place by then.";

const send = (assignment, reason) => call("POST", `/assignments/${encodeURIComponent(assignment)}/release`, { reason });

/** @param {{assignment_id: string, hit_id: string, worker_id: string}} place */
export function askToRelease({ assignment_id: assignment, hit_id: hit, worker_id: worker }) {
  return act({
    title: `Release ${hit} from ${worker}?`,
    text: [`${hit} goes back to the pool and is offered to others. ${KEPT}`],
    confirm: "Release",
    reason: "optional",
    send: (reason) => send(assignment, reason),
    done: `${hit} is free again.`,
  });
}

/** @param {{assignment_id: string}[]} places */
export function askToReleaseAll(places) {
  const hits = counted(places.length, "idle HIT");
  return act({
    title: `Release ${hits}?`,
    text: [`They go back to the pool and are offered to others. ${KEPT}`],
    confirm: places.length === 1 ? "Release it" : `Release all ${places.length}`,
    reason: "optional",
    async send(reason) {
      for (const { assignment_id: assignment } of places) await send(assignment, reason);
    },
    done: `${hits} released.`,
  });
}
