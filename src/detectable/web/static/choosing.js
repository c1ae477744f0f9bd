// One of several answers, each with a key that works while the question has the focus.
import { word } from "./tell.js";

export class Choice {
  // `options` are of {value, said, key}.
  constructor(group, { name, legend, options, kept = null, changed, entered, ends = null }) {
    this.value = kept;
    this.group = group;
    group.querySelector("legend").textContent = legend;
    const steps = group.querySelector(".steps");
    this.radios = options.map(({ value, said }) => {
      const label = document.createElement("label");
      const radio = Object.assign(document.createElement("input"), { type: "radio", name, value, checked: value === kept });
      const shown = document.createElement("span");
      shown.textContent = said;
      label.append(radio, shown);
      steps.append(label);
      radio.addEventListener("change", () => this.choose(value, changed));
      return radio;
    });
    if (ends) {
      const note = document.createElement("span");
      note.className = "ends";
      note.textContent = word(ends, { low: options[0].said, high: options.at(-1).said });
      group.append(note);
    }
    group.addEventListener("keydown", (event) => {
      if (event.ctrlKey || event.altKey || event.metaKey) return;
      const at = options.findIndex(({ key }) => key === event.key.toLowerCase());
      if (at >= 0) {
        this.radios[at].checked = true;
        this.radios[at].focus();
        this.choose(options[at].value, changed);
      } else if (event.key === "Enter" && this.value !== null) entered();
      else return;
      event.preventDefault();
    });
  }

  choose(value, changed) {
    this.value = value;
    changed();
  }

  focus() {
    (this.radios.find((one) => one.checked) ?? this.radios[0]).focus();
  }
}

function group(at) {
  const made = document.getElementById("choice").content.firstElementChild.cloneNode(true);
  at.append(made);
  return made;
}

// Which of two texts is better, and how much.
export class Pair {
  constructor(part, { place, about, kept, changed, entered }) {
    const said = (name, value, key) => ({ value, said: word(`script.pair_${name}`), key });
    const forward = () => (this.asksStrength() ? this.strength.focus() : entered());
    this.choice = new Choice(group(part), {
      name: `choice-${place}`,
      legend: word("script.pair_choice", { n: place + 1 }),
      options: [said("left", "left", "a"), said("tie", "tie", "="), said("right", "right", "b")],
      kept: kept?.choice,
      changed: () => this.changed(changed),
      entered: forward,
    });
    if (about.strength) {
      this.strength = new Choice(group(part), {
        name: `strength-${place}`,
        legend: word("script.pair_strength", { n: place + 1 }),
        options: [1, 2, 3].map((n) => said(`strength_${n}`, n, String(n))),
        kept: kept?.strength,
        changed,
        entered,
      });
    }
    this.changed(() => null);
  }

  asksStrength() {
    return this.strength !== undefined && this.choice.value !== null && this.choice.value !== "tie";
  }

  changed(further) {
    if (this.strength) this.strength.group.hidden = !this.asksStrength();
    further();
  }

  get state() {
    return { choice: this.choice.value, strength: this.strength?.value ?? null };
  }

  get answer() {
    if (this.choice.value === null) return null;
    if (!this.asksStrength()) return { choice: this.choice.value };
    return this.strength.value === null ? null : { choice: this.choice.value, strength: this.strength.value };
  }

  focus() {
    (this.asksStrength() && this.strength.value === null ? this.strength : this.choice).focus();
  }
}

// Several criteria, each on the same steps.
export class Ratings {
  constructor(part, { place, about, kept, changed, entered }) {
    const steps = Array.from({ length: about.high - about.low + 1 }, (_, n) => about.low + n);
    this.criteria = about.criteria.map((name, at) => [
      name,
      new Choice(group(part), {
        name: `rating-${place}-${at}`,
        legend: word("script.likert_legend", { name, n: place + 1 }),
        options: steps.map((n) => ({ value: n, said: String(n), key: String(n) })),
        kept: kept?.[name],
        changed,
        entered: () => (this.criteria[at + 1]?.[1].focus ? this.criteria[at + 1][1].focus() : entered()),
        ends: "script.likert_ends",
      }),
    ]);
  }

  get state() {
    return Object.fromEntries(this.criteria.map(([name, { value }]) => [name, value]));
  }

  get answer() {
    return this.criteria.some(([, { value }]) => value === null) ? null : { ratings: this.state };
  }

  focus() {
    (this.criteria.find(([, { value }]) => value === null) ?? this.criteria[0])[1].focus();
  }
}
