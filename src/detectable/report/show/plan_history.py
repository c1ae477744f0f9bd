"""What a plan with all its looks shows."""

from collections.abc import Iterator

from detectable.core.wording import count
from detectable.report.blocks import Block, Column, Repeat, Status, Table, Verdict, status_of
from detectable.report.figures.monitoring import foreseen
from detectable.report.figures.monitoring_paths import path
from detectable.report.monitoring_words import admissions, checks, events, ledger, methods
from detectable.report.show.look import ENDS, pairs
from detectable.report.show.plan import boundaries, headline, limits
from detectable.study.monitoring.plan_history import PlanHistory


def show(history: PlanHistory) -> Iterator[Block]:
    """Show how it stands, the way so far, what was planned, and every look."""
    plan = history.plan
    planned, *others = plan.planned().splitlines()
    elsewhere = {plan.scope(), plan.independence()}
    asked = (f"Asked: {plan.question}",) if plan.question else ()
    detail = (*asked, planned, *(text for text in others if text not in elsewhere))
    yield Verdict(_status(history), _headline(history), detail)
    if not history.blind:
        yield from path(history, twin="looks")
    yield limits(plan)
    if history.looks:
        yield _with_time(history)
        if history.entries:
            yield ledger(history)
    elif history.blind:
        yield ledger(history)
    elif not plan.anytime and plan.n_max is not None:
        yield boundaries(plan, plan.n_max)
    if history.admissions:
        yield admissions(history)
    if history.events:
        yield events(history)
    yield checks(history)
    yield methods(plan)
    yield Repeat(str(history.signature))


def _status(history: PlanHistory) -> Status:
    if len(history.plan.pairs) > 1 or history.decision is None or not history.looks:
        return "info"
    return status_of(history.looks[-1].pair.verdict)


def _headline(history: PlanHistory) -> str:
    if not history.n_looks:
        return f"{headline(history.plan)[:-1]}; not looked at yet."
    looks = count(history.n_looks, "look")
    if history.decision != "continue":
        return f"Stopped at look {history.n_looks}: {ENDS[str(history.decision)]}."
    if history.blind:
        return f"{looks} so far; the last said «continue». Estimates are hidden until the end."
    ahead = foreseen(history)
    trend = "" if ahead is None else f" At this trend it ends around look {ahead.look}."
    return f"{looks} so far; the last said «continue».{trend}"


def _with_time(history: PlanHistory) -> Table:
    made = pairs(
        "Looks", history.looks, look=lambda row: row.look, of=lambda row: row.pair, id="looks"
    )
    time = Column("time", "time", "text", keep=9)
    rows = tuple(
        (*cells, row.time) for cells, row in zip(made.rows, history.looks, strict=True)
    )
    return Table("looks", made.title, (*made.columns, time), rows, folded=made.folded)
