// Where two texts differ: by word, and by character where words have no spaces between them.
const MOST = 1_000_000; // cells of the table of longest common parts
const SPACE = /^\s+$/u;

function pieces(text, writing) {
  const granularity = writing.spaced ? "word" : "grapheme";
  const cutter = new Intl.Segmenter(writing.lang || undefined, { granularity });
  const found = [];
  for (const { segment } of cutter.segment(text)) {
    if (SPACE.test(segment) && found.length) found.at(-1).text += segment;
    else found.push({ text: segment, key: segment.trim() });
  }
  return found;
}

// Marks what is common to both, from the table of longest common parts.
function match(first, second) {
  const [n, m] = [first.length, second.length];
  const wide = m + 1;
  const longest = new Uint32Array((n + 1) * wide);
  for (let i = n - 1; i >= 0; i -= 1) {
    for (let j = m - 1; j >= 0; j -= 1) {
      longest[i * wide + j] =
        first[i].key === second[j].key
          ? longest[(i + 1) * wide + j + 1] + 1
          : Math.max(longest[(i + 1) * wide + j], longest[i * wide + j + 1]);
    }
  }
  for (let i = 0, j = 0; i < n && j < m; ) {
    if (first[i].key === second[j].key) {
      first[i].common = true;
      second[j].common = true;
      i += 1;
      j += 1;
    } else if (longest[(i + 1) * wide + j] >= longest[i * wide + j + 1]) i += 1;
    else j += 1;
  }
}

function runs(found) {
  const made = [];
  const add = (text, changed) => {
    if (text === "") return;
    if (made.length && made.at(-1).changed === changed) made.at(-1).text += text;
    else made.push({ text, changed });
  };
  found.forEach(({ text, common }, i) => {
    // The space behind the last word of a difference is no part of it.
    const ends = !common && (i + 1 === found.length || found[i + 1].common);
    const bare = ends ? text.trimEnd() : text;
    add(bare, !common);
    add(text.slice(bare.length), false);
  });
  return made;
}

// Both texts as runs of what is common and what is not.
export function differences(one, other, writing) {
  const [first, second] = [pieces(one, writing), pieces(other, writing)];
  let start = 0;
  while (start < Math.min(first.length, second.length) && first[start].key === second[start].key) {
    first[start].common = true;
    second[start].common = true;
    start += 1;
  }
  let end = 0;
  while (
    end < Math.min(first.length, second.length) - start &&
    first.at(-1 - end).key === second.at(-1 - end).key
  ) {
    first.at(-1 - end).common = true;
    second.at(-1 - end).common = true;
    end += 1;
  }
  const [a, b] = [first.slice(start, first.length - end), second.slice(start, second.length - end)];
  if (a.length * b.length <= MOST) match(a, b);
  return [runs(first), runs(second)];
}
