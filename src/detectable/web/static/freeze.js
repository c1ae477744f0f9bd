// Freeze what was chosen as a plan file in the server's folder.
import { word } from "./tell.js";

export function freezeOn(query, send) {
  document.addEventListener("click", async (event) => {
    const button = event.target.closest("[data-freeze-now]");
    if (!button) return;
    const part = button.closest("details");
    const typed = (name) => part.querySelector(`[data-freeze="${name}"]`).value.trim();
    const body = {
      design: query(),
      which: button.dataset.freezeNow === "" ? "a" : "b",
      name: typed("name"),
      systems: [typed("system"), typed("baseline")],
      question: typed("question"),
    };
    const { ok, said } = await send("/api/v1/plans", "application/json", JSON.stringify(body));
    const place = part.querySelector(".answer");
    place.className = ok ? "answer" : "answer fault";
    place.textContent = ok ? word("script.frozen", said) : said.message;
    if (ok) {
      const next = document.createElement("a");
      next.className = "button";
      next.href = `/new-campaign?plan=${encodeURIComponent(body.name)}`;
      next.textContent = word("script.to_campaign");
      place.append(" ", next);
    }
  });
}
