// Errors in a text: marked by keyboard, mouse or finger, each with a severity and perhaps a category.
import { pieces } from "./cut_text.js";
import { word } from "./tell.js";

const MOST = 200;
const KEYS = { m: "minor", M: "major", u: "neutral", C: "critical" };
const NO_TRANSLATION = /^non[- ]translation/i;
const GAP = 8; // pixels between the words and the tools

// One for the page: it stands at the words that are chosen, and after them for those who go by Tab.
class Toolbar {
  constructor(about) {
    this.box = document.getElementById("toolbar").content.firstElementChild.cloneNode(true);
    this.box.setAttribute("aria-label", word("script.mark_tools"));
    const key = (name) => Object.keys(KEYS).find((one) => KEYS[one] === name);
    for (const severity of about.severities) this.add(severity, key(severity), (marking) => marking.mark(severity));
    this.add("missing", "0", (marking) => marking.miss());
    this.whole = about.categories.find((one) => NO_TRANSLATION.test(one));
    if (this.whole) this.add("whole", "", (marking) => marking.markWhole(this.whole));
    this.add("remove", "Del", (marking) => marking.unmark());
    this.box.addEventListener("keydown", (event) => this.pressed(event));
    this.box.addEventListener("pointerdown", (event) => event.preventDefault()); // what is chosen stays
    document.addEventListener("pointerdown", ({ target }) => {
      if (!this.box.contains(target) && !this.marking?.box.contains(target)) this.close();
    });
    addEventListener("resize", () => this.place());
  }

  add(name, key, act) {
    const button = document.createElement("button");
    Object.assign(button, { type: "button", className: `mark-${name}` });
    const said = document.createElement("span");
    said.textContent = word(`script.mark_tool_${name}`);
    button.append(said);
    if (key) {
      const shown = document.createElement("kbd");
      shown.textContent = key;
      button.append(" ", shown);
    }
    button.addEventListener("click", () => {
      const { marking } = this;
      act(marking);
      marking.marked();
    });
    this.box.append(button);
  }

  pressed(event) {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    const buttons = [...this.box.children];
    if (step) buttons.at((buttons.indexOf(document.activeElement) + step) % buttons.length).focus();
    else if (event.key === "Escape") {
      const { marking } = this;
      this.close();
      marking.focus();
    } else return;
    event.preventDefault();
  }

  open(marking) {
    if (this.marking !== marking) marking.box.after(this.box);
    this.marking = marking;
    this.box.hidden = false;
    this.place();
  }

  place() {
    if (this.box.hidden) return;
    const words = this.marking.chosen.map(({ element }) => element.getClientRects()[0]);
    const around = this.box.offsetParent.getBoundingClientRect();
    const { offsetWidth: width, offsetHeight: height } = this.box;
    const room = document.documentElement.clientWidth - GAP - width;
    const task = document.querySelector(".task").getBoundingClientRect();
    const below = words[0].top - height - GAP < Math.max(0, task.bottom);
    const at = below ? words.at(-1) : words[0];
    const left = Math.max(GAP, Math.min(at.left, room));
    this.box.style.left = `${left - around.left}px`;
    this.box.style.top = `${(below ? at.bottom + GAP : at.top - height - GAP) - around.top}px`;
  }

  close() {
    this.box.hidden = true;
  }
}

let tools = null;

export class Marking {
  // `box` is where the text stands; `part` holds what is said of it, and the list of errors; `undo` is a button.
  constructor(box, part, undo, { text, suggested = [], place, about, kept, changed, entered }) {
    Object.assign(this, { box, part, undoing: undo, about, changed, entered });
    tools ??= new Toolbar(about);
    this.anchor = this.cursor = 0;
    this.open = false; // whether a click has begun a selection that another click may end
    this.before = []; // states that can be come back to
    this.cut(text);
    this.take(kept ?? { spans: suggested, none: false, checked: suggested.length === 0 });
    box.setAttribute("aria-label", word("script.mark_label", { n: place + 1 }));
    box.addEventListener("keydown", (event) => this.pressed(event));
    box.addEventListener("pointerdown", (event) => this.grabbed(event));
    box.addEventListener("pointermove", (event) => this.dragged(event));
    box.addEventListener("click", (event) => this.clicked(event));
    box.addEventListener("focusout", ({ relatedTarget }) => relatedTarget && !tools.box.contains(relatedTarget) && tools.close());
    part.querySelector(".clean").addEventListener("click", () => this.clean());
    undo.addEventListener("click", () => this.undo());
    this.show();
  }

