"""What the agreement of a judge with people shows."""

import math
from collections.abc import Iterator
from functools import partial

from detectable.core.wording import count
from detectable.report.blocks import (
    LONG,
    Block,
    Column,
    Methods,
    Repeat,
    Table,
    Text,
    Verdict,
    notes,
    table,
)
from detectable.study.precision.judge_agreement import (
    MISLEADS,
    JudgeAgreement,
    JudgeOnSystem,
)


def show(found: JudgeAgreement) -> Iterator[Block]:
    """Show bias and agreement by system, tables of answers, and bias between systems."""
    _, *rest = found.summary().splitlines()
    apart = any(pair.verdict != "undecided" for pair in found.pairs)
    detail = tuple(rest) if len(rest) <= 3 else ()
    yield Verdict("warning" if apart else "info", found.headline(), detail)
    yield _limits(found)
    yield systems(found)
    if any(row.table is not None for row in found.systems):
        yield answers(found)
    if found.pairs:
        yield pairs(found)
    yield from notes(found.notes)
    yield _methods(found)
    yield Repeat(str(found.signature))


def _limits(found: JudgeAgreement) -> Text:
    said = (
        "Agreement does not replace labels: what a judge saves goes with the square of its "
        "correlation (detectable labels), and only labels show whether it favours a system."
    )
    misled = [row.system for row in found.systems if row.misleading]
    if misled:
        said += (
            f" {', '.join(misled)}: one answer makes up more than {MISLEADS:.0%}, so κ says little; "
            "look at the table of answers."
        )
    return Text("limits", "What this can tell", said)


def systems(found: JudgeAgreement) -> Table:
    """Return a row per system."""
    same = any(not math.isnan(row.share) for row in found.systems)
    columns = (
        Column("system", "system", "name"),
        Column("n_items", "labels", "count", keep=2),
        Column("bias", "judge − people", digits=3, sign=True),
        Column("interval", f"{1 - found.alpha:.0%} interval", "interval", digits=3, sign=True),
        Column("correlation", "correlation"),
        Column("share", "same", "share", digits=1, keep=2) if same else None,
        Column("kappa", "κ", keep=3) if same else None,
        Column("ac1", "AC1", keep=3) if same else None,
        Column("ac1_error", "its error", digits=3, keep=5) if same else None,
        Column("krippendorff", "α", keep=4) if same else None,
    )
    return table("systems", "Judge and people", columns, found.systems)


def answers(found: JudgeAgreement) -> Table:
    """Return the four counts of every system whose answers are yes and no."""
    rows = [row for row in found.systems if row.table is not None]
    titles = ("both yes", "judge yes, people no", "judge no, people yes", "both no")
    columns = (
        Column("system", "system", "name"),
        *(
            Column(f"n{i}", title, "count", of=partial(_count, i))
            for i, title in enumerate(titles)
        ),
    )
    return table("answers", "Answers", columns, rows, folded=len(rows) > LONG)


def _count(place: int, row: JudgeOnSystem) -> int | None:
    return None if row.table is None else row.table[place]


def pairs(found: JudgeAgreement) -> Table:
    """Return a row for every two systems with enough labels in common."""
    columns = (
        Column("system", "system", "name"),
        Column("baseline", "against", "name"),
        Column("difference", "bias more by", digits=3, sign=True),
        Column("interval", f"{1 - found.alpha:.0%} interval", "interval", digits=3, sign=True),
        Column("p_adjusted", "p", "p"),
        Column("verdict", "the judge's bias is", "verdict", short="bias"),
        Column("n_items", "labels", "count", keep=3),
    )
    return table(
        "pairs", "Is the bias the same?", columns, found.pairs, folded=len(found.pairs) > LONG
    )


def _methods(found: JudgeAgreement) -> Methods:
    n = sum(row.n_items for row in found.systems)
    said = (
        f"A judge was compared with people on {count(n, 'label')} of "
        f"{count(len(found.systems), 'system')}: bias (judge − people) with t intervals over "
        f"{found.unit}s, and agreement by Cohen's κ, Gwet's AC1 and Krippendorff's α."
    )
    if found.pairs:
        said += " Equal bias of two systems was tested on the items labelled for both (Holm)."
    return Methods(said, ("krippendorff-2011",))
