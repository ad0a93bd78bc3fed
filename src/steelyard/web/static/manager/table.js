// A table that can be sorted, searched and paged, and that keeps focus, order and place when its rows change.
// On a narrow screen every row becomes a card; `data-label` then stands in for the column's heading.

import { make } from "../dom.js";
import { field, input, keepingFocus, namedButton, select } from "./parts.js";
import { counted, number } from "./words.js";

const WIDE_PAGE = 100;
const NARROW_PAGE = 25;
const isNarrow = matchMedia("(max-width: 640px)");
const MINUTE_MS = 60_000;
const COMPARE = new Intl.Collator("en", { numeric: true }).compare;

/**
 * @typedef {Object} Column
 * @property {string} name
 * @property {(row: any) => Node|string|(Node|string)[]} cell
 * @property {(row: any) => number|string|null|undefined} [by]  what rows are sorted by; unsorted without
 * @property {string} [className]
 * @property {boolean} [isHeading]  whether it names the row
 *
 * @typedef {Object} TableSettings
 * @property {string} label
 * @property {string} noun  one row
 * @property {string} [nouns]  several rows
 * @property {Column[]} columns
 * @property {(row: any) => string} keyOf
 * @property {(row: any) => string} [textOf]  what is searched
 * @property {[string, (row: any) => boolean][]} [filters]  words and which rows; the first shows all
 * @property {number} [pageSize]
 * @property {string} empty  what is said without any rows
 * @property {{column: string, isDown?: boolean}} [order]  at the beginning
 */

