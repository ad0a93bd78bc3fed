// Says how old a slow reply is, and offers to ask for it anew.

import { make } from "../dom.js";
import { keepFresh } from "./desk.js";
import { complain } from "./ask.js";
import { namedButton } from "./parts.js";
import { clock, counted } from "./words.js";

export const freshness = {
  /** What the words depend on. @param {import("./desk.js").Resource} resource */
  key: (resource) => [resource.isSlow, resource.loadedTime, resource.isSlow && [resource.behind, resource.isBehind, resource.isPending]],

  /** Nothing while the reply is quick enough to follow the campaign by itself. */
  parts(resource) {
    if (!resource.isSlow || !resource.isBehind) return [];
    const button = namedButton("Update", `update ${resource.path}`, async () => {
      button.disabled = true;
      button.textContent = "Updating …";
      try {
        await resource.refresh();
      } catch (error) {
        complain(error);
      }
      keepFresh();
    });
    if (resource.isPending) {
      button.disabled = true;
      button.textContent = "Updating …";
    }
    const since = resource.behind > 0 ? `, ${counted(resource.behind, "judgement")} ago` : "";
    const words = `As of ${clock(resource.loadedTime)}${since}.`;
    return [make("span", "stale", words, " ", button)];
  },
};
