// How long something was actually visible to the worker.

/** Starts now and pauses while the page is hidden. @param {number} [counted]  milliseconds it has run before */
export function startStopwatch(counted = 0) {
  let since = document.hidden ? null : performance.now();
  const running = () => (since === null ? 0 : performance.now() - since);
  const onVisibility = () => {
    counted += running();
    since = document.hidden ? null : performance.now();
  };
  document.addEventListener("visibilitychange", onVisibility);
  return {
    /** Milliseconds visible so far. */
    elapsed: () => counted + running(),
    stop: () => document.removeEventListener("visibilitychange", onVisibility),
  };
}
