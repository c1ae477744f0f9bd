// What is asked of one text, by protocol. Each question has an answer, or null while it has none.
import { Pair, Ratings } from "./choosing.js";
import { Marking } from "./marking.js";
import { Score } from "./score.js";
import { word } from "./tell.js";

function part(name) {
  return document.getElementById(name).content.firstElementChild.cloneNode(true);
}

class Scored {
  constructor(item, given) {
    const { about, place } = given;
    const shown = part("score");
    item.querySelector(".question").append(shown);
    this.score = new Score(shown, { ...given, ...about, id: `score-${place}`, label: word("script.rate_label", { n: place + 1 }) });
  }

  get state() {
    return this.score.value;
  }

  get answer() {
    return this.score.value === null ? null : { score: this.score.value };
  }

  show(skipped) {
    this.score.show(skipped);
  }

  focus() {
    this.score.focus();
  }
}

// Errors first; where a score is asked too, it opens when they are confirmed.
class Marked {
  constructor(item, given) {
    const { about, kept, text, place, changed, entered } = given;
    const box = item.querySelector(".output p");
    const marking = document.createElement("div");
    marking.className = "marking";
    Object.assign(marking, { id: `marking-${place}`, tabIndex: 0, lang: about.target.tag, dir: about.target.direction });
    marking.setAttribute("role", "listbox");
    marking.setAttribute("aria-multiselectable", "true");
    marking.setAttribute("aria-describedby", "keys");
    box.replaceWith(marking);
    const tools = part("tools");
    const question = item.querySelector(".question");
    question.append(tools);
    this.scored = about.protocol === "esa" ? new Scored(item, { ...given, kept: kept?.score }) : null;
    const edited = () => {
      if (this.scored) this.scored.score.locked = !this.marking.confirmed;
      changed();
    };
    this.marking = new Marking(marking, tools, {
      text: text.text,
      place,
      about,
      kept: kept?.marking,
      changed: edited,
      entered: () => (this.scored ? this.scored.focus() : entered()),
    });
    if (this.scored) this.scored.score.locked = !this.marking.confirmed;
  }

  get state() {
    return { marking: this.marking.state, score: this.scored?.state ?? null };
  }

  get answer() {
    if (!this.marking.confirmed) return null;
    const { spans } = this.marking;
    if (!this.scored) return { spans };
    return this.scored.answer === null ? null : { ...this.scored.answer, spans };
  }

  show(skipped) {
    this.scored?.show(skipped);
  }

  focus() {
    (this.scored && this.marking.confirmed ? this.scored : this.marking).focus();
  }
}

class Chosen {
  constructor(item, given) {
    const Asked = given.about.protocol === "pairwise" ? Pair : Ratings;
    this.asked = new Asked(item.querySelector(".question"), given);
  }

  get state() {
    return this.asked.state;
  }

  get answer() {
    return this.asked.answer;
  }

  show() {}

  focus() {
    this.asked.focus();
  }
}

const KINDS = { da: Scored, sqm: Scored, esa: Marked, mqm: Marked, pairwise: Chosen, likert: Chosen };

export function question(item, given) {
  item.classList.add(given.about.protocol);
  return new KINDS[given.about.protocol](item, given);
}
