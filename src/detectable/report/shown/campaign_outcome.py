"""What the end of a campaign shows: the answer first, then what it rests on and what it cost."""

import math
import re
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial

from detectable.core.interval import Interval
from detectable.core.verdict import in_numbers, in_words
from detectable.core.wording import begun, count, listing, number
from detectable.report import blocks
from detectable.report.charts.forest import Difference, Panel, forest
from detectable.report.charts.marks import said_shapes
from detectable.report.shown.conclusion import show_conclusion
from detectable.study.campaign.outcome import (
    Answer,
    CampaignOutcome,
    ClaimExamples,
    ConcludedPair,
    ErrorRate,
    JudgmentCounts,
    ShownText,
    Suggestions,
)

# Questions that a claim of the plan answers with yes or no.
_YES_OR_NO = re.compile(r"(ship|release|deploy|launch|switch|should we|is .* better)\b", re.I)
_YES = {"better": "better", "equivalent": "equivalent", "non-inferior": "non-inferior"}
_NO = ("worse", "inferior")
PARTS = {
    "decided": "in the decision",
    "beside": "of other lines",
    "repeats": "by a second rater",
    "controls": "controls",
    "refused": "refused",
    "waiting": "never decided",
    "unfinished": "of unfinished work",
    "late": "too late",
    "skipped": "of texts that could not be judged",
    "erased": "deleted on request",
}


def show_campaign_outcome(found: CampaignOutcome) -> Iterator[blocks.Block]:
    """Show the answer, scores, errors, examples and cost; then the statistics."""
    headline, others = say_answer(found.answer, found.protocol)
    yield blocks.Verdict(_status(found.answer), headline, (*others, facts(found), cost(found)))
    yield from differences(found)
    if found.scores:
        yield scores(found)
    if found.errors:
        yield errors(found)
    if found.suggestions is not None:
        yield suggestions(found.suggestions)
    if found.wins:
        yield wins(found)
    for some in found.examples:
        yield examples(some)
    yield judgments(found)
    yield raters(found)
    yield from statistics(found)


def statistics(found: CampaignOutcome) -> Iterator[blocks.Block]:
    """Yield what the conclusion shows besides its verdict, which stands above."""
    for block in show_conclusion(found.conclusion):
        if isinstance(block, blocks.Chart):
            yield replace(block, key=False)
        elif isinstance(block, blocks.Verdict):
            said = (block.headline, *block.detail)
            points: tuple[tuple[blocks.Mark, str], ...] = tuple(("plain", one) for one in said)
            yield blocks.Text("checks", "The conclusion in full", points=points)
        else:
            yield block
    if found.protocol == "pairwise":
        yield blocks.Text(
            "note",
            "How choices are counted",
            "A choice between two texts is one judgment here, and two rows in the looks.",
        )


def say_campaign_outcome(found: CampaignOutcome) -> str:
    """Say the answer, and what it took."""
    headline, others = say_answer(found.answer, found.protocol)
    return "\n".join([headline, *others, cost(found)])


# --- The answer ---


def say_answer(answer: Answer, protocol: str) -> tuple[str, tuple[str, ...]]:
    """Say the answer in one sentence with its number, and what is said of the other systems.

    The first sentence is about the system that the question names; otherwise about the first one
    that is decided, the best first. “Yes” and “No” stand before it where the question asks to ship
    a system, or whether it is better.
    """
    order = sorted(answer.pairs, key=lambda pair: (pair.verdict == "undecided", -pair.estimate))
    named = [pair for pair in answer.pairs if _is_named(pair.system, answer.question)]
    first = named[0] if named else order[0]
    several = len(answer.pairs) > 1
    others = [pair for pair in order if pair is not first]
    said = tuple(
        begun(f"{_claim(answer, pair, protocol, short=True)}.")
        for pair in others[: blocks.LONG]
    )
    if len(others) > blocks.LONG:
        said = (*said, f"{len(others) - blocks.LONG} more pairs are in the table.")
    yes = ""
    if _YES_OR_NO.match(answer.question.strip()) and (named or not several):
        yes = _yes(answer, first)
    sentence = _claim(answer, first, protocol)
    return f"{yes} {sentence}.".strip(), said


