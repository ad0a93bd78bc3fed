// How the page is handled while an item is open, as a few numbers: see docs/explanation/quality-control.md. Nothing is
// watched unless the campaign asks its workers' consent to it.

import { page } from "./screen.js";

// A pointer that moved less than this says nothing [our choice].
const LEAST_PATH_PX = 50;
// A pause as long as this ends a stroke [our choice].
const PAUSE_MS = 200;
// The server accepts no longer times, but a page may be left open over a weekend.
const ONE_DAY_MS = 24 * 60 * 60 * 1000;
const MOST_PASTES = 1000;

let watch;

/** @returns {{summary: () => {behaviour?: Object}, stop: () => void}}  a summary to be added to the answer */
export function watchBehaviour() {
  if (!page.entry?.consent?.behaviour) return { summary: () => ({}), stop: () => {} };
  // An item may have left the screen unanswered.
  watch?.abort();
  watch = new AbortController();
  const { signal } = watch;
  const listen = (name, listener) => document.addEventListener(name, listener, { signal, capture: true, passive: true });
  const hidden = watchHidden(listen);
  const strokes = watchStrokes(listen);
  let nPastes = 0;
  listen("paste", () => {
    nPastes += 1;
  });
  return {
    summary: () => ({
      behaviour: {
        hidden_ms: Math.min(Math.round(hidden()), ONE_DAY_MS),
        n_pastes: Math.min(nPastes, MOST_PASTES),
        straightness: strokes(),
        is_automated: navigator.webdriver === true,
      },
    }),
    stop: () => watch.abort(),
  };
}

// Milliseconds during which the tab was not to be seen.
function watchHidden(listen) {
  let counted = 0;
  let since = document.hidden ? performance.now() : null;
  const running = () => (since === null ? 0 : performance.now() - since);
  listen("visibilitychange", () => {
    counted += running();
    since = document.hidden ? performance.now() : null;
  });
  return () => counted + running();
}

// A stroke is movement without a pause. Its straightness is the distance between its ends over its length; that of all
// strokes together is the sum of distances over the sum of lengths, so that long strokes count for more.
function watchStrokes(listen) {
  let length = 0;
  let distance = 0;
  let stroke = null;
  const finish = () => {
    if (stroke) distance += Math.hypot(stroke.x - stroke.startX, stroke.y - stroke.startY);
    stroke = null;
  };
  listen("pointermove", ({ pointerType, clientX: x, clientY: y, timeStamp: time }) => {
    // A finger is on the screen only while it presses: its path is that of the answer.
    if (pointerType === "touch") return;
    if (stroke && time - stroke.time > PAUSE_MS) finish();
    if (stroke) length += Math.hypot(x - stroke.x, y - stroke.y);
    stroke = { startX: x, startY: y, ...stroke, x, y, time };
  });
  return () => {
    finish();
    return length < LEAST_PATH_PX ? null : Math.min(Math.round((1000 * distance) / length) / 1000, 1);
  };
}
