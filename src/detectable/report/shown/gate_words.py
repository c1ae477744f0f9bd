"""Numbers and sentences of a gate that its text, Markdown, JUnit and annotations share."""

import html
import math
import re
from collections.abc import Callable, Sequence
from dataclasses import replace

from detectable.core.wording import (
    count,
    decimals,
    for_terminal,
    in_one_line,
    listing,
    number,
    p_statement,
    pointed,
    significant,
)
from detectable.report.blocks import Percent
from detectable.report.render.markdown import escape
from detectable.study.gate.relative import TOP_SHARE
from detectable.study.gate.result import FEWEST_CLUSTERS, Gate, GateRow, SelfTest

_RULES = {
    "non-inferiority": "non-inferiority margin",
    "superiority": "superiority",
    "no-regression": "no-regression, tolerance",
}


_SMALL = 0.01  # scores that three decimals would not show


def digits_of(gate: Gate) -> dict[str, int]:
    """Return how many decimals the scores of every metric need: three for shares, two for points.

    Of all metrics at once, for every row asks, and there may be thousands.
    """
    largest: dict[str, float] = {}
    for row in gate.rows:
        largest[row.metric] = max(largest.get(row.metric, 0.0), abs(row.old), abs(row.new))
    return {metric: _digits(size, gate.margin.get(metric)) for metric, size in largest.items()}


def _digits(largest: float, margin: float | None) -> int:
    digits = 3 if largest <= 2.0 else 2 if largest <= 200.0 else 1
    if 0.0 < largest < _SMALL:
        digits = 2 - math.floor(
            math.log10(largest)
        )  # costs of a sample are thousandths of a dollar
    return digits if margin is None else max(digits, min(decimals(margin) + 1, 6))


def shown(row: GateRow, value: float) -> float:
    """Return a number of a row: where its margin is a share of the old score, one in percent."""
    return Percent(value) if row.relative else value


def margin_of(row: GateRow) -> str:
    """Return the margin of a row, as it was typed."""
    return _margin_text(row.margin, relative=row.relative)


def _margin_text(margin: float, *, relative: bool) -> str:
    return f"{significant(100.0 * margin)}%" if relative else significant(margin)


def short(value: float, *, digits: int = 3, sign: bool = False) -> str:
    """Return a number without the zero before its point, as tables of shares have it.

    Examples
    --------
    >>> short(0.6291), short(-0.0048, sign=True), short(1.5, digits=1)
    ('.629', '−.005', '1.5')
    """
    if isinstance(value, Percent):
        return f"{number(100.0 * value, digits=1, sign=sign)}%"
    text = number(value, digits=digits, sign=sign)
    for before in ("0.", "+0.", "−0."):
        if text.startswith(before) and digits:
            return before[:-2] + text[len(before) - 1 :]
    return text


def level_of(gate: Gate) -> str:
    """Return the level of the intervals in percent.

    Examples
    --------
    >>> f"{100 * (1 - 2 * 0.05):.6g}"
    '90'
    """
    return f"{100.0 * (1.0 - 2.0 * gate.alpha):.6g}"


def setting(gate: Gate) -> str:
    """Say what was gated against what, by which rule, on how much."""
    first = tasks_once(gate.rows)
    n = sum(row.n_items for row in first)
    k = sorted(
        {round(row.samples_new, 1) for row in first}
        | {round(row.samples_old, 1) for row in first}
    )
    size = count(n, "question")
    if k[-1] > 1.0:
        size += f" × {k[0]:g} samples" if len(k) == 1 else f" × {k[0]:g} to {k[-1]:g} samples"
    groups = sum(row.n_clusters for row in first)
    parts = [
        f"{gate.system} against baseline {gate.baseline}",
        ", ".join(dict.fromkeys(row.metric for row in gate.rows if row.method != "mover")),
        _rule(gate),
        f"α = {short_alpha(gate.alpha)} one-sided",
        size,
    ]
    if groups < n:
        parts.append(count(groups, "group"))
    if gate.attempt is not None:
        parts.append(f"attempt {gate.attempt}")
    return ", ".join(parts)


def tasks_once(rows: Sequence[GateRow]) -> list[GateRow]:
    """Return one row for every task, whatever metrics it has; none of its parts, nor of a mean."""
    known: dict[str, GateRow] = {}
    for row in rows:
        if not row.slice and row.method != "mover":
            known.setdefault(row.task, row)
    return list(known.values())


def margins_of(gate: Gate) -> dict[str, str]:
    """Return the margins, as they were typed."""
    shares = {row.metric for row in gate.rows if row.relative}
    return {
        name: _margin_text(value, relative=name in shares)
        for name, value in gate.margin.items()
    }


