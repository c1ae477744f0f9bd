"""What evaluations that stop when they are decided show: plan, looks, conclusion, and what was drawn."""

import math
from collections.abc import Iterator, Sequence

from detectable.core.wording import count, listing, number, p_value, pointed, significant
from detectable.live.conclusion import LiveConclusion, TaskConclusion
from detectable.live.logs import LiveHistory, LiveLook, TaskLook
from detectable.live.order import Subsample
from detectable.live.plan import Forecast, LivePlan, LiveTask
from detectable.report import blocks

_EVERY = {20: "twentieth", 10: "tenth", 5: "fifth", 4: "quarter", 3: "third", 2: "half"}
_STATUS: dict[str, blocks.Status] = {
    "pass": "better",
    "better": "better",
    "precise": "better",
    "fail": "worse",
    "worse": "worse",
    "inconclusive": "undecided",
    "imprecise": "undecided",
    "open": "undecided",
}
_VERBS = {
    "pass": "passes",
    "fail": "fails",
    "better": "is better",
    "worse": "is worse",
    "inconclusive": "is open",
    "imprecise": "is not precise enough",
    "precise": "is precise enough",
    "open": "is open",
}
_DECISIONS = {
    "continue": "goes on",
    "not run": "not run yet",
    "stop: pass": "passes",
    "stop: fail": "fails",
    "stop: better": "better",
    "stop: worse": "worse",
    "stop: precise": "precise enough",
    "stop: imprecise": "not precise enough",
    "stop: inconclusive": "open at its end",
    "stop: futile": "given up",
}


# --- The plan ---


def show_live_plan(plan: LivePlan) -> Iterator[blocks.Block]:
    """Show what will run, when it stops, what it takes, and where it is kept."""
    first, *rest = _plan_lines(plan)
    kept = f"Frozen in {plan.path}; looks will be kept in {plan.ledger_path}."
    yield blocks.Verdict("info", first, (*rest, kept))
    yield _tasks(plan)
    yield _takes(plan)
    yield _methods(plan)


def say_live_plan(plan: LivePlan) -> str:
    """Say what will run and when it stops."""
    return "\n".join(_plan_lines(plan))


def _plan_lines(plan: LivePlan) -> list[str]:
    each = " ".join(_task(one, alone=not plan.baseline) for one in plan.tasks)
    return [_planned(plan), each, _rule(plan)]


def _planned(plan: LivePlan) -> str:
    who = f"new against {plan.baseline}" if plan.baseline else "one system"
    on = f" on {count(len(plan.tasks), 'task')}" if plan.tasks[0].task else ""
    aim = "better or worse"
    if plan.half_width is not None:
        aim = f"until the interval is ±{plan.half_width:g}"
    elif any(one.margin is not None for one in plan.tasks):
        aim = "not worse by the margin"
    size = _most(plan)
    return f"Planned: {who}{on}, {aim}{f', {size}' if size else ''}."


def _most(plan: LivePlan) -> str:
    forecast = [plan.forecast(one) for one in plan.tasks]
    if any(one is None for one in forecast):
        return ""
    found = [one for one in forecast if one is not None]
    questions = sum(one.questions or 0 for one in plan.tasks)
    parts = [count(sum(one.samples for one in found), "sample")]
    cost = math.fsum(one.cost for one in found)
    if math.isfinite(cost):
        parts.append(f"{_dollars(cost)} at what old cost")
    return f"up to {count(questions, 'question')} ({', '.join(parts)})"


def _dollars(cost: float) -> str:
    return f"{cost:,.2f} USD" if cost >= 0.1 else f"{significant(cost, 2)} USD"


def _task(one: LiveTask, *, alone: bool) -> str:
    said = [one.metric or "the only scorer"]
    if one.margin is not None:
        said.append(f"margin {one.margin:g}")
    if one.questions is not None:
        epochs = one.epochs or 1
        said.append(f"{count(one.questions, 'question')}{f' × {epochs}' if epochs > 1 else ''}")
    name = "" if alone and not one.task else f"{one.task or 'the task'}: "
    return f"{name}{', '.join(said)}."


