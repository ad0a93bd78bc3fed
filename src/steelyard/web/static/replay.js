// A copy of the worker's page for reading: a stand-in for the server answers from what lies in the page, and forgets
// everything when the page is left. See web/replay.py.

// What answers are given to: nobody took it, so nobody's name is in it.
const ASSIGNMENT = "replay";

/**
 * Runs the worker's page. Its scripts are functions: see `joined_function` in web/joined.py.
 * @param {Object<string, Function>} scripts  by their addresses below the page
 */
export function startReplay(scripts) {
  const read = (id) => JSON.parse(document.getElementById(id).textContent);
  const world = { fetch: standIn(read("page"), read("replay")), localStorage: forgetfulStorage() };
  const at = (address) => new URL(address, document.baseURI).href;
  const begun = new Map();
  const run = (href) => {
    if (!begun.has(href)) {
      const script = scripts[Object.keys(scripts).find((address) => at(address) === href)];
      begun.set(href, script({ ...world, $here: href, $import: (there) => run(new URL(there, href).href) }));
    }
    return begun.get(href);
  };
  return run(at("static/shell.js"));
}

// Two copies in one browser know nothing of each other, nor of the last visit.
function forgetfulStorage() {
  const held = new Map();
  return {
    getItem: (name) => held.get(name) ?? null,
    setItem: (name, value) => held.set(name, value),
    removeItem: (name) => held.delete(name),
  };
}

/**
 * What the page talks to instead of the server, with the same replies.
 * @param {{revision: number, entry: Object|null}} page
 * @param {{n_items: number, items: Object[], training: Object[], pay: Object|null}} told  `n_items`: of the set that
 *   workers had, of which `items` are the first ones
 * @returns {typeof fetch}
 */
function standIn({ revision, entry }, { n_items, items, training, pay }) {
  const answers = [];
  let agrees = null;
  let isAnswered = false;
  let isTaken = false;
  let n_trained = 0;

  const isFinished = () => isTaken && answers.length === items.length;

  function step() {
    if (entry?.consent && !agrees) return "consent";
    if (entry?.questions.length && !isAnswered) return "questions";
    return n_trained < training.length ? "training" : null;
  }

  function state() {
    if (agrees === false) return "declined";
    if (isFinished()) return "done";
    return isTaken ? "open" : "ready";
  }

  function work() {
    const now = state();
    // Whoever has come to the end of the copy is where workers were at the end of the set.
    const n_done = isFinished() ? n_items : answers.length;
    return {
      state: now,
      n_items,
      n_done,
      n_hits_done: isFinished() ? 1 : 0,
      n_judged: n_done,
      more: ["ready", "open"].includes(now),
      is_capped: false,
      can_return: now === "open",
      assignment_id: now === "open" ? ASSIGNMENT : null,
      revision,
      step: step(),
      n_trained,
      completion: null,
      pay: pay && { ...pay, earned: isFinished() ? pay.per_set : null },
    };
  }

  function next() {
    isTaken = true;
    if (isFinished()) {
      return { finished: true, assignment_id: ASSIGNMENT, n_items, n_done: n_items, n_hits_done: 1, more: false, revision };
    }
    const n_done = answers.length;
    const { item, ...run } = items[n_done];
    return { assignment_id: ASSIGNMENT, position: n_done + 1, n_items, n_done, item, revision, ...around(n_done, run) };
  }

  // What stands before and after an item of a document, as far as workers see it.
  function around(index, { n_before, n_ahead }) {
    const texts = ({ item: { item_id, ...shown } }) => shown;
    const earlier = (from) => items.slice(from, index).map((each, i) => ({ ...texts(each), answer: answers[from + i] }));
    return {
      ...(n_before === undefined ? {} : { context: earlier(index - n_before) }),
      ...(n_ahead === undefined ? {} : { ahead: items.slice(index + 1, index + 1 + n_ahead).map(texts) }),
    };
  }

  const replies = {
    "GET work": work,
    "POST work/next": next,
    "POST work/consent": (body) => {
      agrees = body.agrees;
      return work();
    },
    "POST work/questions": () => {
      isAnswered = true;
      return work();
    },
    "POST work/training": ({ number }) => {
      n_trained = Math.max(n_trained, number);
      return { ...training[number - 1], work: work() };
    },
    "POST work/judgements": ({ item_id, answer }) => {
      if (items[answers.length]?.item.item_id === item_id) answers.push(answer);
      return { next: next() };
    },
    "POST work/return": () => {
      isTaken = false;
      return work();
    },
    "POST work/remarks": () => ({}),
  };

  return async (address, { method = "GET", body } = {}) => {
    const [, path] = new URL(address).pathname.split("/api/v1/");
    const reply = replies[`${method} ${path}`];
    if (!reply) return new Response("{}", { status: 404 });
    return new Response(JSON.stringify(reply(body === undefined ? {} : JSON.parse(body))));
  };
}
