// More ratings for a running campaign; more texts come by the command line, where the files are.

import { make } from "../dom.js";
import { act } from "./ask.js";
import { call } from "./desk.js";
import { field, input } from "./parts.js";
import { counted } from "./words.js";

export function makeExtension() {
  const ratings = input("number", 1, { min: 1, max: 100, step: 1, required: "" });
  const submit = make("button", "button", "Add ratings");
  submit.type = "submit";
  const form = make(
    "form",
    "",
    field("Further ratings per item", ratings, "Every item is offered to this many more workers; controls and balance are kept."),
    make("p", "actions", submit),
  );
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const n = Number(ratings.value);
    act({
      title: `Ask for ${counted(n, "more rating")} per item?`,
      text: ["New HITs are offered as soon as you confirm. This cannot be undone, but you can close the campaign at any time."],
      confirm: "Add ratings",
      send: () => call("POST", "/extend", { ratings: n }),
      done: (reply) => (Number.isFinite(reply?.n_hits) ? `${counted(reply.n_hits, "HIT")} added.` : "The campaign is extended."),
    });
  });
  const texts = make("p", "soft", "More texts or another system: ", make("code", "", "steelyard extend DB --texts CAMPAIGN.toml"));
  return make("div", "", form, texts);
}
