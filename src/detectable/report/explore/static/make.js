// Elements. Texts become text nodes and nothing else: there is no way from a file to markup.
export function make(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === false || value === null || value === undefined || value === "") continue;
    made.setAttribute(name, value === true ? "" : value);
  }
  made.append(...children.flat().filter((child) => child !== null && child !== undefined));
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
  const made = make("select", {}, options.map(([value, text]) => new Option(text, value)));
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
