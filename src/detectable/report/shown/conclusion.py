"""What the conclusion of a plan shows: the thing to hand over at its end."""

import math
from collections.abc import Iterator
from dataclasses import replace
from functools import partial

from detectable.core.verdict import in_numbers, in_words
from detectable.core.wording import begun, capital, count, listing, number
from detectable.report import blocks
from detectable.report.charts.forest import TwoWays, two_ways
from detectable.report.charts.marks import said_shapes
from detectable.report.shown.look import pairs as looks_of_pairs
from detectable.report.shown.monitoring_pictures import path
from detectable.report.shown.monitoring_words import checks, ledger, methods
from detectable.study.monitoring.conclusion import (
    Conclusion,
    IntentionToRate,
    PairConclusion,
    WithoutVoided,
)
from detectable.study.monitoring.ledger import digits_of
from detectable.study.monitoring.plan import Plan
from detectable.study.monitoring.plan_history import PlanHistory

_FEW = 3  # verdicts that are said in a sentence each
_MOST = 24  # rows of a picture
_SAME = 1e-12


def show_conclusion(conclusion: Conclusion) -> Iterator[blocks.Block]:
    """Show every verdict, the way to it, adjusted against plain estimates, and every look."""
    yield blocks.Verdict(_status(conclusion), _headline(conclusion), _detail(conclusion))
    history = conclusion.history
    if history is not None:
        yield from _way(conclusion, history)
    yield from _limits(conclusion)
    yield pairs(conclusion)
    yield from _estimates(conclusion)
    if history is not None:
        yield looks_of_pairs(
            "Every pair at every look",
            history.looks,
            look=lambda row: row.look,
            of=lambda row: row.pair,
            id="looks",
        )
        yield ledger(history)
        yield checks(history)
    yield from blocks.notes(conclusion.notes)
    if history is not None:
        yield _methods(conclusion, history.plan)


def _way(conclusion: Conclusion, history: PlanHistory) -> Iterator[blocks.Chart]:
    """Yield the way through the looks, and say where later judgments took a decision back."""
    decided = {row.pair.pair: row.pair.verdict for row in history.looks if row.pair.tested}
    back = [
        pair.system if history.plan.baseline else f"{pair.system} − {pair.baseline}"
        for pair in conclusion.pairs
        if decided.get((pair.system, pair.baseline), pair.verdict) != pair.verdict
    ]
    for chart in path(history, twin="looks"):
        if not back:
            yield chart
            continue
        names = listing(back, most=blocks.LONG)
        title = f"{chart.title} at the looks; what came after took back {names}"
        yield replace(chart, title=title, alt=chart.alt.replace(chart.title, title, 1))


def _status(conclusion: Conclusion) -> blocks.Status:
    if len({pair.verdict for pair in conclusion.pairs}) > 1:
        return "info"
    return blocks.status_of(conclusion.pairs[0].verdict)


def _saved(conclusion: Conclusion) -> str:
    if not conclusion.saved:
        return ""
    text = f"{count(conclusion.saved, 'planned judgment')} saved"
    price = None if conclusion.history is None else conclusion.history.plan.cost_per_judgment
    return text if price is None else f"{text} (worth {conclusion.saved * price:,.10g})"


def _headline(conclusion: Conclusion) -> str:
    """Say the verdict, where it fell, and what was saved."""
    saved = f"; {_saved(conclusion)}" if conclusion.saved else ""
    if len(conclusion.pairs) > 1:
        decided = sum(pair.verdict != "undecided" for pair in conclusion.pairs)
        total = count(len(conclusion.pairs), "pair")
        verb = "is" if decided == 1 else "are"
        return f"{decided} of {total} {verb} decided after {_looks(conclusion)}{saved}."
    pair = conclusion.pairs[0]
    words = _words(conclusion, pair)
    if pair.verdict == "undecided":
        return f"{capital(words)} after {_looks(conclusion)}{saved}."
    return f"{words}, decided at look {pair.look}{saved}."


def _looks(conclusion: Conclusion) -> str:
    return count(conclusion.n_looks, "look")


