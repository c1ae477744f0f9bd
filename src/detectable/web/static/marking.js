// Errors in a text: marked by keyboard, mouse or finger, each with a severity and perhaps a category.
import { pieces } from "./cut_text.js";
import { word } from "./tell.js";

const SEVERITIES = ["minor", "major"];
const MOST = 200;

export class Marking {
  // `box` is where the text stands, `tools` hold the buttons and the list of what is marked.
  constructor(box, tools, { text, place, about, kept, changed, entered }) {
    Object.assign(this, { box, tools, about, changed, entered });
    this.marks = kept?.marks ?? []; // of {first, last, severity, category}, places in `tokens`
    this.confirmed = kept?.confirmed ?? false;
    this.anchor = this.cursor = 0;
    this.open = false; // whether a click has begun a selection that another click may end
    this.cut(text);
    box.setAttribute("aria-label", word("script.mark_label", { n: place + 1 }));
    box.addEventListener("keydown", (event) => this.pressed(event));
    box.addEventListener("pointerdown", (event) => this.grabbed(event));
    box.addEventListener("pointermove", (event) => this.dragged(event));
    box.addEventListener("click", (event) => this.clicked(event));
    for (const severity of SEVERITIES)
      tools.querySelector(`.mark-${severity}`).addEventListener("click", () => this.mark(severity));
    tools.querySelector(".mark-missing").addEventListener("click", () => this.miss());
    tools.querySelector(".mark-none").addEventListener("click", () => this.unmark());
    tools.querySelector(".confirm").addEventListener("click", () => this.confirm());
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

  get last() {
    return this.tokens.length - 2; // the last piece of the text itself
  }

  get range() {
    return [Math.min(this.anchor, this.cursor), Math.max(this.anchor, this.cursor)];
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
      m: () => this.mark("minor"),
      M: () => this.mark("major"),
      Delete: () => this.unmark(),
      Backspace: () => this.unmark(),
      0: () => this.miss(),
      Enter: () => this.confirm(),
    };
    if (event.key in moves || event.key in acts) this.use();
    if (event.key in moves) this.move(moves[event.key](), event.shiftKey);
    else if (event.key in acts) acts[event.key]();
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
  }

  clicked(event) {
    const at = this.under(event.target);
    if (at < 0 || this.drawn) {
      this.drawn = false;
      return;
    }
    const ends = event.shiftKey || (this.open && this.markAt(at) === undefined && at <= this.last);
    this.use();
    this.cursor = at;
    if (!ends) this.anchor = at;
    this.open = !ends;
    this.point();
  }

  // Marking

  markAt(at) {
    return this.marks.find((mark) => mark.first <= at && at <= mark.last);
  }

  // Nothing is chosen before somebody has chosen it.
  use() {
    this.box.classList.add("used");
  }

  mark(severity) {
    if (!this.box.classList.contains("used")) {
      this.tell("script.mark_first");
      return;
    }
    const [first, last] = this.range;
    const inside = this.marks.find((mark) => mark.first <= first && last <= mark.last);
    if (inside) inside.severity = severity;
    else {
      const others = this.marks.filter((mark) => mark.last < first || last < mark.first);
      if (others.length >= MOST) return;
      this.marks = [...others, { first, last, severity, category: "" }];
      this.marks.sort((one, two) => one.first - two.first);
    }
    this.tell("script.mark_said", { text: this.text(inside ?? this.markAt(first)), severity: word(`script.mark_${severity}`) });
    this.edited();
  }

  miss() {
    this.use();
    this.move(this.tokens.length - 1, false);
    if (this.markAt(this.cursor) === undefined) this.mark(SEVERITIES[0]);
  }

  unmark(one = null) {
    const [first, last] = this.range;
    const gone = this.marks.filter((mark) => (one ? mark === one : !(mark.last < first || last < mark.first)));
    if (!gone.length) return;
    this.marks = this.marks.filter((mark) => !gone.includes(mark));
    this.tell("script.mark_gone", { text: gone.map((mark) => this.text(mark)).join(", ") });
    this.edited();
  }

  edited() {
    this.open = false;
    this.anchor = this.cursor;
    this.confirmed = false;
    this.show();
    this.changed();
  }

  confirm() {
    const open = this.marks.findIndex((mark) => this.categories.length && !mark.category);
    if (open >= 0) {
      this.tell("script.mark_which");
      this.tools.querySelectorAll(".category")[open].focus();
      return;
    }
    this.confirmed = true;
    this.show();
    this.changed();
    this.entered();
  }

  get categories() {
    return this.about.categories;
  }

  get spans() {
    return this.marks.map(({ first, last, severity, category }) => ({
      ...(this.tokens[first].missing ? {} : { start: this.tokens[first].start, end: this.tokens[last].end }),
      severity,
      ...(this.categories.length ? { category } : {}),
    }));
  }

  get state() {
    return { marks: this.marks, confirmed: this.confirmed };
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
      for (const severity of SEVERITIES) {
        element.classList.toggle(severity, mark?.severity === severity);
        gap?.classList.toggle(severity, mark?.severity === severity && at < mark.last);
      }
      if (mark) element.setAttribute("aria-label", word("script.mark_read", { text: element.textContent, severity: word(`script.mark_${mark.severity}`) }));
      else element.removeAttribute("aria-label");
    });
    this.point();
    this.tools.querySelector(".marks").replaceChildren(...this.marks.map((mark, n) => this.row(mark, n)));
    const confirm = this.tools.querySelector(".confirm");
    confirm.textContent = word(this.marks.length ? "script.mark_all" : "script.mark_clean", { n: this.marks.length });
    confirm.setAttribute("aria-pressed", String(this.confirmed));
  }

  row(mark, n) {
    const row = document.getElementById("mark").content.firstElementChild.cloneNode(true);
    const quote = row.querySelector("q");
    quote.textContent = this.text(mark);
    quote.lang = this.about.target.tag;
    quote.dir = this.about.target.direction;
    this.choice(row.querySelector(".severity"), SEVERITIES.map((one) => [one, word(`script.mark_${one}`)]), mark, "severity", n);
    const category = row.querySelector(".category");
    category.hidden = !this.categories.length;
    this.choice(category, [["", word("script.mark_choose")], ...this.categories.map((one) => [one, one])], mark, "category", n);
    const remove = row.querySelector("button");
    remove.setAttribute("aria-label", word("script.mark_remove", { n: n + 1 }));
    remove.addEventListener("click", () => {
      this.unmark(mark);
      this.box.focus();
    });
    return row;
  }

  choice(select, options, mark, name, n) {
    select.replaceChildren(...options.map(([value, said]) => new Option(said, value, false, value === mark[name])));
    select.setAttribute("aria-label", word(`script.mark_${name}`, { n: n + 1 }));
    select.addEventListener("change", () => {
      mark[name] = select.value;
      this.edited();
      this.tools.querySelectorAll(`.${name}`)[n].focus();
    });
  }

  focus() {
    this.box.focus();
  }
}
