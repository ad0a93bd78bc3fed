// One worker: what they judged and how, the evidence of the check, pay, and what can be done about them.

import { make } from "../dom.js";
import { Resource, desk } from "./desk.js";
import { entry } from "./log.js";
import { anchor, panel, redraw } from "./parts.js";
import { drawAbout } from "./worker_about.js";
import { drawHits, drawPairs, drawRatings } from "./worker_work.js";
import { minute } from "./words.js";

/** @param {string} worker */
export function makeWorker(worker) {
  const resource = new Resource(`/workers/${encodeURIComponent(worker)}`);
  const about = make("section", "panel");
  about.setAttribute("aria-label", `About ${worker}`);
  const ratings = make("div", "");
  const pairs = make("div", "");
  const hits = make("div", "");
  const log = make("ol", "log");
  const details = make("div", "", make("div", "two", panel("Ratings", ratings), panel("HITs", hits)), panel("Control pairs", pairs), panel("Log", log));
  return {
    title: `Worker ${worker}`,
    element: make("div", "worker-page", make("p", "", anchor("← All workers", "#/workers")), about, details),
    needs: () => [resource],
    update() {
      const found = resource.data;
      const link = desk.campaign.links?.workers.find((each) => each.worker_id === worker) ?? { worker_id: worker };
      const progress = desk.campaign.progress.workers.find((each) => each.worker_id === worker) ?? {};
      details.hidden = !found;
      redraw(about, [resource.version, resource.error?.message, link, progress, minute()], () =>
        found ? drawAbout(found, link, progress) : [make("p", "soft", resource.error?.message ?? "One moment …")],
      );
      if (!found) return;
      redraw(ratings, found, () => drawRatings(found));
      redraw(pairs, found, () => drawPairs(found));
      redraw(hits, [found, minute()], () => drawHits(found));
      redraw(log, found.actions ?? [], () => (found.actions ?? []).map(entry));
    },
  };
}
