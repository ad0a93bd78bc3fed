// One worker: what they judged and how, the evidence of the check, pay, and what can be done about them.

import { make } from "../dom.js";
import { eraseButton } from "./decisions.js";
import { Resource, desk } from "./desk.js";
import { fileButton } from "./files.js";
import { entry } from "./log.js";
import { anchor, panel, redraw } from "./parts.js";
import { drawAbout } from "./worker_about.js";
import { drawBackground, drawRemarks } from "./worker_said.js";
import { drawHits, drawPairs, drawRatings, makeJudgements } from "./worker_work.js";
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
  const background = make("div", "");
  const written = make("ol", "log");
  const said = make("div", "two", panel("Before the first set", background), panel("Remarks", written));
  const copy = fileButton("Save all that is stored about them", `/workers/${encodeURIComponent(worker)}/record`, `${worker}.json`);
  const rights = panel(
    "If they ask",
    make("p", "soft", "People may ask for a copy of what is stored about them, and for it to be erased."),
    make("p", "buttons", copy, eraseButton(worker)),
  );
  rights.classList.add("needs-manager");
  const judgements = makeJudgements();
  const details = make("div", "", make("div", "two", panel("Ratings and times", ratings), panel("HITs", hits)), panel("Control pairs", pairs), said, panel("All judgements", judgements.element), panel("Log", log), rights);
  return {
    title: `Worker ${worker}`,
    element: make("div", "worker-page", make("p", "", anchor("← All workers", "#/workers")), about, details),
    needs: () => [resource],
    update() {
      const found = resource.data;
      const link = desk.campaign.links?.workers.find((each) => each.worker_id === worker) ?? { worker_id: worker };
      details.hidden = !found;
      redraw(about, [resource.version, resource.error?.message, link, minute()], () =>
        found ? drawAbout(found, link) : [make("p", "soft", resource.error?.message ?? "One moment …")],
      );
      if (!found) return;
      redraw(ratings, [found.histogram, found.items.length], () => drawRatings(found));
      redraw(pairs, found.pairs, () => drawPairs(found));
      redraw(hits, [found.hits, found.excluded, minute()], () => drawHits(found));
      said.hidden = !found.background && !found.remarks?.length;
      redraw(background, found.background ?? null, () => drawBackground(found.background));
      redraw(written, found.remarks ?? [], () => drawRemarks(found.remarks ?? []));
      redraw(log, found.actions, () => (found.actions.length ? [...found.actions].reverse().map(entry) : [make("li", "soft", "Nothing was done yet.")]));
      judgements.update(found.items);
    },
  };
}