def _rule(plan: LivePlan) -> str:
    rule = plan.rule(plan.tasks[0].task)
    order = f"in the order of seed {plan.seed}"
    every = f"at every {_EVERY.get(plan.looks, f'{plan.looks}th part')} of its samples"
    looks = f"{every} from {plan.first} on, {order}"
    counted = "Errors count 0."
    if any(one.scale not in ((0.0, 1.0), None) or one.lower_is_better for one in plan.tasks):
        counted = "Errors count as the worst score."
    if plan.half_width is not None:
        return f"A task is looked at {looks}; its interval is stated at {1 - plan.alpha:.0%}. {counted}"
    alpha, fail = _level(rule.alpha), _level(rule.alpha_fail or rule.alpha)
    claims = "A pass" if any(one.margin is not None for one in plan.tasks) else "A gain"
    lost = "a fail" if claims == "A pass" else "a loss"
    return f"{claims} of a task is tested at α = {alpha}, {lost} at {fail}, {looks}. {counted}"


def _level(alpha: float) -> str:
    return pointed(f"{alpha:.4g}")


def _tasks(plan: LivePlan) -> blocks.Table:
    forecast = {one.task: plan.forecast(one) for one in plan.tasks}

    def of(name: str) -> object:
        def value(one: LiveTask) -> float | None:
            found: Forecast | None = forecast[one.task]
            return None if found is None else getattr(found, name)

        return value

    columns = (
        blocks.Column("task", "task", "name", of=lambda one: one.task or "–"),
        blocks.Column("metric", "metric", "name"),
        blocks.Column("margin", "margin", "text", none="–"),
        blocks.Column("questions", "questions", "count"),
        blocks.Column("epochs", "samples each", "count", short="each"),
        blocks.Column("baseline_score", "old", digits=3),
        blocks.Column("cost", "cost at most", digits=4, short="cost", keep=2, of=of("cost")),  # type: ignore[arg-type]
        blocks.Column("tokens", "tokens", digits=0, keep=3, of=of("tokens")),  # type: ignore[arg-type]
        blocks.Column(
            "share_unchanged",
            "runs if unchanged",
            "share",
            digits=0,
            short="same",
            keep=2,
            of=of("share_unchanged"),  # type: ignore[arg-type]
        ),
        blocks.Column(
            "share_lost",
            "runs if margin lost",
            "share",
            digits=0,
            short="lost",
            keep=2,
            of=of("share_lost"),  # type: ignore[arg-type]
        ),
    )
    return blocks.table("tasks", "Tasks", columns, plan.tasks)


def _takes(plan: LivePlan) -> blocks.Text:
    said = []
    if any(_has_shares(plan, one) for one in plan.tasks):
        said.append(
            f"Shares are expected ones of the samples, if the systems agree on {plan.agreement:.0%} "
            "of questions."
        )
    for name, what in (("max_tokens", "tokens"), ("max_cost", "USD")):
        cap = getattr(plan, name)
        if cap is not None:
            said.append(
                f"It ends at {cap:,.10g} {what} at the latest, as a declared last look."
            )
    said.append(
        "A fail of one task ends all."
        if plan.stop == "all" and len(plan.tasks) > 1 and plan.half_width is None
        else "Every task ends by itself."
        if len(plan.tasks) > 1
        else "What was begun is finished, also after the stop."
    )
    return blocks.Text("limits", "What this plan takes", " ".join(said))


def _has_shares(plan: LivePlan, task: LiveTask) -> bool:
    found = plan.forecast(task)
    return found is not None and math.isfinite(found.share_unchanged)


def _methods(plan: LivePlan) -> blocks.Methods:
    aim = (
        f"would end at the first planned prefix whose interval (Wilson's for one system, Tango's for a "
        f"difference of 0/1 scores, t otherwise) was at most ±{plan.half_width:g}"
        if plan.half_width is not None
        else f"would be compared with boundaries that spend α = {plan.alpha:g} (one-sided, {plan.family})"
        " at prefixes of a random order; unfinished samples counted against the claim"
    )
    return blocks.Methods(
        f"Before any answer was seen, a plan was frozen (SHA-256 {plan.fingerprint[:12]}…): the "
        f"evaluation {aim}.",
        ("hwang-etal-1990", "tango-1998", "jennison-turnbull-2000"),
    )


