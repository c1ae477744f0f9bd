// The explorer: opens results by picker or drop, beside those that the page may hold already.
import { overview } from "./beside.js";
import { resultOf } from "./blocks.js";
import { button, make } from "./make.js";
import { readFile, Refused } from "./read.js";
import { say, sayCount } from "./words.js";
import { written } from "./writing.js";

const place = document.getElementById("results");
const told = document.getElementById("told");
const wrong = document.getElementById("wrong");
const picker = document.getElementById("files");
const held = document.getElementById("saved");
const results = [];
let beside = false;
let opened = 0;

function welcome() {
  return make(
    "section",
    { class: "welcome" },
    make("h2", {}, say("welcome.title")),
    make("p", {}, say("welcome.text")),
    make("p", {}, say("welcome.make")),
    make("pre", {}, say("welcome.command")),
    make("p", { class: "note" }, say("welcome.more")),
  );
}

// Made once: what was chosen in one result stays when another is opened.
function sectionOf(result) {
  const close = button("×", { class: "close", "aria-label": say("close", result) }, () => {
    results.splice(results.indexOf(result), 1);
    draw();
    picker.focus();
  });
  const heading = make("h2", { id: result.id, tabindex: "-1" }, written(result.name));
  return make("section", { class: "result" }, make("div", { class: "named" }, heading, close), resultOf(result, result.id));
}

function show(result) {
  const heading = document.getElementById(result.id);
  heading.focus({ preventScroll: true });
  heading.scrollIntoView({ block: "start" });
}

function lay(value) {
  beside = value;
  draw();
  place.querySelector(".layout [aria-pressed=true]").focus();
}

function draw() {
  const many = results.length > 1;
  document.body.classList.toggle("beside", beside && many);
  place.replaceChildren(
    ...(results.length ? [] : [welcome()]),
    ...(many ? [overview(results, beside, { show, lay })] : []),
    make("div", { class: "columns" }, results.map(({ section }) => section)),
  );
}

function complain(sentences) {
  wrong.hidden = sentences.length === 0;
  const hide = button("×", { class: "close", "aria-label": say("error.dismiss") }, () => complain([]));
  wrong.replaceChildren(...sentences.map((text) => make("p", {}, written(text))), hide);
}

// Two of one name are distinguished by a number: before/rank.json and after/rank.json.
function add(given) {
  const taken = new Set(results.map(({ name }) => name));
  let name = given.name;
  for (let i = 2; taken.has(name); i += 1) name = `${given.name} (${i})`;
  opened += 1;
  const result = { ...given, name, id: `result-${opened}` };
  result.section = sectionOf(result);
  results.push(result);
}

async function open(files) {
  const sentences = [];
  for (const file of files) {
    const before = [...results];
    try {
      (await readFile(file)).forEach(add);
    } catch (error) {
      results.splice(0, results.length, ...before);
      const damaged = say("error.damaged", { name: file.name, part: "shown" });
      sentences.push(error instanceof Refused ? error.message : damaged);
    }
  }
  draw();
  complain(sentences);
  told.textContent = sayCount("opened", results.length);
}

picker.addEventListener("change", async () => {
  await open([...picker.files]);
  picker.value = "";
});
let inside = 0; // elements that the pointer has entered with a file
document.addEventListener("dragenter", (event) => {
  event.preventDefault();
  inside += 1;
  document.body.classList.add("dropping");
});
document.addEventListener("dragleave", () => {
  inside -= 1;
  document.body.classList.toggle("dropping", inside > 0);
});
document.addEventListener("dragover", (event) => event.preventDefault());
document.addEventListener("drop", (event) => {
  event.preventDefault();
  inside = 0;
  document.body.classList.remove("dropping");
  open([...event.dataTransfer.files]);
});
if (held) JSON.parse(held.textContent).forEach(add);
draw();
