// Which way a text runs, which language it looks like, and what in it nobody would see.
import { make } from "./make.js";

const RIGHT = /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}\p{Script=Adlam}]/gu;
const LETTER = /\p{L}/gu;
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/gu;
// Turns of direction and commands to a terminal: shown by their number, not obeyed.
const UNSEEN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/u;
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

export function written(text) {
  const parts = [];
  let plain = "";
  for (const letter of text) {
    if (!UNSEEN.test(letter)) {
      plain += letter;
      continue;
    }
    const code = letter.codePointAt(0).toString(16).toUpperCase().padStart(4, "0");
    parts.push(plain, make("span", { class: "unseen", dir: "ltr" }, `U+${code}`));
    plain = "";
  }
  return [...parts, plain].filter((part) => part !== "");
}
