// A text in pieces that can be marked: words, or characters where a script has no spaces.
// Places are code points, as the server counts them, and not the units of JavaScript.

export function pieces(text, unit, language) {
  const granularity = unit === "character" ? "grapheme" : "word";
  const made = [];
  let start = 0;
  for (const { segment } of new Intl.Segmenter(known(language), { granularity }).segment(text)) {
    const end = start + [...segment].length;
    made.push({ text: segment, start, end, gap: segment.trim() === "" });
    start = end;
  }
  return made;
}

function known(language) {
  try {
    return Intl.Segmenter.supportedLocalesOf([language]);
  } catch {
    return []; // a tag that this browser takes for none
  }
}
