// What people and the server did to the campaign, newest first.

import { make } from "../dom.js";
import { call } from "./desk.js";
import { complain } from "./ask.js";
import { anchor, namedButton } from "./parts.js";
import { moment } from "./words.js";

const PAGE_SIZE = 25;

export function makeLog() {
  const list = make("ol", "log");
  const more = namedButton("Older", "older", () => load(false));
  let last = null;
  let newest = null;

  async function load(fromStart) {
    const query = new URLSearchParams({ limit: String(PAGE_SIZE) });
    if (!fromStart && last !== null) query.set("before", String(last));
    try {
      const { actions, more: isMore } = await call("GET", `/actions?${query}`);
      if (fromStart) list.replaceChildren();
      list.append(...actions.map(entry));
      last = actions[actions.length - 1]?.number ?? last;
      more.hidden = !isMore;
      if (!list.children.length) list.append(make("li", "soft", "Nothing was done yet."));
    } catch (error) {
      complain(error);
    }
  }

  return {
    element: make("div", "", list, make("p", "", more)),
    /** Begins anew if `version` is another one. */
    update(version) {
      if (version === newest) return;
      newest = version;
      load(true);
    },
  };
}

/** One action in words. */
export function entry(action) {
  const { done_at: time, done_by: by, manager_id: manager, manager_name: name, verb, worker_id: worker, hit_id: hit, reason, words } = action;
  const when = make("time", "soft", moment(time));
  when.dateTime = time;
  const what = [
    make("strong", "", verb.replaceAll("-", " ")),
    worker ? anchor(worker, `#/workers/${encodeURIComponent(worker)}`) : null,
    hit,
    words ? `(${words})` : null,
    make("span", "soft", `by ${manager ? `${name || "manager"} (${manager})` : `the ${by}`}`),
  ].filter(Boolean);
  return make("li", "", when, make("span", "", ...what.flatMap((part) => [part, " "]), reason ? make("span", "reason", `“${reason}”`) : null));
}
