// A chart of a result, drawn by Vega in the colours of the page, at the width that there is.
import { make, numbered, UNSEEN } from "./make.js";
import { say } from "./words.js";

const WIDE = 700; // pixels from which on the wide form fits
const dark = window.matchMedia("(prefers-color-scheme: dark)");
const tokens = JSON.parse(document.getElementById("tokens").textContent);

// As the expressions of a chart spell them.
const TURNS = /\\+u(202[a-e]|206[6-9])/gi;

function coloured(spec) {
  const style = getComputedStyle(document.documentElement);
  let text = JSON.stringify(spec).replace(UNSEEN, numbered).replace(TURNS, "U+$1");
  for (const [colour, name] of Object.entries(tokens)) {
    text = text.replaceAll(colour, style.getPropertyValue(`--${name}`).trim());
  }
  return JSON.parse(text);
}

const note = make("div", { class: "told", role: "tooltip", hidden: true });

// What a mark stands for, under the pointer: field by field, as text.
function tell(event, value) {
  const fields = value && typeof value === "object" ? Object.entries(value) : [];
  note.hidden = fields.length === 0;
  if (note.hidden) return;
  note.replaceChildren(
    ...fields.map(([key, said]) => make("div", {}, make("span", {}, key), ` ${String(said)}`)),
  );
  document.body.append(note);
  const room = document.documentElement.clientWidth - note.offsetWidth - 8;
  note.style.left = `${Math.max(8, Math.min(room, event.clientX + 12))}px`;
  note.style.top = `${event.clientY + 16}px`;
}

// A file may hold anything: a chart fetches nothing, follows no link, and chooses no setting of its own.
const nowhere = {
  load: () => Promise.reject(new Error(say("error.chart"))),
  sanitize: () => Promise.reject(new Error(say("error.chart"))),
};

// The interpreter, so that no policy need allow eval; no styles of its own, which one would refuse.
const SETTINGS = {
  actions: false,
  ast: true,
  defaultStyle: false,
  loader: nowhere,
  renderer: "svg",
  tooltip: (_, event, __, value) => tell(event, value),
};

export function chartOf(block, reveal) {
  const place = make("div", { class: "drawn", role: "img", "aria-label": block.alt });
  const drawable = typeof globalThis.vegaEmbed === "function";
  const link = make("a", { href: `#${block.twin}` }, say("numbers"));
  link.addEventListener("click", (event) => {
    event.preventDefault();
    reveal(block.twin);
  });
  const said = drawable ? block.caption : block.alt;
  const figure = make(
    "figure",
    {},
    make("p", { class: "finding" }, block.title),
    make("figcaption", {}, `${said} `, link),
    drawable ? place : null,
  );
  if (!drawable) return figure;
  let form = "";
  async function draw() {
    const next = place.clientWidth >= WIDE ? "wide" : "narrow";
    const wanted = `${next} ${dark.matches}`;
    if (!place.clientWidth || wanted === form) return;
    form = wanted;
    const { usermeta: _, ...spec } = coloured(block[next]);
    try {
      await globalThis.vegaEmbed(place, spec, SETTINGS);
      place.querySelector("svg").setAttribute("aria-hidden", "true"); // the label says it all
    } catch {
      place.replaceChildren(make("p", { class: "note" }, say("error.chart")));
    }
  }
  new ResizeObserver(draw).observe(place);
  dark.addEventListener("change", draw);
  return figure;
}