  cut(text) {
    this.tokens = [];
    const shown = [];
    for (const piece of pieces(text, this.about.unit, this.about.target.tag)) {
      const element = document.createElement("span");
      element.textContent = piece.text;
      if (piece.gap) element.className = "gap";
      else this.option(element, piece);
      shown.push(element);
      if (piece.gap && this.tokens.length) this.tokens.at(-1).gap = element;
    }
    const missing = document.createElement("span");
    missing.textContent = word("script.mark_missing");
    missing.className = "missing";
    this.option(missing, { missing: true });
    this.box.replaceChildren(...shown, missing);
  }

  option(element, piece) {
    element.setAttribute("role", "option");
    element.id = `${this.box.id}-${this.tokens.length}`;
    this.tokens.push({ ...piece, element, gap: null });
  }

  // Errors as they are sent, and as they stand on the page.
  take({ spans, none, checked = true }) {
    this.none = none;
    this.checked = checked; // whether the rater has said that what was suggested is right
    this.marks = spans.map(({ start, end, severity, category = "" }) => ({ ...this.places(start, end), severity, category }));
  }

  places(start, end) {
    const missing = this.tokens.length - 1;
    if (start === undefined) return { first: missing, last: missing };
    const within = this.tokens.flatMap((token, at) => (!token.missing && token.start < end && token.end > start ? [at] : []));
    return { first: within[0] ?? missing, last: within.at(-1) ?? missing };
  }

  get spans() {
    return this.marks.map(({ first, last, severity, category }) => ({
      ...(this.tokens[first].missing ? {} : { start: this.tokens[first].start, end: this.tokens[last].end }),
      severity,
      ...(this.categories.length ? { category } : {}),
    }));
  }

  get state() {
    return { spans: this.spans, none: this.none, checked: this.checked };
  }

  get last() {
    return this.tokens.length - 2; // the last piece of the text itself
  }

  get range() {
    return [Math.min(this.anchor, this.cursor), Math.max(this.anchor, this.cursor)];
  }

  get chosen() {
    const [first, last] = this.range;
    return this.tokens.slice(first, last + 1);
  }

  // What is still asked for; null when all is said.
  get problem() {
    if (this.marks.some(({ category }) => this.categories.length && !category)) return "script.mark_which";
    if (!this.checked && this.marks.length) return "script.mark_suggested";
    return this.none || this.marks.length ? null : "script.mark_ask";
  }

  // Moving

  move(to, extend) {
    this.open = false;
    const end = extend ? this.last : this.tokens.length - 1;
    this.cursor = Math.max(0, Math.min(to, end));
    if (!extend || this.anchor > this.last) this.anchor = this.cursor;
    this.point();
  }

  // To the nearest piece of the line above or below.
  line(step) {
    const here = this.tokens[this.cursor].element.getClientRects()[0];
    let best = this.cursor;
    let top = null;
    for (let at = this.cursor + step; at >= 0 && at < this.tokens.length; at += step) {
      const box = this.tokens[at].element.getClientRects()[0];
      if (Math.abs(box.top - here.top) < here.height / 2) continue;
      top ??= box.top;
      if (Math.abs(box.top - top) > here.height / 2) break;
      const now = this.tokens[best].element.getClientRects()[0];
      if (best === this.cursor || Math.abs(box.left - here.left) < Math.abs(now.left - here.left)) best = at;
    }
    return best;
  }

  pressed(event) {
    if ((event.ctrlKey || event.metaKey) && event.key === "z") {
      this.undo();
      event.preventDefault();
    }
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    const forward = this.about.target.direction === "rtl" ? -1 : 1;
    const moves = {
      ArrowRight: () => this.cursor + forward,
      ArrowLeft: () => this.cursor - forward,
      ArrowDown: () => this.line(1),
      ArrowUp: () => this.line(-1),
      Home: () => 0,
      End: () => this.last,
    };
    const acts = {
      Delete: () => this.unmark(),
      Backspace: () => this.unmark(),
      0: () => this.miss(),
      n: () => this.clean(true),
      Escape: () => tools.close(),
      Enter: () => this.entered(),
    };
    const severity = KEYS[event.key];
    if (event.key in moves) {
      this.use();
      this.move(moves[event.key](), event.shiftKey);
      tools.open(this);
    } else if (this.about.severities.includes(severity)) {
      this.use();
      this.mark(severity);
    } else if (event.key in acts) acts[event.key]();
    else return;
    event.preventDefault();
  }

