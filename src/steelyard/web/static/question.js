// One question before the first set, drawn with its label, its hint and room for what is wrong with the answer.

import { make } from "./dom.js";
import { readNumber } from "./numbers.js";
import { inCampaignLanguage, say } from "./screen.js";

const LONGEST = 500;

let count = 0;

/**
 * @param {{name: string, text: string, kind: "choice"|"choices"|"number"|"text", choices: string[], optional: boolean,
 *   minimum: number|null, maximum: number|null}} question
 * @param {any} begun  what `entered` gave before a reload
 * @returns {{name: string, element: HTMLElement, entered: () => any, answer: () => any, check: () => boolean,
 *   complain: (text: string) => void, focus: () => void}}
 *   `answer` is null if there is none; `check` shows what is wrong and gives whether all is right
 */
export function drawQuestion(question, begun) {
  const id = `question-${(count += 1)}`;
  const error = make("p", "error");
  error.id = `${id}-error`;
  const hint = make("p", "hint", hintOf(question));
  hint.id = `${id}-hint`;
  const draw = question.choices?.length ? drawChoices : drawBox;
  const drawn = draw(question, { id, hint, error, begun });
  const describe = (isWrong) => {
    const ids = [hint.textContent ? hint.id : "", isWrong ? error.id : ""].filter(Boolean).join(" ");
    for (const control of drawn.controls) {
      if (isWrong) control.setAttribute("aria-invalid", "true");
      else control.removeAttribute("aria-invalid");
    }
    if (ids) drawn.described.setAttribute("aria-describedby", ids);
    else drawn.described.removeAttribute("aria-describedby");
  };
  const complain = (text) => {
    error.textContent = text;
    describe(Boolean(text));
  };
  describe(false);
  drawn.element.addEventListener("input", () => complain(""));
  return {
    name: question.name,
    element: drawn.element,
    entered: drawn.entered,
    answer: () => answerOf(question, drawn.entered()),
    check() {
      const key = problemOf(question, drawn.entered());
      complain(key ? say(key) : "");
      return !key;
    },
    complain,
    focus: () => drawn.controls[0].focus(),
  };
}

function titleOf({ text, optional }) {
  const words = inCampaignLanguage(make("span", "", text));
  return [words, optional ? make("span", "soft", ` (${say("optional")})`) : null];
}

function drawChoices(question, { id, hint, error, begun }) {
  const chosen = [begun ?? []].flat();
  const controls = question.choices.map((choice) => {
    const control = make("input");
    control.type = question.kind === "choices" ? "checkbox" : "radio";
    control.name = id;
    control.value = choice;
    control.checked = chosen.includes(choice);
    return control;
  });
  const lines = controls.map((control) => make("label", "question-choice", control, inCampaignLanguage(make("span", "", control.value))));
  const legend = make("legend", "", ...titleOf(question));
  const element = make("fieldset", "question", legend, hint, ...lines, error);
  const entered = () => controls.filter(({ checked }) => checked).map(({ value }) => value);
  return { element, controls, described: element, entered };
}

function drawBox(question, { id, hint, error, begun }) {
  const control = make("input");
  control.type = "text";
  control.id = id;
  control.value = begun ?? "";
  control.autocomplete = "off";
  control.required = !question.optional;
  if (question.kind === "number") control.inputMode = "decimal";
  else {
    control.maxLength = LONGEST;
    control.dir = "auto";
    control.className = "wide";
  }
  const title = make("label", "", ...titleOf(question));
  title.htmlFor = id;
  const element = make("div", "question", title, hint, control, error);
  return { element, controls: [control], described: control, entered: () => control.value };
}

function hintOf({ kind, minimum, maximum }) {
  if (kind === "choices") return say("choose_several");
  if (kind !== "number") return "";
  const [isLow, isHigh] = [minimum, maximum].map((limit) => limit !== null && limit !== undefined);
  if (isLow && isHigh) return say("number_between", { minimum, maximum });
  return isLow ? say("number_from", { minimum }) : isHigh ? say("number_to", { maximum }) : "";
}

function answerOf({ kind }, entered) {
  if (kind === "choices") return entered.length ? entered : null;
  if (kind === "choice") return entered[0] ?? null;
  const text = entered.trim();
  if (!text) return null;
  return kind === "number" ? readNumber(text) : text;
}

/** The key of what is wrong with an answer, or null. */
function problemOf(question, entered) {
  const answer = answerOf(question, entered);
  if (answer === null) return question.optional ? null : "error_missing";
  if (question.kind !== "number") return null;
  if (Number.isNaN(answer)) return "error_number";
  const { minimum, maximum } = question;
  return answer < (minimum ?? -Infinity) || answer > (maximum ?? Infinity) ? "error_range" : null;
}
