// Places in a text: browsers count UTF-16 units, everybody else Unicode code points. Every offset outside this module
// is in code points, half open.

/** @typedef {{start: number, end: number}} Place  in code points, half open */

// What nobody marks by itself: spaces, line ends, and marks that only steer how others are written.
const BLANK = /^[\s\p{Cc}\p{Cf}]+$/u;
// Within a word, as in "well-known" and "l’eau"; the browser's rules know some of these and not the others.
const JOINER = /^[-\u2010\u2011'\u2019\u02bc]$/u;
// What is written onto the character before it; the browser's rules leave some of these alone, as in Burmese.
const ATTACHED = /^\p{M}/u;

/**
 * Converts between the two counts for one text.
 * @param {string} text
 * @returns {{length: number, toCodePoints: (at: number) => number, toUtf16: (at: number) => number,
 *   slice: (start: number, end?: number) => string}}
 */
export function countCodePoints(text) {
  const starts = [];
  for (let at = 0; at < text.length; at += text.codePointAt(at) > 0xffff ? 2 : 1) starts.push(at);
  const { length } = starts;
  const isPlain = length === text.length;
  starts.push(text.length);
  const toUtf16 = (at) => starts[Math.min(Math.max(at, 0), length)];
  return {
    length,
    toUtf16,
    toCodePoints: (at) => (isPlain ? at : firstNotBelow(starts, at)),
    slice: (start, end = length) => text.slice(toUtf16(start), toUtf16(end)),
  };
}

/**
 * What can be marked as one, in order: words, or characters as people see them where `by` says so. Spaces between them
 * belong to none. Punctuation is apart from its word, but hyphens and apostrophes within a word are not.
 * @param {string} text
 * @param {"word"|"character"} by
 * @param {string} language  a BCP 47 code
 * @returns {Place[]}
 */
export function units(text, by, language) {
  const counted = countCodePoints(text);
  const found = by === "character" ? joinMarks(cut(text, "grapheme", language)) : joinWords(cut(text, "word", language));
  return found
    .filter(({ segment }) => !BLANK.test(segment))
    .map(({ segment, index }) => ({
      start: counted.toCodePoints(index),
      end: counted.toCodePoints(index + segment.length),
    }));
}

/**
 * Where the larger parts of a text begin, for moving through it in strides: sentences where units are words, words
 * where they are characters.
 * @returns {number[]} in code points
 */
export function strides(text, by, language) {
  const counted = countCodePoints(text);
  return cut(text, by === "character" ? "word" : "sentence", language)
    .filter(({ segment }) => !BLANK.test(segment))
    .map(({ index }) => counted.toCodePoints(index));
}

function cut(text, granularity, language) {
  return [...segmenter(granularity, language).segment(text)];
}

function segmenter(granularity, language) {
  try {
    return new Intl.Segmenter(language, { granularity });
  } catch {
    // Not a code that browsers know.
    return new Intl.Segmenter(undefined, { granularity });
  }
}

function joinMarks(pieces) {
  const joined = [];
  for (const { segment, index } of pieces) {
    if (joined.length && ATTACHED.test(segment)) joined.at(-1).segment += segment;
    else joined.push({ segment, index });
  }
  return joined;
}

function joinWords(pieces) {
  const joined = [];
  pieces.forEach((piece, at) => {
    const last = joined.at(-1);
    const next = pieces[at + 1];
    if (last?.isWordLike && next?.isWordLike && JOINER.test(piece.segment)) {
      last.segment += piece.segment;
      last.isOpen = true;
    } else if (last?.isOpen || (last && isRepeated(last.segment, piece.segment))) {
      last.segment += piece.segment;
      last.isOpen = false;
    } else {
      joined.push({ ...piece });
    }
  });
  return joined.map(withoutSpaces);
}

// The narrow space of French and of numbers counts as a part of the word that it stands beside.
function withoutSpaces({ segment, index }) {
  const text = segment.trimStart();
  return text ? { segment: text.trimEnd(), index: index + segment.length - text.length } : { segment, index };
}

// Dots in a row, exclamation marks, dashes: one thing.
function isRepeated(before, piece) {
  return /^\p{P}$/u.test(piece) && before.split(piece).join("") === "";
}

function firstNotBelow(sorted, wanted) {
  let low = 0;
  let high = sorted.length - 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (sorted[middle] < wanted) low = middle + 1;
    else high = middle;
  }
  return low;
}
