// A text in which errors can be marked, with mouse, touch or the keyboard alone.

import { directionOf } from "../direction.js";
import { fill, make } from "../dom.js";
import { startCaret } from "./caret.js";
import { drawHandles } from "./handles.js";
import { layersOf } from "./look.js";
import { drawMarkEditor } from "./mark_editor.js";
import { drawMarkList } from "./mark_list.js";
import { linesOf, markLabel, spoken } from "./mark_words.js";
import { drawFrame, makePointer, nameUnits, reportPlace } from "./markable_frame.js";
import { asAnswer, isOnToken, isUnseen, isWhole, keepMarks, marksAt, moved } from "./marks.js";
import { strides } from "./offsets.js";
import { followPointing, nearest } from "./pointing.js";
import { keepSideWindow } from "./side_window.js";
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
 * @property {() => number} nUnseen      prefilled marks that nobody has accepted, changed or removed
 * @property {(prefilled: number) => void} accept   says that a prefilled mark is right, by its number
 * @property {(prefilled: number) => void} dismiss  says that it is none
 * @property {() => boolean} undo
 * @property {() => boolean} canUndo
 * @property {(share: number|null) => void} pointAt
 * @property {() => void} freeze
 * @property {() => void} focus
 * @property {() => void} destroy
 * @property {(targets: import("./marks.js").Mark[]) => string} reveal
 */

