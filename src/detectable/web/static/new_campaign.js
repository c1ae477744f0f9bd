// A new campaign: files go to the server as they are chosen; the rest is sent to be checked, then frozen.
import { showLinks } from "./links.js";
import { keepPreview } from "./preview.js";
import { send, word } from "./tell.js";

const at = (id) => document.getElementById(id);
const all = (selector) => [...document.querySelectorAll(selector)];
const files = new Map(); // what the server calls the file of an input
const sentBefore = new Map(); // the same with name and lines, for the draft
let waiting = 0; // files on their way
let checked = ""; // what was checked last, as it was sent
let red = 0; // remarks that make work worthless

// Files

async function sent(input) {
  const [file] = input.files;
  const said = at(`${input.id}-said`);
  files.delete(input.id);
  sentBefore.delete(input.id);
  changed();
  if (!file) {
    said.textContent = "";
    return;
  }
  waiting += 1;
  said.textContent = word("script.sending");
  said.classList.remove("fault");
  const address = `/api/v1/uploads?file=${encodeURIComponent(file.name)}`;
  const { ok, said: answer } = await send(address, "application/octet-stream", file);
  waiting -= 1;
  said.classList.toggle("fault", !ok);
  said.textContent = ok ? word("script.sent", { n: answer.lines }) : answer.message;
  if (ok) {
    files.set(input.id, answer.id);
    sentBefore.set(input.id, { id: answer.id, name: file.name, lines: answer.lines });
    keepDraft();
  }
  const name = input.closest(".system")?.querySelector(".system-name");
  if (ok && name && !name.value) name.value = file.name.replace(/\.[^.]*$/, "");
}

function moreSystems() {
  const n = all(".system").length + 1;
  const row = at("system-row").content.firstElementChild.cloneNode(true);
  const [name, output] = row.querySelectorAll("label");
  const [called, file] = row.querySelectorAll("input");
  row.setAttribute("aria-label", word("script.system", { n }));
  name.textContent = word("script.system", { n });
  name.htmlFor = called.id = `system-${n}`;
  output.htmlFor = file.id = `output-${n}`;
  row.querySelector(".help").id = `output-${n}-said`;
  file.setAttribute("aria-describedby", `output-${n}-said`);
  at("systems").append(row);
  called.focus();
}

// What is asked for

const typed = (id) => at(id).value.trim();
const listed = (id) => typed(id).split(",").map((one) => one.trim()).filter(Boolean);
const lined = (id) => at(id).value.split("\n").map((one) => one.trim()).filter(Boolean);
const number = (id) => (typed(id) === "" ? null : Number(typed(id)));
// The template says of each field what it takes.
const READS = { number, words: typed, list: listed, tick: (id) => at(id).checked, prose: (id) => at(id).value, rows: (id) => lined(id) };

function given() {
  const systems = all(".system")
    .map((row) => ({ name: row.querySelector(".system-name").value.trim(), file: files.get(row.querySelector(".system-file").id) }))
    .filter((one) => one.file);
  const asked = {
    texts: {
      systems,
      references: files.has("references") ? [files.get("references")] : [],
      sources: files.get("sources") ?? null,
      documents: files.get("documents") ?? null,
      corpus: files.get("corpus") ?? null,
      campaign: files.get("campaign") ?? null,
    },
  };
  // Those of the plan stand deeper, in a part of their own.
  for (const one of all("fieldset > .field-row [data-takes]")) {
    const value = READS[one.dataset.takes](one.id);
    if (value !== null && isAsked(one.id)) asked[one.id] = value;
  }
  for (const id of ["training", "suggestions"]) if (isAsked(id) && files.has(id)) asked[id] = files.get(id);
  if (at("plan_file")?.value) asked.plan_file = at("plan_file").value;
  else asked.plan = plan();
  return asked;
}

// Some fields belong to some protocols; the others are not shown, and not sent.
function isAsked(id) {
  return at(id).closest("[data-only]")?.hidden !== true;
}

function showAsked() {
  for (const row of all("[data-only]")) row.hidden = !row.dataset.only.split(" ").includes(at("protocol").value);
}

function plan() {
  const asked = {};
  for (const id of ["question", "test", "family", "admission"]) asked[id] = typed(id);
  if (typed("baseline")) asked.baseline = typed("baseline");
  for (const id of ["n_max", "alpha", "looks", "pairs"]) if (number(id) !== null) asked[id] = number(id);
  if (number("cost_per_judgment")) asked.cost_per_judgment = number("cost_per_judgment");
  return asked;
}