def _words(conclusion: Conclusion, pair: PairConclusion) -> str:
    margin = None if conclusion.margin is None else f"{conclusion.margin:g}"
    return in_words(
        pair.verdict, pair.system, pair.baseline, margin=margin, sided=conclusion.sided
    )


def _detail(conclusion: Conclusion) -> tuple[str, ...]:
    """Say the numbers behind the verdict, and what it took."""
    asked = (f"Asked: {conclusion.question}",) if conclusion.question else ()
    said = [_numbers(conclusion.pairs[0])]
    if len(conclusion.pairs) > 1:  # the numbers are in the table
        said = _by_verdict(conclusion)
    said += [_without_voided(one) for one in conclusion.without_voided[: blocks.LONG]]
    said += [_with_all_work(one) for one in conclusion.intention_to_rate[: blocks.LONG]]
    took = f"{_looks(conclusion)}, {count(conclusion.judgments, 'judgment')}."
    return (*asked, *said, took)


def _by_verdict(conclusion: Conclusion) -> list[str]:
    """Return one sentence per verdict, with the names."""
    one = len({pair.baseline for pair in conclusion.pairs}) == 1
    against = f" against {conclusion.pairs[0].baseline}" if one else ""
    told = []
    for word in dict.fromkeys(pair.verdict for pair in conclusion.pairs):
        names = [
            pair.system if one else f"{pair.system} − {pair.baseline}"
            for pair in conclusion.pairs
            if pair.verdict == word
        ]
        told.append(f"{word.capitalize()}{against}: {listing(names, most=blocks.LONG)}.")
    return told


def _numbers(pair: PairConclusion) -> str:
    """Say what the headline leaves out: why it is undecided, and the numbers."""
    why = _why(pair)
    return f"Undecided{why}: {_evidence(pair)}" if why else _evidence(pair)


def _sentence(conclusion: Conclusion, pair: PairConclusion) -> str:
    """Say one verdict in words first, numbers after."""
    return f"{_words(conclusion, pair)}{_why(pair)}: {_evidence(pair)}"


def _why(pair: PairConclusion) -> str:
    return f" ({pair.reason})" if pair.verdict == "undecided" else ""


def _evidence(pair: PairConclusion) -> str:
    shown = in_numbers(
        pair.estimate,
        pair.interval,
        p=pair.p_adjusted,
        scale=f"({pair.scale})",
        digits=digits_of(pair.scale),
    )
    looks = "" if math.isnan(pair.p_adjusted) else " over all looks"
    return f"{shown}{looks}."


def _with_all_work(one: IntentionToRate) -> str:
    return f"With all work, admitted or not, {_beside(one)}; not part of the decision."


def _without_voided(one: WithoutVoided) -> str:
    return (
        f"Without the voided work of {listing(list(one.raters))}, {_beside(one)}; the decision "
        "counts what looks had seen of it."
    )


def _beside(one: IntentionToRate) -> str:
    """Say what other work than that of the decision shows of a pair."""
    shown = in_numbers(
        one.estimate, one.interval, scale=f"({one.scale})", digits=digits_of(one.scale)
    )
    return f"{one.system} against {one.baseline}: {shown} in {count(one.n_units, 'item')}"


