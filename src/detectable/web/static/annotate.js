// The page of a rater. Texts come in only as text; answers are kept in the tab until they are saved.
import { changesTo } from "./language.js";
import { markdown } from "./markdown.js";
import { isPreview, previewed } from "./preview.js";
import { question, stateOf } from "./questions.js";
import { Score } from "./score.js";
import { showBefore, showSides } from "./sides.js";
import { word } from "./tell.js";
import { feedback, hasTried, setTried } from "./training.js";

const WARN = 300; // seconds before the work goes to somebody else
const POLL = 60000; // milliseconds between two questions whether there is work again
const CHECK = 5000; // the same, while it is decided whether work counts
const RETRY = 2000; // milliseconds until a save that did not arrive is tried again
const REST = 1000; // milliseconds without a change after which a draft is sent
const tab = crypto.randomUUID(); // a newer tab of the same rater takes over
const tabs = new BroadcastChannel("tabs"); // of this browser; the server knows the others
const token = location.hash.slice(1);
const [, joining] = /^\/join\/([^/]+)/.exec(location.pathname) ?? [];
const { lang } = document.documentElement;
const later = (status) => status >= 500 || status === 429; // it may work in a moment
const at = (id) => document.getElementById(id);
let about = null; // what is asked
let page = null; // what is shown
let asked = []; // the questions to the texts of the page
let skipped = []; // which of them cannot be judged
let comments = []; // on them
let overall = null; // the score of the whole page, where one may be given
let warning = 0; // that time runs out
let trying = null; // the number of the text to try, where nothing is counted
let key = ""; // of this save: a second try is known by it
let began = 0;
let block = null;
let saving = false;
let dirty = false; // whether the page holds what the server does not have
let resting = 0; // until the draft is sent
let poll = 0;

const inPreview = isPreview ? previewed() : null;

async function ask(address, method = "GET", body = undefined) {
  if (inPreview) return inPreview(address, method, body);
  const headers = { Authorization: `Bearer ${token}`, "X-Detectable": "1" };
  if (body !== undefined) headers["Content-Type"] = "application/json";
  const answer = await fetch(address, { method, headers, body });
  return { status: answer.status, said: await answer.json() };
}

// What is shown

function only(name) {
  for (const part of ["welcome", "message", "rate"]) at(part).hidden = part !== name;
  for (const part of ["status", "helps"]) at(part).hidden = name !== "rate";
}

function tell(name, values = {}, goOn = null) {
  at("message-title").textContent = word(`script.rate_${name}_title`);
  at("message-text").textContent = word(`script.rate_${name}`, values);
  at("again").hidden = goOn === null;
  at("again").onclick = goOn;
  at("place").textContent = "";
  at("completed").hidden = at("change").hidden = true;
  clearTimeout(resting);
  only("message");
  at("message-title").focus();
}

// What stands on a page goes to the server soon after every change, and stays in the tab until it is there.

const draft = () => `draft:${page.token}`;

function written() {
  return { states: asked.map((one) => one.state), skipped, comments, overall: overall?.value ?? null, key };
}

function keepDraft() {
  if (trying !== null) return;
  dirty = true;
  sessionStorage.setItem(draft(), JSON.stringify(written()));
  at("save").textContent = word(page.saved ? "script.rate_change" : "script.rate_save");
  at("saved").textContent = "";
  clearTimeout(resting);
  resting = setTimeout(sendDraft, REST);
}

async function sendDraft() {
  const { token: name } = page;
  const body = JSON.stringify({ tab, draft: written() });
  const found = await ask(`/api/v1/drafts/${name}`, "PUT", body).catch(() => null);
  if (at("rate").hidden || saving || page.token !== name) return;
  if (found?.said.code === "other_tab") taken();
  else if (found === null || later(found.status)) {
    fault(word("script.rate_unsaved"));
    resting = setTimeout(sendDraft, RETRY);
  } else if (found.status === 200) {
    if (body !== JSON.stringify({ tab, draft: written() })) return; // more was written meanwhile
    dirty = false;
    sessionStorage.removeItem(draft());
    fault("");
    at("saved").textContent = word("script.rate_saved");
  }
}

// Another tab has the page now, and what it holds counts.
function taken() {
  sessionStorage.removeItem(draft());
  dirty = false;
  tell("tab", {}, next);
}

tabs.addEventListener("message", ({ data }) => {
  if (!isPreview && data.token === page?.token && data.tab !== tab && !at("rate").hidden && trying === null) taken();
});