def _is_named(system: str, question: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(system)}(?!\w)", question, re.I) is not None


def _yes(answer: Answer, pair: ConcludedPair) -> str:
    if pair.verdict in (_YES[answer.claim], "superior"):
        return "Yes."
    if pair.verdict == "better":  # more than was asked
        return "Yes."
    return "No." if pair.verdict in _NO else "No verdict."


def _claim(answer: Answer, pair: ConcludedPair, protocol: str, *, short: bool = False) -> str:
    """Say what is known of a pair, with its number, without a full stop."""
    unit = _unit(pair, protocol)
    if pair.verdict == "undecided":
        who = (
            f"{pair.system}: no verdict"
            if short
            else in_words(
                pair.verdict,
                pair.system,
                pair.baseline,
                claim=answer.claim,
                margin=None if answer.margin is None else f"{answer.margin:g}",
                sided=answer.sided,
            )
        )
        return f"{who}; {_fits(pair, unit)}" if unit else f"{who} ({_numbers(pair)})"
    words = in_words(
        pair.verdict,
        pair.system,
        pair.baseline,
        margin=None if answer.margin is None else f"{answer.margin:g}",
    )
    if not unit:
        return f"{words} ({_numbers(pair)})"
    if pair.verdict in ("better", "worse"):
        sign = 1.0 if pair.verdict == "better" else -1.0
        size = _plain(sign * pair.estimate, unit)
        by = f"by {size}" if protocol != "pairwise" else f"chosen {size} more often"
        by = by.replace("chosen", "not chosen") if protocol == "pairwise" and sign < 0 else by
        comma = "," if protocol == "pairwise" else ""
        return f"{words}{comma} {by} ({_range(pair, unit, sign)})"
    size = _plain(pair.estimate, unit, sign=True)
    return f"{words}: difference {size} ({_range(pair, unit, 1.0)})"


def _unit(pair: ConcludedPair, protocol: str) -> str:
    """Return in what the difference is counted; nothing on scales that need their own name."""
    if pair.scale == "wins − losses, of all" or (
        protocol == "pairwise" and pair.scale == "mean difference"
    ):
        return "percentage points"
    return "points" if pair.scale == "mean difference" else ""


def _scaled(value: float, unit: str) -> float:
    return 100.0 * value if unit == "percentage points" else value


def _digits(value: float, unit: str) -> int:
    """Return how many decimals a difference takes: one for points of 100, two below 1."""
    return 2 if unit == "points" and abs(value) < 1.0 else 1


def _plain(value: float, unit: str, *, sign: bool = False) -> str:
    shown = _scaled(value, unit)
    return f"{number(shown, digits=_digits(shown, unit), sign=sign)} {unit}"


def _range(pair: ConcludedPair, unit: str, sign: float) -> str:
    """Say the interval in the direction of the sentence; an open end is left open."""
    if pair.interval is None:
        return "no interval"
    low, high = _ends(pair.interval, sign)
    digits = _digits(_scaled(pair.estimate, unit), unit)
    shown = [
        number(_scaled(end, unit), digits=digits) if math.isfinite(end) else ""
        for end in (low, high)
    ]
    if not shown[1]:
        return f"at least {shown[0]}" if shown[0] else "no bound"
    return f"{shown[0]} to {shown[1]}" if shown[0] else f"at most {shown[1]}"


def _ends(interval: Interval, sign: float) -> tuple[float, float]:
    if sign < 0:
        return -interval.high, -interval.low
    return interval.low, interval.high


def _fits(pair: ConcludedPair, unit: str) -> str:
    """Say what the data of an undecided pair do not exclude."""
    if pair.interval is None or not math.isfinite(pair.interval.low + pair.interval.high):
        return f"the difference is {_plain(pair.estimate, unit, sign=True)}"
    worse, better = (_plain(abs(end), unit) for end in (pair.interval.low, pair.interval.high))
    low = f"{worse} {'worse' if pair.interval.low < 0 else 'better'}"
    high = f"{better} {'better' if pair.interval.high > 0 else 'worse'}"
    return f"the data fit anything from {low} to {high} than {pair.baseline}"


