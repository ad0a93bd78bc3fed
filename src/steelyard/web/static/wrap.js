// Breaks a text into lines for a canvas, which cannot do it by itself.

// Written without spaces between words, so that a line may end after any word.
const UNSPACED = ["Han", "Hiragana", "Katakana", "Thai", "Lao", "Khmer", "Myanmar"]
  .map((script) => `\\p{Script=${script}}`)
  .join("");
const STARTS_UNSPACED = new RegExp(`^[${UNSPACED}\u30fc]`, "u");
const ENDS_UNSPACED = new RegExp(`[${UNSPACED}\u30fc]$`, "u");
// After these a line may end although no space follows: hyphens and dashes, and the closing
// punctuation of East Asian scripts.
const ENDS_PIECE = /[\p{Pd}\u3001\u3002\uff01\uff0c\uff0e\uff1a\uff1b\uff1f\u3009\u300b\u300d\u300f\u3011\uff09]$/u;
// No line begins with one of these, whatever precedes it.
const STAYS_WITH_PREVIOUS = /^[\p{P}\p{M}\u3005\u30fc\u3041\u3043\u3045\u3047\u3049\u3063\u3083\u3085\u3087]/u;
const OPENS = /^[\p{Ps}\p{Pi}]/u;

/**
 * The lines of a text, none wider than `width` as `measure` sees it, spaces at their ends removed.
 * A word too long for a line is broken between characters.
 * @param {string} text
 * @param {number} width
 * @param {{measure: (line: string) => number, language: string}} options
 * @returns {string[]}
 */
export function wrap(text, width, { measure, language }) {
  const lines = [];
  let line = "";
  for (const piece of pieces(text.replace(/[ \t\r\n\f]+/g, " ").trim(), language)) {
    if (measure((line + piece).trimEnd()) <= width) {
      line += piece;
      continue;
    }
    if (line) lines.push(line.trimEnd());
    line = piece;
    while (measure(line.trimEnd()) > width) {
      const head = fitting(line, width, { measure, language });
      lines.push(head);
      line = line.slice(head.length);
    }
  }
  if (line) lines.push(line.trimEnd());
  return lines;
}

/** The text cut wherever a line may end; a piece keeps the space that follows it. */
function pieces(text, language) {
  const found = [];
  let piece = "";
  for (const { segment } of new Intl.Segmenter(language, { granularity: "word" }).segment(text)) {
    if (piece && mayBreak(piece, segment)) {
      found.push(piece);
      piece = "";
    }
    piece += segment;
  }
  if (piece) found.push(piece);
  return found;
}

function mayBreak(before, after) {
  if (after === " ") return false;
  if (before.endsWith(" ")) return true;
  if (STAYS_WITH_PREVIOUS.test(after) && !OPENS.test(after)) return false;
  if (ENDS_PIECE.test(before)) return true;
  return (ENDS_UNSPACED.test(before) || STARTS_UNSPACED.test(after)) && !opensAtEnd(before);
}

function opensAtEnd(text) {
  return OPENS.test(text.at(-1) ?? "");
}

/** As much of the beginning of a long word as fits, and at least one character. */
function fitting(word, width, { measure, language }) {
  let head = "";
  for (const { segment } of new Intl.Segmenter(language, { granularity: "grapheme" }).segment(word)) {
    if (head && measure(head + segment) > width) break;
    head += segment;
  }
  return head;
}
