"""A gate as Markdown: for the summary of a step, a comment, or a terminal."""

from detectable.core.harmless import for_terminal
from detectable.report.gate.words import (
    digits_of,
    interval_of,
    level_of,
    outcome_of,
    setting,
    short,
)
from detectable.report.render.markdown import escape
from detectable.study.gate.result import Gate
from detectable.study.gate.row import GateRow
from detectable.study.gate.self_test_result import SelfTest

_LONGEST = 60_000  # characters: a comment takes 64 kB, the summary of a step 1 MiB
_ORDER = {"fail": 0, "inconclusive": 1, "pass": 2}


def gate_markdown(gate: Gate) -> str:
    """Return the outcome, the table, what would help, and how to repeat it.

    If that is too long for a comment, the questions that lost go first, then rows that pass.
    """
    whole = _written(gate, gate.rows, losses=True)
    if len(whole) <= _LONGEST:
        return whole
    kept = sorted(gate.rows, key=lambda row: (row.watched, _ORDER[row.outcome]))
    text = _written(gate, kept, losses=False)
    while kept and len(text) > _LONGEST:
        kept = kept[: 3 * len(kept) // 4]
        text = _written(gate, kept, losses=False)
    return text


def _written(gate: Gate, rows: "list[GateRow] | tuple[GateRow, ...]", *, losses: bool) -> str:
    parts = [
        f"### detectable gate: {gate.outcome}\n{escape(setting(gate))}",
        _table(gate, rows),
    ]
    if len(rows) < len(gate.rows):
        parts.append(f"{len(gate.rows) - len(rows):,} more rows are left out here.")
    details = [f"- {escape(text)}" for text in gate.details()[: len(rows)]]
    if details:
        parts.append("\n".join(details))
    if gate.self_test is not None:
        parts.append(_self_test(gate.self_test))
    if losses and gate.losses:
        parts.append(_losses(gate))
    if gate.notes:
        parts.append("\n".join(f"- {escape(text)}" for text in gate.notes))
    parts.append(f"`{for_terminal(str(gate.signature)).replace('`', ' ')}`")
    return "\n\n".join(parts) + "\n"


def _table(gate: Gate, rows: "list[GateRow] | tuple[GateRow, ...]") -> str:
    several, digits_by = len(gate.metrics) > 1, digits_of(gate)
    passable = gate.rule != "superiority"
    often = f"{gate.power:.0%}".replace("%", " %")
    last = "loss it would have seen" if gate.rule == "no-regression" else "margin it could pass"
    head = ["task", *(["metric"] * several), "old", "new", "difference"]
    head += [f"{level_of(gate)} % interval", "outcome", *([f"{last} ({often})"] * passable)]
    rule = ["---", *(["---"] * several), "---:", "---:", "---:", "---", "---"]
    rule += ["---:"] * passable
    lines = ["| " + " | ".join(head) + " |", "|" + "|".join(rule) + "|"]
    for row in rows:
        digits = digits_by[row.metric]
        cells = [escape(row.task), *([escape(row.metric)] * several)]
        cells += [short(value, digits=digits) for value in (row.old, row.new)]
        cells += [short(row.difference, digits=digits, sign=True), interval_of(row, digits)]
        cells += [outcome_of(row), *([short(row.margin_passable, digits=digits)] * passable)]
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


def _self_test(test: SelfTest) -> str:
    lines = [
        "| if nothing changed | pass | fail | inconclusive | two runs differ |",
        "|---|---:|---:|---:|---:|",
    ]
    for name, shares in (
        (f"this gate, {test.n_simulations:,} simulated", test.simulated),
        ("this gate, by formula", test.formula),
        ("«fail if lower»", test.naive),
    ):
        values = (shares.passed, shares.failed, shares.inconclusive, shares.flips)
        lines.append(f"| {name} | " + " | ".join(f"{100.0 * x:.1f} %" for x in values) + " |")
    return "\n".join([*lines, "", f"Noise of a rerun: from {test.noise}."])


def _losses(gate: Gate) -> str:
    lines = ["| task | question | old | new |", "|---|---|---:|---:|"]
    digits_by = digits_of(gate)
    for loss in gate.losses:
        digits = digits_by[loss.metric]
        task = loss.task if len(digits_by) == 1 else f"{loss.task}/{loss.metric}"
        lines.append(
            f"| {escape(task)} | {escape(loss.item)} | {short(loss.old, digits=digits)} | "
            f"{short(loss.new, digits=digits)} |"
        )
    table = "\n".join(lines)
    return f"<details><summary>Questions that lost most</summary>\n\n{table}\n\n</details>"
