// A text drawn on a canvas: readable, but neither selectable nor in the page.

import { wrap } from "./wrap.js";

/**
 * @param {string} text
 * @param {{label: string, language: string, direction: "ltr"|"rtl"}} options
 *   `label` is all that a screen reader gets
 * @returns {{element: HTMLElement, destroy: () => void}}
 */
export function drawTextImage(text, { label, language, direction }) {
  const canvas = document.createElement("canvas");
  canvas.className = "text-image";
  canvas.lang = language;
  canvas.setAttribute("role", "img");
  canvas.setAttribute("aria-label", label);
  canvas.draggable = false;
  for (const name of ["contextmenu", "dragstart"]) {
    canvas.addEventListener(name, (event) => event.preventDefault());
  }
  // The canvas takes its width from this, and this its height from the canvas.
  const element = document.createElement("div");
  element.append(canvas);

  const redraw = () => {
    if (element.clientWidth > 0) draw(canvas, text, { width: element.clientWidth, language, direction });
  };
  const observer = new ResizeObserver(redraw);
  observer.observe(element);
  // Another screen may have other pixels while the width stays the same.
  window.addEventListener("resize", redraw);
  // Light and dark sheets have other inks.
  const scheme = matchMedia("(prefers-color-scheme: dark)");
  scheme.addEventListener("change", redraw);
  return {
    element,
    destroy() {
      observer.disconnect();
      window.removeEventListener("resize", redraw);
      scheme.removeEventListener("change", redraw);
    },
  };
}

function draw(canvas, text, { width, language, direction }) {
  const style = getComputedStyle(canvas);
  const lineHeight = parseFloat(style.lineHeight);
  const ink = canvas.getContext("2d");
  const setUp = () => {
    ink.font = `${style.fontStyle} ${style.fontWeight} ${style.fontSize} ${style.fontFamily}`;
    ink.direction = direction;
    ink.textAlign = "start";
    ink.fillStyle = style.color;
  };
  setUp();
  const lines = wrap(text, width, { measure: (line) => ink.measureText(line).width, language });
  const height = Math.max(lines.length, 1) * lineHeight;
  const pixels = window.devicePixelRatio || 1;
  canvas.width = Math.round(width * pixels);
  canvas.height = Math.round(height * pixels);
  canvas.style.height = `${height}px`;
  // A new size has cleared the canvas and everything set up on it.
  setUp();
  ink.scale(pixels, pixels);
  const { fontBoundingBoxAscent: ascent, fontBoundingBoxDescent: descent } = ink.measureText("");
  const baseline = (lineHeight + ascent - descent) / 2;
  lines.forEach((line, number) => {
    ink.fillText(line, direction === "rtl" ? width : 0, number * lineHeight + baseline);
  });
}
