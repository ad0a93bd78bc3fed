// The instructions and the button to start, before a set is taken or taken up again.

import { drawCompletion, drawOffer } from "./completion.js";
import { make, makeButton } from "./dom.js";
import { drawKeys, drawSteps } from "./instructions.js";
import { keep } from "./keep.js";
import { options, page, say, showProgress, showScreen, token } from "./screen.js";

// The instructions as the worker has read them last. Not their revision: that of another consent text leaves them alone.
const read = keep(`read:${token}`);
const instructions = JSON.stringify([page.title, page.attribute, page.protocol.words, page.protocol.presentation]);

/**
 * @param {{introduction?: Function, steps?: Function}} widget  the protocol's
 * @param {Object} work  where the worker stands
 * @param {() => void} onBegin  called once the worker wants an item
 * @param {...(Node|null)} below  further down
 */
export function showIntro(widget, work, onBegin, ...below) {
  const { words } = page.protocol;
  // The set that comes next is a fresh one, even if the numbers are those of one that went to somebody else.
  const done = work.state === "released" ? 0 : work.n_done;
  const introduction = widget.introduction?.(options);
  const begin = makeButton(say(done > 0 || work.state === "open" ? "continue" : "start"), () => {
    begin.disabled = true;
    introduction?.destroy();
    read.write(instructions);
    onBegin();
  });
  const about = { total: work.n_items, attribute: words.attributes[page.attribute], language: words.language_name };
  const minutes = Math.ceil(((work.n_items - done) * page.seconds_per_item) / 60);
  const isCorrected = (read.read() ?? instructions) !== instructions;
  showProgress(done, work.n_items);
  showScreen(
    make(
      "section",
      "screen intro",
      make("h1", "", page.title),
      isCorrected ? make("p", "corrected", say("corrected")) : null,
      make("p", "large", say("summary", about)),
      drawOffer(work),
      make("h2", "", say("what_to_do")),
      drawSteps(widget),
      drawKeys(),
      introduction?.element,
      make("p", "actions", begin),
      make("p", "soft", say("estimate", { minutes })),
      drawCompletion(work),
      ...below,
    ),
  );
}
