// What was found about a worker, in words.

import { make } from "../dom.js";
import { chip } from "./parts.js";
import { counted, pValue } from "./words.js";

export const VERDICTS = {
  pass: { mark: "✓", text: "passed" },
  fail: { mark: "✕", text: "failed" },
  insufficient: { mark: "…", text: "not enough pairs yet" },
};

/** @param {Object|undefined} finding  of the analysis */
export function verdictChip(finding) {
  const verdict = VERDICTS[finding?.verdict];
  return verdict ? chip(`verdict ${finding.verdict}`, verdict.mark, verdict.text) : make("span", "soft", "nothing to check yet");
}

/** The numbers behind a verdict: "p = 0.012, 10 pairs". */
export function evidence(finding) {
  const facts = [pValue(finding?.p_value)];
  if (Number.isFinite(finding?.n_pairs)) facts.push(counted(finding.n_pairs, "pair"));
  return facts.filter(Boolean).join(", ");
}

/** What a person should look at, each as a sentence. */
export function flagWords(finding) {
  const told = finding?.remarks?.length ? finding.remarks : finding?.flags ?? [];
  return [told].flat().filter(Boolean);
}
