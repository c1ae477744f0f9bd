// The planner: what is moved becomes an address, the server answers with the page of that address,
// and what changed on it takes the place of what was there. Nothing is computed here.
import { drawAll } from "./charts.js";
import { freezeOn } from "./freeze.js";
import { pilotOn } from "./pilot.js";
import { say, send } from "./tell.js";

const DEBOUNCE = 60; // milliseconds after a move
const REST = 250; // … after which what takes longer is asked for
let running = null; // the request in flight
let wanted = null; // the newest state that was not asked for yet
let timer = 0;
let rest = 0;

const all = (selector, within = document) => [...within.querySelectorAll(selector)];

// State ↔ address

function isShown(input) {
  return !input.closest("[hidden]");
}

export function query() {
  const parts = new URLSearchParams();
  for (const input of all("form.choices [name]")) {
    const always = input.dataset.always !== undefined;
    const chosen = isShown(input) && input.value !== "" && input.value !== input.dataset.default;
    if (always || chosen) parts.append(input.name, input.value);
  }
  return parts.toString();
}

// Numbers and sliders are two hands of one field.

function nice(number) {
  return Number(number.toPrecision(3));
}

function slid(slider) {
  const low = Number(slider.dataset.low);
  const high = Number(slider.dataset.high);
  if (!slider.dataset.low) return slider.value;
  return String(Math.round(nice(low * (high / low) ** (slider.value / slider.max))));
}

function placed(slider, value) {
  const low = Number(slider.dataset.low);
  const high = Number(slider.dataset.high);
  if (!slider.dataset.low) return value;
  return String(Math.round((slider.max * Math.log(value / low)) / Math.log(high / low)));
}

function moved(event) {
  const input = event.target;
  if (!input.closest("form.choices") || input.closest(".pilot")) return;
  if (input.type === "range") {
    const number = document.getElementById(input.id.replace(/-slider$/, ""));
    number.value = slid(input);
    input.setAttribute("aria-valuetext", number.value);
  } else if (input.type === "number") {
    if (input.value === "") return; // not finished yet
    const slider = document.getElementById(`${input.id}-slider`);
    slider.value = placed(slider, Number(input.value));
    slider.setAttribute("aria-valuetext", input.value);
  }
  ask(query(), { push: input.tagName === "SELECT" });
}

// One request in flight; the newest state wins.

function ask(state, { push = false } = {}) {
  wanted = { state, push: push || (wanted !== null && wanted.push) };
  document.body.classList.add("asking"); // from the first move on, until its answer is shown
  clearTimeout(timer);
  clearTimeout(rest);
  timer = setTimeout(next, DEBOUNCE);
}

function next() {
  if (wanted === null) return;
  if (running !== null) {
    if (running.whole) running.control.abort(); // it takes long, and is of no use any more
    return;
  }
  const { state, push } = wanted;
  wanted = null;
  load(state, { push });
}

async function load(state, { push = false, whole = false, keep = false } = {}) {
  if (running !== null) running.control.abort();
  const own = { control: new AbortController(), whole };
  running = own;
  document.body.classList.add("asking");
  try {
    const headers = whole ? { "X-Detectable-Part": "whole" } : {};
    const answer = await fetch(`/plan?${state}`, { headers, signal: own.control.signal });
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    if (running === own) await show(page, { push, keep });
  } catch (error) {
    if (error.name !== "AbortError") say("script.gone");
  } finally {
    if (running === own) {
      running = null;
      document.body.classList.remove("asking");
    }
    next();
  }
}

// What the answer says takes the place of what was there

async function show(page, { push, keep }) {
  const now = document.getElementById("designs");
  const then = page.getElementById("designs");
  if (!then) return;
  if (now.className !== then.className || keep) {
    document.getElementById("content").replaceWith(page.getElementById("content"));
    foldOnPhones();
  } else {
    all("[data-live]").forEach((part) => renew(part, page.getElementById(part.id)));
    all("[data-live-field]").forEach((part) => refield(part, page.getElementById(part.id)));
    all("[data-live-results]").forEach((part) => reresult(part, page.getElementById(part.id)));
    now.dataset.query = then.dataset.query;
  }
  remember(then.dataset.query, push);
  await drawAll();
  const pending = document.querySelector("[data-pending]");
  clearTimeout(rest);
  if (pending) rest = setTimeout(() => running === null && load(query(), { whole: true }), REST);
}

