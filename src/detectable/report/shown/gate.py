"""What a gate shows, with its picture; and a baseline that was just accepted."""

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING

from detectable.core.interval import Interval
from detectable.core.wording import count, listing, number
from detectable.report import blocks
from detectable.report.shown import gate_words
from detectable.report.shown.reverse_created import reverse_created
from detectable.study.gate.baseline import AcceptedBaseline
from detectable.study.gate.result import FEWEST_CLUSTERS, Gate, GateRow

if TYPE_CHECKING:
    from detectable.report.charts.forest import Panel

_STATUS: dict[str, blocks.Status] = {
    "pass": "better",
    "fail": "worse",
    "inconclusive": "undecided",
}


def show_gate(gate: Gate) -> Iterator[blocks.Block]:
    """Show the outcome, the rows, what an unchanged system would do, and where to look first."""
    yield blocks.Verdict(
        _STATUS[gate.outcome],
        gate_words.headline(gate),
        (f"{gate_words.setting(gate)}.", *gate_words.details(gate)),
    )
    yield blocks.Pictures("gate:differences", gate)
    yield rows(gate)
    if gate.by:
        yield slices(gate)
    if gate.self_test is not None:
        yield self_test(gate)
    if gate.losses:
        yield losses(gate)
    yield tests(gate)
    yield from reverse_created(gate.reverse)
    yield from blocks.notes(gate.notes)
    yield _methods(gate)


def rows(gate: Gate) -> blocks.Table:
    """Return a row per task and metric, and that of their mean."""
    return _rows(gate, "rows", "Rows", [row for row in gate.rows if not row.slice])


def slices(gate: Gate) -> blocks.Table:
    """Return a row per task, metric and slice."""
    found = [row for row in gate.rows if row.slice]
    return _rows(gate, "slices", f"By {gate.by}", found)


def _rows(gate: Gate, name: str, title: str, found: Sequence[GateRow]) -> blocks.Table:
    digits_by = gate_words.digits_of(gate)
    watched = name == "slices" and gate.decide != "slices"  # all of them, as the note says

    def digits(row: GateRow) -> int:
        return digits_by[row.metric]

    often = f"{gate.power:.0%}"
    passable = {
        "non-inferiority": blocks.Column(
            "margin_passable",
            f"margin it could pass ({often})",
            short="can pass",
            digits=digits,
            of=_passable,
            help=f"The smallest margin that an unchanged system passes with a chance of {often}.",
        ),
        "no-regression": blocks.Column(
            "margin_passable",
            f"loss it could have detected ({often})",
            short="detectable",
            digits=digits,
            of=_passable,
            help=f"The smallest loss that is found with a chance of {often}.",
        ),
        "superiority": None,
    }[gate.rule]
    several = len(gate.metrics) > 1
    breaks = [
        i for i, row in enumerate(found) if i and several and row.metric != found[i - 1].metric
    ]
    columns = (
        *_of_what(gate),
        blocks.Column("old", "old", digits=digits, keep=2),
        blocks.Column("new", "new", digits=digits, keep=2),
        blocks.Column(
            "difference",
            "difference",
            sign=True,
            short="diff.",
            digits=digits,
            of=lambda row: gate_words.shown(row, row.difference),
        ),
        blocks.Column(
            "interval",
            f"{gate_words.level_of(gate)}% interval",
            "interval",
            sign=True,
            digits=digits,
            of=_interval,
        ),
        blocks.Column(
            "outcome", "outcome", "text", of=_unmarked if watched else gate_words.outcome_of
        ),
        passable,
        blocks.Column(
            "n_needed",
            "needs",
            "count",
            keep=3,
            help="Questions that the margin needs for that.",
        )
        if gate.margin
        else None,
        blocks.Column("n_items", "questions", "count", keep=3),
    )
    note = {
        "non-inferiority": f"Can pass: the smallest margin that an unchanged system passes with a "
        f"chance of {often}. Needs: about how many questions your margin needs for that chance.",
        "no-regression": f"Detectable: the smallest loss that is found with a chance of {often}.",
        "superiority": "",
    }[gate.rule]
    if watched:
        note = "Watched: slices do not decide. Losses are corrected by Holm over all of them."
    return blocks.table(name, title, columns, found, breaks=breaks, note=note)


def _unmarked(row: GateRow) -> str:
    return gate_words.outcome_of(row, marked=False)


def _interval(row: GateRow) -> tuple[float, float]:
    return gate_words.shown(row, row.interval.low), gate_words.shown(row, row.interval.high)


def _passable(row: GateRow) -> float:
    return gate_words.shown(row, row.margin_passable)


def _of_what(gate: Gate) -> tuple[blocks.Column, blocks.Column]:
    keep = 1 if len(gate.metrics) > 1 else blocks.DATA_ONLY
    return (
        blocks.Column("task", "task", "name"),
        blocks.Column("metric", "metric", "name", keep=keep),
    )