def _numbers(pair: ConcludedPair) -> str:
    return in_numbers(pair.estimate, pair.interval, scale=f"({pair.scale})", digits=3)


def _status(answer: Answer) -> blocks.Status:
    verdicts = {pair.verdict for pair in answer.pairs}
    return blocks.status_of(verdicts.pop()) if len(verdicts) == 1 else "info"


# --- What it was and what it cost ---


def facts(found: CampaignOutcome) -> str:
    """Say what was judged, how, when and by how many."""
    protocol = {
        "da": "direct assessment",
        "sqm": "scalar quality",
        "esa": "error marks, then a score",
        "pairwise": "choices between two texts",
        "likert": "criteria in steps",
        "mqm": "error marks with categories",
    }.get(found.protocol, found.protocol)
    languages = [
        one for one in (found.source_language, found.target_language) if one not in ("", "und")
    ]
    name = f"Campaign {found.name}"
    parts = [name, " → ".join(languages), protocol, _days(found)]
    parts += [count(found.n_lines, "line"), count(len(found.raters), "rater")]
    return ", ".join(part for part in parts if part) + "."


def _days(found: CampaignOutcome) -> str:
    """Say from when to when it ran, in UTC."""
    if found.began is None or found.ended is None:
        return ""
    began, ended = (
        time.strftime("%Y-%m-%d", time.gmtime(at)) for at in (found.began, found.ended)
    )
    return began if began == ended else f"{began} to {ended}"


def cost(found: CampaignOutcome) -> str:
    """Say what it took: money, judgments by what became of them, raters, time."""
    money = "" if found.cost is None else f"{found.cost:,.2f}"
    if money and found.budget is not None and found.price is not None:
        money += f" of at most {found.budget * found.price:,.2f}"
    parts = [
        money,
        f"{count(found.judgments.given, 'judgment')}: {said_parts(found.judgments)}",
    ]
    refused = sum(one.check == "does not pass" for one in found.raters)
    who = count(len(found.raters), "rater")
    parts.append(f"{who}, {refused} refused by the controls" if refused else who)
    hours, minutes = divmod(round(found.seconds / 60.0), 60)
    parts.append(f"{f'{hours} h ' if hours else ''}{minutes} min of work")
    return f"Cost: {'; '.join(part for part in parts if part)}."


def said_parts(judgments: JudgmentCounts) -> str:
    """Say where the judgments went; what there is none of is left out."""
    parts = [
        f"{n:,} {words}" for name, words in PARTS.items() if (n := getattr(judgments, name))
    ]
    return listing(parts, most=len(PARTS)) if parts else "none"


def judgments(found: CampaignOutcome) -> blocks.Table:
    """Return every part of the judgments, and what it cost."""
    rows = [(words, getattr(found.judgments, name)) for name, words in PARTS.items()]
    told = [row for row in rows if row[1]] + [("all", found.judgments.given)]
    columns = [
        blocks.Column("part", "judgments", "text", of=lambda row: row[0]),
        blocks.Column("n", "how many", "count", of=lambda row: row[1]),
    ]
    price = found.price
    if price is not None:
        columns.append(
            blocks.Column("cost", "cost", digits=2, of=lambda row: price * float(row[1]))
        )
    note = "All judgments are paid, whether they count or not."
    return blocks.table("judgments", "Where the judgments went", columns, told, note=note)