function renew(part, other) {
  if (other && part.innerHTML !== other.innerHTML) part.replaceChildren(...other.childNodes);
}

function refield(part, other) {
  if (!other) return;
  part.hidden = other.hidden;
  part.className = other.className;
  const fault = part.querySelector(".fault");
  const said = other.querySelector(".fault").textContent;
  if (fault.textContent !== said) fault.textContent = said;
  const active = part.contains(document.activeElement) && document.activeElement.tagName !== "BODY";
  all("input, select", part).forEach((input) => {
    const found = other.querySelector(`#${CSS.escape(input.id)}`);
    if (found.hasAttribute("aria-invalid")) input.setAttribute("aria-invalid", "true");
    else input.removeAttribute("aria-invalid");
    if (input.dataset.default !== undefined) input.dataset.default = found.dataset.default;
    if (!active && input.value !== found.value) input.value = found.value;
  });
}

function reresult(part, other) {
  if (!other) return;
  if (other.dataset.faulty !== undefined && part.dataset.faulty === undefined) {
    part.classList.add("stale"); // the last that was possible stays
    return;
  }
  part.classList.remove("stale");
  delete part.dataset.faulty;
  if (other.dataset.faulty !== undefined) part.dataset.faulty = "";
  const open = all("details", part).map((one) => one.className).filter((name) => part.querySelector(`.${name}[open]`));
  const typed = all("[data-freeze]", part).map((input) => [input.id, input.value]);
  const drawings = new Map(all("figure", part).map((figure) => [figure.id, figure.querySelector(".drawn")]));
  for (const figure of all("figure", other)) {
    const old = drawings.get(figure.id);
    // The old picture stays until the new one is drawn, so that nothing jumps.
    if (old) figure.querySelector(".drawn").replaceChildren(...old.childNodes);
  }
  part.replaceChildren(...other.childNodes);
  open.forEach((name) => (part.querySelector(`.${name}`).open = true));
  typed.forEach(([id, value]) => (document.getElementById(id).value = value));
}

function remember(state, push) {
  const address = state ? `/plan?${state}` : "/plan";
  if (address === location.pathname + location.search) return;
  // A move of a slider replaces the address; when it rests, the address becomes a step of its own.
  if (push || !history.state || !history.state.moving) history.pushState({ moving: !push }, "", address);
  else history.replaceState({ moving: true }, "", address);
}

function rested() {
  if (history.state && history.state.moving) history.replaceState({ moving: false }, "");
}

// Copy, freeze, pilot

async function clicked(event) {
  const button = event.target.closest("[data-copy]");
  if (button) {
    const text = button.previousElementSibling;
    try {
      await navigator.clipboard.writeText(text.textContent);
      say("script.copied");
    } catch {
      getSelection().selectAllChildren(text);
      say("script.selected");
    }
  }
}

document.addEventListener("input", moved);
document.addEventListener("change", rested);
document.addEventListener("focusout", rested);
document.addEventListener("click", clicked);
document.addEventListener("submit", (event) => event.preventDefault());
freezeOn(query, send);
pilotOn(send, (prefix, settings) => {
  for (const [key, value] of Object.entries(settings)) {
    const input = document.querySelector(`form.choices [name="${CSS.escape(prefix + key)}"]`);
    if (input) input.value = value;
    if (input) input.closest("[hidden]")?.removeAttribute("hidden");
  }
  ask(query(), { push: true });
});
addEventListener("popstate", () => {
  wanted = null;
  load(location.search.slice(1), { keep: true });
});

function foldOnPhones() {
  if (matchMedia("(max-width: 700px)").matches) all(".more").forEach((part) => (part.open = false));
}

history.replaceState({ moving: false }, "");
foldOnPhones();
await drawAll();
if (document.querySelector("[data-pending]")) load(location.search.slice(1), { whole: true });
document.documentElement.dataset.ready = "yes";