/** @param {string} text @param {MarkableOptions} options @returns {Markable} */
export function drawMarkable(text, options) {
  const { language, by, tokens = [], severities, categories = null, words, onChange = () => {} } = options;
  const said = words.spans;
  const isMirrored = directionOf(text, options.direction) === "rtl";
  const pieces = drawPieces(text, { by, language, tokens });
  const { units, places, counted } = pieces;
  const kept = keepMarks(options.marks ?? [], { ...options, onChange: changed });
  const { element, note, announce } = drawFrame(text, pieces.element, { ...options, isMirrored });
  const caret = startCaret(pieces, { isMirrored, strides: () => strides(text, by, language), stops: markedUnits });
  const windows = keepSideWindow(element, () => close());
  const handles = drawHandles({ move: previewEnd, done: keepPreview, cancel: dropPreview });
  const pointed = reportPlace(units, counted.length, options.onPoint);

  let anchor = null;
  let opened = null;
  let preview = null;
  let targets = [];
  let isFrozen = false;
  let editor = null;

  const label = (mark) => markLabel(words, mark, kept.all(), counted.slice);
  const boxesOf = (id) => () => pieces.boxesOf(preview ?? kept.find(id));

  // ---- what is shown

  function refresh() {
    const shown = kept.all().map((mark) => (mark.id === opened && preview ? { ...mark, ...preview } : mark));
    const own = layersOf(shown, { severities, categories, activeId: opened });
    const expected = layersOf(targets, { severities, isTarget: true });
    pieces.repaint([...expected.painted, ...own.painted], own.depth, expected.depth);
    nameUnits(units, shown, words);
    const mark = opened === null ? null : kept.find(opened);
    if (mark) showEditor(mark);
    else if (opened !== null) close({ toText: true });
  }

  function changed() {
    refresh();
    onChange(asAnswer(kept.all()));
  }

  function showEditor(mark) {
    editor.show(mark, label(mark));
    handles.element.hidden = isOnToken(mark);
    handles.place(pieces.boxesOf(preview ?? mark), isMirrored);
    windows.replace();
  }

  function showPending(from, to = from) {
    const [first, last] = from === null ? [1, 0] : [Math.min(from, to), Math.max(from, to)];
    const range = { start: units[first]?.start ?? 1, end: from === null ? 0 : units[last].end };
    pieces.showPending(range);
  }

  // ---- what is done

  function begin(index) {
    if (!hasRoom()) return;
    anchor = index;
    showPending(index);
    note(said.first);
    announce(said.first);
    document.addEventListener("click", cancelOutside, true);
  }

  function cancel() {
    if (anchor === null) return false;
    anchor = null;
    showPending(null);
    note("");
    document.removeEventListener("click", cancelOutside, true);
    return true;
  }

  function cancelOutside({ target }) {
    if (!pieces.element.contains(target)) cancel();
  }

  function hasRoom() {
    if (kept.hasRoom()) return true;
    const text = fill(said.most, { most: options.most }, words.language);
    note(text);
    announce(text);
    return false;
  }

  function add(place) {
    cancel();
    if (!hasRoom()) return;
    const side = options.side ? { side: options.side } : {};
    const { id } = kept.add({ ...place, severity: severities[0], ...side });
    open(id);
    announce(label(kept.find(id)));
  }

  function finish(from, to) {
    const [first, last] = [Math.min(from, to), Math.max(from, to)];
    add({ start: units[first].start, end: units[last].end });
  }

  /** A click on a unit, or Enter. */
  function act(index) {
    close();
    caret.put(index);
    const here = marksAt(kept.all(), units[index]);
    if (units[index].token !== undefined) {
      cancel();
      if (here.length) choose(here, index);
      else anew(index);
    } else if (anchor !== null) finish(anchor, index);
    else if (here.length) choose(here, index);
    else begin(index);
  }

  function anew(index) {
    close();
    if (units[index].token === undefined) {
      begin(index);
      caret.focus();
    } else add({ token: units[index].token });
  }

  function choose(marks, index) {
    if (marks.length === 1) {
      open(marks[0].id);
      return;
    }
    const entries = marks.map((mark) => ({ label: label(mark), onChoose: () => open(mark.id) }));
    const list = drawMarkList(words, entries, { anew: () => anew(index), close: () => close({ toText: true }) });
    windows.open(list, () => pieces.boxesOf(units[index]));
  }

  function open(id) {
    editor ??= drawMarkEditor({ words, severities, categories, isMirrored }, actions);
    opened = id;
    element.append(handles.element);
    refresh();
    windows.open(editor, boxesOf(id));
  }

  function close({ toText = false } = {}) {
    opened = null;
    preview = null;
    windows.close();
    handles.element.remove();
    note("");
    refresh();
    if (toText) caret.focus();
  }

  function remove(id) {
    const mark = kept.find(id);
    if (!mark) return;
    const gone = fill(said.removed, spoken(words, mark, counted.slice), words.language);
    kept.remove(id);
    announce(gone);
  }

  function idOfPrefilled(prefilled) {
    return kept.all().find((mark) => mark.prefilled === prefilled)?.id;
  }

  function undo() {
    cancel();
    if (!kept.undo()) return false;
    announce(said.undone);
    return true;
  }

  const actions = {
    change(changes) {
      kept.change(opened, changes);
      announce(label(kept.find(opened)));
    },
    canMove: (side, step) => moved(kept.find(opened), places, side, step) !== null,
    move(side, step) {
      const after = moved(kept.find(opened), places, side, step);
      if (after) actions.change(after);
    },
    accept() {
      kept.accept(opened);
      announce(said.accepted);
      close({ toText: true });
    },
    remove: () => remove(opened),
    anew: () => anew(caret.at()),
    undo,
    close: () => close({ toText: true }),
  };

  // ---- the ends of a mark, dragged

  function previewEnd(side, x, y) {
    const index = nearest(units, x, y);
    const mark = kept.find(opened);
    if (index < 0 || units[index].token !== undefined || !mark) return;
    const ends = { start: mark.start, end: mark.end, ...preview, [side]: units[index][side] };
    if (ends.start >= ends.end) return;
    preview = ends;
    refresh();
  }

  function keepPreview() {
    const ends = preview;
    preview = null;
    if (ends) actions.change(ends);
  }

  function dropPreview() {
    preview = null;
    refresh();
  }

  // ---- keys

  function markedUnits() {
    return units.flatMap((unit, index) => {
      const begins = kept.all().some((mark) => (isOnToken(mark) ? mark.token === unit.token : mark.start >= unit.start && mark.start < unit.end));
      return begins ? [index] : [];
    });
  }

  const keys = {
    Enter: () => act(caret.at()),
    " ": () => (anchor === null ? anew(caret.at()) : act(caret.at())),
    Delete: () => remove(marksAt(kept.all(), units[caret.at()])[0]?.id),
    Backspace: () => keys.Delete(),
    Escape: () => cancel(),
    u: () => undo(),
  };

  function isKeyOfText(event) {
    const isWithControl = event.ctrlKey || event.metaKey;
    const index = caret.indexAfter(event);
    if (index !== undefined) {
      caret.put(index);
      caret.focus();
      units[caret.at()].element.scrollIntoView({ block: "nearest" });
      if (anchor !== null && !isOnToken(units[caret.at()])) showPending(anchor, caret.at());
      return true;
    }
    if (isWithControl) return event.key.toLowerCase() === "z" && !event.shiftKey && (undo(), true);
    if (event.altKey || !Object.hasOwn(keys, event.key)) return false;
    if (event.key === "Escape") return cancel();
    if (!event.repeat) keys[event.key]();
    return true;
  }

  pieces.element.addEventListener("keydown", (event) => {
    if (isFrozen || event.isComposing || pieces.indexOf(event.target) < 0) return;
    if (!isKeyOfText(event)) return;
    event.preventDefault();
    event.stopPropagation();
  });
  pieces.element.addEventListener("focusin", ({ target }) => {
    const index = pieces.indexOf(target);
    if (index >= 0 && index !== caret.at()) caret.put(index);
    pointed(index);
  });
  pieces.element.addEventListener("focusout", () => pointed(-1));
  followPointing(pieces, {
    click(index) {
      if (isFrozen) return;
      caret.put(index);
      if (!windows.hasFocus()) caret.focus();
      act(index);
    },
    drag: (from, to) => !isFrozen && showPending(from, to),
    dragged(from, to) {
      if (isFrozen) return;
      close();
      caret.put(to);
      finish(from, to);
    },
    cancel: () => showPending(anchor),
    point(index) {
      pointed(index);
      if (anchor !== null && index >= 0 && units[index].token === undefined) showPending(anchor, index);
    },
  });

  function freeze() {
    isFrozen = true;
    cancel();
    close();
    element.classList.add("markable-frozen");
    pieces.element.setAttribute("aria-readonly", "true");
  }

  refresh();
  return {
    element,
    marks: () => asAnswer(kept.all()),
    setMarks(marks) {
      cancel();
      kept.replace(marks);
      close();
    },
    isComplete: () => kept.all().every((mark) => isWhole(mark, categories)),
    nUnseen: () => kept.all().filter(isUnseen).length,
    accept: (prefilled) => kept.accept(idOfPrefilled(prefilled)),
    dismiss: (prefilled) => remove(idOfPrefilled(prefilled)),
    undo,
    canUndo: kept.canUndo,
    pointAt: makePointer(units, counted.length),
    freeze,
    focus: caret.focus,
    destroy() {
      cancel();
      windows.close();
      pointed(-1);
    },
    reveal(expected) {
      freeze();
      targets = expected.map((mark, id) => ({ ...mark, id }));
      refresh();
      const lines = linesOf(words, targets, counted.slice, said.target_label);
      const list = make("ul", "visually-hidden", ...lines.map((line) => make("li", "", line)));
      list.lang = words.language;
      element.append(list);
      return lines.length ? lines.join("; ") : said.targets_none;
    },
  };
}
