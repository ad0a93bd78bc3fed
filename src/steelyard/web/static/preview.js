// What those read who only look, before they take the work on the platform that shows it to them.

import { fill, make, writeMoney } from "./dom.js";

/** What a set is like: how much, how long, what it pays, and what to do. @param {Object} page  what the server put into it */
export function drawAbout({ words, protocol, attribute, n_items: total, seconds_per_item: seconds, pay }) {
  const say = (key, values = {}) => fill(words[key], values, words.language);
  const { attributes, instructions, language, language_name: name } = protocol.words;
  const offers = ["per_set", "per_hour"].filter((unit) => pay?.[unit]);
  const paid = offers.map((unit) => say(`pay_${unit}`, { amount: writeMoney(pay[unit], pay.currency, words.language) }));
  const steps = instructions[attribute].map((text) => {
    const step = make("li", "", text);
    step.lang = language;
    step.dir = "auto";
    return step;
  });
  return [
    make("p", "large", say("summary", { total, attribute: attributes[attribute], language: name })),
    make("p", "", [say("preview_minutes", { minutes: Math.ceil((total * seconds) / 60) }), ...paid].join(" ")),
    make("h2", "", say("what_to_do")),
    make("ol", "steps", ...steps),
  ];
}