def _rule(gate: Gate) -> str:
    words, margins = _RULES[gate.rule], margins_of(gate)
    if not margins:
        return words
    if len(set(margins.values())) == 1:
        return f"{words} {next(iter(margins.values()))}"
    each = " ".join(f"{name} {value}" for name, value in margins.items())
    return f"{words}s {each}"


def short_alpha(alpha: float) -> str:
    """Return a level without the zero before its point.

    Examples
    --------
    >>> short_alpha(0.05), short_alpha(0.0125)
    ('.05', '.0125')
    """
    return pointed(f"{alpha:.6g}")


def interval_of(row: GateRow, digits: int) -> str:
    """Return ``−.005 … +.121``, or a dash where nothing is known."""
    if math.isnan(row.interval.low):
        return "–"
    low, high = (
        short(shown(row, end), digits=digits, sign=True)
        for end in (row.interval.low, row.interval.high)
    )
    return f"{low} … {high}"


def outcome_of(row: GateRow, *, marked: bool = True) -> str:
    """Return the outcome, marked where it does not decide."""
    if row.untested:
        return "too few"
    return f"{row.outcome} (watched)" if row.watched and marked else row.outcome


def in_brackets(row: GateRow, digits: int) -> str:
    """Return ``−.060 [−.090, −.020], margin .05``, for one line about a row."""
    value = short(shown(row, row.difference), digits=digits, sign=True)
    if math.isnan(row.interval.low):
        found = value
    else:
        low, high = (
            short(shown(row, x), digits=digits, sign=True)
            for x in (row.interval.low, row.interval.high)
        )
        found = f"{value} [{low}, {high}]"
    if math.isnan(row.margin):
        return found
    if row.relative:
        return f"{found}, margin {margin_of(row)}"
    return f"{found}, margin {short(row.margin, digits=decimals(row.margin))}"


def about(gate: Gate, row: GateRow, digits: int) -> str:
    """Say in one line what a row found, and why it did not pass."""
    found = in_brackets(row, digits)
    if row.outcome == "pass":
        return found
    return f"{found}: {why(gate, row)}."


def say_gate(gate: Gate) -> str:
    """Say the outcome, and which rows it is due to."""
    return " ".join((headline(gate), *details(gate)))


def headline(gate: Gate) -> str:
    """Say the outcome in one sentence."""
    rows = [row for row in gate.deciding if row.outcome == gate.outcome]
    named = listing(gate.labels(rows))
    # One model has several versions, and its log names the model.
    same = gate.system == gate.baseline
    new, old = ("New", "the baseline") if same else (gate.system, gate.baseline)
    if gate.outcome == "fail":
        return f"Gate: fail. {new} is worse than {old} on {named}."
    if gate.outcome == "inconclusive":
        return f"Gate: inconclusive. Too few questions to decide on {named}."
    many = f" on all {len(rows)} rows" if len(rows) > 1 else ""
    if gate.decide == "overall":
        others = [row for row in rows[:-1] if row.relative]
        beside = f" and {listing(gate.labels(others))}" if others else ""
        many = f" in the {rows[-1].task}{beside}"
    if gate.rule == "superiority":
        return f"Gate: pass. {new} is better than {old}{many}."
    if gate.rule == "no-regression":
        return (
            f"Gate: pass. No loss{'' if same else f' of {new}'} against {old} was found{many}, "
            "and one that matters would have been."
        )
    known = margins_of(gate)
    margins = listing(
        list(dict.fromkeys(known.get(row.metric) or margin_of(row) for row in rows))
    )
    return f"Gate: pass. {new} is not worse than {old} by more than {margins}{many}."


def details(gate: Gate) -> tuple[str, ...]:
    """Say one sentence about every deciding row that needs one."""
    said = []
    rows, digits = gate.deciding, digits_of(gate)
    for row, name in zip(rows, gate.labels(rows), strict=True):
        if row.outcome == "inconclusive":
            said.append(f"{name} is undecided: {why(gate, row)}.")
        elif row.outcome == "fail":
            said.append(
                f"{name} fails: {number(row.old, digits=digits[row.metric])} before, "
                f"{number(row.new, digits=digits[row.metric])} now; {why(gate, row)}."
            )
        elif gate.rule == "non-inferiority" and row.is_within(gate.alpha):
            said.append(f"{name} is worse, though by less than the margin.")
    return tuple(said)


