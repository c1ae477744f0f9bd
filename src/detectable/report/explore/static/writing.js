// Which way a text runs, which language it looks like, and what in it nobody would see.
import { make, numbered, UNSEEN } from "./make.js";

const RIGHT = /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}\p{Script=Adlam}]/gu;
const LETTER = /\p{L}/gu;
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/gu;
const SCRIPTS = [
  ["ja", /[\p{Script=Hiragana}\p{Script=Katakana}]/gu],
  ["ko", /\p{Script=Hangul}/gu],
  ["zh", /\p{Script=Han}/gu],
  ["he", /\p{Script=Hebrew}/gu],
  ["th", /\p{Script=Thai}/gu],
  ["el", /\p{Script=Greek}/gu],
];
const LOOKED_AT = 200; // texts that tell what the others are
const TENTH = 0.1;

function share(text, letters) {
  return (text.match(letters) ?? []).length / Math.max(1, (text.match(LETTER) ?? []).length);
}

// Of all texts of one side together: one that begins with a foreign name runs as the others do.
export function writingOf(texts, tag = "") {
  const sample = texts.slice(0, LOOKED_AT).join(" ");
  const seen = SCRIPTS.find(([, letters]) => share(sample, letters) > TENTH);
  return {
    dir: share(sample, RIGHT) > 0.5 ? "rtl" : "ltr",
    lang: tag || (seen ? seen[0] : ""),
    spaced: share(sample, UNSPACED) < 0.5,
  };
}

// A text as parts of an element; what nobody would see stands in a frame.
export function written(text) {
  const parts = [];
  let from = 0;
  for (const { 0: letter, index } of text.matchAll(UNSEEN)) {
    parts.push(text.slice(from, index), make("span", { class: "unseen", dir: "ltr" }, numbered(letter)));
    from = index + letter.length;
  }
  return [...parts, text.slice(from)].filter((part) => part !== "");
}
