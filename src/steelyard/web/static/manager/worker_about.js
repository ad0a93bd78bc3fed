// The head of a worker's page: who it is, what was found, and what can be done about it.

import { make } from "../dom.js";
import { blockButton, excludeButton, reinstateButton } from "./decisions.js";
import { may } from "./desk.js";
import { facts, namedButton } from "./parts.js";
import { linkButtons } from "./people.js";
import { askToRelease } from "./release.js";
import { evidence, verdictChip } from "./verdict.js";
import { decisionChips } from "./workers.js";
import { ago, counted, money, number } from "./words.js";

/** @param {Object} found  of /workers/{id} @param {Object} link  of the worker */
export function drawAbout(found, link) {
  const { worker_id: worker, progress, finding, flags, excluded, person } = found;
  const whole = excluded.find((each) => each.hit_id === null);
  return [
    make(
      "div",
      "worker-head",
      make("p", "", make("strong", "large", may("manager") ? person.name || "No name" : worker), person.email ? ` · ${person.email}` : null),
      make("p", "buttons needs-manager", ...actions(found, whole)),
    ),
    make("p", "verdict-line", verdictChip(finding), ...decisionChips(progress), make("span", "soft", evidence(finding))),
    finding?.reason ? make("p", "", finding.reason) : null,
    ...excluded.map((each) => make("p", "excluded-reason", `${each.hit_id ? `${each.hit_id} is excluded` : "Excluded"} ${ago(each.done_at)}: ${each.reason || "no reason given"}.`)),
    flags.length ? make("div", "", make("h3", "", "To look at"), make("ul", "flags", ...flags.map(({ text }) => make("li", "", text)))) : null,
    make("div", "worker-facts", workFacts(found), payFacts(found)),
    make("p", "buttons needs-manager", make("span", "soft", link.is_revoked ? "The link is revoked." : "Link and name:"), linkButtons({ ...link, ...person, worker_id: worker })),
  ];
}

function actions({ worker_id: worker, progress }, whole) {
  const held = progress.open;
  return [
    held ? namedButton(`Release ${held.hit_id}`, "release", () => askToRelease({ ...held, worker_id: worker }), "button quiet") : null,
    whole ? reinstateButton(worker, null, whole.reason) : excludeButton(worker),
    blockButton(worker, progress.is_blocked),
  ].filter(Boolean);
}

function workFacts({ progress, finding, behaviour }) {
  const { open } = progress;
  return facts([
    ["HITs submitted", number(progress.n_submitted)],
    ["HITs given up", number(progress.n_released)],
    ["Open now", open ? `${open.hit_id}, ${number(open.n_done)} of ${number(open.n_items)}${open.is_idle ? ", idle" : ""}` : "none"],
    ["Items judged", number(progress.n_done)],
    ["Seconds per item", number(progress.seconds_per_item, 1)],
    ["Mean rating", Number.isFinite(finding?.mean) ? `${number(finding.mean, 1)} ± ${number(finding.sd, 1)}` : "–"],
    ["Last seen", ago(progress.last_at)],
    ...pageFacts(behaviour),
  ]);
}

// Only where workers agreed to its being recorded.
function pageFacts(behaviour) {
  if (!behaviour) return [];
  const { n_judgements: all, n_hidden: hidden, n_automated: automated } = behaviour;
  return [
    ["Page out of sight", hidden ? `${number(behaviour.hidden_seconds)} s, in ${number(hidden)} of ${counted(all, "judgement")}` : "never"],
    ["Pastes", number(behaviour.pastes)],
    ["Straightness of the pointer", number(behaviour.straightness, 2)],
    ["Browser says a program controls it", automated ? `in ${number(automated)} of ${counted(all, "judgement")}` : "never"],
  ];
}

function payFacts({ pay, finding }) {
  return facts([
    ["Due", money(pay.pay, pay.currency)],
    ["Hours on screen", number(pay.hours, 2)],
    ["Comes to, per hour", money(pay.hourly_pay, pay.currency)],
    ["Suggestion", pay.suggestion ?? "–"],
    ["Control pairs", Number.isFinite(finding?.n_pairs) ? counted(finding.n_pairs, "degraded pair") : "–"],
    ["Mean difference", number(finding?.mean_difference, 1)],
    ["Repeats", number(finding?.n_repeats)],
  ]);
}
