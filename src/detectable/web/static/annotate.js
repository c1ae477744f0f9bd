// The page of a rater. Texts come in only as text; answers are kept in the tab until they are saved.
import { word } from "./tell.js";

const RETRY = 2000; // milliseconds until a save that did not arrive is tried again
const token = location.hash.slice(1);
const at = (id) => document.getElementById(id);
let about = null; // what is asked
let page = null; // what is shown
let answers = []; // of the texts of the page: a number, "skipped", or null
let key = ""; // of this save: a second try is known by it
let began = 0;
let block = null;
let saving = false;

async function ask(address, method = "GET", body = undefined) {
  const headers = { Authorization: `Bearer ${token}`, "X-Detectable": "1" };
  if (body !== undefined) headers["Content-Type"] = "application/json";
  const answer = await fetch(address, { method, headers, body });
  return { status: answer.status, said: await answer.json() };
}

// What is shown

function only(name) {
  for (const part of ["welcome", "message", "rate"]) at(part).hidden = part !== name;
}

function tell(name, values = {}, goOn = null) {
  at("message-title").textContent = word(`script.rate_${name}_title`);
  at("message-text").textContent = word(`script.rate_${name}`, values);
  at("again").hidden = goOn === null;
  at("again").onclick = goOn;
  at("place").textContent = "";
  only("message");
  at("message-title").focus();
}

function draft() {
  return `draft:${page.token}`;
}

function keepDraft() {
  sessionStorage.setItem(draft(), JSON.stringify({ answers, key }));
}

function takeDraft() {
  const kept = JSON.parse(sessionStorage.getItem(draft()) ?? "null");
  answers = kept?.answers ?? page.texts.map(() => null);
  key = kept?.key ?? crypto.randomUUID();
}

function side(item, name, said, language) {
  const part = item.querySelector(`.${name}`);
  part.hidden = said === null;
  if (said === null) return;
  part.querySelector("h2").textContent = word(`script.rate_${name}`);
  const text = part.querySelector("p");
  text.textContent = said;
  text.lang = language.tag;
  text.dir = language.direction;
}

function shown(item, place) {
  const slider = item.querySelector("input");
  const answer = answers[place];
  const rated = typeof answer === "number";
  const skipped = answer === "skipped";
  const said = rated ? String(answer) : word(skipped ? "script.rate_skipped" : "script.rate_unrated");
  slider.classList.toggle("unrated", !rated);
  slider.setAttribute("aria-valuetext", said);
  item.querySelector("output").textContent = said;
  item.querySelector(".skip-text").setAttribute("aria-pressed", String(skipped));
  at("save").setAttribute("aria-disabled", String(answers.includes(null)));
}

function one(text, place) {
  const item = at("text").content.firstElementChild.cloneNode(true);
  side(item, "source", text.source, about.source);
  side(item, "reference", text.reference, about.target);
  side(item, "output", text.text, about.target);
  const slider = item.querySelector("input");
  slider.id = `score-${place}`;
  slider.min = about.low;
  slider.max = about.high;
  slider.step = about.step;
  slider.value = answers[place] ?? (about.low + about.high) / 2;
  slider.setAttribute("aria-label", word("script.rate_label", { n: place + 1 }));
  item.querySelector(".low").textContent = about.low;
  item.querySelector(".high").textContent = about.high;
  const rate = () => {
    answers[place] = Number(slider.value);
    shown(item, place);
    keepDraft();
  };
  slider.addEventListener("input", rate);
  slider.addEventListener("pointerup", rate); // also where the mark already stood
  slider.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && event.ctrlKey) save();
    else if (event.key === "Enter" && answers[place] !== null) further(place);
  });
  item.querySelector(".skip-text").addEventListener("click", () => {
    answers[place] = answers[place] === "skipped" ? null : "skipped";
    shown(item, place);
    keepDraft();
  });
  return item;
}

function further(place) {
  const next = at(`score-${place + 1}`);
  (next ?? at("save")).focus();
}

function show(given) {
  page = given;
  takeDraft();
  began = performance.now();
  at("texts").replaceChildren(...page.texts.map(one));
  [...at("texts").children].forEach(shown);
  at("fault").textContent = "";
  at("place").textContent = word("script.rate_place", page);
  only("rate");
  scrollTo(0, 0);
  at("rate-title").focus();
}

// Going on and saving

async function next() {
  let found;
  try {
    found = await ask("/api/v1/next");
  } catch {
    tell("offline", {}, next);
    return;
  }
  const { status, said } = found;
  if (status === 401) tell("invalid");
  else if (status === 409) tell("closed");
  else if (said.done) pause(said);
  else if (block !== null && said.block !== block) {
    block = said.block;
    tell("block", {}, () => show(said));
  } else {
    block = said.block;
    show(said);
  }
}

function pause(said) {
  if (said.state === "paused") tell("paused", {}, next);
  else if (said.state === "stopped") tell("stopped");
  else if (said.retry_after === null) tell("finished");
  else tell("empty", { minutes: Math.ceil(said.retry_after / 60) }, next);
}

async function save() {
  if (saving) return;
  const open = answers.indexOf(null);
  if (open >= 0) {
    at("fault").textContent = word("script.rate_missing", { n: open + 1 });
    at(`score-${open}`).focus();
    return;
  }
  saving = true;
  const body = JSON.stringify({
    key,
    seconds: (performance.now() - began) / 1000,
    answers: answers.map((one) => (one === "skipped" ? { skipped: "cannot_judge" } : { score: one })),
  });
  const done = await delivered(body);
  saving = false;
  if (done.status === 200) {
    sessionStorage.removeItem(draft());
    at("saved").textContent = word(done.said.state === "saved late" ? "script.rate_late" : "script.rate_saved");
    next();
  } else if (done.status === 409) next();
  else if (done.status === 401) tell("invalid");
  else at("fault").textContent = done.said.message;
}

async function delivered(body) {
  for (;;) {
    try {
      return await ask(`/api/v1/pages/${page.token}`, "PUT", body);
    } catch {
      at("saved").textContent = word("script.rate_unsaved");
      await new Promise((resolve) => setTimeout(resolve, RETRY));
    }
  }
}

async function start() {
  const { status, said } = await ask("/api/v1/me");
  if (status !== 200) {
    tell(status === 401 ? "invalid" : "closed");
    return;
  }
  about = said;
  at("instructions").textContent = about.instructions;
  at("rate-title").textContent = word(`script.rate_question_${about.protocol}_${about.mode}`);
  only("welcome");
}

at("save").addEventListener("click", save);
at("begin").addEventListener("click", next);
start();