def tests(gate: Gate) -> blocks.Table:
    """Return what decides each row: groups, samples, p-values."""
    digits = gate_words.digits_of(gate)
    return blocks.contrasts(
        "tests",
        "Tests",
        (
            *_of_what(gate),
            blocks.Column("n_clusters", "groups", "count"),
            blocks.Column("samples_old", "samples, old", digits=1, short="old", keep=2),
            blocks.Column("samples_new", "samples, new", digits=1, short="new", keep=2),
            blocks.Column(
                "margin",
                "margin",
                digits=lambda row: digits[row.metric],
                keep=2,
                of=lambda row: gate_words.shown(row, row.margin),
            ),
            blocks.Column("p_margin", "p of the margin", "p", short="p margin"),
            blocks.Column("p_better", "p of a gain", "p", short="p gain", keep=2),
            blocks.Column("p_worse", "p of a loss", "p", short="p loss", keep=2),
            blocks.Column("p_worse_adjusted", "corrected", "p"),
            blocks.Column("standard_error", "standard error", keep=blocks.DATA_ONLY),
            blocks.Column("df", "df", keep=blocks.DATA_ONLY),
            blocks.Column("method", "method", "text", keep=3),
        ),
        gate.rows,
        note="One-sided: of a loss of the margin or more, of no gain, of no loss; the last corrected "
        "by Holm over the rows that decide.",
        folded=True,
    )


_ENDS = (
    ("passed", "pass", 1),
    ("failed", "fail", 1),
    ("inconclusive", "inconclusive", 1),
    ("flips", "two runs differ", 2),
)


def _rate(key: str, record: tuple[str, object]) -> float:
    found: float = getattr(record[1], key)
    return found


def self_test(gate: Gate) -> blocks.Table:
    """Return how often evaluations of an unchanged system end how."""
    test = gate.self_test
    records = (
        ()
        if test is None
        else (
            (f"this gate, {test.n_simulations:,} simulated", test.simulated),
            ("this gate, by formula", test.formula),
            ("fail if the score is lower", test.naive),
        )
    )
    noise = "" if test is None else f"Noise of a rerun: from {test.noise}."
    return blocks.table(
        "self-test",
        "If nothing changed",
        (
            blocks.Column(
                "way", "if nothing changed", "name", short="way", of=lambda record: record[0]
            ),
            *(
                blocks.Column(key, title, "share", digits=1, keep=keep, of=partial(_rate, key))
                for key, title, keep in _ENDS
            ),
        ),
        records,
        note=noise,
    )


def losses(gate: Gate) -> blocks.Table:
    """Return the questions that lost most."""
    digits = gate_words.digits_of(gate)

    return blocks.table(
        "losses",
        "Questions that lost most",
        (
            *_of_what(gate),
            blocks.Column("item", "question", "name"),
            blocks.Column("old", "old", digits=lambda loss: digits[loss.metric]),
            blocks.Column("new", "new", digits=lambda loss: digits[loss.metric]),
        ),
        gate.losses,
        folded=True,
    )


def _methods(gate: Gate) -> blocks.Methods:
    cite = []
    by_score = any(row.method == "score" for row in gate.rows)
    by_t = any(row.method == "t" for row in gate.rows)
    ways = []
    if by_score:
        ways.append("scores of 0 and 1 by the score method (Tango, 1998)")
        cite.append("tango-1998")
    if by_t:
        ways.append("means of questions by t tests with cluster-robust standard errors")
    tests = len(gate.deciding)
    corrected = ""
    if tests > 1:
        corrected = (
            f" All {tests} rows had to pass, each at this level (intersection-union); losses were "
            "corrected by Holm's method (1979)."
        )
        cite.append("holm-1979")
    return blocks.Methods(
        f"{gate.system} was gated against {gate.baseline} by the rule “{gate.rule}” at a one-sided "
        f"level of {gate_words.short_alpha(gate.alpha)}: {', and '.join(ways)}. Answers to one question were "
        f"averaged, and questions paired.{corrected} Rows with fewer than {FEWEST_CLUSTERS} "
        "independent groups of questions could not pass.",
        tuple(cite),
    )


# --- The picture of a gate: every row with its interval, and the margin it must stay clear of ---

_MOST = 30  # rows that a picture can hold
_VERDICTS = {"pass": "equivalent", "fail": "worse", "inconclusive": "undecided"}
_SHAPES = {"pass": "◆ pass", "fail": "▼ fail", "inconclusive": "● inconclusive"}


def differences(gate: Gate) -> Iterator[blocks.Chart]:
    """Yield the differences of all tasks, a panel per metric; slices only where they decide."""
    drawn = [row for row in gate.rows if not (row.slice and row.watched)]
    rows = [row for row in drawn if not math.isnan(row.interval.low)]
    if not rows or len(drawn) > _MOST:
        return
    panels = [
        _panel(gate, metric, [row for row in rows if row.metric == metric])
        for metric in gate.metrics
        if any(row.metric == metric for row in rows)
    ]
    title = _title(gate)
    yield blocks.Chart(
        "differences",
        title,
        _caption(gate, rows),
        f"{title}. {_told(gate, rows)}",
        partial(_draw, tuple(panels)),
        "rows",
        key=True,
    )


