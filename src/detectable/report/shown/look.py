"""What one look at a plan shows."""

import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from detectable.core.verdict import in_numbers, in_words
from detectable.core.wording import begun, count, listing, number
from detectable.report import blocks
from detectable.report.shown.monitoring_pictures import foreseen, path
from detectable.report.shown.monitoring_words import checks, ledger, methods
from detectable.study.monitoring.ledger import PairLook, decision_of, digits_of, evidence_of
from detectable.study.monitoring.look import Look

ENDS = {
    "stop: better": "better",
    "stop: worse": "worse",
    "stop: equivalent": "equivalent",
    "stop: non-inferior": "not worse by more than the margin",
    "stop: inferior": "worse by more than the margin",
    "stop: superior": "better by more than the margin",
    "stop: futile": "a decision has become unlikely",
    "stop: undecided": "undecided at the end",
    "stop": "every pair is settled",
}
_UNDECIDED = {
    "stop: futile": ", and unlikely to be decided by the planned end",
    "stop: undecided": " at the end",
    "continue": " so far",
}


def show_look(look: Look) -> Iterator[blocks.Block]:
    """Show the decision, the way so far, what is still missing, and where each pair stands."""
    # Several pairs, each of which may have ended otherwise, have no status of their own.
    status = (
        "info"
        if look.decision == "stop"
        else blocks.status_of(decision_of(look.decision).verdict)
    )
    yield blocks.Verdict(status, _headline(look), _detail(look))
    if look.history is not None:
        yield from path(look.history, twin="pairs", projected=True)
    yield from _limits(look)
    yield pairs("Pairs", look.pairs, look=lambda _: look.look, of=lambda pair: pair)
    if look.history is not None:
        if look.history.n_looks > 1:
            yield ledger(look.history)
        said = checks(look.history)
        yield said._replace(
            points=tuple(one for one in said.points if one[1] not in look.notes)
        )
    yield from blocks.notes(look.notes)
    if look.history is not None:
        yield methods(look.history.plan)


def _headline(look: Look) -> str:
    """Say go on or stop, and what the trend says."""
    if look.decision != "continue":
        saved = f"; {count(look.saved, 'planned judgment')} not needed" if look.saved else ""
        return f"Look {look.look}: stop, {ENDS[look.decision]}{saved}."
    ahead = None if look.history is None else foreseen(look.history)
    if ahead is None:
        return f"Look {look.look}: go on."
    return f"Look {look.look}: go on. At this trend it ends around look {ahead.look}."


def _detail(look: Look) -> tuple[str, ...]:
    said = [
        begun(describe_pair(pair, margin=look.margin)) for pair in look.pairs[: blocks.LONG]
    ]
    return (f"{count(look.judgments, 'judgment')} so far.", *said)


def _limits(look: Look) -> Iterator[blocks.Text]:
    """Yield what is still missing, or why an undecided end is no tie."""
    if look.decision == "continue":
        yield blocks.Text("limits", "What is still missing", " ".join(_missing(look)))
        return
    fits = [
        f"anything from {number(pair.interval.low, sign=True)} to "
        f"{number(pair.interval.high, sign=True)} fits the data"
        for pair in look.pairs
        if pair.verdict == "undecided" and pair.interval is not None
    ]
    if fits:
        text = f"Undecided is not equal: {listing(fits, most=3)}."
        yield blocks.Text("limits", "What this evaluation could not show", text)


def _missing(look: Look) -> Iterator[str]:
    for pair in look.pairs[: blocks.LONG]:
        if pair.decision != "continue":
            continue
        who = f"{pair.system} against {pair.baseline}"
        if pair.e_value is not None and pair.e_needed is not None:
            yield f"{who}: E = {pair.e_value:.3g}, and {pair.e_needed:.3g} decides."
        elif pair.z is not None and pair.z_bound is not None:
            sign = "±" if pair.sided == 2 else "+"
            bound = (
                "no boundary yet" if math.isinf(pair.z_bound) else f"{sign}{pair.z_bound:.2f}"
            )
            yield f"{who}: z = {number(pair.z, sign=True)}, and {bound} would have decided."
    if look.judgments_planned is not None:
        text = f"{count(look.judgments_planned, 'judgment')} are still planned"
        if look.expected_judgments is not None:
            text += f", about {look.expected_judgments:,} of them expected at this trend"
        yield f"{text}. Still to be judged: {listing(list(look.still_needed), most=blocks.LONG)}."


