// A number on a scale, by slider or typed. There is no mark before there is an answer.
import { word } from "./tell.js";

export class Score {
  // `part` holds the slider, its ends and the number.
  constructor(part, { id, label, typed, low, high, step, anchors = [], kept = null, changed, entered }) {
    Object.assign(this, { part, value: kept, low, high, step });
    this.slider = part.querySelector("input[type=range]");
    this.number = part.querySelector("input[type=number]");
    Object.assign(this.slider, { id, min: low, max: high, step, value: kept ?? (low + high) / 2 });
    Object.assign(this.number, { id: `${id}-number`, min: low, max: high, step });
    this.slider.setAttribute("aria-label", label);
    this.number.setAttribute("aria-label", typed);
    part.querySelector(".low").textContent = low;
    part.querySelector(".high").textContent = high;
    this.name(anchors);
    const rate = () => {
      this.value = Number(this.slider.value);
      this.show();
      changed();
    };
    this.slider.addEventListener("input", rate);
    this.slider.addEventListener("pointerup", rate); // also where the mark already stood
    this.number.addEventListener("input", () => {
      this.value = this.read();
      this.show(false, true);
      changed();
    });
    this.number.addEventListener("blur", () => this.show());
    for (const one of [this.slider, this.number])
      one.addEventListener("keydown", (event) => {
        if (event.key !== "Enter" || event.ctrlKey || this.value === null) return;
        event.preventDefault();
        entered();
      });
    this.show();
  }

  // What was typed, if it is a score: another number is no answer, and never made into one.
  read() {
    const given = this.number.valueAsNumber;
    const fits = given >= this.low && given <= this.high && Number.isInteger((given - this.low) / this.step);
    return fits ? given : null;
  }

  // What some scores mean, below the places where they stand.
  name(anchors) {
    const list = this.part.querySelector(".anchors");
    list.hidden = anchors.length === 0;
    if (list.hidden) return;
    list.id = `${this.slider.id}-anchors`;
    list.replaceChildren(
      ...anchors.map((score, n) => {
        const made = document.getElementById("anchor").content.firstElementChild.cloneNode(true);
        made.querySelector("b").textContent = score;
        made.querySelector("span").textContent = word(`script.rate_anchor_${n}`);
        return made;
      }),
    );
    this.slider.setAttribute("aria-describedby", list.id);
  }

  clear() {
    this.value = null;
    this.show();
  }

  show(skipped = false, typing = false) {
    const rated = this.value !== null && !skipped;
    const wrong = !rated && !skipped && (this.number.value !== "" || this.number.validity.badInput);
    this.slider.classList.toggle("unrated", !rated);
    if (rated) this.slider.value = this.value;
    this.slider.setAttribute("aria-valuetext", rated ? String(this.value) : word(`script.rate_${skipped ? "skipped" : "unrated"}`));
    this.slider.style.setProperty("--at", rated ? (this.value - this.low) / (this.high - this.low) : 0);
    this.number.setAttribute("aria-invalid", String(wrong));
    this.number.title = wrong ? word("script.rate_range", this) : "";
    if (!typing && !wrong) this.number.value = rated ? this.value : "";
  }

  focus() {
    this.number.focus();
  }
}
