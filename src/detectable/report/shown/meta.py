"""What metrics judged by people show."""

import math
from collections.abc import Iterator
from functools import partial

from detectable.core.verdict import differ, in_numbers, in_words
from detectable.core.wording import count, interval, listing, number, p_value
from detectable.report import blocks
from detectable.report.charts.agreement import MetricDot, metric_dots
from detectable.report.shown.paper_tables import averaged, meta_tables
from detectable.study.meta.result import DIGITS, NAMES, Meta, MetaRow, MetricDifference

_MOST = 30  # metrics in one picture


def show_meta(found: Meta) -> Iterator[blocks.Block]:
    """Show which metric agrees best with people, all metrics, and every two of them."""
    yield verdict(found)
    yield from chart(found)
    yield metrics(found)
    yield from meta_tables(found, NAMES)
    yield from _limits(found)
    if found.pairs:
        yield pairs(found)
    yield from _checks(found)
    yield from blocks.notes(found.notes)
    yield _methods(found)


def verdict(found: Meta) -> blocks.Verdict:
    """Return the headline, the verdicts of pairs if they are few, and what they rest on."""
    few = found.pairs if len(found.pairs) <= 3 else ()
    return blocks.Verdict("info", _headline(found), (*map(_sentence, few), _basis(found)))


def chart(found: Meta) -> Iterator[blocks.Chart]:
    """Yield the metrics by the first statistic, with the floor."""
    chosen = found.statistics[0]
    rows = [row for row in found.of(chosen) if not math.isnan(row.value)]
    if not rows or len(rows) > _MOST:
        return
    dots = tuple(
        MetricDot(row.metric, row.value, row.interval, row.floor, row.above_floor != "yes")
        for row in rows
    )
    title = _title(found)
    told = "; ".join(
        f"{row.metric} {number(row.value, digits=DIGITS)} {interval(row.interval, digits=DIGITS)}"
        for row in rows
    )
    drawn = f"{found.unit}s and systems" if found.draw_systems else f"{found.unit}s"
    yield blocks.Chart(
        "metrics",
        title,
        f"Line: {1 - found.alpha:.0%} interval over {drawn}. Open: not shown to be above the dashed "
        "line.",
        f"{title}. {told}. An uninformative metric gets "
        f"{number(rows[0].floor, digits=DIGITS)}.",
        partial(metric_dots, dots, NAMES[chosen], digits=DIGITS),
        "metrics",
        key=True,
    )


def _title(found: Meta) -> str:
    chosen = found.statistics[0]
    rows, told = found.of(chosen), [p for p in found.pairs if p.statistic == chosen]
    apart = sum(pair.verdict != "undecided" for pair in told)
    best, value = rows[0].metric, f"{NAMES[chosen]} {number(rows[0].value, digits=DIGITS)}"
    if not told:
        floor = number(rows[0].floor, digits=DIGITS)
        return f"{best}: {value}, against {floor} of an uninformative metric"
    return f"{best} leads at {value}; {differ(apart, len(told), 'pair of metrics', 'pairs of metrics')}"


def _limits(found: Meta) -> Iterator[blocks.Text]:
    chosen = found.statistics[0]
    open_ = [p for p in found.pairs if p.statistic == chosen and p.verdict == "undecided"]
    said = []
    known = [pair.mde for pair in open_ if not math.isnan(pair.mde)]
    if len(known) < len(open_):
        said.append(
            f"{count(len(open_) - len(known), 'pair')} of metrics cannot differ in "
            f"{NAMES[chosen]}: swapping their scores changes nothing."
        )
    if known:
        mde = max(known)
        said.append(
            f"Where two metrics do not differ significantly, a difference of "
            f"{number(mde, digits=DIGITS)} in {NAMES[chosen]} could have been detected "
            "(80% power)."
        )
    if not found.draw_systems:
        said.append(
            f"All this is about these {count(found.n_systems, 'system')}; --draw-systems asks "
            "about others like them."
        )
    if said:
        yield blocks.Text("limits", "What could not be told", " ".join(said))


