// A new campaign: files go to the server as they are chosen; the rest is sent to be checked, then frozen.
import { showLinks } from "./links.js";
import { send, word } from "./tell.js";

const at = (id) => document.getElementById(id);
const all = (selector) => [...document.querySelectorAll(selector)];
const files = new Map(); // what the server calls the file of an input
let waiting = 0; // files on their way
let checked = ""; // what was checked last, as it was sent
let red = 0; // remarks that make work worthless

// Files

async function sent(input) {
  const [file] = input.files;
  const said = at(`${input.id}-said`);
  files.delete(input.id);
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
  if (ok) files.set(input.id, answer.id);
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
const number = (id) => (typed(id) === "" ? null : Number(typed(id)));
// The template says of each field what it takes.
const READS = { number, words: typed, list: listed, tick: (id) => at(id).checked, prose: (id) => at(id).value };

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
  if (isAsked("training") && files.has("training")) asked.training = files.get("training");
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

function changed() {
  checked = "";
  at("freeze").setAttribute("aria-disabled", "true");
}

async function check() {
  at("fault").textContent = waiting ? word("script.still_sending") : "";
  if (waiting) return;
  const body = JSON.stringify(given());
  const { ok, said } = await send("/api/v1/campaigns/check", "application/json", body);
  at("checked").hidden = !ok;
  if (!ok) {
    at("fault").textContent = said.message;
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
  at("cost-rows").replaceChildren(
    ...lines.map((one) => {
      const row = made("tr", "", one.part);
      const head = made("th", one.label);
      head.scope = "row";
      row.append(head, made("td", one.how, "left"));
      for (const part of [one, { judgments: one.each_judgments, minutes: one.each_minutes, money: one.each_money }]) {
        row.append(made("td", amount(part.judgments)), made("td", amount(part.minutes)), made("td", money(part.money)));
      }
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
    at("fault").textContent = said.message;
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
at("freeze").addEventListener("click", freeze);
at("new").addEventListener("submit", (event) => event.preventDefault());
showAsked();
document.documentElement.dataset.ready = "yes";
