// A text in which errors can be marked, with mouse, touch or the keyboard alone.

import { directionOf } from "../direction.js";
import { fill, make } from "../dom.js";
import { startCaret } from "./caret.js";
import { keepHalfMark } from "./half_mark.js";
import { layersOf } from "./look.js";
import { linesOf, markLabel, spoken } from "./mark_words.js";
import { keepMarkWindows } from "./mark_windows.js";
import { drawFrame, nameUnits } from "./markable_frame.js";
import { asAnswer, isOnToken, isUnseen, isWhole, keepMarks, marksAt } from "./marks.js";
import { strides } from "./offsets.js";
import { makePointer, reportPlace } from "./place_pointer.js";
import { followPointing } from "./pointing.js";
import { followTextKeys } from "./text_keys.js";
import { drawPieces } from "./text_pieces.js";

/**
 * @typedef {Object} MarkableOptions
 * @property {string} language   of the text, a BCP 47 code
 * @property {"ltr"|"rtl"} direction
 * @property {string} label      what the text is, for screen readers
 * @property {"word"|"character"} by
 * @property {string[]} [tokens] shown after the text, each one place
 * @property {import("./marks.js").Mark[]} [marks]  to begin with
 * @property {string[]} severities  the first is that of a new mark
 * @property {Record<string, string[]>|null} [categories]
 * @property {"source"} [side]   of the marks that are made
 * @property {number|null} [most]
 * @property {() => number} [countOthers]  marks elsewhere that count towards `most`
 * @property {Record<string, any>} words   the protocol's, with [spans], [severities] and [categories]
 * @property {() => number} elapsed
 * @property {(marks: import("./marks.js").Mark[]) => void} [onChange]
 * @property {(share: number|null) => void} [onPoint]  0 to 1 along the text
 */

/**
 * @typedef {Object} Markable
 * @property {HTMLElement} element
 * @property {() => import("./marks.js").Mark[]} marks
 * @property {(marks: import("./marks.js").Mark[]) => void} setMarks  nothing can be undone then
 * @property {() => boolean} isComplete  whether every mark has its category
 * @property {(prefilled: number) => void} accept   says that a prefilled mark is right, by its number
 * @property {(prefilled: number) => void} dismiss  says that it is none
 * @property {() => boolean} undo
 * @property {() => boolean} canUndo
 * @property {(share: number|null) => void} pointAt
 * @property {() => void} freeze
 * @property {() => void} focus
 * @property {() => void} destroy
 * @property {(targets: import("./marks.js").Mark[]) => string} reveal
 *   freezes the text, shows what was expected above it, and says so in words
 */

