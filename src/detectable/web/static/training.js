// Texts to try the page on. Nothing of it is sent.
import { word } from "./tell.js";

const TRIED = "tried"; // in this tab

// What is said to an answer, after it was given.
export function feedback({ low, high, hint }, answer) {
  const score = answer?.score;
  if (low === null || high === null || score === undefined) return hint || word("script.try_thanks");
  const name = low <= score && score <= high ? "script.try_good" : "script.try_other";
  return `${word(name, { score, low, high })} ${hint}`.trim();
}

export function hasTried() {
  return sessionStorage.getItem(TRIED) !== null;
}

export function setTried() {
  sessionStorage.setItem(TRIED, TRIED);
}
