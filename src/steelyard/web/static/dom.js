// Small helpers for building pages from data. Texts go in through textContent only.

/** What the server put into the page, and the token at the end of its address; none where a proxy signs people in. */
export function readPage() {
  const data = document.getElementById("page")?.textContent;
  const page = data ? JSON.parse(data) : {};
  const last = location.pathname.split("/").filter(Boolean).pop() ?? "";
  return { page, token: page.is_signed_in ? "" : decodeURIComponent(last) };
}

/**
 * An element with a class and children; strings become text.
 * @param {string} tag
 * @param {string} className
 * @param {...(Node|string|null|undefined)} children  empty ones are left out
 */
export function make(tag, className = "", ...children) {
  const element = document.createElement(tag);
  if (className) element.className = className;
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}

/** @param {string} label @param {() => void} onClick */
export function makeButton(label, onClick, className = "button") {
  const button = make("button", className, label);
  button.type = "button";
  button.addEventListener("click", onClick);
  return button;
}

/**
 * Calls `submit` when Enter is pressed inside `root`, except where the key already means something: on a button, or
 * inside an element with `data-enter="own"`.
 */
export function onEnter(root, submit) {
  root.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || event.repeat || event.isComposing || event.defaultPrevented) return;
    if (event.target.closest("summary, button, a, audio, video, [data-enter=own]")) return;
    event.preventDefault();
    submit();
  });
}

/** `template` with every `{name}` replaced; numbers are written as `language` writes them. */
export function fill(template, values, language = "en") {
  return template.replace(/\{(\w+)\}/g, (whole, name) => {
    const value = values[name];
    if (value === undefined) return whole;
    return typeof value === "number" ? value.toLocaleString(language) : value;
  });
}

/** An amount of money as `language` writes it; the plain code where it is no code of a currency. */
export function writeMoney(amount, currency, language = "en") {
  try {
    return amount.toLocaleString(language, { style: "currency", currency });
  } catch {
    return `${amount.toLocaleString(language, { minimumFractionDigits: 2, maximumFractionDigits: 2 })} ${currency}`;
  }
}
