"""What a look at few units can and cannot say."""

from collections.abc import Sequence

from detectable.core.wording import count
from detectable.inference.few_units import (
    p_in_words,
    smallest_p,
    units_to_reject,
)
from detectable.sequential.families import family_row
from detectable.study.monitoring.look_context import LookContext
from detectable.study.monitoring.pair_look import PairLook

_MANY = 20  # units from which on the error rate is within a point of what was asked for


def few_units_notes(context: LookContext, rows: Sequence[PairLook]) -> list[str]:
    """Say how few units were tested, and when signs of so few cannot stop an evaluation.

    As in `compare` and `rank`: means of any number of documents are tested by t; sign flips are
    exact, and their smallest p-value is 2^(1 − G).
    """
    tested = [row for row in rows if row.tested]
    if not tested or context.plan.anytime:  # an e-process holds with any number of documents
        return []
    if context.plan.test == "sign-flip":
        return _of_signs(context, tested)
    few = [row for row in tested if row.n_clusters is not None and row.df is not None]
    if not few:
        return []
    row = min(few, key=lambda row: row.n_clusters or 0)
    n = row.n_clusters or 0
    if n >= _MANY:
        return []
    return [
        f"{count(n, context.unit)}: tested by t over {context.unit}s, {row.df:.1f} degrees of "
        f"freedom; it assumes that {context.unit} differences are roughly normal. With so few, a "
        "plan at .05 errs in 5 to 6 % of cases, in 7 to 8 % if they are skewed."
    ]


def _of_signs(context: LookContext, rows: Sequence[PairLook]) -> list[str]:
    """Say from which unit on the exact test could stop."""
    if not family_row(context.plan.design["family"]).spends:
        return []
    row = min(rows, key=_units)
    design = context.plan.design_at(row.level)
    may = design.alpha if context.final else design.spend(float(row.information or 0.0))
    n = _units(row)
    if smallest_p(n) <= may:
        return []
    return [
        f"This look cannot stop: the smallest possible p of {count(n, context.unit)} is "
        f"{p_in_words(smallest_p(n))}, and {p_in_words(may)} may be spent so far. It cannot "
        f"before {context.unit} {units_to_reject(may)}."
    ]


def _units(row: PairLook) -> int:
    return row.n_units if row.n_clusters is None else row.n_clusters