def metrics(found: Meta) -> blocks.Table:
    """Return a row per metric and statistic."""
    several = len(found.statistics) > 1
    columns = (
        blocks.Column("metric", "metric", "name"),
        blocks.Column(
            "statistic",
            "statistic",
            "name",
            keep=1 if several else 3,
            of=lambda row: NAMES[row.statistic],
        ),
        blocks.Column("value", "value", digits=DIGITS),
        blocks.Column("interval", f"{1 - found.alpha:.0%} interval", "interval", digits=DIGITS),
        blocks.Column(
            "floor",
            "floor",
            digits=DIGITS,
            keep=2,
            help="score of an uninformative metric",
        ),
        blocks.Column("above_floor", "above floor", "text", keep=2),
        blocks.Column("epsilon", "ties up to", "text", keep=4, of=lambda row: row.epsilon)
        if any(row.epsilon is not None for row in found.rows)
        else None,
        blocks.Column("n_groups", "groups", "count", keep=5),
        blocks.Column("n_undefined", "undefined", "count", keep=4)
        if any(row.n_undefined for row in found.rows)
        else None,
    )
    breaks = [
        i
        for i in range(1, len(found.rows))
        if found.rows[i].statistic != found.rows[i - 1].statistic
    ]
    return blocks.table("metrics", "Metrics", columns, found.rows, breaks=breaks)


def pairs(found: Meta) -> blocks.Table:
    """Return a row for every two metrics."""
    several = len(found.statistics) > 1
    columns = (
        blocks.Column("metric", "metric", "name"),
        blocks.Column("other", "against", "name"),
        blocks.Column(
            "statistic",
            "statistic",
            "name",
            keep=1 if several else blocks.DATA_ONLY,
            of=lambda row: NAMES[row.statistic],
        ),
        blocks.Column("difference", "difference", digits=DIGITS, sign=True),
        blocks.Column(
            "interval",
            f"{1 - found.alpha:.0%} interval",
            "interval",
            digits=DIGITS,
            sign=True,
            keep=3,
        ),
        blocks.Column("p_adjusted", "p", "p", help="swaps of whole units, Holm over pairs"),
        blocks.Column("p_value", "p alone", "p", keep=blocks.DATA_ONLY),
        blocks.Column("verdict", "verdict", "verdict"),
        blocks.Column("mde", "detectable", digits=DIGITS, keep=4),
    )
    return blocks.contrasts(
        "pairs",
        f"Metrics against each other{'' if several else f' ({NAMES[found.statistics[0]]})'}",
        columns,
        found.pairs,
    )


def _checks(found: Meta) -> Iterator[blocks.Text]:
    points: list[tuple[blocks.Mark, str]] = []
    low = [row.metric for row in found.rows if row.above_floor == "no"]
    if low:
        points.append(
            (
                "look",
                f"No better than an uninformative metric: {listing(list(dict.fromkeys(low)), most=10)}.",
            )
        )
    points += [_naive(pair, found) for pair in found.pairs if not math.isnan(pair.p_cells)]
    if points:
        yield blocks.Text("checks", "What to look at", points=tuple(points))


def _naive(pair: MetricDifference, found: Meta) -> tuple[blocks.Mark, str]:
    mark: blocks.Mark = (
        "look" if (pair.p_cells <= found.alpha) != (pair.p_value <= found.alpha) else "plain"
    )
    return mark, (
        f"{pair.metric} against {pair.other}: swapping every output by itself (PERM-BOTH) gives p = "
        f"{p_value(pair.p_cells)} and Williams' test {p_value(pair.p_williams)}, where whole "
        f"{found.unit}s give {p_value(pair.p_value)}. Outputs for one segment are not independent."
    )


