// The dashboard's drawings, as inline SVG. Shapes get classes; colours are in dashboard.css.

import { make } from "./dom.js";

const NAMESPACE = "http://www.w3.org/2000/svg";
const WIDTH = 600;
const HEIGHT = 160;

function draw(tag, attributes, ...children) {
  const element = document.createElementNS(NAMESPACE, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, String(value));
  element.append(...children);
  return element;
}

/**
 * @typedef {Object} Line
 * @property {string} name  what the legend says
 * @property {[number, number][]} points  x and y
 * @property {string} className  "line-main" or "line-plan"; lines differ in stroke as well as in colour
 * @property {boolean} [isFilled]
 * @property {boolean} [hasDots]  whether each point is marked
 */

/**
 * Lines over common axes, stretched to the width of the page; ticks are text beside the drawing.
 * @param {Object} chart
 * @param {string} chart.label  what the picture shows, for screen readers
 * @param {Line[]} chart.lines
 * @param {[number, string][]} chart.across  ticks along the bottom: first, last and any between
 * @param {[number, string][]} chart.up  ticks along the side, from the bottom
 */
export function lineChart({ label, lines, across, up }) {
  const [left, right] = [across[0][0], across[across.length - 1][0]];
  const [low, high] = [up[0][0], up[up.length - 1][0]];
  const x = (value) => (WIDTH * (value - left)) / (right - left || 1);
  const y = (value) => HEIGHT - (HEIGHT * (value - low)) / (high - low || 1);
  const shapes = up.map(([value]) => draw("path", { class: "grid-line", d: `M0 ${y(value)}H${WIDTH}`, "vector-effect": "non-scaling-stroke" }));
  for (const { points, className, isFilled, hasDots } of lines) {
    if (!points.length) continue;
    const path = points.map(([a, b], index) => `${index ? "L" : "M"}${x(a).toFixed(1)} ${y(b).toFixed(1)}`).join("");
    const [first, last] = [points[0][0], points[points.length - 1][0]];
    if (isFilled) shapes.push(draw("path", { class: "line-area", d: `${path}L${x(last)} ${HEIGHT}L${x(first)} ${HEIGHT}Z` }));
    shapes.push(draw("path", { class: className, d: path, "vector-effect": "non-scaling-stroke" }));
    // A line without length, whose round ends stay round however the drawing is stretched.
    const dots = points.map(([a, b]) => `M${x(a).toFixed(1)} ${y(b).toFixed(1)}h0`).join("");
    if (hasDots) shapes.push(draw("path", { class: "line-dots", d: dots, "vector-effect": "non-scaling-stroke" }));
  }
  const picture = draw("svg", { viewBox: `0 -3 ${WIDTH} ${HEIGHT + 6}`, preserveAspectRatio: "none", role: "img", "aria-label": label }, ...shapes);
  const side = make("div", "ticks-up", ...[...up].reverse().map(([, words]) => make("span", "", words)));
  const bottom = make("div", "ticks-across", ...across.map(([, words]) => make("span", "", words)));
  side.setAttribute("aria-hidden", "true");
  bottom.setAttribute("aria-hidden", "true");
  const legend = lines.length > 1 ? make("figcaption", "legend", ...lines.map(legendEntry)) : null;
  return make("figure", "chart", legend, side, picture, bottom);
}

function legendEntry({ name, className }) {
  const sample = draw("svg", { viewBox: "0 0 28 8", width: 28, height: 8, "aria-hidden": "true" }, draw("path", { class: className, d: "M0 4H28" }));
  return make("span", "", sample, name);
}

/** Round numbers from 0 to at least `most`, at most five. @param {number} most */
export function roundTicks(most) {
  if (!(most > 0)) return [0, 1];
  const rough = most / 4;
  const unit = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 2.5, 5, 10].map((factor) => factor * unit).find((candidate) => candidate >= rough * 0.999) ?? 10 * unit;
  return Array.from({ length: Math.ceil(most / step - 1e-9) + 1 }, (_, index) => index * step);
}

/**
 * How often each value was given: bars over a common base, each with its count in words for whoever cannot see it.
 * @param {{from: number, to: number, count: number}[]} bins
 * @param {string} label
 */
export function histogram(bins, label) {
  const most = Math.max(...bins.map(({ count }) => count), 1);
  const width = WIDTH / bins.length;
  const shapes = bins.map(({ count }, index) => {
    const height = (HEIGHT * count) / most;
    return draw("rect", { class: "histogram-bar", x: index * width + 1, y: HEIGHT - height, width: Math.max(width - 2, 1), height });
  });
  const picture = draw("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: "none", role: "img", "aria-label": label }, ...shapes);
  const ends = make("div", "ticks-across", make("span", "", String(bins[0].from)), make("span", "", String(bins[bins.length - 1].to)));
  ends.setAttribute("aria-hidden", "true");
  return make("figure", "chart plain", picture, ends);
}

/**
 * A function that draws one system's score with its interval, all on the scale of `systems`.
 * @param {{score: number|null, lower: number|null, upper: number|null}[]} systems
 */
export function intervalBars(systems) {
  const ends = systems.flatMap(({ score, lower, upper }) => [score, lower, upper]).filter(Number.isFinite);
  const lowest = Math.min(...ends);
  const span = Math.max(...ends) - lowest || 1;
  // A little room at both sides, so that dots and caps are not cut.
  const at = (value) => `${(4 + (92 * (value - lowest)) / span).toFixed(2)}%`;
  return ({ score, lower, upper }) => {
    const shapes = [draw("line", { class: "bar-base", x1: "0", x2: "100%", y1: "50%", y2: "50%" })];
    if (Number.isFinite(lower) && Number.isFinite(upper)) {
      shapes.push(draw("line", { class: "bar-interval", x1: at(lower), x2: at(upper), y1: "50%", y2: "50%" }));
    }
    if (Number.isFinite(score)) shapes.push(draw("circle", { class: "bar-score", cx: at(score), cy: "50%", r: 5 }));
    return draw("svg", { class: "bar", "aria-hidden": "true" }, ...shapes);
  };
}
