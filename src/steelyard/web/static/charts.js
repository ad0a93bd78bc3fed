// The dashboard's two drawings, as inline SVG. Shapes get classes; colours are in dashboard.css.

const NAMESPACE = "http://www.w3.org/2000/svg";

function draw(tag, attributes, ...children) {
  const element = document.createElementNS(NAMESPACE, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, String(value));
  element.append(...children);
  return element;
}

/**
 * How the number of judgements grew. Drawn in a box of 600 by 120 that stretches with the page.
 * @param {[string, number][]} history  time (ISO 8601) and the number of judgements by then
 * @param {string} label  what the picture shows, for screen readers
 */
export function historyLine(history, label) {
  const width = 600;
  const height = 120;
  const times = history.map(([time]) => Date.parse(time));
  const counts = history.map(([, count]) => count);
  const start = times[0];
  const span = Math.max(times[times.length - 1] - start, 1);
  const top = Math.max(...counts, 1);
  const points = times.map((time, index) => [(width * (time - start)) / span, height - (height * counts[index]) / top]);
  const path = points.map(([x, y], index) => `${index ? "L" : "M"}${x.toFixed(1)} ${y.toFixed(1)}`).join("");
  return draw(
    "svg",
    { viewBox: `0 -4 ${width} ${height + 8}`, preserveAspectRatio: "none", role: "img", "aria-label": label },
    draw("path", { class: "history-area", d: `${path}L${width} ${height}L0 ${height}Z` }),
    draw("path", { class: "history-line", d: path, "vector-effect": "non-scaling-stroke" }),
  );
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
