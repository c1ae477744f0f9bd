// A text and what stands beside it; before the first of a page what precedes it, which is not judged.
import { word } from "./tell.js";

const at = (id) => document.getElementById(id);

function side(item, name, said, language, called = name) {
  const part = item.querySelector(`.${name}`);
  part.hidden = said === null;
  if (said === null) return;
  part.querySelector("h2, h3").textContent = word(`script.rate_${called}`);
  const text = part.querySelector("p");
  text.textContent = said;
  text.lang = language.tag;
  text.dir = language.direction;
}

export function showSides(item, text, about) {
  item.classList.add(about.protocol === "pairwise" ? "beside" : "row");
  item.classList.toggle("alone", about.mode === "alone");
  side(item, "source", text.source, about.source);
  side(item, "reference", text.reference, about.target);
  side(item, "output", text.text ?? null, about.target, about.mode === "alone" ? "text" : "output");
  side(item, "left", text.left ?? null, about.target);
  side(item, "right", text.right ?? null, about.target);
}

export function showBefore(texts, about) {
  at("before").hidden = texts.length === 0;
  at("before-texts").replaceChildren(
    ...texts.map((text) => {
      const item = at("line-before").content.firstElementChild.cloneNode(true);
      item.classList.add(about.protocol);
      showSides(item, text, about);
      return item;
    }),
  );
}