def pairs(
    title: str,
    records: Sequence[Any],
    *,
    look: Callable[[Any], int],
    of: Callable[[Any], PairLook],
    id: str = "pairs",
) -> blocks.Table:
    """Return where pairs stand: the estimate, the evidence and what is needed."""

    def at(name: str) -> Callable[[Any], Any]:
        return lambda record: getattr(of(record), name)

    columns = (
        blocks.Column("look", "look", "count", of=look),
        blocks.Column("system", "system", "name", of=at("system")),
        blocks.Column("baseline", "against", "name", of=at("baseline")),
        blocks.Column("n_units", "n", "count", of=at("n_units"), keep=2),
        blocks.Column(
            "judgments", "judgments", "count", of=at("judgments"), keep=blocks.DATA_ONLY
        ),
        blocks.Column(
            "information", "information", digits=4, of=at("information"), keep=blocks.DATA_ONLY
        ),
        blocks.Column(
            "estimate", "difference", digits=3, sign=True, short="diff.", of=at("estimate")
        ),
        blocks.Column(
            "interval", "repeated interval", "interval", sign=True, keep=3, of=at("interval")
        ),
        blocks.Column("evidence", "evidence", "text", of=lambda record: _evidence(of(record))),
        blocks.Column(
            "needed", "needed", "text", keep=2, of=lambda record: _needed(of(record))
        ),
        *(
            blocks.Column(name, name.replace("_", " "), of=at(name), keep=blocks.DATA_ONLY)
            for name in (
                *("z", "z_bound", "futility_bound", "alpha_spent", "e_value", "e_needed"),
            )
        ),
        blocks.Column("decision", "decision", "text", of=at("decision")),
    )
    return blocks.table(id, title, columns, records, folded=len(records) > blocks.LONG)


def _evidence(pair: PairLook) -> str:
    if pair.e_value is not None:
        return f"E {pair.e_value:.3g}"
    return "–" if pair.z is None else f"z {pair.z:+.3f}".replace("-", "−")


def _needed(pair: PairLook) -> str:
    if pair.e_needed is not None:
        return f"{pair.e_needed:.3g}"
    bound = pair.z_bound
    return "–" if bound is None or math.isinf(bound) else f"{bound:.3f}"


def say_look(look: Look) -> str:
    """Say the decision first, then where each pair stands."""
    head = f"Look {look.look}, {count(look.judgments, 'judgment')}: {look.decision}."
    return "\n".join(
        [
            head + _outlook(look),
            *(describe_pair(p, margin=look.margin) for p in look.pairs),
        ]
    )


def _outlook(look: Look) -> str:
    if look.decision != "continue":
        return f" {count(look.saved, 'planned judgment')} not needed." if look.saved else ""
    if look.judgments_planned is None:
        return ""
    text = f" {count(look.judgments_planned, 'judgment')} still planned"
    if look.expected_judgments is not None:
        text += f", about {look.expected_judgments:,} expected to be needed at this trend"
    needed = listing(list(look.still_needed), most=12)
    return f"{text}. Still to be judged: {needed}."


def describe_pair(pair: PairLook, *, margin: float | None = None) -> str:
    """Say where one pair stands, without anything that could be mistaken for a p-value."""
    going = pair.decision == "continue"
    sided = 2 if going else pair.sided  # what may still be shown is undecided, not “not shown”
    limit = None if margin is None else f"{margin:g}"
    words = in_words(pair.verdict, pair.system, pair.baseline, margin=limit, sided=sided)
    if sided == 2:
        words += _UNDECIDED.get(pair.decision, "")
    low = -math.inf if pair.interval is None else pair.interval.low
    shown = in_numbers(
        pair.estimate,
        pair.interval if math.isfinite(low) else None,
        scale=f"({pair.scale})",
        digits=digits_of(pair.scale),
    )
    if math.isfinite(low):
        shown += " at all looks together"
    return f"{words}: {shown}; {evidence_of(pair)}."
