"""What annotation tasks show, and the sheets that are handed out."""

import hashlib
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import fields
from functools import partial

from detectable.core.wording import count, number
from detectable.report import blocks
from detectable.report.charts.documents import arrival as chart
from detectable.report.render.csv import to_csv
from detectable.report.shown.reverse_created import reverse_created
from detectable.study.tasks.result import PAIRING_GAIN, TaskRow, Tasks

_KINDS = {
    "system": "outputs",
    "degraded": "degraded",
    "repeat": "repeated",
    "reference": "references",
}


def show_tasks(tasks: Tasks) -> Iterator[blocks.Block]:
    """Show what is handed out, the controls, what each rater gets, and how early pairs come."""
    first, *others = _sentences(tasks)
    yield blocks.Verdict("info", first, tuple(others))
    yield from _pairs(tasks)
    yield raters(tasks)
    yield systems(tasks)
    if tasks.n_pairs:
        yield arrival(tasks)
    yield from reverse_created(tasks.reverse)
    yield from blocks.notes(tasks.notes)
    yield _methods(tasks)


def _pairs(tasks: Tasks) -> Iterator[blocks.Chart]:
    """Yield how early pairs are complete, where there are any."""
    if not tasks.n_pairs:
        return
    points = tuple(
        (one.share, one.n_pairs / tasks.n_pairs, f"{one.n_pairs:,}") for one in tasks.arrival
    )
    half = min(points, key=lambda point: abs(point[0] - 0.5))
    title = (
        f"After {half[0]:.0%} of the work {half[1]:.0%} of {tasks.n_pairs:,} pairs are complete"
    )
    told = "; ".join(f"{share:.0%}: {n}" for share, _, n in points)
    yield blocks.Chart(
        "arrival",
        title,
        "A pair is complete once one rater has judged both outputs. Numbers: pairs. Dashed: in step "
        "with the work.",
        f"{title}. Pairs by share of the work: {told}.",
        partial(chart, points, done="pairs complete", work="work done"),
        "arrival",
        key=True,
    )


def _methods(tasks: Tasks) -> blocks.Methods:
    """Return a paragraph on who judged how much, and on the controls among it."""
    controls = [
        count(tasks.counts[kind], "reference" if kind == "reference" else word, word)
        for kind, word in _KINDS.items()
        if kind != "system" and tasks.counts.get(kind)
    ]
    among = f", {tasks.control_share:.0%} of them controls ({', '.join(controls)})"
    shared = ""
    if tasks.n_shared:
        shared = f" Two raters judged {tasks.n_shared:,} of {count(tasks.n_items, 'line')}."
    unit = "sentence" if tasks.task_kind == "segment" else "document"
    systems = count(tasks.n_systems, "system")
    return blocks.Methods(
        f"{count(sum(tasks.counts.values()), 'text')} of {systems} were handed out in "
        f"{count(tasks.n_tasks, 'task')} to {count(tasks.n_raters, 'rater')}"
        f"{among if controls else ''}. Assignment was {tasks.assignment}: one rater saw all "
        f"systems of {tasks.n_whole:,} of {count(tasks.n_units, unit)}.{shared}",
        ("graham-etal-2017",) if controls else (),
    )


def raters(tasks: Tasks) -> blocks.Table:
    """Return what each rater gets."""
    work: dict[str, list[TaskRow]] = {}
    for row in tasks.rows:
        work.setdefault(row.rater, []).append(row)
    columns = [
        blocks.Column("rater", "rater", "name", of=lambda one: one[0]),
        blocks.Column(
            "tasks", "tasks", "count", of=lambda one: len({row.task for row in one[1]})
        ),
        blocks.Column("texts", "texts", "count", of=lambda one: len(one[1])),
    ]
    columns += [
        blocks.Column(
            title,
            title,
            "count",
            keep=1 if kind == "system" else 2,
            of=partial(_number, kind),
        )
        for kind, title in _KINDS.items()
    ]
    return blocks.table("raters", "Work of each rater", columns, work.items())


def systems(tasks: Tasks) -> blocks.Table:
    """Return the degraded copies of each system, and how evenly raters see them."""
    raters_of: dict[str, Counter[str]] = {}
    for row in tasks.rows:
        raters_of.setdefault(row.rater, Counter())[row.system] += row.kind == "degraded"
    own = list(raters_of.values())
    columns = [
        blocks.Column("system", "system", "name", of=lambda one: one[0]),
        blocks.Column("degraded", "degraded", "count", of=lambda one: one[1]),
        blocks.Column(
            "fewest", "fewest", "count", of=lambda one: min(seen[one[0]] for seen in own)
        ),
        blocks.Column(
            "most", "most", "count", of=lambda one: max(seen[one[0]] for seen in own)
        ),
    ]
    title = "Degraded copies of each system, and the fewest and most that one rater sees"
    return blocks.table("degraded", title, columns, tasks.degraded_by_system.items())


def arrival(tasks: Tasks) -> blocks.Table:
    """Return how many pairs are complete after a share of the work."""
    columns = [
        blocks.Column("share", "work", "share", digits=0),
        blocks.Column("n_pairs", "pairs", "count"),
        blocks.Column(
            "complete",
            "complete",
            "share",
            digits=0,
            of=lambda one: one.n_pairs / tasks.n_pairs,
        ),
    ]
    title = "Pairs of outputs that one rater has judged, after a share of the work"
    return blocks.table("arrival", title, columns, tasks.arrival)


