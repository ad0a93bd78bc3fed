// Numbers, times and money as the dashboard writes them.

import { writeMoney } from "../dom.js";

const STEPS = [
  ["day", 86_400],
  ["hour", 3_600],
  ["minute", 60],
];
const AGO = new Intl.RelativeTimeFormat("en", { numeric: "always" });
const MOMENT = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeStyle: "short" });
const DAY = new Intl.DateTimeFormat("en-GB", { weekday: "short", day: "numeric", month: "short" });
const CLOCK = new Intl.DateTimeFormat("en-GB", { timeStyle: "short" });

/** @param {number|null|undefined} value @param {number} digits */
export function number(value, digits = 0) {
  if (!Number.isFinite(value)) return "–";
  return value.toLocaleString("en", { minimumFractionDigits: digits, maximumFractionDigits: digits }).replace("-", "−");
}

/** "1 worker", "12 workers". */
export function counted(count, one, many = `${one}s`) {
  return `${number(count)} ${count === 1 ? one : many}`;
}

/** @param {string|null|undefined} time  ISO 8601 */
export function ago(time) {
  const seconds = secondsSince(time);
  if (!Number.isFinite(seconds)) return "–";
  for (const [unit, length] of STEPS) {
    if (seconds >= length) return AGO.format(-Math.floor(seconds / length), unit);
  }
  return "just now";
}

/** How long something has lasted: "3 hours". */
export function duration(seconds) {
  if (!Number.isFinite(seconds)) return "–";
  for (const [unit, length] of STEPS) {
    if (seconds >= length) return counted(Math.floor(seconds / length), unit);
  }
  return "less than a minute";
}

/** @param {string|null|undefined} time */
export function secondsSince(time) {
  return time ? (Date.now() - Date.parse(time)) / 1000 : NaN;
}

/** Day and time of a moment. */
export function moment(time) {
  return time ? MOMENT.format(new Date(time)) : "–";
}

/** The day of a moment. */
export function day(time) {
  return time ? DAY.format(new Date(time)) : "–";
}

/** The time of day of a moment. */
export function clock(time) {
  return CLOCK.format(new Date(time));
}

/** @param {number|null|undefined} amount @param {string} currency  a code such as EUR */
export function money(amount, currency) {
  return Number.isFinite(amount) ? writeMoney(amount, currency) : "–";
}

/** @param {number|null|undefined} p */
export function pValue(p) {
  if (!Number.isFinite(p)) return "";
  return p < 0.001 ? "p < 0.001" : `p = ${number(p, 3)}`;
}

/** The number of this minute: what says "5 minutes ago" changes with it. */
export function minute() {
  return Math.floor(Date.now() / 60_000);
}