function takeDraft() {
  const kept = JSON.parse(sessionStorage.getItem(draft()) ?? "null") ?? page.draft ?? fromSaved(page.saved);
  skipped = kept?.skipped ?? page.texts.map(() => false);
  comments = kept?.comments ?? page.texts.map(() => "");
  key = kept?.key ?? crypto.randomUUID();
  return kept;
}

// What was saved before, as a draft to change.
function fromSaved(saved) {
  if (!saved) return null;
  return {
    states: saved.answers.map((one) => stateOf(about.protocol, one)),
    skipped: saved.answers.map((one) => one.skipped !== undefined),
    comments: saved.answers.map((one) => one.comment ?? ""),
    overall: saved.overall,
  };
}

const isDone = (one, place) => skipped[place] || one.answer !== null;

function shown() {
  [...at("texts").children].forEach((item, place) => {
    item.querySelector(".skip-text").setAttribute("aria-pressed", String(skipped[place]));
    item.classList.toggle("skipped", skipped[place]);
    asked[place].show(skipped[place]);
    item.classList.toggle("done", isDone(asked[place], place));
    if (isDone(asked[place], place)) item.classList.remove("faulty");
  });
  at("save").setAttribute("aria-disabled", String(missing() >= 0));
  at("progress").value = (page.place - 1 + asked.filter(isDone).length / asked.length) / page.pages;
}

function missing() {
  return asked.findIndex((one, place) => !isDone(one, place));
}

function one(text, place, kept) {
  const item = at("text").content.firstElementChild.cloneNode(true);
  item.querySelector(".n").textContent = place + 1;
  showSides(item, text, about);
  const changed = () => {
    skipped[place] = false;
    fault("");
    shown();
    keepDraft();
  };
  asked[place] = question(item, { text, place, about, kept, changed, entered: () => further(place) });
  item.querySelector(".skip-text").addEventListener("click", () => {
    skipped[place] = !skipped[place];
    shown();
    keepDraft();
  });
  showComment(item, place);
  return item;
}

function showComment(item, place) {
  const [button, field] = [".comment-open", ".comment"].map((name) => item.querySelector(name));
  button.hidden = !about.comments || trying !== null;
  field.setAttribute("aria-label", word("script.rate_comment", { n: place + 1 }));
  field.value = comments[place];
  const open = (on) => {
    field.hidden = !on;
    button.setAttribute("aria-expanded", String(on));
  };
  open(about.comments && comments[place] !== "");
  button.addEventListener("click", () => {
    open(field.hidden);
    if (!field.hidden) field.focus();
  });
  field.addEventListener("input", () => {
    comments[place] = field.value;
    keepDraft();
  });
}

function further(place) {
  const next = asked.findIndex((one, n) => n > place && !skipped[n]);
  if (next >= 0) asked[next].focus();
  else if (overall) overall.focus();
  else at("save").focus();
}

function showOverall(kept) {
  const box = at("overall");
  box.hidden = !about.overall;
  overall = null;
  if (!about.overall) return;
  const part = at("score").content.firstElementChild.cloneNode(true);
  box.querySelector(".question").replaceChildren(part);
  overall = new Score(part, {
    id: "overall-score",
    label: word("script.rate_overall"),
    typed: `${word("script.rate_overall")} (0–100)`,
    low: 0,
    high: 100,
    step: 1,
    kept,
    changed: keepDraft,
    entered: () => at("save").focus(),
  });
}

function put(given, place) {
  page = given;
  const kept = takeDraft();
  began = performance.now();
  asked = [];
  showBefore(page.before ?? [], about);
  at("texts").replaceChildren(...page.texts.map((text, n) => one(text, n, kept?.states?.[n])));
  showOverall(kept?.overall);
  shown();
  fault("");
  at("told").textContent = "";
  at("place").textContent = place;
  for (const name of ["try-said", "try-skip"]) at(name).hidden = true;
  dirty = trying === null && sessionStorage.getItem(draft()) !== null;
  const go = page.saved && !page.draft && !dirty ? "script.rate_forward" : page.saved ? "script.rate_change" : "script.rate_save";
  at("save").textContent = word(trying === null ? go : "script.try_check");
  at("back").hidden = !page.back;
  clearTimeout(warning);
  only("rate");
  scrollTo(0, 0);
  at("rate-title").focus();
}

