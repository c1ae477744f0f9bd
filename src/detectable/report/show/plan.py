"""What a frozen plan shows."""

import math
from collections.abc import Iterator

from detectable.report.blocks import Block, Column, Repeat, Table, Verdict, table
from detectable.study.monitoring.plan import Plan


def show(plan: Plan) -> Iterator[Block]:
    """Show what was planned, where it is kept, and when to stop."""
    planned, *detail = plan.summary().splitlines()
    detail += [f"Frozen in {plan.path}; looks will be kept in {plan.ledger_path}."]
    if len(plan.pairs) > 1 and not plan.anytime:
        detail.append(
            f"Boundaries of the first decision among {len(plan.pairs)} pairs; each decision "
            "lowers them for the others."
        )
    yield Verdict("info", planned, tuple(detail))
    if not plan.anytime and plan.n_max is not None:
        yield boundaries(plan, plan.n_max)
    yield Repeat(str(plan.signature))


def boundaries(plan: Plan, n_max: int) -> Table:
    """Return the planned looks and their boundaries."""
    design = plan.design_at(plan.alpha / len(plan.pairs))

    def bound(value: float | None) -> float | None:
        return None if value is None or math.isinf(value) else value

    columns = (
        Column("look", "look", "count", of=lambda look: look + 1),
        Column("share", "share", "share", digits=0, of=lambda k: design.information[k]),
        Column(
            "items",
            plan.unit_name,
            "count",
            of=lambda k: math.ceil(design.information[k] * n_max - 1e-9),
        ),
        Column("z", "stop at |z|", digits=3, short="|z| ≥", of=lambda k: bound(design.z[k])),
        Column(
            "futility",
            "give up below",
            digits=3,
            short="futile <",
            of=lambda k: bound(design.futility[k]),
        ),
        Column("alpha_spent", "α spent", "p", of=lambda k: design.alpha_spent[k]),
    )
    title = f"Planned looks ({design.family_in_words()})"
    return table("looks", title, columns, range(len(design.information)))
