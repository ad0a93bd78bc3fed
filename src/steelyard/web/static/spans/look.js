// How marks look: a tint over the text and a line below it, one below the other where marks overlap. The pattern of the
// line tells how serious an error is, its colour only repeats that. Patterns and colours are in spans.css.

import { isOnToken, levelsOf } from "./marks.js";

// Between the lines of two marks, in pixels.
const STEP = 4;
// More lines below each other than this would run into the next line of text; the others share the last one.
const MOST_LEVELS = 4;
// Patterns in spans.css; severities beyond look like the last one.
const N_LOOKS = 4;

/** @typedef {{rank: number, level: number, isTarget: boolean, isHatched: boolean, isActive: boolean}} Layer */
/** @typedef {{start?: number, end?: number, token?: string, layer: Layer}} Painted  a mark, or what was expected */

/**
 * Each mark with what is painted for it.
 * @param {import("./marks.js").KeptMark[]} marks
 * @param {{severities: string[], activeId?: number|null, isTarget?: boolean,
 *   isUnfinished?: (mark: import("./marks.js").KeptMark) => boolean}} look  unfinished: something is still to be said
 * @returns {{painted: Painted[], depth: number}} `depth`: how many lines there are below each other
 */
export function layersOf(marks, { severities, activeId = null, isTarget = false, isUnfinished = () => false }) {
  const levels = levelsOf(marks);
  const onTokens = new Map();
  const painted = marks.map((mark) => {
    const nth = onTokens.get(mark.token) ?? 0;
    if (isOnToken(mark)) onTokens.set(mark.token, nth + 1);
    return {
      ...mark,
      layer: {
        rank: rankOf(mark.severity, severities),
        level: Math.min(levels.get(mark.id) ?? nth, MOST_LEVELS - 1),
        isTarget,
        isHatched: isUnfinished(mark),
        isActive: mark.id === activeId,
      },
    };
  });
  return { painted, depth: Math.max(0, ...painted.map(({ layer }) => layer.level + 1)) };
}

/** Which pattern and colour a severity has. */
export function rankOf(severity, severities) {
  return Math.min(Math.max(severities.indexOf(severity), 0), N_LOOKS - 1);
}

/**
 * A place cut wherever a mark begins or ends within it.
 * @param {import("./offsets.js").Place} place
 * @param {Painted[]} painted
 * @returns {{start: number, end: number, layers: Layer[]}[]}
 */
export function fragmentsOf({ start, end }, painted) {
  const here = painted.filter((mark) => !isOnToken(mark) && mark.start < end && start < mark.end);
  const edges = here.flatMap((mark) => [mark.start, mark.end]).filter((at) => start < at && at < end);
  const cuts = [...new Set([start, ...edges, end])].sort((one, other) => one - other);
  return cuts.slice(1).map((to, at) => ({
    start: cuts[at],
    end: to,
    layers: here.filter((mark) => mark.start < to && cuts[at] < mark.end).map(({ layer }) => layer),
  }));
}

/** How far lines reach below and above the text, for the style sheet. @param {HTMLElement} element */
export function setDepth(element, below, above = 0) {
  element.style.setProperty("--mark-below", `${below * STEP}px`);
  element.style.setProperty("--mark-above", `${above * STEP}px`);
}

/** @param {HTMLElement} element @param {Layer[]} layers */
export function paint(element, layers) {
  const stack = [...layers.map(lineOf), ...layers.filter(({ isTarget }) => !isTarget).flatMap(tintsOf)];
  element.classList.toggle("mark-painted", layers.length > 0);
  element.style.backgroundImage = stack.map(({ image }) => image).join(", ");
  element.style.backgroundPosition = stack.map(({ position }) => position).join(", ");
  element.style.backgroundSize = stack.map(({ size }) => size).join(", ");
}

function lineOf({ rank, level, isTarget }) {
  const size = "100% 3px";
  if (isTarget) return { image: `var(--target-line-${rank})`, position: `0 ${level * STEP}px`, size };
  return { image: `var(--mark-line-${rank})`, position: `0 calc(100% - ${belowLine(level)})`, size };
}

function tintsOf({ rank, level, isHatched, isActive }) {
  const kind = isHatched ? "hatch" : "tint";
  const tint = {
    image: `var(--mark-${kind}-${rank})`,
    position: "0 var(--mark-above)",
    size: `100% calc(100% - var(--mark-above) - ${belowLine(level)})`,
  };
  return isActive ? [tint, tint] : [tint];
}

// From the line of this level down to the lowest one.
function belowLine(level) {
  return `(var(--mark-below) - ${(level + 1) * STEP}px)`;
}
