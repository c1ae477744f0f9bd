"""Plans, looks and conclusions as tables."""

import math

from detectable.core.result import to_json
from detectable.core.wording import interval, number, p_value
from detectable.report.table import Column, Table, to_csv
from detectable.study.monitoring.conclusion import Conclusion
from detectable.study.monitoring.look_result import Look, PairLook
from detectable.study.monitoring.plan import Plan
from detectable.study.monitoring.plan_history import PlanHistory

_CSV = (
    *("look", "time", "system", "baseline", "decision", "n_units", "judgments", "information"),
    *("estimate", "low", "high", "z", "z_bound", "futility_bound", "alpha_spent"),
    *("e_value", "e_needed"),
)


def boundaries_table(plan: Plan) -> Table | None:
    """Return the planned looks and their boundaries; None for anytime-valid plans."""
    if plan.anytime or plan.n_max is None:
        return None
    design = plan.design_at(plan.alpha / len(plan.pairs))
    rows = [
        (
            str(look),
            f"{t:.0%}",
            f"{math.ceil(t * plan.n_max - 1e-9):,}",
            _bound(z),
            _bound(futility),
            f"{spent:.4f}".lstrip("0"),
        )
        for look, (t, z, futility, spent) in enumerate(
            zip(
                design.information,
                design.z,
                design.futility,
                design.alpha_spent,
                strict=True,
            ),
            start=1,
        )
    ]
    return Table(
        f"Planned looks ({design.family_in_words()})",
        (
            Column("look"),
            Column("share"),
            Column(plan.unit_name),
            Column("stop at |z|"),
            Column("give up below"),
            Column("α spent"),
        ),
        tuple(rows),
    )


def look_table(look: Look) -> Table:
    """Return where every pair stands at one look."""
    return _pairs_table("Pairs", [(str(look.look), pair) for pair in look.pairs])


def history_table(history: PlanHistory) -> Table:
    """Return all pairs at all looks."""
    return _pairs_table("Looks", [(str(row.look), row.pair) for row in history.looks])


def conclusion_table(conclusion: Conclusion) -> Table:
    """Return verdict, p-value, estimate and interval of every pair."""
    rows = [
        (
            f"{pair.system} – {pair.baseline}",
            pair.verdict,
            str(pair.look),
            f"{pair.n_units:,}",
            number(pair.estimate, digits=3, sign=True),
            interval(pair.interval, digits=3, sign=True),
            p_value(pair.p_adjusted),
        )
        for pair in conclusion.pairs
    ]
    return Table(
        "Conclusion",
        (
            Column("pair", "left"),
            Column("verdict", "left"),
            Column("look"),
            Column("n"),
            Column("difference"),
            Column("interval"),
            Column("adjusted p"),
        ),
        tuple(rows),
    )


def history_csv(history: PlanHistory) -> str:
    """Return one row per pair and look with full precision, ready for a chart."""
    rows = []
    for row in history.looks:
        values = to_json(row)
        low, high = values["interval"] or (None, None)
        values |= {"low": low, "high": high}
        rows.append(tuple(values[name] for name in _CSV))
    return to_csv(_CSV, rows)


def _pairs_table(title: str, rows: list[tuple[str, PairLook]]) -> Table:
    return Table(
        title,
        (
            Column("look"),
            Column("pair", "left"),
            Column("n"),
            Column("difference"),
            Column("repeated interval"),
            Column("evidence"),
            Column("needed"),
            Column("decision", "left"),
        ),
        tuple(
            (
                look,
                f"{pair.system} – {pair.baseline}",
                f"{pair.n_units:,}",
                number(pair.estimate, digits=3, sign=True),
                interval(pair.interval, digits=2, sign=True),
                _evidence(pair),
                _needed(pair),
                pair.decision,
            )
            for look, pair in rows
        ),
    )


def _evidence(pair: PairLook) -> str:
    if pair.e_value is not None:
        return f"E {pair.e_value:.3g}"
    return f"z {number(pair.z, digits=3, sign=True)}"


def _needed(pair: PairLook) -> str:
    if pair.e_needed is not None:
        return f"{pair.e_needed:.3g}"
    return _bound(pair.z_bound)


def _bound(value: float | None) -> str:
    return "–" if value is None or math.isinf(value) else f"{value:.3f}"