/** @param {string} text @param {MarkableOptions} options @returns {Markable} */
export function drawMarkable(text, options) {
  const { language, by, tokens = [], severities, categories = null, words, elapsed, onChange = () => {} } = options;
  const isMirrored = directionOf(text, options.direction) === "rtl";
  const pieces = drawPieces(text, { by, language, tokens });
  const { units, counted } = pieces;
  const { element, note, announce } = drawFrame(text, pieces.element, { ...options, isMirrored });
  const { most = null, countOthers } = options;
  const kept = keepMarks(options.marks ?? [], { most, countOthers, elapsed, onChange: changed });
  const label = (mark) => markLabel(words, mark, kept.all(), counted.slice);
  const say = (key, values = {}) => announce(fill(words.spans[key], values, words.language));
  const caret = startCaret(pieces, {
    isMirrored,
    strides: () => strides(text, by, language),
    stops: () => unitsWithMarks(units, kept.all()),
  });
  const half = keepHalfMark(pieces, {
    onBegin() {
      note(words.spans.first);
      say("first");
    },
    onEnd: () => note(""),
  });
  const windows = keepMarkWindows(
    element,
    { words, severities, categories, isMirrored, pieces, kept, label },
    { change, accept, remove, undo, repaint, anew: () => anew(caret.at()), back: caret.focus },
  );
  const point = reportPlace(units, counted.length, options.onPoint);
  let targets = [];
  let isFrozen = false;

  function repaint() {
    const isUnfinished = (mark) => isUnseen(mark) || !isWhole(mark, categories);
    const shown = windows.looks();
    const own = layersOf(shown, { severities, activeId: windows.openId(), isUnfinished });
    const expected = layersOf(targets, { severities, isTarget: true });
    pieces.repaint([...expected.painted, ...own.painted], own.depth, expected.depth);
    nameUnits(units, shown, words);
  }

  function changed() {
    repaint();
    windows.refresh();
    onChange(asAnswer(kept.all()));
  }

  function hasRoom() {
    if (kept.hasRoom()) return true;
    const full = fill(words.spans.most, { most }, words.language);
    note(full, { isBrief: true });
    announce(full);
    return false;
  }

  function add(place) {
    if (!hasRoom()) return;
    const side = options.side ? { side: options.side } : {};
    const mark = kept.add({ ...place, severity: severities[0], ...side });
    windows.open(mark.id);
    announce(label(mark));
  }

  function change(id, changes) {
    kept.change(id, changes);
    announce(label(kept.find(id)));
  }

  function accept(id) {
    kept.accept(id);
    say("accepted");
  }

  function remove(id) {
    const mark = kept.find(id);
    if (!mark) return;
    kept.remove(id);
    say("removed", spoken(words, mark, counted.slice));
  }

  function idOfPrefilled(prefilled) {
    return kept.all().find((mark) => mark.prefilled === prefilled)?.id;
  }

  function undo() {
    half.cancel();
    const isUndone = kept.undo();
    if (isUndone) say("undone");
    return isUndone;
  }

  /** A mark is begun or ended here, whatever is marked already. */
  function anew(index) {
    windows.close();
    const { token } = units[index];
    if (token !== undefined) {
      half.cancel();
      add({ token });
    } else if (half.isBegun()) add(half.end(index));
    else if (hasRoom()) {
      half.begin(index);
      caret.focus();
    }
  }

  /** A click: opens what is marked here, unless a mark is half made. */
  function act(index) {
    windows.close();
    const here = marksAt(kept.all(), units[index]);
    if (here.length && (!half.isBegun() || isOnToken(units[index]))) {
      half.cancel();
      windows.choose(here, units[index]);
    } else anew(index);
  }

  followTextKeys(pieces.element, caret, {
    act,
    mark: anew,
    remove: (index) => remove(marksAt(kept.all(), units[index])[0]?.id),
    undo,
    move: half.reach,
    cancel: half.cancel,
    isFrozen: () => isFrozen,
  });
  followPointing(pieces, {
    click(index) {
      caret.put(index);
      caret.focus();
      act(index);
    },
    drag: (from, to) => pieces.showPending(pieces.placeOf(from, to)),
    dragged(from, to) {
      half.cancel();
      pieces.showPending(null);
      windows.close();
      caret.put(to);
      add(pieces.placeOf(from, to));
    },
    cancel: () => pieces.showPending(null),
    point(index) {
      point(index);
      half.reach(index);
    },
    isFrozen: () => isFrozen,
  });
  pieces.element.addEventListener("focusin", ({ target }) => {
    caret.put(pieces.indexOf(target));
    point(caret.at());
  });
  pieces.element.addEventListener("focusout", () => point(-1));

  function freeze() {
    isFrozen = true;
    half.cancel();
    windows.close();
    element.classList.add("markable-frozen");
    pieces.element.setAttribute("aria-readonly", "true");
  }

  repaint();
  return {
    element,
    marks: () => asAnswer(kept.all()),
    setMarks(marks) {
      half.cancel();
      windows.close();
      kept.replace(marks);
      repaint();
    },
    isComplete: () => kept.all().every((mark) => isWhole(mark, categories)),
    accept: (prefilled) => accept(idOfPrefilled(prefilled)),
    dismiss: (prefilled) => remove(idOfPrefilled(prefilled)),
    undo,
    canUndo: kept.canUndo,
    pointAt: makePointer(units, counted.length),
    freeze,
    focus: caret.focus,
    destroy() {
      half.cancel();
      windows.close();
      point.stop();
    },
    reveal(expected) {
      freeze();
      targets = expected.map((mark, id) => ({ ...mark, id }));
      repaint();
      const lines = linesOf(words, targets, counted.slice, words.spans.target_label);
      const list = make("ul", "visually-hidden", ...lines.map((line) => make("li", "", line)));
      list.lang = words.language;
      if (lines.length) element.append(list);
      return lines.length ? lines.join("; ") : words.spans.targets_none;
    },
  };
}

/** The units at which marks begin. */
function unitsWithMarks(units, marks) {
  const begins = (unit, mark) =>
    isOnToken(mark) ? mark.token === unit.token : unit.start <= mark.start && mark.start < unit.end;
  return units.flatMap((unit, index) => (marks.some((mark) => begins(unit, mark)) ? [index] : []));
}
