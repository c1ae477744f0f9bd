"""A gate as JUnit XML: a suite per metric, a test case per task."""

import html
import math

from detectable.core.harmless import in_one_line
from detectable.report.gate.words import about, digits_of, in_brackets
from detectable.study.gate.result import Gate
from detectable.study.gate.row import GateRow

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
