// A file that somebody opens: what it shows, or one sentence about what is wrong with it.
import { say } from "./words.js";

export const FORMAT = 1; // of files of results, as report/saved/load.py has it
const LIMIT = 100; // MB
const PAGE = /^\s*<!doctype html>/i;
const HELD = /<script type="application\/json" id="saved">([^<]*)<\/script>/;
const SEGMENTED = new Set(["Comparison", "Ranking"]); // whose segments --bake reads again
const SHA = 12;

export class Refused extends Error {}

function refuse(key, values) {
  throw new Refused(say(key, values));
}

async function unpacked(bytes, form) {
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream(form));
  const decoder = new TextDecoder();
  let [size, text] = [0, ""];
  for (const reader = stream.getReader(); ; ) {
    const { done, value } = await reader.read();
    if (done) return text + decoder.decode();
    size += value.byteLength; // a few bytes can stand for very many
    if (size > LIMIT * 1e6) {
      await reader.cancel();
      throw new RangeError(form);
    }
    text += decoder.decode(value, { stream: true });
  }
}

async function textIn(file) {
  const name = file.name;
  const tooLarge = { name, size: Math.round(file.size / 1e6), limit: LIMIT };
  if (file.size > LIMIT * 1e6) refuse("error.large", tooLarge);
  let bytes;
  try {
    bytes = new Uint8Array(await file.arrayBuffer());
  } catch {
    refuse("error.unread", { name });
  }
  if (bytes[0] === 0x1f && bytes[1] === 0x8b) {
    try {
      return await unpacked(bytes, "gzip");
    } catch (error) {
      if (error instanceof RangeError) refuse("error.large", { ...tooLarge, size: `> ${LIMIT}` });
      refuse("error.packed", { name });
    }
  }
  return new TextDecoder().decode(bytes);
}

function valueOf(text, name) {
  if (!text.trim()) refuse("error.empty", { name });
  try {
    return JSON.parse(text);
  } catch {
    return refuse("error.json", { name });
  }
}

function hintFor(content) {
  if (content && typeof content === "object" && "detectable_plan" in content) return "plan";
  if (content && typeof content === "object" && "kind" in content && "signature" in content) return "json";
  return "write";
}

function checkFormat(content, name) {
  const whole = content && typeof content === "object" && !Array.isArray(content);
  if (!whole || !("schema" in content && "kind" in content)) {
    refuse("error.result", { name, hint: say(`error.hint.${hintFor(content)}`) });
  }
  const schema = content.schema;
  if (!Number.isInteger(schema) || schema < 1) {
    refuse("error.schema", { name, schema: JSON.stringify(schema) });
  }
  if (schema > FORMAT) {
    refuse("error.newer", { name, schema, version: content.detectable, known: FORMAT });
  }
}

async function blocksOf(content, name) {
  if (content.shown === null || content.shown === undefined) {
    refuse("error.without", { name, version: content.detectable });
  }
  try {
    const bytes = Uint8Array.from(atob(content.shown.zlib64), (letter) => letter.charCodeAt(0));
    const blocks = JSON.parse(await unpacked(bytes, "deflate"));
    if (blocks[0].block !== "verdict") throw new TypeError(name);
    return blocks;
  } catch {
    return refuse("error.damaged", { name, part: "shown" });
  }
}

function aboutFile(content, name) {
  const { created, detectable: version } = content;
  const read = Array.isArray(content.inputs) ? content.inputs : [];
  const points = [
    say("file.written", { name, created, version }),
    ...read.map(({ path, sha256 }) => say("file.read", { path, sha: String(sha256).slice(0, SHA) })),
    say("file.unchecked"),
  ];
  return { block: "text", role: "checks", title: say("file"), text: "", points: points.map((one) => ["plain", one]) };
}

function withoutEnding(name) {
  return name.replace(/\.gz$/, "").replace(/(.)\.json$/, "$1");
}

// The results that a page of --bake holds. It is not parsed: its styles are against our policy.
function bakedIn(text, name) {
  const found = text.match(HELD);
  if (!found) refuse("error.page", { name });
  return valueOf(found[1], name);
}

export async function readFile(file) {
  const text = await textIn(file);
  if (PAGE.test(text)) return bakedIn(text, file.name);
  const content = valueOf(text, file.name);
  checkFormat(content, file.name);
  const blocks = await blocksOf(content, file.name);
  blocks.splice(-1, 0, aboutFile(content, file.name));
  const typed = Array.isArray(content.command) && content.command.length > 0;
  const again = typed && SEGMENTED.has(content.kind) ? file.name : "";
  return [{ name: withoutEnding(file.name), again, blocks, segments: null }];
}