def _limits(conclusion: Conclusion) -> Iterator[blocks.Text]:
    """Yield what an early stop does to the estimate, and what was not shown."""
    said = []
    moved = [pair for pair in conclusion.pairs if _moved(pair)]
    if len(conclusion.pairs) == 1 and moved:
        pair = moved[0]
        digits = digits_of(pair.scale)
        plain, adjusted = (
            number(value, digits=digits, sign=True)
            for value in (pair.naive_estimate, pair.estimate)
        )
        said.append(
            f"The plain estimate is {plain}. Whoever stops when it looks good stops on lucky days: "
            f"it is too far from zero on average. The estimate to report is {adjusted}, which knows "
            "of the looks."
        )
    elif moved:
        said.append(
            "Whoever stops when it looks good stops on lucky days: plain estimates are then too far "
            f"from zero on average. Those reported here know of the looks ({len(moved)} of "
            f"{count(len(conclusion.pairs), 'pair')} moved)."
        )
    elif any(pair.verdict in ("better", "worse") for pair in conclusion.pairs):
        said.append(
            "After an early stop an estimate is too far from zero on average; the interval holds all "
            "the same."
        )
    said += [
        _margin(conclusion, pair) for pair in conclusion.pairs[: blocks.LONG] if pair.interval
    ]
    said += [
        f"{capital(in_words('undecided', pair.system, pair.baseline))} is not a tie: anything from "
        f"{number(pair.interval.low, sign=True)} to {number(pair.interval.high, sign=True)} fits "
        "the data."
        for pair in conclusion.pairs[: blocks.LONG]
        if pair.verdict == "undecided" and pair.interval is not None
    ]
    history = conclusion.history
    found = None if history is None else history.plan.outlook()
    if found is not None and found.mde is not None and found.target_power is not None:
        least = f"a difference of {found.mde:.3g} or more"
        given = f" (if the standard deviation is {found.sd:.3g})"
        if found.mde_better is not None:
            least, given = f"P(better) − ½ of {found.mde_better:.3f} or more", ""
        said.append(
            f"The plan was made to show {least} with {found.target_power:.0%} power{given}."
        )
    text = " ".join(filter(None, said))
    if text:
        yield blocks.Text("limits", "What to report, and what was not shown", text)


def _margin(conclusion: Conclusion, pair: PairConclusion) -> str:
    """Say which interval a claim about a margin rests on."""
    interval, digits = pair.interval, digits_of(pair.scale)
    if interval is None or conclusion.margin is None:
        return ""
    low, high = (number(end, digits=digits, sign=True) for end in (interval.low, interval.high))
    level = f"{100 * interval.level:.3g}%"
    if pair.verdict == "equivalent":
        return (
            f"Equivalent within ±{conclusion.margin:g}: the {level} interval [{low}, {high}] lies "
            f"inside the margin (a test of equivalence with error rate {conclusion.alpha:g} uses it)."
        )
    if pair.verdict == "non-inferior":
        return (
            f"Not worse by more than {conclusion.margin:g}: the {level} interval [{low}, {high}] lies "
            f"above {number(-conclusion.margin, digits=0 if conclusion.margin % 1 == 0 else digits)}"
            f" (a one-sided test with error rate {conclusion.alpha:g} uses it)."
        )
    if pair.verdict in ("inferior", "superior"):
        word = "Worse" if pair.verdict == "inferior" else "Better"
        return (
            f"{word} by more than {conclusion.margin:g}: the {level} interval [{low}, {high}] lies "
            "beyond the margin."
        )
    return ""


def _moved(pair: PairConclusion) -> bool:
    return abs(pair.estimate - pair.naive_estimate) > _SAME * max(1.0, abs(pair.estimate))


def pairs(conclusion: Conclusion) -> blocks.Table:
    """Return verdict, p-value, estimate and interval of every pair."""
    moved = any(_moved(pair) for pair in conclusion.pairs)
    tested = any(not math.isnan(pair.p_adjusted) for pair in conclusion.pairs)
    columns = (
        blocks.Column("system", "system", "name"),
        blocks.Column("baseline", "against", "name"),
        blocks.Column("verdict", "verdict", "verdict"),
        blocks.Column("reason", "reason", "text", keep=blocks.DATA_ONLY),
        blocks.Column("look", "look", "count", keep=3),
        blocks.Column("n_units", "n", "count", keep=2),
        blocks.Column("estimate", "difference", digits=3, sign=True, short="diff."),
        blocks.Column("interval", "interval", "interval", digits=3, sign=True),
        blocks.Column(
            "naive_estimate",
            "plain estimate",
            digits=3,
            sign=True,
            short="plain",
            keep=4 if moved else blocks.DATA_ONLY,
        ),
        blocks.Column("p_value", "p", "p", keep=blocks.DATA_ONLY),
        blocks.Column(
            "p_adjusted",
            "p over all looks",
            "p",
            short="p",
            keep=1 if tested else blocks.DATA_ONLY,
        ),
    )
    return blocks.contrasts("pairs", "Conclusion", columns, conclusion.pairs, folded=False)