function show(given) {
  const minutes = Math.max(1, Math.round(given.seconds_left / 60));
  put(given, word("script.rate_place_left", { ...given, minutes }));
  tabs.postMessage({ token: page.token, tab });
  if (dirty) keepDraft();
  if (about.lease > WARN) warning = setTimeout(warn, (about.lease - WARN) * 1000);
}

// Trying first

function attempt(n) {
  const text = about.training[n];
  if (text === undefined) {
    trying = null;
    if (!isPreview) setTried();
    next();
    return;
  }
  trying = n;
  const overall = about.overall;
  about.overall = false;
  put({ token: `try-${n}`, texts: [text], place: n + 1, pages: about.training.length }, word("script.try_place", { n: n + 1, all: about.training.length }));
  about.overall = overall;
  at("try-skip").hidden = false;
}

function check() {
  if (!at("try-said").hidden) {
    attempt(trying + 1);
    return;
  }
  at("try-said").textContent = skipped[0] ? word("script.try_thanks") : feedback(about.training[trying], asked[0].answer);
  at("try-said").hidden = false;
  fault("");
  at("save").textContent = word("script.try_on");
}

// One line says how it stands: what is wrong stands in the place of what is well.
function fault(said) {
  at("fault").textContent = said;
  at("saved").hidden = said !== "";
}

function warn() {
  at("saved").textContent = word("script.rate_lease", { minutes: WARN / 60 });
}

// Going on and saving

async function next() {
  let found;
  try {
    found = await ask(`/api/v1/next?tab=${tab}`);
  } catch {
    tell("offline", {}, next);
    return;
  }
  arrived(found);
}

// To a page of this block that was saved before.
async function again(name) {
  clearTimeout(resting);
  if (dirty && !at("rate").hidden) await sendDraft();
  const found = await ask(`/api/v1/pages/${name}`).catch(() => null);
  if (found?.status === 200) show(found.said);
  else if (found?.status === 401) tell("invalid");
  else fault(word("script.rate_unsaved"));
}

function arrived({ status, said }) {
  if (status === 401) tell("invalid");
  else if (status === 409) tell("closed");
  else if (later(status)) tell("offline", {}, next);
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
  const { ending = "" } = said;
  if (said.state === "paused") tell("paused", {}, next);
  else if (["checking", "screened_out", "nothing"].includes(ending)) tell(ending);
  else if (said.state === "stopped") tell("stopped");
  else if (said.all_done) tell("completed");
  else if (said.retry_after === null) tell("finished");
  else tell("empty", { minutes: Math.ceil(said.retry_after / 60) }, next);
  complete(said);
  at("change").hidden = !said.back || ending === "screened_out";
  at("change").onclick = () => again(said.back);
  if (ending === "checking") stay(said, CHECK);
  else if (said.state !== "stopped" && !said.all_done) stay(said);
}

// The end of the work: a code to hand in, and the way back.
function complete({ code = "", return_to: address = "" }) {
  at("completed").hidden = !code && !address;
  at("code-part").hidden = !code;
  at("code").textContent = code;
  at("copied").textContent = "";
  at("return-part").hidden = !address;
  if (address) at("return").href = address;
}

// Who has nothing to rate stays on call: work that others gave back comes by itself. A page that nobody
// sees does not ask, since what it is given would wait for its rater.
const as = (said) => `${said.state} ${said.retry_after === null} ${said.ending}`;

function stay(was, wait = POLL) {
  clearTimeout(poll);
  poll = setTimeout(async () => {
    if (at("message").hidden) return;
    let found = null;
    if (document.visibilityState === "visible") found = await ask(`/api/v1/next?tab=${tab}`).catch(() => null);
    const same = found === null || later(found.status) || (found.said.done && as(found.said) === as(was));
    if (same) stay(was, wait);
    else arrived(found);
  }, wait);
}