def raters(found: CampaignOutcome) -> blocks.Table:
    """Return the work, control check, time and pay of every rater."""
    price = found.price
    columns = [
        blocks.Column("rater", "rater", "name"),
        blocks.Column("judgments", "judgments", "count"),
        blocks.Column("minutes", "minutes", digits=1, keep=2),
        blocks.Column("admitted", "counts", "count", help="pieces of work that count"),
        blocks.Column("refused", "does not", "count", help="pieces of work that do not count"),
        blocks.Column("check", "controls", "text", help="what the last controls said"),
    ]
    if price is not None:
        columns.append(
            blocks.Column("pay", "pay", digits=2, of=lambda row: price * row.judgments)
        )
    return blocks.table("raters", "Raters", columns, found.raters)


# --- Scores, errors, choices, examples ---


def differences(found: CampaignOutcome) -> Iterator[blocks.Chart]:
    """Yield the differences with their intervals."""
    pairs = [
        pair
        for pair in found.answer.pairs
        if pair.interval is not None and math.isfinite(pair.interval.low + pair.interval.high)
    ]
    if not pairs or len(pairs) > 2 * blocks.LONG:
        return
    baselines = {pair.baseline for pair in pairs}
    against = f" to {pairs[0].baseline}" if len(baselines) == 1 else ""
    unit = _unit(pairs[0], found.protocol) or pairs[0].scale
    rows = tuple(
        _difference(pair, unit, named=len(baselines) > 1)
        for pair in sorted(pairs, key=lambda pair: -pair.estimate)
    )
    said = say_answer(found.answer, found.protocol)[0].rstrip(".")
    level = f"{100 * rows[0].interval.level:.3g} %"
    caption = (
        f"The line is the range that fits the data ({level} interval, which knows of the looks and "
        f"of all pairs). A verdict needs a line that stays clear of 0. "
        f"{said_shapes([row.verdict for row in rows])}"
    )
    margins = () if found.answer.margin is None else (-found.answer.margin, found.answer.margin)
    panel = Panel(unit, rows, 1, margins)
    title = f"Difference{against}, in {unit}"
    yield blocks.Chart(
        "differences",
        title,
        caption,
        f"{title}. {said}.",
        partial(forest, panel),
        "pairs",
        key=True,
    )


def _difference(pair: ConcludedPair, unit: str, *, named: bool) -> Difference:
    assert pair.interval is not None  # noqa: S101 (chosen so)
    low, high = (_scaled(end, unit) for end in (pair.interval.low, pair.interval.high))
    interval = Interval(low, high, pair.interval.level)
    return Difference(
        f"{pair.system} − {pair.baseline}" if named else pair.system,
        _scaled(pair.estimate, unit),
        interval,
        interval,
        pair.verdict,
    )


def scores(found: CampaignOutcome) -> blocks.Table:
    """Return the mean of every system, best first."""
    columns = (
        blocks.Column("system", "system", "name"),
        blocks.Column("mean", "score", digits=1),
        blocks.Column("interval", "95 % interval", "interval", digits=1),
        blocks.Column("n_lines", "lines", "count", keep=2),
    )
    ordered = sorted(found.scores, key=lambda one: -one.mean)
    note = (
        "Each system by itself, over the lines of the decision; the differences above decide."
    )
    made = blocks.table("scores", "Score of each system", columns, ordered, note=note)
    return replace(made, key=True)


def suggestions(found: Suggestions) -> blocks.Text:
    """Say what became of errors that were marked before raters came, and what that does."""
    share = f" ({found.kept / found.shown:.0%})" if found.shown else ""
    return blocks.Text(
        "note",
        "Suggested errors",
        f"Raters saw {count(found.shown, 'suggested error')}: they kept {found.kept:,}{share} as they "
        f"were, changed {found.changed:,}, removed {found.removed:,}, and added {found.added:,} of "
        "their own. Suggestions lead raters to mark what is suggested, and to overlook the rest: "
        "compare these errors with no campaign without suggestions.",
    )


