"""What quality control of raters shows."""

import math
from collections import Counter
from collections.abc import Iterator
from functools import partial

import numpy as np

from detectable.core.wording import count, listing, number
from detectable.report import blocks
from detectable.report.charts.raters import MOST, RaterGap, is_cut, rater_gaps
from detectable.study.raters.quality_control import (
    ENOUGH,
    TEST_NAMES,
    QualityControl,
    RaterQuality,
)
from detectable.study.raters.rater_check import FLAGS

_ORDER = {"bad": 0, "untestable": 1, "good": 2}
_CORRECTED = {
    "none": "not corrected over raters",
    "holm": "corrected over raters by Holm's method",
    "benjamini-hochberg": "corrected over raters by the method of Benjamini and Hochberg",
}
_CITED = {"holm": ("holm-1979",), "benjamini-hochberg": ("benjamini-hochberg-1995",)}

_CORRECTION_NAMES = {
    "none": "",
    "holm": ", Holm's correction over raters",
    "benjamini-hochberg": ", Benjamini-Hochberg correction over raters",
}


def show_quality_control(result: QualityControl) -> Iterator[blocks.Block]:
    """Show who passes, what luck and power have to do with it, and every rater."""
    yield verdict(result)
    yield from gaps(result)
    yield _limits(result)
    yield from flags(result)
    yield raters(result)
    yield from blocks.notes(result.notes)
    yield _methods(result)


def verdict(result: QualityControl) -> blocks.Verdict:
    """Return how many of those who can be tested pass."""
    tested, untested = _testable(result), len(result.untestable)
    passing = len(result.good)
    rule = f"({TEST_NAMES[result.test]}, one-sided, p ≤ {result.alpha:g}, {_CORRECTED[result.correction]})"
    if not tested:
        return blocks.Verdict("warning", f"None of {count(untested, 'rater')} could be tested.")
    verb = "passes" if passing == 1 else "pass"
    head = f"{passing:,} of {count(tested, 'testable rater')} {verb}"
    if untested:
        head += f"; {untested:,} could not be tested"
    said = f"Passing is to score degraded copies {_passing(result)} {rule}."
    failed = [row.rater for row in sorted(result.raters, key=_doubt) if row.verdict == "bad"]
    named = f"Not passing: {listing(failed, most=blocks.LONG)}." if failed else ""
    return blocks.Verdict(
        "info", f"{head}.", tuple(x for x in (said, named, _flagged(result)) if x)
    )


def _testable(result: QualityControl) -> int:
    return len(result.good) + len(result.bad)


def gaps(result: QualityControl) -> Iterator[blocks.Chart]:
    """Yield the gap between originals and copies, rater by rater."""
    level = 1.0 - 2.0 * result.alpha
    drawn = tuple(
        RaterGap(
            row.rater,
            row.gap,
            row.gap_interval(level),
            row.mean_system,
            row.verdict == "good",
            row.power < ENOUGH,
        )
        for row in result.raters
        if row.verdict != "untestable" and not math.isnan(row.gap)
    )
    if not drawn:
        return
    title = _title(result, drawn)
    yield blocks.Chart(
        "raters",
        title,
        _caption(result, drawn, level),
        _alt(title, drawn),
        partial(rater_gaps, drawn, level=level),
        "raters",
        key=True,
    )


def _title(result: QualityControl, drawn: tuple[RaterGap, ...]) -> str:
    passing, low = len(result.good), sum(rater.gap <= 0.0 for rater in drawn)
    verb = "tells" if passing == 1 else "tell"
    said = f"{passing:,} of {count(_testable(result), 'testable rater')} {verb} originals from degraded copies"
    if low:
        score = "scores" if low == 1 else "score"
        said += f"; {low:,} {score} copies no lower"
    return said


