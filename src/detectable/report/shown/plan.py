"""What a frozen plan shows, alone and with all its looks."""

import math
from collections.abc import Iterator

from detectable.core.wording import count, number, visible
from detectable.report import blocks
from detectable.report.shown.look import ENDS, pairs
from detectable.report.shown.monitoring_pictures import foreseen, path, planned_stops
from detectable.report.shown.monitoring_words import (
    admissions,
    checks,
    events,
    ledger,
    methods,
)
from detectable.report.shown.plan_words import (
    admitting,
    asked,
    independence,
    outlook_sentences,
    planned,
    scope,
)
from detectable.study.monitoring.ledger import said_time
from detectable.study.monitoring.plan import Plan
from detectable.study.monitoring.plan_history import PlanHistory


def show_plan(plan: Plan) -> Iterator[blocks.Block]:
    """Show what was planned, when to stop, what it can find, and where it is kept."""
    yield blocks.Verdict("info", f"{_size(plan)}.", _detail(plan))
    yield from planned_stops(plan)
    yield limits(plan)
    if not plan.anytime and plan.n_max is not None:
        yield boundaries(plan, plan.n_max)
    yield _checks(plan)
    yield methods(plan)


def _size(plan: Plan) -> str:
    if plan.n_max is None:
        return "Planned: no end, and a look at any time"
    end = f"{plan.n_max:,} {plan.unit_name} at most"
    if plan.anytime:
        return f"Planned: {end}, and a look at any time"
    looks = len(plan.design_at(plan.alpha).information)
    return f"Planned: {end}, {count(looks, 'look')}"


def _detail(plan: Plan) -> tuple[str, ...]:
    """Say what is asked and how, and where the plan is kept."""
    kept = f"Frozen in {plan.path}; looks will be kept in {plan.ledger_path}."
    return tuple(filter(None, (_question(plan), asked(plan), admitting(plan), kept)))


def _question(plan: Plan) -> str:
    return f"Asked: {plan.question}" if plan.question else ""


def limits(plan: Plan) -> blocks.Text:
    """Say what a plan can show and what it takes."""
    said = outlook_sentences(plan)
    found = plan.outlook()
    if found.mde is not None and plan.claim == "better":
        mde = number(found.mde, digits=visible(found.mde, 2))
        if found.mde_better is not None:
            mde = f"P(better) − ½ of {number(found.mde_better, digits=3)}"
        said.append(
            f"Smaller differences than {mde} are usually missed: undecided is not equal."
        )
    return blocks.Text("limits", "What this plan can show", " ".join(said))


def _checks(plan: Plan) -> blocks.Text:
    points = [
        (
            "ok",
            f"Frozen on {said_time(plan.created)}; its fingerprint: {plan.fingerprint[:12]}. A plan "
            "that was changed afterwards is refused.",
        ),
        ("plain", scope(plan)),
        ("plain", independence(plan)),
    ]
    if not plan.anytime and plan.design.get("futility", "none") != "none":
        advice = "Advice to give up may be overruled: the error rate does not count on it."
        points.append(("ok", advice))
    kept = tuple((mark, text) for mark, text in points if text)
    return blocks.Text("checks", "Assumptions and checks", points=kept)  # type: ignore[arg-type]


def boundaries(plan: Plan, n_max: int) -> blocks.Table:
    """Return the planned looks and their boundaries."""
    design = plan.design_at(plan.alpha / len(plan.pairs))

    def bound(value: float | None) -> float | None:
        return None if value is None or math.isinf(value) else value

    z = "|z|" if plan.sided == 2 else "z"
    gives_up = any(bound(value) is not None for value in design.futility)
    columns = (
        blocks.Column("look", "look", "count", of=lambda look: look + 1),
        blocks.Column("share", "share", "share", digits=0, of=lambda k: design.information[k]),
        blocks.Column(
            "items",
            plan.unit_name,
            "count",
            of=lambda k: round(design.information[k] * n_max),  # as looks are taken
        ),
        blocks.Column(
            "z", f"stop at {z}", digits=3, short=f"{z} ≥", of=lambda k: bound(design.z[k])
        ),
        blocks.Column(
            "futility",
            "give up below",
            digits=3,
            short="futile <",
            of=lambda k: bound(design.futility[k]),
        )
        if gives_up
        else None,
        blocks.Column("alpha_spent", "α spent", "p", of=lambda k: design.alpha_spent[k]),
    )
    title = f"Planned looks ({design.family_in_words()})"
    note = ""
    if len(plan.pairs) > 1:
        note = (
            f"Boundaries of the first decision among {len(plan.pairs)} pairs; each decision lowers "
            "them for the others."
        )
    return blocks.table("looks", title, columns, range(len(design.information)), note=note)


# --- What a plan with all its looks shows ---


def show_plan_history(history: PlanHistory) -> Iterator[blocks.Block]:
    """Show how it stands, the way so far, what was planned, and every look."""
    plan = history.plan
    said = (_question(plan), f"Planned: {asked(plan)}", admitting(plan))
    yield blocks.Verdict(_status(history), _headline(history), tuple(filter(None, said)))
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


def _status(history: PlanHistory) -> blocks.Status:
    if len(history.plan.pairs) > 1 or history.decision is None or not history.looks:
        return "info"
    return blocks.status_of(history.looks[-1].pair.verdict)


def _headline(history: PlanHistory) -> str:
    if not history.n_looks:
        return f"{_size(history.plan)}; not looked at yet."
    looks = count(history.n_looks, "look")
    if history.decision != "continue":
        return f"Stopped at look {history.n_looks}: {ENDS[str(history.decision)]}."
    if history.blind:
        return f"{looks} so far; the last said “continue”. Estimates are hidden until the end."
    ahead = foreseen(history)
    trend = "" if ahead is None else f" At this trend it ends around look {ahead.look}."
    return f"{looks} so far; the last said “continue”.{trend}"


def _with_time(history: PlanHistory) -> blocks.Table:
    made = pairs(
        "Looks", history.looks, look=lambda row: row.look, of=lambda row: row.pair, id="looks"
    )
    time = blocks.Column("time", "time", "text", keep=9)
    rows = tuple(
        (*cells, row.time) for cells, row in zip(made.rows, history.looks, strict=True)
    )
    return blocks.Table("looks", made.title, (*made.columns, time), rows, folded=made.folded)


def say_plan_history(history: PlanHistory) -> str:
    """Say the plan, then where it stands."""
    done = "Not looked at yet."
    if history.n_looks:
        done = f"{count(history.n_looks, 'look')} so far; the last said “{history.decision}”."
    return f"{planned(history.plan)}\n{done}"
