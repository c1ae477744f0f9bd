"""A gate for pipelines: Markdown, JUnit XML, annotations and outputs of GitHub Actions."""

import html
import math

from detectable.core.wording import for_terminal, in_one_line
from detectable.report.render.markdown import escape
from detectable.report.shown.gate_words import (
    about,
    details,
    digits_of,
    in_brackets,
    interval_of,
    level_of,
    outcome_of,
    setting,
    short,
    shown,
)
from detectable.study.gate.result import Gate, GateRow, SelfTest

_LONGEST = 60_000  # characters: a comment takes 64 kB, the summary of a step 1 MiB
_ORDER = {"fail": 0, "inconclusive": 1, "pass": 2}


def gate_markdown(gate: Gate) -> str:
    """Return the outcome, the table, what would help, and how to repeat it.

    If that is too long for a comment, the questions that lost go first, then rows that pass.
    """
    # Slices come last: what decides, and the mean, should not be looked for.
    rows = sorted(gate.rows, key=lambda row: bool(row.slice))
    whole = _written(gate, rows, losses=True)
    if len(whole) <= _LONGEST:
        return whole
    kept = sorted(rows, key=lambda row: (row.watched, _ORDER[row.outcome]))
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
    said = [f"- {escape(text)}" for text in details(gate)[: len(rows)]]
    if said:
        parts.append("\n".join(said))
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
        cells += [short(shown(row, row.difference), digits=digits, sign=True)]
        cells += [interval_of(row, digits), outcome_of(row)]
        cells += [short(shown(row, row.margin_passable), digits=digits)] * passable
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


# --- A gate as JUnit XML: a suite per metric, a test case per task ---

_HEAD = '<?xml version="1.0" encoding="UTF-8"?>\n'
_CLASS = "detectable.gate"
_NUMBERS = (
    "old",
    "new",
    "difference",
    "margin",
    "margin_passable",
    "n_items",
    "n_clusters",
    "p_margin",
    "p_worse_adjusted",
)


def gate_junit(gate: Gate) -> str:
    """Return the rows as test cases: a loss is a failure, an open row is skipped.

    Where an open outcome fails the gate, open rows are failures too. Rows that are only watched
    are never failures.
    """
    suites, digits = [], digits_of(gate)
    for metric in gate.metrics:
        rows = [row for row in gate.rows if row.metric == metric]
        cases = [_case(gate, row, digits[metric]) for row in rows]
        suites.append(_suite(metric, cases))
    return _HEAD + _all(suites)


def error_junit(message: str) -> str:
    """Return a test case with an error, for a gate that could not be run."""
    case = (
        f'<testcase classname="{_CLASS}" name="gate" time="0"><error type="data" '
        f'message="{_text(message)}"/></testcase>'
    )
    return _HEAD + _all([_suite("gate", [case])])


def _all(suites: list[str]) -> str:
    joined = "\n".join(suites)
    return f'<testsuites name="detectable gate"{_counts(joined)}>\n{joined}\n</testsuites>\n'


def _suite(name: str, cases: list[str]) -> str:
    joined = "\n".join(cases)
    return f'<testsuite name="{_text(name)}"{_counts(joined)} time="0">\n{joined}\n</testsuite>'


def _counts(text: str) -> str:
    kinds = {
        "tests": "testcase",
        "failures": "failure",
        "errors": "error",
        "skipped": "skipped",
    }
    return "".join(f' {key}="{text.count(f"<{tag} ")}"' for key, tag in kinds.items())


def _case(gate: Gate, row: GateRow, digits: int) -> str:
    numbers = "".join(
        f'<property name="{name}" value="{value!r}"/>'
        for name in _NUMBERS
        if not math.isnan(value := getattr(row, name))
    )
    interval = ""
    if not math.isnan(row.interval.low):
        interval = (
            f'<property name="interval_low" value="{row.interval.low!r}"/>'
            f'<property name="interval_high" value="{row.interval.high!r}"/>'
        )
    outcome = f'<property name="outcome" value="{row.outcome}"/>'
    return (
        f'<testcase classname="{_CLASS}" name="{_text(row.name)}" time="0">'
        f"<properties>{outcome}{numbers}{interval}</properties>{_ending(gate, row, digits)}</testcase>"
    )


def _ending(gate: Gate, row: GateRow, digits: int) -> str:
    if row.outcome == "pass":
        return ""
    said = _text(about(gate, row, digits))
    if row.watched:
        return f'<skipped message="watched, {row.outcome}: {said}"/>'
    if row.outcome == "fail":
        return f'<failure type="regression" message="{_text(in_brackets(row, digits))}">{said}</failure>'
    if gate.inconclusive == "fail":
        return f'<failure type="inconclusive" message="{said}"/>'
    return f'<skipped message="inconclusive: {said}"/>'


def _text(text: str) -> str:
    return html.escape(in_one_line(text), quote=True)


# --- What GitHub Actions reads of a gate: annotations on the run, and outputs for later steps ---
#
# References
# ----------
# https://docs.github.com/actions/reference/workflow-commands-for-github-actions

_MOST = 10  # annotations of a kind that GitHub shows of one step
_TITLE = "detectable gate"
_KINDS = {"fail": "error", "inconclusive": "warning"}


def gate_annotations(gate: Gate) -> list[str]:
    """Return one line per row that decides and did not pass; the tenth says how many more."""
    lines, digits = [], digits_of(gate)
    for outcome, kind in _KINDS.items():
        if outcome == "inconclusive" and gate.inconclusive == "fail":
            kind = "error"
        rows = [row for row in gate.deciding if row.outcome == outcome]
        cut = rows if len(rows) <= _MOST else rows[: _MOST - 1]
        lines += [
            annotation(
                kind, f"{gate.label(row)} {outcome}: {about(gate, row, digits[row.metric])}"
            )
            for row in cut
        ]
        if len(cut) < len(rows):
            lines.append(annotation(kind, f"{len(rows) - len(cut):,} more rows: {outcome}."))
    return lines


def annotation(kind: str, message: str) -> str:
    """Return a workflow command: percent signs and line ends are written as GitHub wants them.

    Examples
    --------
    >>> annotation("error", "5% worse")
    '::error title=detectable gate::5%25 worse'
    """
    return f"::{kind} title={_TITLE}::{in_one_line(message).replace('%', '%25')}"


def step_outputs(verdict: str, exit_code: int) -> str:
    """Return the lines that go into ``$GITHUB_OUTPUT``."""
    return f"verdict={verdict}\nexit_code={exit_code}\n"
