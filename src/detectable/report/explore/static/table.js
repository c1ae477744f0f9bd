// A table that can be sorted and filtered, a page of rows at a time.
import { button, make, newId } from "./make.js";
import { say } from "./words.js";
import { written } from "./writing.js";

const ROWS = 50; // on a page
const FILTERED = 12; // rows beyond which there is a field to filter by

export const cellText = (cell) => (Array.isArray(cell) ? cell[0] : cell);
const isStatus = (cell) => Array.isArray(cell) && typeof cell[1] === "string";

function byColumn(place, down) {
  const turn = down ? -1 : 1;
  return (one, other) => {
    const [a, b] = [one.cells[place], other.cells[place]];
    const numbers = [a, b].map((cell) => (Array.isArray(cell) && !isStatus(cell) ? cell[1] : null));
    if (numbers[0] !== null && numbers[1] !== null) return turn * (numbers[0] - numbers[1]);
    if (numbers[0] !== null || numbers[1] !== null) return numbers[0] === null ? 1 : -1; // what has none is last
    return turn * cellText(a).localeCompare(cellText(b), "en", { numeric: true });
  };
}

// Buttons for the pages of a list, and where one is in it.
export function pager(title, state, n, size, turn) {
  const pages = Math.max(1, Math.ceil(n / size));
  if (pages === 1) return null;
  const move = (step, event) => {
    const name = event.currentTarget.dataset.way;
    state.page = Math.min(pages - 1, Math.max(0, state.page + step));
    turn(name);
  };
  const values = {
    first: (state.page * size + 1).toLocaleString("en"),
    last: Math.min(n, (state.page + 1) * size).toLocaleString("en"),
    n: n.toLocaleString("en"),
  };
  const off = (there) => (there ? "true" : null);
  return make(
    "div",
    { class: "pager", role: "group", "aria-label": say("page.label", { title }) },
    button(say("page.before"), { "data-way": "before", "aria-disabled": off(state.page === 0) }, (e) => move(-1, e)),
    make("span", { role: "status" }, say("page.of", values)),
    button(say("page.after"), { "data-way": "after", "aria-disabled": off(state.page === pages - 1) }, (e) => move(1, e)),
  );
}

function titleOf(column, signs) {
  if (signs && column.verdict) return [make("span", { class: "word" }, column.title)];
  if (!column.short) return [column.title];
  return [make("span", { class: "full" }, column.title), make("span", { class: "short" }, column.short)];
}

function heading(column, place, state, sort, signs) {
  const sorted = state.by === place;
  const words = titleOf(column, signs);
  const act = button(words, { class: "sort", title: column.help || say("table.sort", { title: column.title }) }, () => sort(place));
  const order = state.down ? "descending" : "ascending";
  return make("th", { scope: "col", class: column.classes, "aria-sort": sorted ? order : null }, act);
}

// On a phone without room for words a verdict is its sign, and the note below says which.
function inSigns(text) {
  const [mark, ...words] = text.split(" ");
  return words.length ? [mark, make("span", { class: "word" }, ` ${words.join(" ")}`)] : [mark];
}

function cellOf(cell, column, first, act, signs) {
  const said = cellText(cell);
  const text = signs && isStatus(cell) ? inSigns(said) : written(said);
  let inside = isStatus(cell) ? make("span", { class: `said ${cell[1]}` }, text) : text;
  if (act) inside = button(inside, { class: "row" }, act);
  const head = first && column.classes.includes("left");
  return head
    ? make("th", { scope: "row", class: column.classes }, inside)
    : make("td", { class: column.classes }, inside);
}

// `act(index)` is offered at the first cell of every row; `keep(index)` says which rows are shown.
export function sortableTable(block, { id = newId("table"), act = null, keep = null } = {}) {
  const state = { by: -1, down: false, words: "", page: 0 };
  const all = block.rows
    .map((cells, index) => ({ cells, index }))
    .filter(({ index }) => !keep || keep(index));
  const named = block.columns.findIndex(({ key }) => key === "system" || key === "better");
  const at = named < 0 ? Number(Boolean(block.grouped)) : named; // the cell that leads on
  const body = make("tbody");
  const head = make("tr");
  const place = make("div", { class: "pages" });
  const none = make("p", { class: "note", hidden: true }, say("table.none"));
  const table = make("table", { class: block.signs ? "signs" : null }, make("caption", {}, written(block.title)), make("thead", {}, head), body);
  const scroll = make("div", { class: "scroll", tabindex: "0", role: "group", "aria-label": block.title }, table);

  function sort(column) {
    state.down = state.by === column ? !state.down : false;
    state.by = column;
    state.page = 0;
    draw();
    head.children[column].querySelector("button").focus();
  }

  function rowOf({ cells, index }, from, broken) {
    const inside = cells
      .map((cell, i) => cellOf(cell, block.columns[i], i === from, act && i === at ? () => act(index) : null, block.signs))
      .slice(from);
    return make("tr", { class: broken ? "break" : null }, inside);
  }

  // As they come, rows stand in blocks, under what they share.
  function rowsInBlocks(shown) {
    let above = null;
    return shown.flatMap((row) => {
      const name = cellText(row.cells[0]);
      const begins = name !== above;
      above = name;
      const head = make("th", { scope: "rowgroup", class: "left", colspan: block.columns.length - 1 }, written(name));
      return [...(begins ? [make("tr", { class: "group" }, head)] : []), rowOf(row, 1, false)];
    });
  }

  function draw(way = "") {
    const words = state.words.toLowerCase();
    const found = all.filter(({ cells }) => cells.some((cell) => cellText(cell).toLowerCase().includes(words)));
    if (state.by >= 0) found.sort(byColumn(state.by, state.down));
    const shown = found.slice(state.page * ROWS, (state.page + 1) * ROWS);
    const inBlocks = block.grouped && state.by < 0;
    const heads = block.columns.map((column, i) => heading(column, i, state, sort, block.signs));
    head.replaceChildren(...heads.slice(inBlocks ? 1 : 0));
    const broken = new Set(state.by < 0 && !words ? block.breaks : []);
    body.replaceChildren(...(inBlocks ? rowsInBlocks(shown) : shown.map((row) => rowOf(row, 0, broken.has(row.index)))));
    none.hidden = found.length > 0;
    place.replaceChildren(...[pager(block.title, state, found.length, ROWS, draw)].filter(Boolean));
    if (way) place.querySelector(`[data-way=${way}]`)?.focus();
  }

  const filter = make("input", { type: "search", "aria-label": say("table.filter", { title: block.title }), placeholder: say("table.filter-word") });
  filter.addEventListener("input", () => {
    state.words = filter.value.trim();
    state.page = 0;
    draw();
  });
  draw();
  const hidden = block.columns.filter(({ classes }) => classes.includes("optional")).map(({ title }) => title);
  const more = block.n_rows - block.rows.length;
  return make(
    "div",
    { class: "table", id },
    all.length > FILTERED ? filter : null,
    scroll,
    none,
    place,
    hidden.length ? make("p", { class: "note phone" }, say("table.hidden", { names: hidden.join(", ") })) : null,
    block.signs ? make("p", { class: "note phone" }, `${block.signs}.`) : null,
    more > 0 ? make("p", { class: "note" }, say("table.more", { n: more.toLocaleString("en"), id: block.id })) : null,
    block.note ? make("p", { class: "note" }, block.note) : null,
  );
}