def why(gate: Gate, row: GateRow) -> str:  # noqa: C901 (one reason after another)
    """Say why a row that did not pass did not, and what would help."""
    if row.is_inferior(gate.alpha):
        return (
            f"the loss is shown to be larger than {margin_of(row)} "
            f"({p_statement(row.p_inferior)})"
        )
    if row.outcome == "fail":
        return f"a loss is shown ({p_statement(row.p_worse_adjusted)})"
    if row.n_clusters == 1:
        alone = (
            "there is one question" if row.n_items == 1 else "all questions are in one group"
        )
        return f"{alone}, so nothing is known about chance"
    if math.isnan(row.margin_passable) and row.unchanged:
        return "every question has the same difference, so nothing is known about its spread"
    if row.too_few:
        what = "question" if row.n_clusters == row.n_items else "group"
        return f"{count(row.n_clusters, what)} are too few to pass; {FEWEST_CLUSTERS} are the least"
    if row.top_share > TOP_SHARE and row.p_margin <= gate.alpha:
        return f"one question holds {row.top_share:.0%} of the spread, so a pass is not trusted"
    size = count(row.n_items, "question")
    if row.n_clusters < row.n_items and row.method != "mover":
        size += f" in {count(row.n_clusters, 'group')}"
    if math.isnan(row.margin_passable) or row.n_needed is None:
        return size
    often = "4 times in 5" if gate.power == 0.8 else f"with a chance of {gate.power:.0%}"
    if gate.rule == "no-regression":
        return (
            f"{size}; it would have seen a loss of {_seen(row)} or more "
            f"{often}, not one of {margin_of(row)}. About {row.n_needed:,} questions "
            "would"
        )
    if row.n_needed <= row.n_items:
        return f"{size}; an unchanged system would pass {often}"
    return (
        f"{size}. About {row.n_needed:,} questions (or a margin of "
        f"{_said(row, row.margin_passable)}) would pass {often} if nothing changed"
    )


def _seen(row: GateRow) -> str:
    return _margin_text(row.margin_passable, relative=row.relative)


def _said(row: GateRow, margin: float) -> str:
    if row.relative:
        return f"{number(100.0 * margin, digits=1)}%"
    return number(margin, digits=3)


# --- A gate for pipelines: Markdown, JUnit XML, annotations and outputs of GitHub Actions ---

_LONGEST = 60_000  # characters: a comment takes 64 kB, the summary of a step 1 MiB
# A mention of a person or a team, and a reference to an issue.
_LINKED = re.compile(r"@(?=\w)|#(?=\d)|\bGH-(?=\d)", re.IGNORECASE)
_ORDER = {"fail": 0, "inconclusive": 1, "pass": 2}


def gate_markdown(gate: Gate) -> str:
    """Return the outcome, the table, what would help, and how to repeat it.

    If that is too long for a comment, the questions that lost go first, then rows that pass.
    """
    return _fitting(gate, _LONGEST, str)


def gate_comment(gate: Gate, name: str) -> str:
    """Return the same as a comment on a pull request, which is found again by its first line.

    Names in logs are no mentions: what would call people, or refer to issues, is broken.
    """
    head = comment_marker(name)
    return head + _fitting(gate, _LONGEST - len(head) - 1, unlinked)


def comment_marker(name: str) -> str:
    r"""Return the first line of a comment, which nobody sees.

    Examples
    --------
    >>> comment_marker("nightly")
    '<!-- detectable:gate:nightly -->\n'
    """
    return f"<!-- detectable:gate:{name} -->\n"


def unlinked(text: str) -> str:
    r"""Return a text in which nothing mentions a person or refers to an issue.

    Examples
    --------
    >>> unlinked("@somebody, see #12").encode("ascii", "backslashreplace")
    b'@\\u200bsomebody, see #\\u200b12'
    """
    return _LINKED.sub("\\g<0>\u200b", text)


def _fitting(gate: Gate, longest: int, made: Callable[[str], str]) -> str:
    """Return the text with as many rows as there is room for."""
    # Slices come last: what decides, and the mean, should not be looked for.
    rows = sorted(gate.rows, key=lambda row: bool(row.slice))
    text = made(_written(gate, rows, losses=True))
    if len(text) <= longest:
        return text
    if sum(map(len, gate.notes)) > longest // 4:  # of many long names
        said = f"{count(len(gate.notes), 'note')} left out here."
        gate = replace(gate, notes=(said,))
    kept = sorted(rows, key=lambda row: (row.watched, _ORDER[row.outcome]))
    text = made(_written(gate, kept, losses=False))
    while kept and len(text) > longest:
        kept = kept[: 3 * len(kept) // 4]
        text = made(_written(gate, kept, losses=False))
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
        ("“fail if lower”", test.naive),
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
