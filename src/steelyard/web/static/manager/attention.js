// What needs the manager: a short list, each with the way to where it is decided.

import { make } from "../dom.js";
import { desk, verdicts } from "./desk.js";
import { anchor, redraw } from "./parts.js";
import { newRemarks } from "./remarks.js";
import { workerRows } from "./workers.js";
import { counted } from "./words.js";

const MOST_NAMES = 5;

export function makeAttention() {
  const list = make("div", "");
  return {
    element: list,
    update() {
      const found = concerns();
      const { notes = [] } = desk.campaign;
      redraw(list, [found, notes], () => [
        found.length
          ? make("ul", "concerns", ...found.map(({ text, href, link }) => make("li", "", text, link ? " " : null, link ? anchor(link, href, href) : null)))
          : make("p", "soft", "Nothing now."),
        ...notes.map((text) => make("p", "soft", text)),
      ]);
    },
  };
}

function concerns() {
  const { campaign, progress, warnings = [] } = desk.campaign;
  const rows = verdicts.data ? workerRows() : [];
  const failed = rows.filter((row) => row.finding?.verdict === "fail" && !row.is_excluded && !row.is_blocked);
  const found = [];
  if (campaign.state === "draft") found.push({ text: "This is a draft: nobody can judge until you open it." });
  if (campaign.state === "paused") found.push({ text: "The campaign is paused: workers wait." });
  if (failed.length) found.push({ text: `${counted(failed.length, "worker fails", "workers fail")} the check: ${names(failed)}.`, link: "Look at them", href: "#/workers?show=Failed+the+check" });
  const written = newRemarks();
  if (written) found.push({ text: written, link: "Read them", href: "#/remarks" });
  if (progress.n_wanted > 0 && progress.n_judgements >= progress.n_wanted && campaign.state === "open") {
    found.push({ text: "Everything wanted is judged: you can close the campaign." });
  }
  return [...found, ...warnings.map((warning) => ({ text: typeof warning === "string" ? warning : warning.text }))];
}

function names(rows) {
  const shown = rows.slice(0, MOST_NAMES).map((row) => row.worker_id).join(", ");
  return rows.length > MOST_NAMES ? `${shown} and ${rows.length - MOST_NAMES} more` : shown;
}
