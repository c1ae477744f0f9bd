// A number on a scale. There is no mark before there is an answer.
import { word } from "./tell.js";

export class Score {
  // `part` holds the slider, its ends and what it says.
  constructor(part, { id, label, low, high, step, anchors = [], kept = null, changed, entered }) {
    this.part = part;
    this.value = kept;
    this.slider = part.querySelector("input");
    Object.assign(this.slider, { id, min: low, max: high, step, value: kept ?? (low + high) / 2 });
    this.slider.setAttribute("aria-label", label);
    part.querySelector(".low").textContent = low;
    part.querySelector(".high").textContent = high;
    this.name(anchors);
    const rate = () => {
      this.value = Number(this.slider.value);
      this.show();
      changed();
    };
    this.slider.addEventListener("input", rate);
    this.slider.addEventListener("pointerup", () => this.slider.disabled || rate()); // also where the mark already stood
    this.slider.addEventListener("keydown", (event) => {
      if (event.key === "Enter" && !event.ctrlKey && this.value !== null) entered();
    });
    this.show();
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

  set locked(locked) {
    this.slider.disabled = locked;
    this.show();
  }

  clear() {
    this.value = null;
    this.show();
  }

  show(skipped = false) {
    const rated = this.value !== null && !skipped;
    const name = this.slider.disabled ? "locked" : skipped ? "skipped" : "unrated";
    const said = rated && !this.slider.disabled ? String(this.value) : word(`script.rate_${name}`);
    this.slider.classList.toggle("unrated", !rated);
    this.slider.setAttribute("aria-valuetext", said);
    this.part.querySelector("output").textContent = said;
  }

  focus() {
    this.slider.focus();
  }
}
