// The monitor: whenever the campaign changes, the server's page takes the place of what was there.
import { drawAll } from "./charts.js";
import { showLinks } from "./links.js";
import { tellFault, tellTimes } from "./organise.js";
import { say, send } from "./tell.js";

const POLL = 10000; // milliseconds, where the stream does not come
const monitor = document.getElementById("monitor");
const at = (id) => document.getElementById(id);
let last = null;
let timer = 0;

async function renew() {
  if (document.body.dataset.busy) return;
  let page;
  try {
    const answer = await fetch(location.pathname);
    if (answer.status === 401) {
      location.reload();
      return;
    }
    page = new DOMParser().parseFromString(await answer.text(), "text/html");
  } catch {
    say("script.gone");
    return;
  }
  if (document.body.dataset.busy) return;
  const was = at("top").querySelector(".badge").className;
  for (const part of document.querySelectorAll("[data-live]")) {
    if (part.closest("details[open]")) continue; // somebody is choosing there
    const other = page.getElementById(part.id);
    const held = part.contains(document.activeElement) ? document.activeElement : null;
    if (other && part.innerHTML !== other.innerHTML) {
      const again = held && (held.dataset.post ?? held.dataset.patch);
      part.replaceChildren(...other.childNodes);
      if (again) (part.querySelector(`[data-post="${again}"], [data-patch="${again}"]`) ?? at("content")).focus();
    }
  }
  tellTimes();
  // What stands beside the live parts depends on the state alone.
  if (at("top").querySelector(".badge").className !== was && at("links")?.hidden !== false) location.reload();
}

function listen() {
  const stream = new EventSource(`/api/v1/campaigns/${monitor.dataset.name}/events`);
  stream.addEventListener("status", (event) => {
    clearInterval(timer);
    timer = 0;
    if (last !== null && last !== event.data) renew();
    last = event.data;
  });
  stream.addEventListener("error", () => {
    if (timer === 0) timer = setInterval(renew, POLL);
  });
  addEventListener("pagehide", () => stream.close());
}

// Raters: their links are shown once

at("raters-form")?.addEventListener("submit", async (event) => {
  event.preventDefault();
  const body = JSON.stringify({ raters: Number(at("how-many").value) });
  const { ok, said } = await send(event.target.dataset.to, "application/json", body);
  at("raters-fault").textContent = ok ? "" : said.message;
  if (ok) {
    showLinks(monitor.dataset.name, said.links);
    at("links").hidden = false;
    at("links-csv").focus();
    renew();
  }
});

at("open-form")?.addEventListener("submit", async (event) => {
  event.preventDefault();
  const most = at("most").value === "" ? null : Number(at("most").value);
  const { ok, said } = await send(event.target.dataset.to, "application/json", JSON.stringify({ most }));
  at("open-fault").textContent = ok ? "" : said.message;
  at("open-made").hidden = !ok;
  if (ok) {
    at("open-address").textContent = said.link;
    renew();
  }
});

// Forms of who does something and why, some of them about a rater

document.addEventListener("submit", async (event) => {
  const form = event.target;
  const { to, method = "POST", body: fixed, confirm: question } = form.dataset;
  const fields = [...form.querySelectorAll("[data-field]")];
  if (fields.length === 0 && !fixed) return;
  event.preventDefault();
  const about = (text) => text.replace("{rater}", at("which")?.value);
  if (question && !confirm(about(question))) return;
  const body = fixed ?? JSON.stringify(Object.fromEntries(fields.map((one) => [one.dataset.field, one.value])));
  const { ok, said } = await send(about(to), "application/json", body, method);
  form.querySelector(".fault").textContent = ok ? "" : said.message;
  if (ok) {
    say("script.done");
    form.reset();
    form.closest("details").open = false;
    changed(said);
  }
});

function changed(said) {
  if (said?.links?.length) {
    showLinks(monitor.dataset.name, said.links);
    at("links").hidden = false;
    at("links").scrollIntoView();
    at("links-csv").focus();
  }
  renew();
}

document.addEventListener("changed", renew);
document.querySelector(".boundary")?.addEventListener("toggle", () => drawAll().catch(() => tellFault("–")));
setInterval(tellTimes, 30000);
listen();
document.documentElement.dataset.ready = "yes";