async function save() {
  if (saving) return;
  const open = missing();
  if (open >= 0) {
    fault(word(asked[open].problem ?? "script.rate_missing", { n: open + 1 }));
    const item = at("texts").children[open];
    item.classList.add("faulty");
    item.scrollIntoView({ block: "center" });
    asked[open].focusOpen();
    return;
  }
  if (trying !== null) {
    check();
    return;
  }
  if (page.saved && !dirty && !page.draft) {
    onward();
    return;
  }
  saving = true;
  clearTimeout(resting);
  const body = JSON.stringify({
    key,
    ...(page.saved ? { replaces: page.saved.key } : {}),
    seconds: (performance.now() - began) / 1000,
    answers: asked.map((one, place) => ({
      ...(skipped[place] ? { skipped: "cannot_judge" } : one.answer),
      ...(comments[place].trim() ? { comment: comments[place].trim() } : {}),
    })),
    ...(overall?.value == null ? {} : { document_score: overall.value }),
  });
  const done = await delivered(body);
  saving = false;
  if (done.status === 200) {
    sessionStorage.removeItem(draft());
    fault("");
    dirty = false;
    at("saved").textContent = word(done.said.state === "saved late" ? "script.rate_late" : "script.rate_saved");
    onward();
  } else if (done.status === 409 && page.saved) {
    sessionStorage.removeItem(draft());
    await next();
    fault(word("script.rate_fixed"));
  } else if (done.status === 409) next();
  else if (done.status === 401) tell("invalid");
  else fault(done.said.message);
}

// To the page after this one, if it was saved before; else to what is still to do.
function onward() {
  if (page.forward) again(page.forward);
  else next();
}

async function delivered(body) {
  for (;;) {
    try {
      const found = await ask(`/api/v1/pages/${page.token}`, "PUT", body);
      if (!later(found.status)) return found;
    } catch {
      // It is tried again.
    }
    fault(word("script.rate_unsaved"));
    await new Promise((resolve) => setTimeout(resolve, RETRY));
  }
}

// Whoever opens an open link gets one of their own: what named them stands in the address no more.
async function join() {
  const query = { ...Object.fromEntries(new URLSearchParams(location.search)), browser: browserName() };
  const found = await ask(`/api/v1/join/${joining}`, "POST", JSON.stringify({ query })).catch(() => null);
  if (found === null || later(found.status)) tell("offline", {}, join);
  else if (found.said.code === "no_participant") tell("join");
  else if (found.status === 401) tell("invalid");
  else if (found.status !== 200) tell("closed");
  else if (found.said.full) {
    tell("full");
    complete({ return_to: found.said.leave_to });
  } else location.replace(`/a?language=${lang}#${found.said.link}`);
}

function browserName() {
  const kept = localStorage.getItem("browser") ?? crypto.randomUUID();
  localStorage.setItem("browser", kept);
  return kept;
}

async function start() {
  let found;
  try {
    found = await ask("/api/v1/me");
  } catch {
    tell("offline", {}, start);
    return;
  }
  const { status, said } = found;
  if (later(status)) {
    tell("offline", {}, start);
    return;
  }
  if (status !== 200) {
    tell(status === 401 ? "invalid" : "closed");
    return;
  }
  if (changesTo(said.language)) return;
  about = said;
  for (const name of ["pay", "consent"]) {
    at(name).textContent = about[name];
    at(`${name}-part`).hidden = about[name] === "";
  }
  explain();
  showQuestions();
  at("agreed").checked = about.consented;
  at("rate-title").textContent = word(`script.rate_question_${about.protocol}_${about.mode}`);
  if (about.mode === "alone") document.title = document.querySelector(".brand").textContent = word("script.rate_texts");
  at("preview").hidden = !isPreview;
  at("decline").hidden = !about.leave_to;
  at("code-for").hidden = about.code_for !== "admitted";
  only("welcome");
}

// What is asked: our words for the protocol, those of the organiser, or both; and the keys.
function explain() {
  const own = about.guide === "instead" && about.instructions ? "" : word(`script.rate_guide_${about.protocol}${about.mode === "alone" ? "_alone" : ""}`);
  for (const name of ["instructions", "guide-text"]) {
    const means = about.severities.length ? [meanings()] : [];
    at(name).replaceChildren(...markdown(own), ...(own ? means : []), ...markdown(about.instructions));
  }
  const marks = about.severities.length > 0;
  at("how").textContent = marks ? word(about.suggested ? "script.mark_how_suggested" : "script.mark_how") : "";
  const other = about.severities.length > 2 ? ["other"] : [];
  const marking = ["move", "mark", ...other, "remove", "none"];
  const scored = about.protocol === "esa" ? ["da"] : [];
  at("keys-list").replaceChildren(
    ...[...(marks ? [...marking, ...scored] : [about.protocol]), "enter"].map((name) => {
      const item = document.createElement("li");
      item.textContent = word(`script.rate_keys_${name}`);
      return item;
    }),
  );
  at("means").hidden = !marks;
  at("means").replaceChildren(...meanings().children);
  at("legend").hidden = about.protocol !== "esa";
  if (!at("legend").hidden) showLegend();
}

