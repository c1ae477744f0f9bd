"""What one look at a plan shows."""

import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from detectable.report.blocks import (
    DATA_ONLY,
    LONG,
    Block,
    Column,
    Repeat,
    Status,
    Table,
    Verdict,
    notes,
    status_of,
    table,
)
from detectable.study.monitoring.look_result import Look
from detectable.study.monitoring.pair_look import PairLook


def show(look: Look) -> Iterator[Block]:
    """Show the decision, where each pair stands, and what it would take."""
    first, *others = look.summary().splitlines()
    # The table has the other pairs.
    yield Verdict(_status(look.decision), first, tuple(others[:LONG]))
    yield pairs("Pairs", look.pairs, look=lambda _: look.look, of=lambda pair: pair)
    yield from notes(look.notes)
    yield Repeat(str(look.signature))


def _status(decision: str) -> Status:
    word = decision.removeprefix("stop: ")
    return status_of("undecided" if word in ("futile", "continue") else word)


def pairs(
    title: str,
    records: Sequence[Any],
    *,
    look: Callable[[Any], int],
    of: Callable[[Any], PairLook],
) -> Table:
    """Return where pairs stand: the estimate, the evidence and what is needed."""

    def at(name: str) -> Callable[[Any], Any]:
        return lambda record: getattr(of(record), name)

    columns = (
        Column("look", "look", "count", of=look),
        Column("system", "system", "name", of=at("system")),
        Column("baseline", "against", "name", of=at("baseline")),
        Column("n_units", "n", "count", of=at("n_units"), keep=2),
        Column("judgments", "judgments", "count", of=at("judgments"), keep=DATA_ONLY),
        Column("information", "information", digits=4, of=at("information"), keep=DATA_ONLY),
        Column("estimate", "difference", digits=3, sign=True, short="diff.", of=at("estimate")),
        Column(
            "interval", "repeated interval", "interval", sign=True, keep=3, of=at("interval")
        ),
        Column("evidence", "evidence", "text", of=lambda record: _evidence(of(record))),
        Column("needed", "needed", "text", keep=2, of=lambda record: _needed(of(record))),
        *(
            Column(name, name.replace("_", " "), of=at(name), keep=DATA_ONLY)
            for name in (
                *("z", "z_bound", "futility_bound", "alpha_spent", "e_value", "e_needed"),
            )
        ),
        Column("decision", "decision", "text", of=at("decision")),
    )
    return table("pairs", title, columns, records)


def _evidence(pair: PairLook) -> str:
    if pair.e_value is not None:
        return f"E {pair.e_value:.3g}"
    return "–" if pair.z is None else f"z {pair.z:+.3f}".replace("-", "−")


def _needed(pair: PairLook) -> str:
    if pair.e_needed is not None:
        return f"{pair.e_needed:.3g}"
    bound = pair.z_bound
    return "–" if bound is None or math.isinf(bound) else f"{bound:.3f}"