// A draft on the server: what was typed is here again when the page is loaded again.

const random = () => [...crypto.getRandomValues(new Uint8Array(12))].map((one) => one.toString(16).padStart(2, "0")).join("");
const draft = location.hash.slice(1) || random();
const KEEP = 800; // milliseconds after the last change
let keeping = 0;

const draftFields = () => all("#new input:not([type=file]), #new select, #new textarea").filter((one) => one.id);

function keepDraft() {
  clearTimeout(keeping);
  keeping = setTimeout(() => {
    const fields = Object.fromEntries(draftFields().map((one) => [one.id, one.type === "checkbox" ? one.checked : one.value]));
    const body = JSON.stringify({ fields, files: Object.fromEntries(sentBefore) });
    history.replaceState(null, "", `#${draft}`);
    send(`/api/v1/new-campaigns/${draft}`, "application/json", body, "PUT");
  }, KEEP);
}

async function readDraft() {
  if (!location.hash) return;
  const answer = await fetch(`/api/v1/new-campaigns/${draft}`);
  if (!answer.ok) return;
  const kept = await answer.json();
  while (kept.fields[`system-${all(".system").length + 1}`] !== undefined) moreSystems();
  for (const [id, value] of Object.entries(kept.fields)) {
    if (!at(id)) continue;
    if (typeof value === "boolean") at(id).checked = value;
    else at(id).value = value;
  }
  for (const [id, one] of Object.entries(kept.files)) {
    files.set(id, one.id);
    sentBefore.set(id, one);
    at(`${id}-said`).textContent = word("script.sent_before", { name: one.name, n: one.lines });
  }
  if (at("plan_file")) at("own-plan").hidden = at("plan_file").value !== "";
}

// What is wrong stands beside its field.

function clearFaults() {
  at("fault").textContent = "";
  for (const one of all("[aria-invalid]")) {
    one.removeAttribute("aria-invalid");
    const described = one.getAttribute("aria-describedby").split(" ").filter((id) => id !== `${one.id}-fault`);
    if (described.length) one.setAttribute("aria-describedby", described.join(" "));
    else one.removeAttribute("aria-describedby");
  }
  for (const one of all(".field-fault")) one.remove();
}

function faultAt(id, message) {
  const field = at(id);
  if (!field) return false;
  const said = made("span", message, "fault field-fault");
  said.id = `${id}-fault`;
  field.setAttribute("aria-invalid", "true");
  const described = (field.getAttribute("aria-describedby") ?? "").split(" ").filter(Boolean);
  field.setAttribute("aria-describedby", [...described, said.id].join(" "));
  (field.closest(".field-row") ?? field.parentElement).append(said);
  return true;
}

const labelOf = (id) => document.querySelector(`label[for="${id}"]`)?.textContent ?? id;

function showFault(said) {
  if (said.field && faultAt(said.field, said.message)) {
    at(said.field).focus();
    at("fault").textContent = word("script.wrong_at", { label: labelOf(said.field) });
  } else at("fault").textContent = said.message;
}

function isComplete() {
  const whole = files.has("corpus") || files.has("campaign");
  const rows = all(".system").filter((row) => files.has(row.querySelector(".system-file").id));
  const lacking = typed("name") ? [] : ["name"];
  if (!whole && rows.length < 2) lacking.push(...["output-1", "output-2"].filter((id) => !files.has(id)));
  for (const row of rows) {
    const name = row.querySelector(".system-name");
    if (!name.value.trim()) lacking.push(name.id);
  }
  for (const id of lacking) faultAt(id, word("script.fill_in_one"));
  if (lacking.length === 0) return true;
  const labels = lacking.map((id) => (id.startsWith("output") ? word("script.the_systems") : labelOf(id)));
  at("fault").textContent = word("script.fill_in", { fields: [...new Set(labels)].join(", ") });
  at(lacking[0]).focus();
  return false;
}

function changed() {
  keepDraft();
  checked = "";
  at("freeze").setAttribute("aria-disabled", "true");
}