# --- A look ---


def show_live_look(look: LiveLook) -> Iterator[blocks.Block]:
    """Show where every task stands."""
    yield blocks.Verdict("info", _going(look), tuple(map(_standing, look.tasks)))
    columns = (
        blocks.Column("task", "task", "name", of=lambda one: one.task or "–"),
        blocks.Column("metric", "metric", "name", keep=2),
        blocks.Column("decision", "decision", "text", of=lambda one: _decision(one.decision)),
        blocks.Column("looks", "looks", "count"),
        blocks.Column("samples", "samples", "count"),
        blocks.Column("samples_planned", "planned", "count"),
        blocks.Column("ahead", "next look at", "count"),
    )
    yield blocks.table("tasks", "Tasks", columns, look.tasks)
    yield from blocks.notes(look.notes)


def say_live_look(look: LiveLook) -> str:
    """Say whether to go on, and where every task stands."""
    return "\n".join([_going(look), *map(_standing, look.tasks)])


def _going(look: LiveLook) -> str:
    return "Stop: nothing is left to decide." if look.decision == "stop" else "Go on."


def _standing(one: TaskLook) -> str:
    name = one.task or one.metric or "the task"
    if one.decision == "not run":
        return f"{name}: not run yet."
    where = f"{one.samples} of {count(one.samples_planned, 'sample')}"
    if one.decision != "continue":
        return f"{name}: {_decision(one.decision)} after {where} ({count(one.looks, 'look')})."
    futile = " Pass and fail have both become unlikely." if one.futile else ""
    ahead = "" if one.ahead is None else f"; the next look needs the first {one.ahead}"
    return f"{name}: goes on after {where}{ahead}.{futile}"


def _decision(decision: str) -> str:
    return _DECISIONS.get(decision, "ended with another task")


def show_live_history(history: LiveHistory) -> Iterator[blocks.Block]:
    """Show a plan with its looks so far."""
    first, *rest = _plan_lines(history.plan)
    yield blocks.Verdict("info", first, (*rest, _so_far(history)))
    yield _tasks(history.plan)
    if history.looks:
        columns = (
            blocks.Column("task", "task", "name", of=lambda one: one.task or "–"),
            blocks.Column("look", "look", "count"),
            blocks.Column("n", "questions", "count"),
            blocks.Column("t", "share", "share", digits=0),
            blocks.Column("unfinished", "unfinished", "count", short="open", keep=2),
            blocks.Column("z_pass", "z of a pass", digits=2, short="z pass"),
            blocks.Column("bound", "needed", digits=2),
            blocks.Column("z_fail", "z of a fail", digits=2, short="z fail"),
            blocks.Column(
                "bound_fail",
                "at most",
                digits=2,
                of=lambda one: None if one.bound_fail is None else -one.bound_fail,
            ),
            blocks.Column(
                "decision", "decision", "text", of=lambda one: _decision(one.decision)
            ),
            blocks.Column("time", "time", "text", keep=9),
        )
        note = (
            "" if history.plan.half_width is None else "z columns are the ends of the interval."
        )
        yield blocks.table("looks", "Looks", columns, history.looks, note=note)
    yield _methods(history.plan)


def say_live_history(history: LiveHistory) -> str:
    """Say the plan, then how far it is."""
    return "\n".join([*_plan_lines(history.plan), _so_far(history)])


def _so_far(history: LiveHistory) -> str:
    if not history.looks:
        return "Not looked at yet."
    return f"{count(len(history.looks), 'look')} so far."


# --- The conclusion ---


def show_live_conclusion(found: LiveConclusion) -> Iterator[blocks.Block]:
    """Show every verdict with its numbers over all looks."""
    said = [_ended(row) for row in found.tasks]
    asked = (f"Asked: {found.question}",) if found.question else ()
    headline = said[0] if len(said) == 1 else f"{_overall(found)}."
    detail = () if len(said) == 1 else tuple(said)
    yield blocks.Verdict(_STATUS[found.verdict], headline, (*asked, *detail))
    yield blocks.table("tasks", _title(found), _columns(found.tasks), found.tasks)
    yield from blocks.notes(found.notes)


