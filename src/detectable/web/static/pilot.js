// A pilot: the file goes to the server on this machine, its settings come back into the form.
import { word } from "./tell.js";

export function pilotOn(send, use) {
  async function fit(picker, pair) {
    const part = picker.closest("details");
    const file = picker.files[0];
    if (!file) return;
    const about = new URLSearchParams({ scenario: picker.dataset.pilot, file: file.name, ...pair });
    const { ok, said } = await send(`/api/v1/pilot?${about}`, "application/octet-stream", file);
    const place = part.querySelector(".answer");
    place.className = ok ? "answer" : "answer fault";
    if (!ok) {
      place.textContent = said.message;
    } else if (said.settings === null) {
      place.textContent = word("script.choose", { n: said.systems.length });
      choose(part, said.systems);
    } else {
      place.textContent = [word("script.fitted"), ...said.notes].join(" ");
      use(picker.dataset.prefix, said.settings);
    }
  }

  function choose(part, systems) {
    part.querySelector(".pair").hidden = false;
    part.querySelectorAll(".pair select").forEach((list, place) => {
      list.replaceChildren(...systems.map((name) => new Option(name, name)));
      list.selectedIndex = place;
    });
  }

  document.addEventListener("change", (event) => {
    if (event.target.dataset.pilot !== undefined) fit(event.target, {});
  });
  document.addEventListener("click", (event) => {
    const button = event.target.closest(".pair button");
    if (!button) return;
    const [system, baseline] = [...button.parentElement.querySelectorAll("select")].map((list) => list.value);
    fit(button.closest("details").querySelector("[data-pilot]"), { system, baseline });
  });
}