def _estimates(conclusion: Conclusion) -> Iterator[blocks.Chart]:
    """Yield adjusted estimates against plain ones, where they differ."""
    moved = [pair for pair in conclusion.pairs if _moved(pair)]
    if not moved or len(conclusion.pairs) > _MOST:
        return
    one = len({pair.baseline for pair in conclusion.pairs}) == 1 and len(conclusion.pairs) > 1
    rows = tuple(
        TwoWays(
            pair.system if one else f"{pair.system} − {pair.baseline}",
            (pair.naive_estimate, None),
            (pair.estimate, pair.interval),
            pair.verdict,
            number(pair.estimate, digits=digits_of(pair.scale), sign=True),
        )
        for pair in sorted(conclusion.pairs, key=lambda pair: -pair.estimate)
    )
    title = _estimates_title(moved)
    told = " ".join(
        f"{pair.system} − {pair.baseline}: plain {number(pair.naive_estimate, digits=3, sign=True)}, "
        f"adjusted {number(pair.estimate, digits=3, sign=True)}."
        for pair in moved[: blocks.LONG]
    )
    level = _level(conclusion)
    shapes = said_shapes([row.verdict for row in rows])
    caption = (
        f"Above, hollow: the plain estimate. Below, with its {level} interval, and beside: the one "
        f"that knows of the looks. {shapes}"
    )
    to = f" to {conclusion.pairs[0].baseline}" if one else ""
    draw = partial(two_ways, rows, title=f"difference{to}", unit=conclusion.pairs[0].scale)
    yield blocks.Chart("estimates", title, caption, f"{title}. {told}", draw, "pairs")


def _level(conclusion: Conclusion) -> str:
    levels = {pair.interval_level for pair in conclusion.pairs if pair.interval is not None}
    return "" if len(levels) != 1 else f"{100 * (levels.pop() or 0.0):.3g}%"


def _estimates_title(moved: list[PairConclusion]) -> str:
    shifts = [abs(pair.naive_estimate) - abs(pair.estimate) for pair in moved]
    mean = sum(shifts) / len(shifts)
    size = number(abs(mean), digits=max(2, 1 - math.floor(math.log10(abs(mean) or 1.0))))
    side = "farther from zero" if mean > 0.0 else "nearer to zero"
    if len(moved) == 1:
        return f"The plain estimate lies {size} {side} than the adjusted one"
    return f"Plain estimates lie {size} {side} than adjusted ones on average"


def _methods(conclusion: Conclusion, plan: Plan) -> blocks.Methods:
    """Return the paragraph for a paper, with how it ended."""
    saved = ""
    if conclusion.saved:
        saved = f"; {count(conclusion.saved, 'planned judgment')} were not needed"
    parts = [
        f"It took {_looks(conclusion)} and {count(conclusion.judgments, 'judgment')}{saved}."
    ]
    ways = {pair.method for pair in conclusion.pairs}
    cite = []
    if any("stagewise" in way for way in ways):
        parts.append(
            "p-values and median-unbiased estimates with their intervals are those of the stagewise "
            "ordering and account for all looks."
        )
        cite.append("tsiatis-etal-1984")
    if any(way.startswith("repeated") for way in ways):
        parts.append("Repeated confidence intervals hold whatever the reason to stop.")
        cite.append("jennison-turnbull-1989")
    if "confidence sequence" in ways:
        parts.append("Intervals are confidence sequences, p-values 1 / the largest E.")
    parts += [begun(_sentence(conclusion, pair)) for pair in conclusion.pairs[:_FEW]]
    return methods(plan, found=" ".join(parts), cite=cite)


def say_conclusion(conclusion: Conclusion) -> str:
    """Say every verdict in one sentence, then what the looks saved."""
    said = [_sentence(conclusion, pair) for pair in conclusion.pairs]
    said += [_without_voided(one) for one in conclusion.without_voided]
    said += [_with_all_work(one) for one in conclusion.intention_to_rate]
    saved = f", {count(conclusion.saved, 'planned judgment')} saved" if conclusion.saved else ""
    looks = count(conclusion.n_looks, "look")
    said.append(f"{looks}, {count(conclusion.judgments, 'judgment')}{saved}.")
    return "\n".join(said)
