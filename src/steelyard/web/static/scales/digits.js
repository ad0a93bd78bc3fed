// Digits answer wherever the focus is, so that workers need not Tab to the answers.

const ELSEWHERE = "input:not([type=radio]), textarea, select, dialog, [contenteditable]";

/**
 * Calls `onDigit` for each digit that is pressed while `element` takes answers, but not for what somebody writes.
 * @param {HTMLElement} element
 * @param {RegExp} keys  which keys count, by their code; the first group is the digit
 * @param {(digit: number) => void} onDigit
 * @returns {() => void} stops it
 */
export function followDigits(element, keys, onDigit) {
  const onKey = (event) => {
    if (event.altKey || event.ctrlKey || event.metaKey || event.repeat || event.isComposing) return;
    if (event.target.closest?.(ELSEWHERE) || !element.isConnected || element.closest("[inert]")) return;
    // By its code, since a keyboard layout may put another character there.
    const digit = keys.exec(event.code)?.[1];
    if (digit !== undefined) onDigit(Number(digit));
  };
  document.addEventListener("keydown", onKey);
  return () => document.removeEventListener("keydown", onKey);
}
