// What a worker said besides their judgements: consent, answers to the questions, practice, remarks.

import { make } from "../dom.js";
import { facts } from "./parts.js";
import { kindChip, ownWords, placeWords } from "./remarks.js";
import { counted, moment, number } from "./words.js";

/** Consent, answers and practice; viewers are not told. @param {Object|null} background */
export function drawBackground(background) {
  if (!background) return [make("p", "soft", "Nothing that you may see.")];
  const { training } = background;
  return [
    facts([
      ["Consent", consentWords(background)],
      ...Object.entries(background.answers).map(([name, answer]) => [name, answerWords(answer)]),
      background.is_accepted === false ? ["Screening", "not among those looked for"] : null,
      training.length ? ["Practice", practiceWords(training)] : null,
    ].filter(Boolean)),
  ];
}

function consentWords({ agrees, is_current: isCurrent, decided_at: time }) {
  if (agrees === null) return "not asked";
  return `${agrees ? "agreed" : "declined"} on ${moment(time)}${isCurrent === false ? ", to an earlier text" : ""}`;
}

function answerWords(answer) {
  const words = make("span", "", Array.isArray(answer) ? answer.join(", ") : typeof answer === "number" ? String(answer) : answer);
  words.dir = "auto";
  return words;
}

function practiceWords(training) {
  const judged = training.filter(({ first_expected: isExpected }) => isExpected !== null);
  const asExpected = judged.filter(({ first_expected: isExpected }) => isExpected).length;
  const tries = training.reduce((sum, { n_tries: n }) => sum + n, 0);
  const done = `${counted(training.length, "text")}, ${counted(tries, "try", "tries")}`;
  return judged.length ? `${done}; ${number(asExpected)} of ${number(judged.length)} as expected at the first try` : done;
}

/** What the worker wrote, newest first. @param {Object[]} written */
export function drawRemarks(written) {
  if (!written.length) return [make("li", "soft", "Nothing was written.")];
  return written.map((remark) => {
    const when = make("time", "soft", moment(remark.made_at));
    when.dateTime = remark.made_at;
    const about = placeWords(remark);
    return make("li", "", when, make("span", "", kindChip(remark), " ", ownWords(remark), about === "–" ? null : make("span", "soft under", about)));
  });
}