def _number(kind: str, work: tuple[str, list[TaskRow]]) -> int:
    return sum(row.kind == kind for row in work[1])


# --- Annotation tasks as a spreadsheet to fill in ---


def tasks_csv(tasks: Tasks) -> str:
    """Return one row per text, with empty columns for the score and the time.

    The names of the columns are those of judgments: filled in, the file can be read by
    `read_judgments` and checked with `quality_control`.
    """
    names = [part.name for part in fields(TaskRow)]
    used = [
        name
        for name in names
        if name not in ("document", "domain", "source", "sampling_weight")
        or any(getattr(row, name) is not None for row in tasks.rows)
    ]
    rows = (
        [*("" if (value := getattr(row, name)) is None else value for name in used), "", ""]
        for row in tasks.rows
    )
    return to_csv((*used, "score", "seconds"), rows)


# --- Annotation tasks as one blind sheet for each rater, and the key to all of them ---

KEY = "key.csv"


def blind_sheets(tasks: Tasks) -> Mapping[str, str]:
    """Return files by name: ``sheet-RATER.csv`` for everyone who judges, and ``key.csv``.

    A sheet holds texts, what they are judged against (the source where it is known, else the
    reference), and empty columns for score and time. Which system wrote a text, and whether it is a
    control, stands in the key alone; `read_judgments` puts the two together again from their folder.
    """
    sheets: dict[str, list[list[object]]] = {}
    key: list[list[object]] = []
    beside = "source" if all(row.source is not None for row in tasks.rows) else "reference"
    documents = any(row.document is not None for row in tasks.rows)
    domains = any(row.domain is not None for row in tasks.rows)
    weighed = any(row.sampling_weight is not None for row in tasks.rows)
    for row in tasks.rows:
        one = _id(str(tasks.signature), row)
        sheet = sheets.setdefault(row.rater, [])
        sheet.append([one, row.task, row.block, getattr(row, beside), row.text, "", ""])
        known = [one, row.task, row.rater, row.position, row.kind, row.system, row.item]
        known += [row.document] if documents else []
        known += [row.domain] if domains else []
        known += [row.sampling_weight] if weighed else []
        key.append(known)
    head = ("id", "task", "block", beside, "text", "score", "seconds")
    names = ["id", "task", "rater", "position", "kind", "system", "item"]
    names += ["document"] if documents else []
    names += ["domain"] if domains else []
    names += ["sampling_weight"] if weighed else []
    made = {f"sheet-{rater}.csv": to_csv(head, rows) for rater, rows in sheets.items()}
    return {**made, KEY: to_csv(tuple(names), key)}


def _id(signature: str, row: TaskRow) -> str:
    """Return a name of a text that says nothing about it to who has only the sheet."""
    place = f"{signature}\n{row.task}\n{row.position}"
    return f"t{hashlib.sha256(place.encode()).hexdigest()[:12]}"


def say_tasks(tasks: Tasks) -> str:
    """Say what is handed out, what the controls are, and what pairing buys."""
    return "\n".join(_sentences(tasks))


def _sentences(tasks: Tasks) -> list[str]:
    kinds = tasks.counts
    lines = [
        f"{count(tasks.n_tasks, 'task')} for {count(tasks.n_raters, 'rater')}: "
        f"{sum(kinds.values()):,} texts, {kinds['system']:,} outputs of "
        f"{count(tasks.n_systems, 'system')} and {tasks.control_share:.0%} controls "
        f"({kinds['degraded']:,} degraded, {kinds['repeat']:,} repeated, "
        f"{count(kinds['reference'], 'reference')}).",
        f"A control stands {number(tasks.distance_mean, digits=0)} texts from its original "
        f"on average, and {number(tasks.distance_min, digits=0)} at least, in the same task.",
        _pairing(tasks),
    ]
    if tasks.n_pairs:
        first, *later, _ = tasks.arrival
        lines.append(
            f"{first.n_pairs:,} of {count(tasks.n_pairs, 'pair')} of outputs are complete "
            f"after {first.share:.0%} of the work"
            + "".join(f", {after.n_pairs:,} after {after.share:.0%}" for after in later)
            + "."
        )
    if tasks.n_shared:
        lines.append(
            f"Two raters judge {tasks.n_shared:,} of {count(tasks.n_items, 'line')}: "
            "agreement between raters and components of variance are estimated from these."
        )
    return lines


def _pairing(tasks: Tasks) -> str:
    unit = "sentence" if tasks.task_kind == "segment" else "document"
    low, middle, high = PAIRING_GAIN
    gain = f"{middle:.1f} times the judgments (quartiles {low:.1f} to {high:.1f})"
    whole = f"{tasks.n_whole:,} of {count(tasks.n_units, unit)}"
    if tasks.assignment == "paired":
        return (
            f"One rater sees all systems of {whole}. Compared in pairs they are worth "
            f"{gain}: the difficulty of the {unit} and the rater's severity cancel."
        )
    return (
        f"Outputs are shared out at random: one rater sees all systems of {whole}. "
        f'With assignment="paired" the same work would be worth {gain}.'
    )