/** @param {TableSettings} settings */
export function makeTable(settings) {
  const { label, columns, keyOf, textOf, filters = [], empty, order: first } = settings;
  const state = { rows: [], query: "", filter: 0, page: 0, order: { column: first?.column, isDown: first?.isDown ?? false } };
  const lines = new Map();
  const table = make("table", "stacked");
  const headings = columns.map((column) => heading(column, state, draw));
  table.createTHead().insertRow().append(...headings);
  const body = table.createTBody();
  const box = make("div", "scroll", table);
  box.tabIndex = 0;
  box.setAttribute("role", "region");
  box.setAttribute("aria-label", label);
  const count = make("p", "soft count");
  count.setAttribute("role", "status");
  const pager = make("p", "pager");
  const nothing = make("p", "soft", empty);
  const search = input("search", "", { autocomplete: "off" });
  search.addEventListener("input", () => change({ query: search.value.trim().toLowerCase(), page: 0 }));
  const chosen = select(filters.map(([words], index) => [String(index), words]), "0");
  chosen.addEventListener("change", () => change({ filter: Number(chosen.value), page: 0 }));
  const sortable = columns.filter((column) => column.by);
  const sorting = select(sortable.map(({ name }) => [name, name]), first?.column ?? sortable[0]?.name ?? "");
  sorting.addEventListener("change", () => change({ order: { column: sorting.value, isDown: false }, page: 0 }));
  const sortField = field("Sort by", sorting);
  sortField.classList.add("narrow-only");
  const tools = make(
    "div",
    "tools",
    textOf ? field("Search", search) : null,
    filters.length ? field("Show", chosen) : null,
    sortable.length ? sortField : null,
    count,
  );
  const element = make("div", "table", tools, nothing, box, pager);

  function change(values) {
    Object.assign(state, values);
    draw();
  }

  function wantedRows() {
    const test = filters[state.filter]?.[1] ?? (() => true);
    const found = state.rows.filter((row) => test(row) && (!state.query || textOf(row).toLowerCase().includes(state.query)));
    const by = columns.find((column) => column.name === state.order.column)?.by;
    if (!by) return found;
    const sign = state.order.isDown ? -1 : 1;
    return found
      .map((row) => ({ row, value: by(row) }))
      .sort((one, other) => sign * compare(one.value, other.value, sign))
      .map(({ row }) => row);
  }

  function draw() {
    const rows = wantedRows();
    const pageSize = settings.pageSize ?? (isNarrow.matches ? NARROW_PAGE : WIDE_PAGE);
    const nPages = Math.max(1, Math.ceil(rows.length / pageSize));
    state.page = Math.min(state.page, nPages - 1);
    const begin = state.page * pageSize;
    const visible = rows.slice(begin, begin + pageSize).map(lineOf);
    const isSame = visible.length === body.rows.length && visible.every((line, index) => line === body.rows[index]);
    if (!isSame) keepingFocus(body, () => body.replaceChildren(...visible));
    headings.forEach((cell, index) => showOrder(cell, columns[index], state.order));
    nothing.hidden = state.rows.length > 0;
    box.hidden = tools.hidden = state.rows.length === 0;
    setText(count, countWords(rows.length));
    drawPager(begin, Math.min(begin + pageSize, rows.length), rows.length, nPages);
    filters.forEach(([words, test], index) => {
      setText(chosen.options[index], index ? `${words} (${number(state.rows.filter(test).length)})` : words);
    });
  }

  function countWords(found) {
    const all = counted(state.rows.length, settings.noun, settings.nouns);
    return found === state.rows.length ? all : `${number(found)} of ${all}`;
  }

  function drawPager(begin, end, total, nPages) {
    pager.hidden = nPages < 2;
    if (pager.hidden) return pager.replaceChildren();
    const go = (step) => {
      change({ page: state.page + step });
      box.scrollIntoView({ block: "nearest" });
    };
    const previous = namedButton("Previous", "previous", () => go(-1));
    const next = namedButton("Next", "next", () => go(1));
    previous.disabled = state.page === 0;
    next.disabled = state.page === nPages - 1;
    const place = `${number(begin + 1)}–${number(end)} of ${number(total)}`;
    return keepingFocus(pager, () => pager.replaceChildren(previous, make("span", "soft", place), next));
  }

  function lineOf(row) {
    const key = keyOf(row);
    const line = lines.get(key) ?? { element: make("tr"), mark: "" };
    // The minute counts as a change: "5 minutes ago" grows older even if nobody works.
    const mark = `${JSON.stringify(row)} ${Math.floor(Date.now() / MINUTE_MS)}`;
    if (line.mark !== mark) {
      keepingFocus(line.element, () => line.element.replaceChildren(...columns.map((column) => cellOf(column, row))));
      line.mark = mark;
    }
    lines.set(key, line);
    return line.element;
  }

  return {
    element,
    /** @param {any[]} rows */
    update(rows) {
      state.rows = rows;
      const keys = new Set(rows.map(keyOf));
      for (const key of lines.keys()) if (!keys.has(key)) lines.delete(key);
      draw();
    },
    /** Shows the rows of one filter. @param {string} words */
    filterBy(words) {
      const index = filters.findIndex(([name]) => name === words);
      if (index < 0) return;
      chosen.value = String(index);
      change({ filter: index, page: 0 });
    },
  };
}

function heading(column, state, draw) {
  const cell = make("th", column.className ?? "");
  cell.scope = "col";
  if (!column.by) {
    cell.append(column.name);
    return cell;
  }
  const button = namedButton(column.name, `sort ${column.name}`, () => {
    const isDown = state.order.column === column.name && !state.order.isDown;
    state.order = { column: column.name, isDown };
    draw();
  }, "sort");
  cell.append(button);
  return cell;
}

function showOrder(cell, column, order) {
  if (!column.by) return;
  const isBy = column.name === order.column;
  cell.setAttribute("aria-sort", isBy ? (order.isDown ? "descending" : "ascending") : "none");
}

function cellOf(column, row) {
  const content = [column.cell(row)].flat();
  const cell = make(column.isHeading ? "th" : "td", column.className ?? "", ...content);
  // On a card, what is not there is left out.
  if (content.length === 1 && content[0] === "–") cell.classList.add("none");
  if (column.isHeading) cell.scope = "row";
  else if (column.name) cell.dataset.label = column.name;
  return cell;
}

// Rows without a value come last in both directions.
function compare(one, other, sign) {
  const [isOneMissing, isOtherMissing] = [one, other].map((value) => value === null || value === undefined || Number.isNaN(value));
  if (isOneMissing || isOtherMissing) return sign * (Number(isOneMissing) - Number(isOtherMissing));
  return typeof one === "number" && typeof other === "number" ? one - other : COMPARE(String(one), String(other));
}

function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}
