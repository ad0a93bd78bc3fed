// Which way a text runs.

const RIGHT_TO_LEFT_SCRIPTS = [
  "Adlam", "Arabic", "Hebrew", "Mandaic", "Nko", "Samaritan", "Syriac", "Thaana",
].map((script) => `\\p{Script=${script}}`).join("");
const LETTERS = {
  rtl: new RegExp(`[${RIGHT_TO_LEFT_SCRIPTS}]`, "u"),
  ltr: new RegExp(`(?![${RIGHT_TO_LEFT_SCRIPTS}])\\p{L}`, "u"),
};

/**
 * The direction of the text's language, unless all its letters are written the other way: a Latin
 * name in front does not turn an Arabic text round, but a text left in English stays English.
 * @param {string} text
 * @param {"ltr"|"rtl"} expected
 * @returns {"ltr"|"rtl"}
 */
export function directionOf(text, expected) {
  const other = expected === "rtl" ? "ltr" : "rtl";
  return !LETTERS[expected].test(text) && LETTERS[other].test(text) ? other : expected;
}
