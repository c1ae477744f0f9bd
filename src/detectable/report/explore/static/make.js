// Elements. Texts become text nodes and nothing else: there is no way from a file to markup.

// Turns of direction and commands to a terminal: shown by their number, not obeyed.
export const UNSEEN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/gu;

export function numbered(letter) {
  return `U+${letter.codePointAt(0).toString(16).toUpperCase().padStart(4, "0")}`;
}

const seen = (part) => (typeof part === "string" ? part.replace(UNSEEN, numbered) : part);

export function make(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === false || value === null || value === undefined || value === "") continue;
    made.setAttribute(name, value === true ? "" : seen(value));
  }
  made.append(...children.flat().filter((child) => child !== null && child !== undefined).map(seen));
  return made;
}

export function button(text, attributes, act) {
  const made = make("button", { type: "button", ...attributes }, text);
  made.addEventListener("click", act);
  return made;
}

let given = 0;
export function newId(stem) {
  given += 1;
  return `${stem}-${given}`;
}

// A control with its label, side by side.
export function labelled(text, control, attributes = {}) {
  control.id ||= newId("control");
  return make("div", { class: "control", ...attributes }, make("label", { for: control.id }, text), control);
}

export function choice(options, chosen, act) {
  const made = make("select", {}, options.map(([value, text]) => new Option(seen(text), value)));
  made.value = chosen;
  made.addEventListener("change", () => act(made.value));
  return made;
}

export function ticked(text, checked, act) {
  const box = make("input", { type: "checkbox", id: newId("control") });
  box.checked = checked;
  box.addEventListener("change", () => act(box.checked));
  return make("div", { class: "tick" }, box, make("label", { for: box.id }, text));
}
