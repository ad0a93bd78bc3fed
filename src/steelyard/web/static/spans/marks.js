// The marks on one text and what was done to them. Nothing here draws.

/**
 * A marked error, as answers have it: ends in code points, half open, both absent for a mark on a token after the text.
 * @typedef {{start?: number, end?: number, severity: string, category?: string, side?: "source", token?: string,
 *   prefilled?: number, at_ms?: number}} Mark
 */

/** @typedef {Mark & {id: number}} KeptMark  `id` lasts as long as the mark, whatever is changed in it */

/**
 * @param {Mark[]} initial
 * @param {{most?: number|null, countOthers?: () => number, elapsed: () => number, onChange: () => void}} options
 *   `countOthers`: marks elsewhere that count towards `most`
 */
export function keepMarks(initial, { most = null, countOthers = () => 0, elapsed, onChange }) {
  let lastId = 0;
  const withId = (mark) => ({ ...mark, id: (lastId += 1) });
  let kept = initial.map(withId);
  let past = [];

  function become(next) {
    past.push(kept);
    kept = next;
    onChange();
  }

  const find = (id) => kept.find((mark) => mark.id === id);
  return {
    all: () => kept,
    find,
    hasRoom: () => most === null || kept.length + countOthers() < most,
    /** @param {Mark} mark @returns {KeptMark} */
    add(mark) {
      const added = withId({ ...mark, at_ms: Math.round(elapsed()) });
      become([...kept, added]);
      return added;
    },
    /** What is undefined in `changes` is taken away. A prefilled mark has been looked at once it is changed. */
    change(id, changes) {
      const before = find(id);
      if (!before || Object.keys(changes).every((key) => before[key] === changes[key])) return;
      const after = { ...before, ...changes };
      if (isUnseen(before)) after.at_ms = Math.round(elapsed());
      for (const key of Object.keys(after)) if (after[key] === undefined) delete after[key];
      become(kept.map((mark) => (mark.id === id ? after : mark)));
    },
    /** A prefilled mark is right as it is. */
    accept(id) {
      const seen = { ...find(id), at_ms: Math.round(elapsed()) };
      if (isUnseen(find(id))) become(kept.map((mark) => (mark.id === id ? seen : mark)));
    },
    remove(id) {
      if (find(id)) become(kept.filter((mark) => mark.id !== id));
    },
    /** Others in place of all these; nothing can be undone then. */
    replace(marks) {
      kept = marks.map(withId);
      past = [];
    },
    canUndo: () => past.length > 0,
    undo() {
      if (!past.length) return false;
      kept = past.pop();
      onChange();
      return true;
    },
  };
}

/** As answers have them: in the order of the text, tokens last. @param {KeptMark[]} kept @returns {Mark[]} */
export function asAnswer(kept) {
  return [...kept].sort(inTextOrder).map(({ id, ...mark }) => mark);
}

/** Longer ones first where two begin together. */
export function inTextOrder(one, other) {
  if (isOnToken(one) || isOnToken(other)) return isOnToken(one) - isOnToken(other);
  return one.start - other.start || other.end - one.end;
}

export function isOnToken(mark) {
  return mark.token !== undefined;
}

/** Whether a mark was there beforehand and nobody has said yet whether it is right. */
export function isUnseen(mark) {
  return mark?.prefilled !== undefined && mark.at_ms === undefined;
}

/** Whether nothing is left to be chosen: with categories, one of them, and one below it if there are any. */
export function isWhole(mark, categories) {
  if (!categories) return true;
  if (mark.category === undefined) return false;
  const [main, ...below] = mark.category.split("/");
  return below.length > 0 || !categories[main]?.length;
}

/** The marks at a place, the shortest first. */
export function marksAt(marks, { start, end, token }) {
  return marks
    .filter((mark) => (token === undefined ? overlaps(mark, start, end) : mark.token === token))
    .sort((one, other) => one.end - one.start - (other.end - other.start));
}

function overlaps(mark, start, end) {
  return !isOnToken(mark) && mark.start < end && start < mark.end;
}

/**
 * The ends of a mark after one of them has moved by a unit; null if it cannot.
 * @param {import("./offsets.js").Place} mark
 * @param {import("./offsets.js").Place[]} places  the units of the text
 * @param {"start"|"end"} side
 * @param {1|-1} step
 */
export function moved({ start, end }, places, side, step) {
  const ends = places.map((place) => place[side]);
  const from = side === "start" ? start : end;
  const next = step > 0 ? ends.find((at) => at > from) : ends.findLast((at) => at < from);
  if (next === undefined) return null;
  const after = side === "start" ? { start: next, end } : { start, end: next };
  return after.start < after.end ? after : null;
}

/**
 * At which height below its text each mark is underlined, so that no two cross: by id, from 0.
 * @param {KeptMark[]} marks
 * @returns {Map<number, number>}
 */
export function levelsOf(marks) {
  const ends = [];
  const levels = new Map();
  for (const mark of marks.filter((one) => !isOnToken(one)).sort(inTextOrder)) {
    const free = ends.findIndex((end) => end <= mark.start);
    const level = free < 0 ? ends.length : free;
    ends[level] = mark.end;
    levels.set(mark.id, level);
  }
  return levels;
}
