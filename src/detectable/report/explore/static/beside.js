// Several results: each with its verdict in a line, and what they say of the same pairs.
import { button, make } from "./make.js";
import { cellText, sortableTable } from "./table.js";
import { say } from "./words.js";
import { written } from "./writing.js";

const KEYS = ["estimate", "difference", "verdict", "decision"];

const verdictOf = ({ blocks }) => blocks.find(({ block }) => block === "verdict");

// What a result says of each of its pairs, in the few words of a cell.
function pairsOf({ blocks }) {
  const table = blocks.find((block) => block.block === "table" && block.pairs);
  const found = new Map();
  if (!table) return found;
  const metric = table.columns.findIndex(({ key }) => key === "metric");
  const places = KEYS.map((key) => table.columns.findIndex((column) => column.key === key)).filter((place) => place >= 0);
  table.pairs.forEach(([first, second], i) => {
    const row = table.rows[i];
    const which = metric < 0 ? "" : `, ${cellText(row[metric])}`;
    const said = places.map((place) => cellText(row[place])).join(" ");
    const status = places.map((place) => row[place]).find((cell) => Array.isArray(cell) && typeof cell[1] === "string");
    found.set(say("closer.pair", { first, second }) + which, status ? [said, status[1]] : said);
  });
  return found;
}

function samePairs(results) {
  const all = results.map(pairsOf);
  const names = [...new Set(all.flatMap((found) => [...found.keys()]))];
  const shared = names.filter((name) => all.filter((found) => found.has(name)).length > 1);
  if (!shared.length) return null;
  const column = (key, title) => ({ key, title, short: "", classes: "left", help: "" });
  return sortableTable({
    id: "same",
    title: say("same.title"),
    note: "",
    breaks: [],
    n_rows: shared.length,
    columns: [column("pair", say("same.pair")), ...results.map(({ name }) => column("result", name))],
    rows: shared.map((name) => [name, ...all.map((found) => found.get(name) ?? say("same.none"))]),
  });
}

export function overview(results, beside, { show, lay }) {
  const lines = results.map((result) => {
    const link = make("a", { href: `#${result.id}` }, written(result.name));
    link.addEventListener("click", (event) => {
      event.preventDefault();
      show(result);
    });
    const { status, headline } = verdictOf(result);
    return make("li", { class: status }, link, " ", make("span", {}, written(headline)));
  });
  const layouts = [["layout.below", false], ["layout.beside", true]];
  return make(
    "section",
    { class: "overview" },
    make("h2", {}, say("results")),
    make("ol", { class: "results" }, lines),
    make(
      "div",
      { class: "layout", role: "group", "aria-label": say("layout.label") },
      layouts.map(([key, value]) => button(say(key), { "aria-pressed": String(beside === value) }, () => lay(value))),
    ),
    samePairs(results),
  );
}
