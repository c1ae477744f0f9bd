// The documents of a pair: how far apart the two are in each, and the way to its segments.
import { make } from "./make.js";
import { sortableTable } from "./table.js";
import { say, sayNumber } from "./words.js";

const FEW = 12; // documents that are shown at once

export function documentsOf(segments, [first, second], choose) {
  const [measure] = segments.measures;
  const { documents, ofDocument } = segments;
  const sizes = new Array(documents.length).fill(0);
  for (const place of ofDocument) sizes[place] += 1;
  const [ours, theirs] = [measure.byDocument[first], measure.byDocument[second]];
  const number = (value, sign) => [sayNumber(value, measure.digits, { sign }), value ?? 0];
  const order = documents
    .map((_, i) => ({ i, difference: ours[i] === null || theirs[i] === null ? null : ours[i] - theirs[i] }))
    .sort((one, other) => Math.abs(other.difference ?? 0) - Math.abs(one.difference ?? 0));
  const column = (key, title, classes = "") => ({ key, title, short: "", classes, help: "" });
  const table = {
    id: "by-document",
    title: say("documents"),
    note: say("documents.note", { measure: measure.label }),
    breaks: [],
    n_rows: order.length,
    columns: [
      column("system", say("documents.name"), "left"),
      column("count", say("documents.count"), "optional"),
      column("ours", first, "optional"),
      column("theirs", second, "optional"),
      column("difference", say("documents.difference")),
    ],
    rows: order.map(({ i, difference }) => [
      documents[i],
      [sizes[i].toLocaleString("en"), sizes[i]],
      number(ours[i], false),
      number(theirs[i], false),
      number(difference, true),
    ]),
  };
  const made = sortableTable(table, { act: (row) => choose(order[row].i) });
  const title = say("counted", { title: say("documents"), n: order.length.toLocaleString("en") });
  return order.length > FEW ? make("details", {}, make("summary", {}, title), made) : made;
}
