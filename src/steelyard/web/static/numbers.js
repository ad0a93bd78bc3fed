// Numbers as people type them.

// Digits of other scripts that people of our languages may type, by their zeros.
const ZEROS = ["٠", "۰", "०", "０"].map((zero) => zero.codePointAt(0));

/** The number that a text says, with a decimal point or comma; NaN if it says none, or might mean thousands. */
export function readNumber(text) {
  const plain = [...text.trim()].map(plainDigit).join("");
  const written = plain.replace(/[,٫]/, ".").replace(/^[−–]/, "-");
  return /^[-+]?\d+(\.\d{1,2})?$/.test(written) ? Number(written) : NaN;
}

function plainDigit(sign) {
  const zero = ZEROS.find((each) => sign.codePointAt(0) >= each && sign.codePointAt(0) <= each + 9);
  return zero === undefined ? sign : String(sign.codePointAt(0) - zero);
}
