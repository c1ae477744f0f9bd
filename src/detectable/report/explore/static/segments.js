// The segments of a pair: found, filtered and put in order, and read a page at a time.
import { differences } from "./difference.js";
import { documentsOf } from "./documents.js";
import { button, choice, labelled, make, ticked } from "./make.js";
import { pager } from "./table.js";
import { say, sayCount, sayNumber } from "./words.js";
import { writingOf, written } from "./writing.js";

const CARDS = 25; // on a page
const WAIT = 120; // ms after the last key

// What is known of every segment of the pair, once for each score.
function measured(segments, [first, second], measure) {
  const [ours, theirs] = [measure.scores[first], measure.scores[second]];
  const turn = measure.lower ? -1 : 1;
  return segments.names.map((_, i) => {
    const [a, b] = [ours[i], theirs[i]];
    const known = a !== null && b !== null;
    const difference = known ? a - b : null;
    const ahead = known ? Math.sign(turn * Number(difference.toFixed(measure.digits + 2))) : null;
    return { i, a, b, difference, lead: known ? turn * difference : null, ahead };
  });
}

const lead = (row) => row.lead ?? 0;
const lowest = (row) => Math.min(row.a ?? Infinity, row.b ?? Infinity);
const ORDERS = {
  most: (one, other) => Math.abs(lead(other)) - Math.abs(lead(one)),
  first: (one, other) => lead(other) - lead(one),
  second: (one, other) => lead(one) - lead(other),
  low: (one, other) => lowest(one) - lowest(other),
  file: (one, other) => one.i - other.i,
};