  under(target) {
    const element = target instanceof Element ? target.closest("[role=option]") : null;
    return this.tokens.findIndex((token) => token.element === element);
  }

  grabbed(event) {
    this.from = event.pointerType === "mouse" && event.button === 0 ? this.under(event.target) : -1;
    this.drawn = false;
  }

  dragged(event) {
    if (!(event.buttons & 1) || !(this.from >= 0)) return;
    const at = this.under(document.elementFromPoint(event.clientX, event.clientY));
    if (at < 0 || at > this.last || (at === this.from && !this.drawn)) return;
    this.use();
    this.drawn = true;
    this.anchor = this.from;
    this.cursor = at;
    this.point();
    tools.open(this);
  }

  clicked(event) {
    const at = this.under(event.target);
    if (at < 0 || this.drawn) {
      this.drawn = false;
      return;
    }
    const mark = this.markAt(at);
    const ends = event.shiftKey || (this.open && mark === undefined && at <= this.last);
    this.use();
    this.cursor = mark && !ends ? mark.last : at;
    if (!ends) this.anchor = mark ? mark.first : at;
    this.open = !ends && !mark;
    this.point();
    tools.open(this);
  }

  // Marking

  markAt(at) {
    return this.marks.find((mark) => mark.first <= at && at <= mark.last);
  }

  // Nothing is chosen before somebody has chosen it.
  use() {
    this.box.classList.add("used");
  }

  mark(severity, category = "") {
    const [first, last] = this.range;
    const inside = this.marks.find((mark) => mark.first <= first && last <= mark.last);
    const others = this.marks.filter((mark) => mark.last < first || last < mark.first);
    if (!inside && others.length >= MOST) return;
    this.remember();
    if (inside) Object.assign(inside, { severity, category: category || inside.category });
    else {
      this.marks = [...others, { first, last, severity, category }];
      this.marks.sort((one, two) => one.first - two.first);
    }
    this.none = false;
    this.tell("script.mark_said", { text: this.text(inside ?? this.markAt(first)), severity: word(`script.mark_${severity}`) });
    this.edited();
  }

  miss() {
    this.use();
    this.move(this.tokens.length - 1, false);
    if (this.markAt(this.cursor) === undefined) this.mark(this.about.severities.includes("minor") ? "minor" : this.about.severities[0]);
  }

  // The whole text is one error.
  markWhole(category) {
    this.anchor = 0;
    this.cursor = this.last;
    this.mark("major", category);
    this.tell("script.mark_whole_said");
  }

  unmark(one = null) {
    const [first, last] = this.range;
    const gone = this.marks.filter((mark) => (one ? mark === one : !(mark.last < first || last < mark.first)));
    if (!gone.length) return;
    this.remember();
    this.marks = this.marks.filter((mark) => !gone.includes(mark));
    this.tell("script.mark_gone", { text: gone.map((mark) => this.text(mark)).join(", ") });
    this.edited();
  }

  // After one of the tools was used: to the kind of error, where one is asked for.
  marked() {
    const open = this.marks.findIndex((mark) => this.categories.length && !mark.category);
    if (open >= 0) this.part.querySelectorAll(".category")[open].focus();
    else this.focus();
  }

  clean(on = !this.none) {
    if (this.marks.length && !this.checked) this.confirm();
    if (this.marks.length) return;
    if (on !== this.none) {
      this.remember();
      this.none = on;
      this.show();
      this.changed();
    }
    if (on) this.entered();
  }

  // What was suggested is right.
  confirm() {
    this.remember();
    this.checked = true;
    this.show();
    this.changed();
    this.entered();
  }

  remember() {
    this.before.push(JSON.stringify(this.state));
  }

  undo() {
    if (!this.before.length) return;
    this.take(JSON.parse(this.before.pop()));
    this.tell("script.mark_undone");
    this.undoes = true;
    this.edited();
    this.undoes = false;
    this.focus();
  }