async function check() {
  clearFaults();
  at("fault").textContent = waiting ? word("script.still_sending") : "";
  if (waiting || !isComplete()) return;
  const body = JSON.stringify(given());
  const { ok, said } = await send("/api/v1/campaigns/check", "application/json", body);
  at("checked").hidden = !ok;
  if (!ok) {
    showFault(said);
    return;
  }
  showCost(said.table);
  showRemarks(said.remarks);
  at("checked-says").replaceChildren(
    ...[...said.says, ...said.notes].map((text) => {
      const item = document.createElement("li");
      item.textContent = text;
      return item;
    }),
  );
  checked = body;
  at("freeze").removeAttribute("aria-disabled");
}

// The page of raters with these texts, in a tab of its own, which begins with what this one keeps.
async function see() {
  clearFaults();
  at("fault").textContent = waiting ? word("script.still_sending") : "";
  if (waiting || !isComplete()) return;
  const { ok, said } = await send("/api/v1/campaigns/preview", "application/json", JSON.stringify(given()));
  if (!ok) {
    showFault(said);
    return;
  }
  keepPreview(said);
  open("/a#preview");
}

// What it takes, and what is wrong with it

const money = (value) => (value === null ? "–" : value.toFixed(2));
const amount = (value) => (value === null ? "–" : value.toLocaleString("en"));

function made(kind, text, name = "") {
  const one = document.createElement(kind);
  one.textContent = text;
  if (name) one.className = name;
  return one;
}

function showCost(lines) {
  // On a phone a row is a card, where every number has its own label.
  const heads = all("#cost .each-head").map((one) => one.textContent);
  const [, each] = all("#cost thead [scope=colgroup]").map((one) => one.textContent);
  const labels = heads.map((head, n) => (n < heads.length / 2 ? head : `${head}, ${each}`));
  at("cost-rows").replaceChildren(
    ...lines.map((one) => {
      const row = made("tr", "", one.part);
      const head = made("th", one.label);
      head.scope = "row";
      row.append(head, made("td", one.how, "left"));
      for (const part of [one, { judgments: one.each_judgments, minutes: one.each_minutes, money: one.each_money }]) {
        row.append(made("td", amount(part.judgments)), made("td", amount(part.minutes)), made("td", money(part.money)));
      }
      [...row.querySelectorAll("td:not(.left)")].forEach((cell, n) => { cell.dataset.label = labels[n]; });
      return row;
    }),
  );
}

function showRemarks(remarks) {
  red = remarks.filter((one) => one.level === "red").length;
  at("remarks").replaceChildren(
    ...remarks.map((one) => {
      const box = made("div", "", `check ${one.level}`);
      const said = made("p", "");
      said.append(made("b", one.title), " ", one.text);
      box.append(said);
      for (const remedy of one.remedies) {
        const button = made("button", remedy.label);
        button.type = "button";
        button.addEventListener("click", () => {
          at(remedy.field).value = remedy.value;
          changed();
          check();
        });
        box.append(button);
      }
      return box;
    }),
  );
}

async function freeze() {
  if (checked === "") {
    at("fault").textContent = word("script.check_first");
    return;
  }
  if (red && !confirm(word("script.red_sure", { n: red }))) return;
  at("freeze").setAttribute("aria-disabled", "true");
  const { ok, said } = await send("/api/v1/campaigns", "application/json", checked);
  if (!ok) {
    showFault(said);
    return;
  }
  const place = `/campaigns/${said.name}`;
  if (said.links.length === 0) {
    location.assign(place);
    return;
  }
  showLinks(said.name, said.links);
  at("go").href = place;
  at("made").hidden = false;
  at("made").scrollIntoView();
  at("links-csv").focus();
}

document.addEventListener("change", (event) => {
  if (event.target.type === "file") sent(event.target);
  else changed();
  if (event.target.id === "protocol") showAsked();
  if (event.target.id === "plan_file") at("own-plan").hidden = event.target.value !== "";
});
at("more-systems").addEventListener("click", moreSystems);
at("check").addEventListener("click", check);
at("see").addEventListener("click", see);
at("freeze").addEventListener("click", freeze);
at("new").addEventListener("submit", (event) => event.preventDefault());
await readDraft();
const frozen = new URLSearchParams(location.search).get("plan");
if (frozen && at("plan_file") && !location.hash) {
  at("plan_file").value = frozen;
  at("own-plan").hidden = at("plan_file").value !== "";
}
showAsked();
document.documentElement.dataset.ready = "yes";