def _caption(result: QualityControl, drawn: tuple[RaterGap, ...], level: float) -> str:
    weak = any(rater.weak and not rater.passes for rater in drawn)
    firm = any(not rater.weak and not rater.passes for rater in drawn)
    marks = ["● passes"] if any(rater.passes for rater in drawn) else []
    marks += ["▼ does not pass"] if firm else []
    marks += (
        [f"○ does not pass, but was tested too little (power below {ENOUGH:.0%})"]
        if weak
        else []
    )
    parts = [f"{', '.join(marks)}."]
    if result.test == "paired-t" and result.correction == "none":
        parts.append(
            f"The {level:.0%} interval lies above 0 exactly where the one-sided test passes."
        )
    if is_cut(drawn):
        parts.append("Intervals beyond the axis are cut.")
    if len(drawn) > MOST:
        parts.append(f"A part of the {len(drawn):,} raters is drawn; the table has all.")
    return " ".join(parts)


def _alt(title: str, drawn: tuple[RaterGap, ...]) -> str:
    ordered = sorted(rater.gap for rater in drawn)
    low, middle, high = (
        number(value, digits=1, sign=True)
        for value in (ordered[0], ordered[len(ordered) // 2], ordered[-1])
    )
    return (
        f"{title}. Original − copy is {low} points at the lowest rater, {middle} at the middle "
        f"one and {high} at the highest."
    )


def _limits(result: QualityControl) -> blocks.Text:
    text = " ".join(part for part in (_power_of_check(result), _luck(result)) if part)
    return blocks.Text("limits", "What this check could have shown", text)


def flags(result: QualityControl) -> Iterator[blocks.Table]:
    """Yield how many raters have each flag."""
    every = Counter(flag for row in result.raters for flag in row.flags)
    passing = Counter(f for row in result.raters if row.verdict == "good" for f in row.flags)
    if not every:
        return
    columns = (
        blocks.Column("flag", "flag", "name", of=lambda item: item[0]),
        blocks.Column("raters", "raters", "count", of=lambda item: item[1]),
        blocks.Column(
            "passing", "of them pass", "count", short="pass", of=lambda item: passing[item[0]]
        ),
        blocks.Column("meaning", "because", "text", keep=2, of=lambda item: FLAGS.get(item[0])),
    )
    yield blocks.table(
        "flags",
        "Flags: signs of careless work, apart from the verdict",
        columns,
        every.most_common(),
    )


def raters(result: QualityControl) -> blocks.Table:
    """Return one row per rater, the most doubtful first."""
    statistic = "t" if result.test == "paired-t" else "z"
    level = 1.0 - 2.0 * result.alpha
    columns = (
        blocks.Column("rater", "rater", "name"),
        blocks.Column("verdict", "verdict", "text"),
        blocks.Column("p_value", "p", "p"),
        blocks.Column("n_pairs", "pairs", "count", keep=2),
        blocks.Column("gap", "original − copy", digits=1, sign=True, short="gap"),
        blocks.Column(
            "interval",
            f"{level:.0%} interval",
            "interval",
            digits=1,
            sign=True,
            keep=4,
            of=lambda row: row.gap_interval(level),
        ),
        blocks.Column("power", "power", keep=3),
        blocks.Column("mean_system", "mean score", digits=1, keep=5, help="of ordinary items"),
        blocks.Column("remarks", "flags and reasons", "text", short="remarks", of=_remarks),
        blocks.Column(
            "mean_difference", "copy − original", digits=1, sign=True, keep=blocks.DATA_ONLY
        ),
        blocks.Column(statistic, f"{statistic} of copy − original", keep=blocks.DATA_ONLY),
    )
    rows = sorted(result.raters, key=_doubt)
    return blocks.table(
        "raters",
        "Raters, the most doubtful first",
        columns,
        rows,
        folded=len(rows) > blocks.LONG,
    )


def _doubt(row: RaterQuality) -> tuple[int, float, str]:
    return _ORDER[row.verdict], 0.0 if math.isnan(row.p_value) else -row.p_value, row.rater


def _remarks(row: RaterQuality) -> str | None:
    reasons = [row.reason] if row.reason else []
    return "; ".join([*reasons, *row.flags]) or None


def _methods(result: QualityControl) -> blocks.Methods:
    n, tested, passing = len(result.raters), _testable(result), len(result.good)
    lower = "lower" if result.against == "original" else _passing(result)
    said = (
        "Raters were checked with degraded copies of translations that they also judged "
        f"(Graham et al., 2017). Of {count(n, 'rater')}, {tested:,} had enough such pairs for a "
        f"test, and {passing:,} scored the copies {lower} (one-sided {TEST_NAMES[result.test]}, p ≤ "
        f"{result.alpha:g}, {_CORRECTED[result.correction]})."
    )
    powers = [
        row.power
        for row in result.raters
        if row.verdict != "untestable" and row.power == row.power
    ]
    if powers and result.effect > 0.0:
        weak = sum(power < ENOUGH for power in powers)
        said += (
            f" Against a careful rater's gap of {number(result.effect, digits=1)} points the check "
            f"had less than {ENOUGH:.0%} power for {weak:,} of the {tested:,}."
        )
    return blocks.Methods(said, ("graham-etal-2017", *_CITED.get(result.correction, ())))


def _passing(result: QualityControl) -> str:
    """Where who passes scores degraded copies."""
    if result.against == "original":
        return "below their originals"
    return "further below their originals than the lines beside them"


def say_quality_control(result: QualityControl) -> str:
    """Say who passes, how, and what luck and power have to do with it."""
    n = len(result.raters)
    verb = "passes" if len(result.good) == 1 else "pass"
    lines = [
        f"{len(result.good):,} of {count(n, 'rater')} {verb}: "
        f"degraded copies score {_passing(result)} "
        f"({TEST_NAMES[result.test]}, one-sided, p ≤ {result.alpha:g}"
        f"{_CORRECTION_NAMES[result.correction]}). "
        f"{len(result.bad):,} {'does' if len(result.bad) == 1 else 'do'} not pass, "
        f"{len(result.untestable):,} cannot be tested."
    ]
    lines += [_luck(result), _power_of_check(result), _flagged(result)]
    return "\n".join(line for line in lines if line)


def _flagged(result: QualityControl) -> str:
    """Say how many raters have flags; nothing where none has."""
    flagged = sum(bool(row.flags) for row in result.raters)
    if not flagged:
        return ""
    also = sum(bool(row.flags) for row in result.raters if row.verdict == "good")
    return (
        f"{count(flagged, 'rater')} with flags, {also:,} of them passing: "
        "read before you pay or drop."
    )


def _luck(result: QualityControl) -> str:
    """Say how many would pass by clicking at random, and how many stricter rules pass."""
    testable = len(result.good) + len(result.bad)
    if not testable:
        return ""
    strict = sum(row.p_bh <= result.alpha for row in result.raters)
    strictest = sum(row.p_holm <= result.alpha for row in result.raters)
    return (
        f"If all {testable:,} testable raters clicked at random, "
        f"{number(result.expected_lucky, digits=1)} would pass by luck. Corrected over "
        f"raters {strict:,} pass (Benjamini-Hochberg) or {strictest:,} (Holm)."
    )


def _power_of_check(result: QualityControl) -> str:
    """Say how likely a careful rater is to pass."""
    known = np.array([r.power for r in result.raters if not math.isnan(r.power)])
    if not known.size:
        return "The power of the check is not known: no rater passes, and no effect is given."
    if result.effect == 0.0:
        return "The raters that pass do so no better than luck would have it."
    spread = (
        "each rater's own spread"
        if math.isnan(result.effect_sd)
        else f"spread {result.effect_sd:.1f}"
    )
    weak = int((known < ENOUGH).sum())
    often = (
        f"below .80 for {weak:,} of {count(known.size, 'rater')}, whose failing says little"
        if weak
        else ".80 or more for every rater"
    )
    return (
        f"A careful rater ({result.effect:.1f} points between original and copy, {spread}) "
        f"passes with median power {np.median(known):.2f}; {often}."
    )