// What raters are asked of themselves, once.
function showQuestions() {
  at("questions-part").hidden = about.answered || about.questions.length === 0;
  at("questions").replaceChildren(
    ...about.questions.map(({ label, answers }, n) => {
      const row = document.createElement("p");
      const name = document.createElement("label");
      const field = document.createElement(answers.length ? "select" : "input");
      name.textContent = label;
      name.htmlFor = field.id = `question-${n}`;
      if (answers.length) field.append(...["", ...answers].map((one) => new Option(one, one)));
      else field.maxLength = 500;
      row.append(name, field);
      return row;
    }),
  );
}

// Sends the answers; says whether the rater may go on.
async function answered() {
  if (at("questions-part").hidden) return true;
  const fields = [...at("questions").querySelectorAll("input, select")];
  const open = fields.find((one) => one.value.trim() === "");
  for (const one of fields) one.setAttribute("aria-invalid", String(one === open));
  at("questions-fault").textContent = open ? word("script.rate_answer") : "";
  if (open) {
    open.focus();
    return false;
  }
  const answers = Object.fromEntries(about.questions.map(({ label }, n) => [label, fields[n].value.trim()]));
  const { status, said } = await ask("/api/v1/me/answers", "PUT", JSON.stringify({ answers }));
  about.answered = status === 200;
  if (!about.answered) at("questions-fault").textContent = said.message;
  return about.answered;
}

function meanings() {
  const list = document.createElement("dl");
  for (const name of about.severities.length ? [...about.severities, "missing"] : []) {
    const pair = document.createElement("div");
    const [term, said] = ["dt", "dd"].map((kind) => document.createElement(kind));
    const mark = document.createElement("span");
    mark.className = name;
    mark.textContent = word(`script.mark_${name === "missing" ? name : `tool_${name}`}`);
    term.append(mark);
    said.textContent = word(`script.mark_means_${name}`);
    pair.append(term, said);
    list.append(pair);
  }
  return list;
}

function showLegend() {
  const said = about.anchors.map((score, n) => [score, word(`script.rate_legend_${n}`)]);
  at("legend").setAttribute("aria-label", `${word("script.rate_legend")}: ${said.map((one) => one.join(" ")).join(", ")}`);
  at("legend").replaceChildren(
    ...said.map(([score, meaning]) => {
      const mark = document.createElement("span");
      const number = document.createElement("b");
      number.textContent = score;
      mark.append(number, meaning);
      mark.style.setProperty("--at", score / 100);
      return mark;
    }),
  );
}

async function begin() {
  if (about.consent && !about.consented) {
    at("welcome-fault").textContent = at("agreed").checked ? "" : word("script.rate_agree");
    if (!at("agreed").checked) {
      at("agreed").focus();
      return;
    }
    try {
      const { status } = await ask("/api/v1/me/consent", "POST");
      about.consented = status === 200;
    } catch {
      tell("offline", {}, begin);
      return;
    }
  }
  try {
    if (!(await answered())) return;
  } catch {
    tell("offline", {}, begin);
    return;
  }
  if (about.training.length && (isPreview || !hasTried())) attempt(0);
  else next();
}

at("try-skip").addEventListener("click", () => attempt(about.training.length));
at("save").addEventListener("click", save);
at("begin").addEventListener("click", begin);
document.addEventListener("keydown", (event) => {
  if (at("rate").hidden || document.querySelector("dialog[open]")) return;
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) save();
  else if (event.key === "?" && !["input", "textarea"].includes(event.target.localName)) at("keys").showModal();
});
at("decline").addEventListener("click", () => {
  tell("declined");
  complete({ return_to: about.leave_to });
});
at("back").addEventListener("click", () => again(page.back));
at("copy").addEventListener("click", async () => {
  await navigator.clipboard.writeText(at("code").textContent);
  at("copied").textContent = word("script.rate_copied");
});
addEventListener("pagehide", () => {
  if (!dirty || at("rate").hidden || isPreview) return;
  const headers = { Authorization: `Bearer ${token}`, "X-Detectable": "1", "Content-Type": "application/json" };
  const body = JSON.stringify({ tab, draft: written() });
  fetch(`/api/v1/drafts/${page.token}`, { method: "PUT", headers, body, keepalive: true });
});
for (const name of ["keys", "guide"]) at(`${name}-open`).addEventListener("click", () => at(name).showModal());
at("no-overall").addEventListener("click", () => {
  overall.clear();
  keepDraft();
});
if (joining) join();
else start();
