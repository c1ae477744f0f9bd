// Buttons of organisers: ask if need be, send, and show what became of it.
import { say, send, word } from "./tell.js";

const JSON_BODY = "application/json";

async function pressed(button) {
  const { post, patch, body, confirm: question, then } = button.dataset;
  if (question && !confirm(question)) return;
  button.setAttribute("aria-disabled", "true");
  document.body.dataset.busy = "yes"; // a page that reloads now would lose the answer
  const type = body === undefined ? "" : JSON_BODY;
  const { ok, said } = await send(post ?? patch, type, body, patch ? "PATCH" : "POST");
  button.removeAttribute("aria-disabled");
  if (!(ok && then)) delete document.body.dataset.busy;
  if (!ok) {
    tellFault(said.message);
    return;
  }
  if (then) location.assign(then);
  else {
    say("script.done");
    document.dispatchEvent(new CustomEvent("changed"));
  }
}

export function tellFault(message) {
  const place = document.getElementById("said");
  place.textContent = message;
  place.classList.add("wrong");
}

async function signOut() {
  await send("/api/v1/session", "", undefined, "DELETE");
  location.assign("/sign-in");
}

document.addEventListener("click", (event) => {
  const button = event.target.closest("[data-post], [data-patch]");
  if (button && button.getAttribute("aria-disabled") !== "true") pressed(button);
  if (event.target.closest("#sign-out")) signOut();
});

// Times, in the words and the clock of who reads them

function ago(seconds) {
  if (seconds < 60) return word("script.just_now");
  const minutes = Math.round(seconds / 60);
  if (minutes < 60) return word("script.minutes_ago", { n: minutes });
  const hours = Math.round(minutes / 60);
  if (hours < 48) return word("script.hours_ago", { n: hours });
  return word("script.days_ago", { n: Math.round(hours / 24) });
}

export function tellTimes() {
  for (const one of document.querySelectorAll("time[data-ago]")) {
    one.textContent = ago(Date.now() / 1000 - Number(one.dataset.ago));
  }
  for (const one of document.querySelectorAll("time[data-at]")) {
    const given = one.dataset.at;
    const at = new Date(/^[\d.]+$/.test(given) ? 1000 * Number(given) : given);
    one.dateTime = at.toISOString();
    one.textContent = at.toLocaleString([], { weekday: "short", day: "numeric", month: "short", hour: "2-digit", minute: "2-digit", timeZoneName: "short" });
  }
}

tellTimes();
