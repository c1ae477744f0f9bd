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
    const n = place + 1;
    const typed = word("script.rate_number", { n, low: about.low, high: about.high });
    const anchors = about.protocol === "sqm" ? about.anchors : []; // of others the legend says them
    this.score = new Score(shown, { ...given, ...about, anchors, id: `score-${place}`, label: word("script.rate_label", { n }), typed });
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

  focusOpen() {
    this.focus();
  }
}

// Errors, or that there are none, and perhaps a score.
class Marked {
  constructor(item, given) {
    const { about, kept, text, place, changed, entered } = given;
    const box = item.querySelector(".output p");
    const marking = document.createElement("div");
    marking.className = "marking";
    Object.assign(marking, { id: `marking-${place}`, tabIndex: 0, lang: about.target.tag, dir: about.target.direction });
    marking.setAttribute("role", "listbox");
    marking.setAttribute("aria-multiselectable", "true");
    marking.setAttribute("aria-describedby", "how");
    box.replaceWith(marking);
    const tools = part("tools");
    item.querySelector(".question").append(tools);
    this.scored = about.protocol === "esa" ? new Scored(item, { ...given, kept: kept?.score }) : null;
    this.marking = new Marking(marking, tools, item.querySelector(".undo"), {
      text: text.text,
      suggested: text.suggested,
      place,
      about,
      kept: kept?.marking,
      changed,
      entered: () => this.further(entered),
    });
  }

  // From the errors to what comes after them.
  further(entered) {
    if (this.scored) this.scored.focus();
    else if (this.marking.problem) this.marking.focusOpen();
    else entered();
  }

  get state() {
    return { marking: this.marking.state, score: this.scored?.state ?? null };
  }

  get answer() {
    if (this.marking.problem) return null;
    const { spans } = this.marking;
    if (!this.scored) return { spans };
    return this.scored.answer === null ? null : { ...this.scored.answer, spans };
  }

  show(skipped) {
    this.scored?.show(skipped);
  }

  get problem() {
    return this.marking.problem;
  }

  focus() {
    this.marking.focus();
  }

  focusOpen() {
    if (this.problem || !this.scored) this.marking.focusOpen();
    else this.scored.focus();
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

  focusOpen() {
    this.focus();
  }
}

// The state of a question that has an answer already, as it was sent.
export function stateOf(protocol, answer) {
  if (answer.skipped !== undefined) return null;
  const { score, spans } = answer;
  const states = {
    esa: () => ({ marking: marked(spans), score }),
    mqm: () => ({ marking: marked(spans) }),
    likert: () => answer.ratings,
    pairwise: () => ({ choice: answer.choice, strength: answer.strength ?? null }),
  };
  return states[protocol]?.() ?? score;
}

function marked(spans) {
  return { spans, none: spans.length === 0 };
}

const KINDS = { da: Scored, sqm: Scored, esa: Marked, mqm: Marked, pairwise: Chosen, likert: Chosen };

export function question(item, given) {
  item.classList.add(given.about.protocol);
  return new KINDS[given.about.protocol](item, given);
}