def _draw(panels: "tuple[Panel, ...]", width: int) -> dict[str, object]:
    from detectable.report.charts.forest import forest, forest_panels

    if len(panels) > 1:
        return forest_panels(panels, width=width)
    return forest(panels[0], width=width)


def _panel(gate: Gate, metric: str, rows: list[GateRow]) -> "Panel":
    from detectable.report.charts.forest import Difference, Panel

    margin = gate.margin.get(metric, rows[0].margin if gate.margin else math.nan)
    margins = () if math.isnan(margin) else (margin,)
    lower = any(row.higher_is_better is False for row in rows)
    relative = rows[0].relative
    scale = 100.0 if relative else 1.0
    digits = gate_words.digits_of(gate)[metric]
    return Panel(
        f"{metric}, change in percent" if relative else metric,
        tuple(
            Difference(
                f"{row.task} (watched)" if row.watched else row.task,
                scale * row.difference,
                _scaled(row.interval, scale),
                _scaled(row.interval, scale),
                _VERDICTS[row.outcome],
            )
            for row in rows
        ),
        digits=1 if relative else digits,
        margins=tuple(scale * (one if lower else -one) for one in margins),
        reverse=lower,
    )


def _scaled(interval: Interval, scale: float) -> Interval:
    return Interval(scale * interval.low, scale * interval.high, interval.level)


def _title(gate: Gate) -> str:
    found = Counter[str](row.outcome for row in gate.deciding)
    total = count(len(gate.deciding), "row")
    if found["pass"] == len(gate.deciding):
        return f"All {total} pass" if len(gate.deciding) > 1 else "The gate passes"
    parts = [
        f"{n} {one if n == 1 else many}"
        for n, one, many in (
            (found["fail"], "fails", "fail"),
            (found["inconclusive"], "cannot tell", "cannot tell"),
            (found["pass"], "passes", "pass"),
        )
        if n
    ]
    return f"Of {total}, {listing(parts)}"


def _caption(gate: Gate, rows: list[GateRow]) -> str:
    shapes = [_SHAPES[one] for one in _SHAPES if any(row.outcome == one for row in rows)]
    margin = {
        "non-inferiority": "Dotted: the margin, which an interval must stay clear of to pass.",
        "no-regression": "Dotted: the tolerance.",
        "superiority": "An interval right of zero passes.",
    }[gate.rule]
    return f"New − old, right is better, with {gate_words.level_of(gate)}% intervals. {margin} {', '.join(shapes)}."


def _told(gate: Gate, rows: list[GateRow]) -> str:
    digits_by = gate_words.digits_of(gate)

    def one(row: GateRow) -> str:
        return f"{gate.label(row)}: {_spoken(row, digits_by[row.metric])}, {row.outcome}."

    return " ".join(one(row) for row in rows)


def _spoken(row: GateRow, digits: int) -> str:
    scale, mark = (100.0, "%") if row.relative else (1.0, "")
    digits = 1 if row.relative else digits
    value, low, high = (
        f"{number(scale * x, digits=digits, sign=True)}{mark}"
        for x in (row.difference, row.interval.low, row.interval.high)
    )
    return f"{value}, from {low} to {high}"


# --- What a baseline shows that was just accepted ---


def show_accepted_baseline(accepted: AcceptedBaseline) -> Iterator[blocks.Block]:
    """Show what the file holds now, and what it held before."""
    first, *more = _accepted(accepted)
    yield blocks.Verdict("info", first, tuple(more))
    records = (
        ("file", accepted.path),
        ("system", accepted.system),
        ("metrics", ", ".join(accepted.metrics)),
        ("questions", f"{accepted.n_items:,}"),
        ("tasks", f"{accepted.n_tasks:,}"),
        ("SHA-256 of the scores", accepted.sha256),
    )
    yield blocks.table(
        "baseline",
        "Baseline",
        (
            blocks.Column("what", "what", "name", of=lambda record: record[0]),
            blocks.Column("value", "value", "text", of=lambda record: record[1]),
        ),
        records,
    )
    yield from blocks.notes(accepted.notes)


def say_accepted_baseline(accepted: AcceptedBaseline) -> str:
    """Say what was accepted, and what it takes the place of."""
    return " ".join(_accepted(accepted))


def _accepted(accepted: AcceptedBaseline) -> list[str]:
    tasks = f" of {count(accepted.n_tasks, 'task')}" if accepted.n_tasks > 1 else ""
    said = (
        f"Accepted as the baseline: {accepted.system}, {listing(list(accepted.metrics))} on "
        f"{count(accepted.n_items, 'question')}{tasks}."
    )
    return [said, f"It replaces {accepted.replaced}."] if accepted.replaced else [said]