  edited() {
    this.open = false;
    if (!this.undoes) this.checked = true;
    this.anchor = this.cursor;
    tools.close();
    this.show();
    this.changed();
  }

  get categories() {
    return this.about.categories;
  }

  text(mark) {
    const within = this.tokens.slice(mark.first, mark.last + 1);
    return within.map(({ element, gap }, at) => element.textContent + (gap && at + 1 < within.length ? gap.textContent : "")).join("");
  }

  // Showing

  tell(key, values = {}) {
    document.getElementById("told").textContent = word(key, values);
  }

  point() {
    const [first, last] = this.range;
    this.tokens.forEach(({ element, gap }, at) => {
      const chosen = first <= at && at <= last;
      element.setAttribute("aria-selected", String(chosen));
      element.classList.toggle("cursor", at === this.cursor);
      gap?.classList.toggle("chosen", chosen && at < last);
    });
    this.box.setAttribute("aria-activedescendant", this.tokens[this.cursor].element.id);
  }

  show() {
    this.tokens.forEach(({ element, gap }, at) => {
      const mark = this.markAt(at);
      for (const severity of this.about.severities) {
        element.classList.toggle(severity, mark?.severity === severity);
        gap?.classList.toggle(severity, mark?.severity === severity && at < mark.last);
      }
      if (mark) element.setAttribute("aria-label", word("script.mark_read", { text: element.textContent, severity: word(`script.mark_${mark.severity}`) }));
      else element.removeAttribute("aria-label");
    });
    this.point();
    const list = this.part.querySelector(".marks");
    list.hidden = !this.categories.length || !this.marks.length;
    list.replaceChildren(...(this.categories.length ? this.marks.map((mark, n) => this.row(mark, n)) : []));
    const clean = this.part.querySelector(".clean");
    const n = this.marks.length;
    const keeps = n > 0 && !this.checked;
    const done = keeps ? "script.mark_keep" : n ? "script.mark_done" : "script.mark_none";
    clean.textContent = this.problem === "script.mark_which" ? word("script.mark_open") : word(done, { n });
    clean.classList.toggle("has", n > 0 && !keeps);
    clean.disabled = n > 0 && !keeps;
    clean.setAttribute("aria-pressed", String(this.none));
    this.undoing.hidden = !this.before.length;
  }

  row(mark, n) {
    const row = document.getElementById("mark").content.firstElementChild.cloneNode(true);
    const quote = row.querySelector("q");
    quote.textContent = this.text(mark);
    quote.lang = this.about.target.tag;
    quote.dir = this.about.target.direction;
    const severities = this.about.severities.map((one) => new Option(word(`script.mark_${one}`), one));
    this.choice(row.querySelector(".severity"), severities, mark, "severity", n);
    this.choice(row.querySelector(".category"), [new Option(word("script.mark_choose"), ""), ...nested(this.categories)], mark, "category", n);
    const remove = row.querySelector("button");
    remove.setAttribute("aria-label", word("script.mark_remove", { n: n + 1 }));
    remove.addEventListener("click", () => {
      this.unmark(mark);
      this.box.focus();
    });
    return row;
  }

  choice(select, options, mark, name, n) {
    select.replaceChildren(...options);
    select.value = mark[name];
    select.setAttribute("aria-label", word(`script.mark_${name}`, { n: n + 1 }));
    select.addEventListener("change", () => {
      this.remember();
      mark[name] = select.value;
      this.edited();
      this.part.querySelectorAll(`.${name}`)[n].focus();
    });
  }

  focus() {
    this.box.focus();
  }

  // Where something is still to be said.
  focusOpen() {
    if (this.problem === "script.mark_which") this.marked();
    else this.focus();
  }
}

// Categories with a second part stand below their first.
function nested(categories) {
  const made = [];
  const groups = new Map();
  for (const one of categories) {
    const [group, ...rest] = one.split("/");
    if (!rest.length) {
      made.push(new Option(one, one));
      continue;
    }
    if (!groups.has(group)) {
      const box = document.createElement("optgroup");
      box.label = group;
      groups.set(group, box);
      made.push(box);
    }
    groups.get(group).append(new Option(rest.join("/"), one));
  }
  return made;
}
