// What the campaign asks once before the first set: choices, numbers, short texts.

import { makeNotice, send } from "./delivery.js";
import { make, makeButton } from "./dom.js";
import { ApiError } from "./http.js";
import { keep } from "./keep.js";
import { drawQuestion } from "./question.js";
import { page, say, showProgress, showScreen, token } from "./screen.js";

// Answers that are not sent yet, by the names of their questions.
const draft = keep(`questions:${token}`);

/**
 * @param {(work: Object) => void} onDone  called with where the worker stands afterwards
 * @param {(error: Error) => void} onFailure
 */
export function showQuestions(onDone, onFailure) {
  const begun = draft.read() ?? {};
  const drawn = page.entry.questions.map((question) => drawQuestion(question, begun[question.name]));
  const notice = makeNotice();
  const button = makeButton(say("continue"), () => {});
  button.type = "submit";
  const form = make("form", "questions", ...drawn.map(({ element }) => element), make("p", "actions", button));
  form.noValidate = true;
  form.addEventListener("input", () => {
    draft.write(Object.fromEntries(drawn.map(({ name, entered }) => [name, entered()])));
  });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    submit();
  });

  function submit() {
    if (button.disabled || !areAllRight()) return;
    const given = drawn.map(({ name, answer }) => [name, answer()]).filter(([, value]) => value !== null);
    setWaiting(true);
    send("/questions", { answers: Object.fromEntries(given) }, notice).then((work) => {
      draft.forget();
      onDone(work);
    }, refuse);
  }

  function areAllRight() {
    const wrong = drawn.filter((question) => !question.check());
    wrong[0]?.focus();
    notice.textContent = wrong.length ? say("questions_wrong", { wrong: wrong.length }) : "";
    return wrong.length === 0;
  }

  function refuse(error) {
    const refused = error instanceof ApiError && error.status === 422 && drawn.find(({ name }) => name === error.field);
    if (!refused) {
      onFailure(error);
      return;
    }
    setWaiting(false);
    refused.complain(say("error_refused"));
    refused.focus();
  }

  function setWaiting(isWaiting) {
    button.disabled = isWaiting;
    for (const { element } of drawn) element.inert = isWaiting;
  }

  showProgress();
  showScreen(
    make("section", "screen", make("h1", "", say("questions_title")), make("p", "large", say("questions_text")), form, notice),
  );
}
