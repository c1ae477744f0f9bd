// From systems to pairs, and from a pair to its documents and segments.
import { button, make } from "./make.js";
import { segmentsOf } from "./segments.js";
import { cellText, sortableTable } from "./table.js";
import { say } from "./words.js";

const same = (one, other) => one[0] === other[0] && one[1] === other[1];

const NAMES = new Set(["system", "baseline", "better", "worse"]);

// The rows of a table that are about one pair, either way round; the names go where all agree.
function rowsOf(table, pair) {
  const turned = [pair[1], pair[0]];
  const places = table.pairs.flatMap((found, i) => (same(found, pair) || same(found, turned) ? [i] : []));
  const agree = places.every((i) => same(table.pairs[i], pair));
  const kept = table.columns.flatMap(({ key }, i) => (agree && NAMES.has(key) ? [] : [i]));
  return {
    ...table,
    columns: kept.map((place) => table.columns[place]),
    rows: places.map((i) => kept.map((place) => table.rows[i][place])),
    n_rows: places.length,
    breaks: [],
    grouped: false,
  };
}

// All pairs of systems, where there are segments and no table of pairs.
function made(segments) {
  const pairs = segments.systems.flatMap((one, i) => segments.systems.slice(i + 1).map((other) => [one, other]));
  return {
    id: "pairs",
    title: say("closer.all"),
    note: "",
    folded: false,
    breaks: [],
    n_rows: pairs.length,
    columns: [{ key: "system", title: say("same.pair"), short: "", classes: "left", help: "" }],
    rows: pairs.map(([first, second]) => [say("closer.pair", { first, second })]),
    pairs,
  };
}

export function lookCloser(result, prefix) {
  const tables = result.blocks.filter(({ block }) => block === "table");
  const paired = tables.filter((table) => table.pairs);
  const { segments } = result;
  const pairs = paired[0] ?? (segments ? made(segments) : null);
  if (!pairs || !pairs.rows.length) return { place: null, tables: [], reset() {} };
  const systems = tables.find((table) => table.systems && table.systems.length);
  const place = make("section", { class: "closer" });
  const inner = make("div", { tabindex: "-1" });
  const only = pairs.pairs.every((pair) => same(pair, pairs.pairs[0])) && segments !== null;
  const state = { system: null, pair: only ? pairs.pairs[0] : null, metric: "" };
  const metrics = pairs.columns.findIndex(({ key }) => key === "metric");

  function path() {
    const steps = [];
    if (state.system !== null || state.pair) steps.push(button(say("closer.all"), { class: "step" }, reset));
    if (state.pair && state.system !== null) {
      const name = state.system;
      steps.push(button(say("closer.chosen", { name }), { class: "step" }, () => go(name, null)));
    }
    return steps.length ? make("nav", { class: "path", "aria-label": say("closer.path", result) }, steps) : null;
  }

  function list() {
    const chosen = state.system;
    const keep = chosen === null ? null : (i) => pairs.pairs[i].includes(chosen);
    const shown = chosen === null ? pairs : { ...pairs, title: say("closer.chosen", { name: chosen }) };
    return [
      make("p", { class: "note" }, say(systems ? "closer.systems" : "closer.pairs")),
      systems && chosen === null
        ? sortableTable(systems, { id: `${prefix}-${systems.id}`, act: (i) => go(systems.systems[i], null) })
        : null,
      sortableTable(shown, { id: `${prefix}-${pairs.id}`, keep, act: openRow }),
    ];
  }

  function openRow(i) {
    go(state.system, pairs.pairs[i], metrics < 0 ? "" : cellText(pairs.rows[i][metrics]));
  }

  function hint() {
    if (!result.again) return null;
    const command = say("closer.command", { name: result.again });
    return [make("p", { class: "note" }, say("closer.hint")), make("pre", {}, command)];
  }

  function behind() {
    const told = segments?.ofDocument ? "documents" : ""; // all of them stand below
    const facts = paired.filter(({ id }) => id !== told).map((table) => rowsOf(table, state.pair)).filter(({ rows }) => rows.length);
    const [first, second] = state.pair;
    return [
      make("h4", {}, say("closer.pair", { first, second })),
      facts.map((table) => sortableTable(table)),
      segments && segments.systems.includes(first) && segments.systems.includes(second)
        ? segmentsOf(segments, state.pair, state.metric)
        : hint(),
    ];
  }

  function draw() {
    inner.replaceChildren(...[path(), state.pair ? behind() : list()].flat(3).filter(Boolean));
  }

  function go(system, pair, metric = "") {
    Object.assign(state, { system, pair, metric });
    draw();
    inner.focus({ preventScroll: true });
    place.scrollIntoView({ block: "start" });
  }

  function reset() {
    Object.assign(state, { system: null, pair: null });
    draw();
  }

  draw();
  place.append(make("h3", {}, say("closer.title")), inner);
  return { place, tables: [pairs, systems].filter(Boolean), reset };
}
