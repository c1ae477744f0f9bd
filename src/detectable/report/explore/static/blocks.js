// The blocks of a result, in the order of reading.
import { chartOf } from "./chart.js";
import { lookCloser } from "./closer.js";
import { make } from "./make.js";
import { sortableTable } from "./table.js";
import { say, sayCount } from "./words.js";
import { writingOf, written } from "./writing.js";

function verdict(block) {
  return make(
    "div",
    { class: `verdict ${block.status}` },
    make("p", { class: "headline" }, written(block.headline)),
    block.detail.map((text) => make("p", { class: "detail" }, written(text))),
  );
}

function texts(block, level) {
  const points = block.points.map(([mark, text]) => make("li", { class: mark }, written(text)));
  const story = block.role === "story";
  return [
    make(level, {}, written(block.title)),
    block.text ? make(story ? "pre" : "p", story ? { tabindex: "0" } : {}, written(block.text)) : null,
    points.length ? make("ul", { class: "points" }, points) : null,
  ];
}

function folded(title, ...inside) {
  return make("details", {}, make("summary", {}, written(title)), inside);
}

function matrix(block, drawn) {
  const marks = block.marks.map((row, i) =>
    make(
      "tr",
      {},
      make("td", {}, String(i + 1)),
      make("th", { scope: "row", class: "left" }, written(block.names[i])),
      row.map((mark, j) => make("td", {}, make("span", { class: `said ${block.statuses[i][j]}` }, mark))),
    ),
  );
  const heads = block.names.map((name, i) => make("th", { scope: "col", title: name }, String(i + 1)));
  const table = make(
    "table",
    { class: "matrix" },
    make("caption", {}, block.title),
    make("thead", {}, make("tr", {}, make("td"), make("th", { scope: "col", class: "left" }, say("matrix.system")), heads)),
    make("tbody", {}, marks),
  );
  const made = [
    make("div", { class: "scroll", tabindex: "0", role: "group", "aria-label": block.title }, table),
    make("p", { class: "note" }, block.note),
  ];
  return drawn.has(block.id) ? folded(say("as-table", { title: block.title }), made) : make("div", {}, made);
}

function examples(block) {
  const all = block.items.flatMap(([, lines]) => lines.map(([, text]) => text));
  const writing = writingOf(all);
  return folded(
    say("counted", { title: block.title, n: block.items.length }),
    block.items.map(([heading, lines]) => [
      make("p", { class: "finding" }, written(heading)),
      make(
        "dl",
        {},
        lines.map(([label, text]) => {
          const own = writingOf([text]);
          const dir = own.dir === "rtl" ? "rtl" : writing.dir;
          return [make("dt", {}, written(label)), make("dd", { dir, class: "text" }, written(text))];
        }),
      ),
    ]),
  );
}

function evidence(block, context) {
  if (block.block === "chart") return chartOf(block, context.reveal);
  if (block.block === "matrix") return matrix(block, context.drawn);
  const made = sortableTable(block, { id: context.idOf(block.id) });
  return block.folded ? folded(sayCount("folded", block.n_rows, { title: block.title }), made) : made;
}

function last(block) {
  if (block.block === "methods") {
    const bibtex = block.bibtex ? folded(say("bibtex"), make("pre", {}, block.bibtex)) : null;
    return [make("h3", {}, say("methods")), make("p", { class: "methods" }, block.paragraph), bibtex];
  }
  return [
    make("h3", {}, say("repeat")),
    block.command ? make("pre", {}, block.command) : null,
    make("pre", {}, block.signature),
  ];
}

// All of one result, below the heading that names it.
export function resultOf(result, prefix) {
  const { blocks } = result;
  const of = (kind, where = () => true) => blocks.filter((block) => block.block === kind && where(block));
  const closer = lookCloser(result, prefix);
  const idOf = (id) => `${prefix}-${id}`;
  const reveal = (id) => {
    closer.reset();
    const found = document.getElementById(idOf(id));
    if (!found) return;
    const box = found.closest("details");
    if (box) box.open = true;
    found.querySelector(".scroll")?.focus();
    found.scrollIntoView({ block: "start" });
  };
  const drawn = new Set(of("chart").map(({ id }) => id));
  const context = { reveal, idOf, drawn };
  const used = new Set(closer.tables);
  const shown = blocks.filter(
    (block) =>
      (block.block === "table" && !used.has(block)) || block.block === "matrix" || (block.block === "chart" && !block.key),
  );
  shown.sort((one, other) => Number(Boolean(one.folded)) - Number(Boolean(other.folded)));
  const told = of("examples");
  return [
    of("verdict").map(verdict),
    of("chart", ({ key }) => key).map((block) => chartOf(block, reveal)),
    of("text", ({ role }) => role === "story").map((block) => texts(block, "h3")),
    of("text", ({ role }) => role === "limits").map((block) => texts(block, "h3")),
    closer.place,
    shown.length || told.length ? make("h3", {}, say("evidence")) : null,
    shown.map((block) => evidence(block, context)),
    told.map(examples),
    of("text", ({ role }) => role === "checks" || role === "note").map((block) => texts(block, "h3")),
    [...of("methods"), ...of("repeat")].map(last),
  ].flat(4);
}