def say_live_conclusion(found: LiveConclusion) -> str:
    """Say how every task ended, and the numbers behind it."""
    return "\n".join(
        line for row in found.tasks for line in (_ended(row), _numbers(row)) if line
    )


def _overall(found: LiveConclusion) -> str:
    who = f" against {found.baseline}" if found.baseline else ""
    named = [row.task or row.metric for row in found.tasks if row.verdict == found.verdict]
    return f"{found.verdict.capitalize()}{who} ({listing(named)})"


def _title(found: LiveConclusion) -> str:
    return "By all data" if not found.baseline else f"Against {found.baseline}, by all data"


def _ended(row: TaskConclusion) -> str:
    """Say how a task ended: ``arith fails: stopped at 30 of 120 questions (look 1), …``."""
    name = row.task or row.metric or "the task"
    unit = "question" if row.epochs == 1 else "sample"
    if row.look == 0:
        return f"{name} is open: no look took place, {row.logged} logged."
    at = f"stopped at {row.n} of {count(row.n_planned, unit)}"
    if row.n == row.n_planned:
        at = f"ran to its end, {count(row.n_planned, unit)}"
    left = f"{row.not_run} {'samples ' if unit == 'question' else ''}not run"
    return f"{name} {_VERBS[row.verdict]}: {at} (look {row.look}), {row.logged} logged, {left}."


def _numbers(row: TaskConclusion) -> str:
    if row.interval is None:
        return ""
    low, high = (
        number(end, digits=3, sign=not math.isnan(row.old))
        for end in (row.interval.low, row.interval.high)
    )
    what = (
        number(row.new, digits=3)
        if math.isnan(row.old)
        else number(row.difference, digits=3, sign=True)
    )
    p = "" if math.isnan(row.p_value) else f", p {_said_p(row.p_value)}"
    return f"{what} [{low}, {high}] at {row.interval.level:.0%}{p}, over all looks."


def _said_p(p: float) -> str:
    text = p_value(p)
    return text.replace("<", "< ") if text.startswith("<") else f"= {text}"


def _columns(rows: Sequence[TaskConclusion]) -> tuple[blocks.Column | None, ...]:
    two = any(not math.isnan(row.old) for row in rows)
    interval = blocks.Column(
        "interval",
        f"{rows[0].interval.level:.0%} interval" if rows and rows[0].interval else "interval",
        "interval",
        digits=3,
        sign=two,
    )
    return (
        blocks.Column("task", "task", "name", of=lambda row: row.task or "–"),
        blocks.Column("metric", "metric", "name", keep=2),
        blocks.Column("verdict", "verdict", "text"),
        blocks.Column("old", "old", digits=3, keep=3) if two else None,
        blocks.Column("new", "score" if not two else "new", digits=3, keep=1 if not two else 3),
        blocks.Column("difference", "difference", digits=3, sign=True, short="diff")
        if two
        else None,
        interval,
        blocks.Column("p_value", "p", "p", keep=2),
        blocks.Column("n", "decided at", "count", short="at"),
        blocks.Column("logged", "logged", "count"),
        blocks.Column("n_planned", "planned", "count"),
    )


# --- What was drawn ---


def show_subsample(made: Subsample) -> Iterator[blocks.Block]:
    """Show how many questions of every task were drawn, and which."""
    yield blocks.Verdict("info", say_subsample(made))
    rows = [
        (task, place, item)
        for task, items in made.tasks.items()
        for place, item in enumerate(items, start=1)
    ]
    columns = (
        blocks.Column("task", "task", "name", of=lambda row: row[0] or "–"),
        blocks.Column("place", "place", "count", of=lambda row: row[1]),
        blocks.Column("question", "question", "name", of=lambda row: row[2]),
    )
    yield blocks.table("questions", "Questions", columns, rows)
    yield from blocks.notes(made.notes)


def say_subsample(made: Subsample) -> str:
    """Say how many questions were drawn of which tasks."""
    parts = [
        f"{f'{task}: ' if task else ''}{len(items)} of {count(made.of[task], 'question')}"
        for task, items in made.tasks.items()
    ]
    block = "" if made.block is None else f", block {made.block[0]} of {made.block[1]}"
    return f"Drawn by seed {made.seed}{block}: {'; '.join(parts)}."
