// What is open beside the marks of a text: the editor of one of them with handles at its ends, or a choice among some.

import { drawHandles } from "./handles.js";
import { drawMarkEditor } from "./mark_editor.js";
import { drawMarkList } from "./mark_list.js";
import { isOnToken, moved } from "./marks.js";
import { nearest } from "./pointing.js";
import { keepSideWindow } from "./side_window.js";

/**
 * @param {HTMLElement} root
 * @param {Object} options  those of the text, and
 * @param {ReturnType<typeof import("./text_pieces.js").drawPieces>} options.pieces
 * @param {ReturnType<typeof import("./marks.js").keepMarks>} options.kept
 * @param {(mark: import("./marks.js").KeptMark) => string} options.label
 * @param {Object} on
 * @param {(id: number, changes: Object) => void} on.change
 * @param {(id: number) => void} on.accept
 * @param {(id: number) => void} on.remove
 * @param {() => void} on.anew
 * @param {() => void} on.undo
 * @param {() => void} on.repaint  another mark is open, or its ends are being dragged
 * @param {() => void} on.back  a window was closed by a key or its button
 */
export function keepMarkWindows(root, { words, severities, categories, isMirrored, pieces, kept, label }, on) {
  let opened = null;
  // The ends of the mark that is open, while they are dragged.
  let dragged = null;
  let editor = null;
  const side = keepSideWindow(root, close);
  const handles = drawHandles({ move: drag, done: keepEnds, cancel: () => setEnds(null) });
  const boxesOf = () => pieces.boxesOf({ ...kept.find(opened), ...dragged });

  function close() {
    side.close();
    handles.element.remove();
    if (opened === null) return;
    opened = null;
    dragged = null;
    on.repaint();
  }

  function closeByHand() {
    close();
    on.back();
  }

  function open(id) {
    editor ??= drawMarkEditor({ words, severities, categories, isMirrored }, actions);
    opened = id;
    root.append(handles.element);
    on.repaint();
    refresh();
    side.open(editor, boxesOf);
  }

  /** After the marks have changed. */
  function refresh() {
    const mark = kept.find(opened);
    if (opened !== null && !mark) closeByHand();
    if (!mark) return;
    editor.show(mark, label(mark));
    handles.element.hidden = isOnToken(mark);
    handles.place(boxesOf(), isMirrored);
    side.place();
  }

  function setEnds(ends) {
    dragged = ends;
    on.repaint();
    refresh();
  }

  function drag(which, x, y) {
    const unit = pieces.units[nearest(pieces.units, x, y)];
    const mark = kept.find(opened);
    if (!mark || unit?.start === undefined) return;
    const ends = { start: mark.start, end: mark.end, [which]: unit[which] };
    if (ends.start < ends.end) setEnds(ends);
  }

  function keepEnds() {
    const ends = dragged;
    dragged = null;
    if (ends) on.change(opened, ends);
  }

  const actions = {
    change: (changes) => on.change(opened, changes),
    canMove: (which, step) => moved(kept.find(opened), pieces.places, which, step) !== null,
    move(which, step) {
      const after = moved(kept.find(opened), pieces.places, which, step);
      if (after) on.change(opened, after);
    },
    accept() {
      on.accept(opened);
      closeByHand();
    },
    remove: () => on.remove(opened),
    anew: on.anew,
    undo: on.undo,
    close: closeByHand,
  };

  return {
    open,
    /** @param {import("./marks.js").KeptMark[]} marks  that lie at a unit */
    choose(marks, unit) {
      if (marks.length === 1) return open(marks[0].id);
      const entries = marks.map((mark) => ({ label: label(mark), onChoose: () => open(mark.id) }));
      const list = drawMarkList(words, entries, { anew: on.anew, close: closeByHand });
      return side.open(list, () => pieces.boxesOf(unit));
    },
    close,
    refresh,
    openId: () => opened,
    /** The marks as they look now. */
    looks: () => kept.all().map((mark) => (mark.id === opened ? { ...mark, ...dragged } : mark)),
  };
}