export function segmentsOf(segments, pair, metric = "") {
  const [first, second] = pair;
  const { outputs, documents, ofDocument, measures } = segments;
  const fresh = { words: "", document: "", ahead: "", only: false };
  const chosen = Math.max(0, measures.findIndex(({ label }) => label === metric));
  const state = { ...fresh, measure: chosen, sort: "most", marked: true, page: 0 };
  const writing = {
    source: writingOf(segments.sources ?? [], segments.languages[0]),
    target: writingOf(outputs ? outputs[first] : [], segments.languages[1]),
  };
  const texts = [segments.sources, segments.references, outputs?.[first], outputs?.[second]].filter(Boolean);
  const searched = segments.names.map((name, i) => [name, ...texts.map((lines) => lines[i])].join("\n").toLowerCase());
  let rows = measured(segments, pair, measures[chosen]);

  const list = make("ol", { class: "segments" });
  const found = make("p", { class: "found", role: "status" });
  const bar = make("div", { class: "ahead", role: "group", "aria-label": say("segments.ahead") });
  const pages = make("div", { class: "pages" });
  const controls = make("div", { class: "controls" });

  const matches = (row) =>
    (state.document === "" || ofDocument[row.i] === Number(state.document)) &&
    (!state.only || outputs[first][row.i] !== outputs[second][row.i]) &&
    (!state.words || searched[row.i].includes(state.words));

  function textLine(label, text, way, runs = null, mark = "") {
    const inside = text === "" ? make("span", { class: "note" }, say("segments.empty")) : null;
    const parts = runs ? runs.map((run) => (run.changed ? make("mark", { class: mark }, written(run.text)) : written(run.text))) : written(text);
    return [
      make("dt", {}, label),
      make("dd", { class: "text", dir: way.dir, lang: way.lang || null }, inside ?? parts.flat()),
    ];
  }

  function scored(name, score) {
    const digits = measures[state.measure].digits;
    return [written(name), " ", make("span", { class: "score" }, sayNumber(score, digits))];
  }

  function card(row) {
    const { i } = row;
    const measure = measures[state.measure];
    const tone = row.ahead > 0 ? "better" : row.ahead < 0 ? "worse" : "undecided";
    const [ours, theirs] = outputs ? [outputs[first][i], outputs[second][i]] : ["", ""];
    const equal = outputs && ours === theirs;
    const marked = outputs && state.marked && !equal;
    const [a, b] = marked ? differences(ours, theirs, writing.target) : [null, null];
    return make(
      "li",
      { class: tone },
      make(
        "p",
        { class: "which" },
        make("strong", {}, say("segments.name", { name: segments.names[i] })),
        ofDocument ? make("span", { class: "note" }, written(documents[ofDocument[i]])) : null,
        make("span", { class: "said" }, `${sayNumber(row.difference, measure.digits, { sign: true })} ${measure.label}`),
        equal ? make("span", { class: "note" }, say("segments.same-text")) : null,
      ),
      make(
        "dl",
        { class: outputs ? null : "scores" },
        segments.sources ? textLine(say("segments.source"), segments.sources[i], writing.source) : null,
        segments.references ? textLine(say("segments.reference"), segments.references[i], writing.target) : null,
        outputs
          ? [
              textLine(scored(first, row.a), ours, writing.target, a, "ours"),
              textLine(scored(second, row.b), theirs, writing.target, b, "theirs"),
            ].flat()
          : [
              make("dt", {}, written(first)),
              make("dd", {}, sayNumber(row.a, measure.digits)),
              make("dt", {}, written(second)),
              make("dd", {}, sayNumber(row.b, measure.digits)),
            ],
      ),
    );
  }

  function aheadBar(shown) {
    const kinds = [
      ["", "all", shown.length, ""],
      ["1", "first", shown.filter(({ ahead }) => ahead > 0).length, "better"],
      ["0", "same", shown.filter(({ ahead }) => ahead === 0).length, "undecided"],
      ["-1", "second", shown.filter(({ ahead }) => ahead < 0).length, "worse"],
    ];
    const focused = document.activeElement?.dataset?.ahead;
    bar.replaceChildren(
      ...kinds.map(([value, key, n, tone]) =>
        button(
          [make("span", {}, say(`segments.ahead.${key}`, { first, second })), " ", make("b", {}, n.toLocaleString("en"))],
          { class: tone, "data-ahead": value || "all", "aria-pressed": String(state.ahead === value) },
          () => change({ ahead: value }),
        ),
      ),
    );
    if (focused) bar.querySelector(`[data-ahead="${focused}"]`)?.focus();
  }

  function draw(way = "") {
    const like = rows.filter(matches);
    aheadBar(like);
    const shown = state.ahead === "" ? like : like.filter(({ ahead }) => ahead === Number(state.ahead));
    shown.sort(ORDERS[state.sort]);
    const from = state.page * CARDS;
    list.replaceChildren(...shown.slice(from, from + CARDS).map(card));
    list.start = from + 1;
    const filtered = Object.entries(fresh).some(([name, value]) => state[name] !== value);
    const clear = filtered ? button(say("segments.clear"), { class: "step" }, takeAway) : null;
    found.replaceChildren(...[shown.length ? sayCount("segments.found", shown.length) : say("segments.none"), " ", clear].filter(Boolean));
    pages.replaceChildren(...[pager(say("segments"), state, shown.length, CARDS, turn)].filter(Boolean));
    if (way) pages.querySelector(`[data-way=${way}]`)?.focus({ preventScroll: true });
  }

  function turn(way) {
    draw(way);
    found.scrollIntoView({ block: "start" });
  }

  function change(next) {
    Object.assign(state, next, { page: 0 });
    if ("measure" in next) rows = measured(segments, pair, measures[state.measure]);
    draw();
  }

  function takeAway() {
    Object.assign(state, fresh, { page: 0 });
    drawControls();
    draw();
    controls.querySelector("input").focus();
  }

  function chooseDocument(place) {
    state.document = String(place);
    drawControls();
    change({});
    found.scrollIntoView({ block: "start" });
  }

  function drawControls() {
    const search = make("input", { type: "search", value: state.words });
    let waiting = 0;
    search.addEventListener("input", () => {
      clearTimeout(waiting);
      waiting = setTimeout(() => change({ words: search.value.trim().toLowerCase() }), WAIT);
    });
    const orders = Object.keys(ORDERS).map((key) => [key, say(`segments.sort.${key}`, { first, second })]);
    const scores = measures.map(({ label }, i) => [String(i), label]);
    const places = [["", say("segments.every")], ...documents.map((name, i) => [String(i), name])];
    const several = (options, control) => (options.length > 1 ? control() : null);
    controls.replaceChildren(
      ...[
        labelled(say("segments.search"), search),
        labelled(say("segments.sort"), choice(orders, state.sort, (sort) => change({ sort }))),
        several(scores, () => labelled(say("segments.measure"), choice(scores, String(state.measure), (value) => change({ measure: Number(value) })))),
        ofDocument ? labelled(say("segments.document"), choice(places, state.document, (value) => change({ document: value }))) : null,
        outputs ? ticked(say("segments.only"), state.only, (only) => change({ only })) : null,
        outputs ? ticked(say("segments.marked"), state.marked, (marked) => change({ marked })) : null,
      ].filter(Boolean),
    );
  }

  drawControls();
  draw();
  return [
    ofDocument ? documentsOf(segments, pair, chooseDocument) : null,
    make("h4", {}, say("segments")),
    segments.leftOut ? make("p", { class: "note" }, say("segments.left-out", { n: segments.leftOut.toLocaleString("en") })) : null,
    controls,
    bar,
    found,
    list,
    pages,
  ];
}