def errors(found: CampaignOutcome) -> blocks.Table:
    """Return errors in 100 lines by severity, and below them by category where there are any."""
    severities = list(dict.fromkeys(one.severity for one in found.errors))
    columns = [blocks.Column("system", "system", "name", of=lambda row: row[0])]
    by_category = any(one.category for one in found.errors)
    if by_category:
        columns.append(blocks.Column("category", "category", "text", of=lambda row: row[1]))
    columns += [
        blocks.Column(name, name, digits=1, of=partial(_rate, found.errors, name))
        for name in severities
    ]
    systems = [one.system for one in found.scores]
    rows: list[tuple[str, str]] = [(system, "all") for system in systems]
    if by_category:
        for system in systems:
            mine = [one.category for one in found.errors if one.system == system]
            rows += [(system, category) for category in dict.fromkeys(mine) if category]
    note = "As marked by raters, in the lines of the decision; fewer is better."
    return blocks.table("errors", "Errors per 100 lines", columns, rows, note=note)


def _rate(errors: Sequence[ErrorRate], severity: str, row: tuple[str, str]) -> float:
    system, category = row
    return sum(
        one.per_100
        for one in errors
        if one.system == system
        and one.severity == severity
        and category in ("all", one.category)
    )


def wins(found: CampaignOutcome) -> blocks.Table:
    """Return how often each system was chosen."""
    columns = (
        blocks.Column("system", "system", "name"),
        blocks.Column("baseline", "against", "name"),
        blocks.Column("wins", "chosen", "count"),
        blocks.Column("ties", "equal", "count"),
        blocks.Column("losses", "the other", "count"),
        blocks.Column("rate", "win rate", "share", of=_win_rate),
    )
    same = sum(one.identical for one in found.wins)
    note = "Win rate: chosen, and half of the ties, of all."
    if same:
        note += f" {count(same, 'tie')}: both texts were identical, and nobody was asked."
    return blocks.table("wins", "Choices", columns, found.wins, note=note)


def _win_rate(row: object) -> float:
    wins, ties, losses = (getattr(row, name) for name in ("wins", "ties", "losses"))
    n = wins + ties + losses
    return float((wins + 0.5 * ties) / n) if n else math.nan


def examples(some: ClaimExamples) -> blocks.Examples:
    """Return lines to read, with marked errors in brackets."""
    items = tuple(
        (
            f"line {line.item}",
            (
                *((("source", line.source),) if line.source else ()),
                *((("reference", line.reference),) if line.reference else ()),
                *(
                    (f"{text.system} ({number(text.score, digits=0)})", in_brackets(text))
                    for text in line.texts
                ),
            ),
        )
        for line in some.lines
    )
    return blocks.Examples(examples_title(some), items)


def examples_title(some: ClaimExamples) -> str:
    """Say what the examples are, and how they were drawn."""
    n = len(some.lines)
    drawn = f"{n} drawn at random of {some.n_such:,} lines" if n < some.n_such else f"{n} lines"
    return (
        f"Examples: {some.system} against {some.baseline} ({drawn} whose scores differ by "
        f"{some.least:g} or more)"
    )


def marked_pieces(text: ShownText) -> list[tuple[str, str]]:
    """Return a text cut at its marks: pieces with the severity of the mark on them, if any.

    Where marks overlap the first keeps its place. What is missing comes last.
    """
    found, at = [], 0
    placed = [
        (one.start, one.end, one.severity)
        for one in text.errors
        if one.start is not None and one.end is not None
    ]
    for start, end, severity in sorted(placed):
        if start < at:
            continue
        if start > at:
            found.append((text.text[at:start], ""))
        found.append((text.text[start:end], severity))
        at = end
    if at < len(text.text):
        found.append((text.text[at:], ""))
    found += [("missing", "missing") for one in text.errors if one.start is None]
    return found


def in_brackets(text: ShownText) -> str:
    """Write a text with its marked errors in brackets.

    Examples
    --------
    >>> from detectable.study.campaign.outcome import MarkedError
    >>> error = MarkedError(start=4, end=9, severity="major")
    >>> in_brackets(ShownText(system="a", text="the north side", score=48.0, errors=(error,)))
    'the [major: north] side'
    """
    return "".join(
        piece if not kind else " [missing]" if kind == "missing" else f"[{kind}: {piece}]"
        for piece, kind in marked_pieces(text)
    )