def _methods(found: Meta) -> blocks.Methods:
    names = " and ".join(NAMES[name] for name in found.statistics)
    cite = {
        "pairwise-accuracy": "kocmi-etal-2021",
        "spa": "thompson-etal-2024",
        "acc-eq": "deutsch-etal-2023",
        "acc23": "deutsch-etal-2023",
        "tau23": "deutsch-etal-2023",
    }
    keys = [cite[name] for name in found.statistics if name in cite]
    said = (
        f"Agreement of metrics with human scores was measured by {names}{averaged(found)}, on "
        f"{count(found.n_systems, 'system')} and {count(found.n_segments, 'segment')}. Intervals are "
        f"of the bootstrap over {found.unit}s"
    )
    if found.draw_systems:
        said += " and systems (Owen, 2007)"
        keys.append("owen-2007")
    said += f" ({found.n_resamples:,} draws)."
    if found.pairs:
        how = "all patterns" if found.exact else f"{found.n_resamples:,} random patterns"
        said += (
            f" Metrics were compared by swapping their standardised scores for whole {found.unit}s "
            f"({how}, two-sided), with Holm's correction over pairs."
        )
        keys += ["deutsch-etal-2021", "holm-1979"]
    return blocks.Methods(said, tuple(dict.fromkeys(keys)))


def _sentence(pair: MetricDifference) -> str:
    words = f"{in_words(pair.verdict, pair.metric, pair.other)} at {NAMES[pair.statistic]}"
    numbers = in_numbers(pair.difference, pair.interval, p=pair.p_adjusted, digits=DIGITS)
    return f"{words}: {numbers}."


def _headline(found: Meta) -> str:
    """Say which metric agrees best with people, or that this is not known."""
    chosen = found.statistics[0]
    rows, name = found.of(chosen), NAMES[chosen]
    best = rows[0]
    if len(rows) == 1:
        said = f"{best.metric} agrees with people at {name} {_value(best)}"
        return f"{said}; {_floor_words(best)}."
    if best.above_floor == "no":
        return (
            f"No metric does better than an uninformative one: {best.metric} leads at "
            f"{name} {_value(best)}, and the floor is {number(best.floor, digits=DIGITS)}."
        )
    open_ = [row.metric for row in rows[1:] if not found.beats(best.metric, row)]
    if not open_:
        others = " and ".join(row.metric for row in rows[1:])
        if len(rows) > 3:
            others = f"all {len(rows) - 1} others"
        return f"{best.metric} is better than {others} at {name}, {_value(best)}."
    return (
        f"Undecided which metric agrees best with people: {best.metric} leads at {name} "
        f"{_value(best)}, but {listing(open_)} could be as good."
    )


def say_meta(found: Meta) -> str:
    """Say which metric agrees best with people, and what this rests on."""
    return f"{_headline(found)}\n{_basis(found)}"


def _basis(found: Meta) -> str:
    """Say how many systems, segments and documents the values rest on."""
    rests = f"{count(found.n_systems, 'system')} × {count(found.n_segments, 'segment')}"
    if found.n_documents is not None:
        rests += f" in {count(found.n_documents, 'document')}"
    drawn = f"{found.unit}s and systems" if found.draw_systems else f"{found.unit}s"
    return f"From {rests}; intervals draw {drawn}, tests swap whole {found.unit}s."


def _value(row: MetaRow) -> str:
    ends = "" if row.interval is None else f" {interval(row.interval, digits=DIGITS)}"
    return f"{number(row.value, digits=DIGITS)}{ends}"


def _floor_words(row: MetaRow) -> str:
    floor = number(row.floor, digits=DIGITS)
    if math.isnan(row.value) or row.above_floor == "no":
        return f"that is not above {floor}, the score of an uninformative metric"
    if row.above_floor == "undecided":
        return f"not shown to be above {floor}, the score of an uninformative metric"
    return f"an uninformative metric gets {floor}"
