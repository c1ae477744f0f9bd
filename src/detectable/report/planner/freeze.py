"""Freeze what was chosen on the planner as a plan that looks will follow."""

import re
from collections.abc import Sequence
from pathlib import Path

from detectable.core.errors import InputError
from detectable.report.planner.chosen import Chosen
from detectable.study.monitoring.plan import Plan
from detectable.study.monitoring.plan import plan as make_plan

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}")


def can_freeze(chosen: Chosen) -> bool:
    """Say whether looks know the test of a scenario."""
    return chosen.form.plan is not None


def freeze(
    folder: Path, chosen: Chosen, *, name: str, systems: Sequence[str], question: str = ""
) -> Plan:
    """Write a plan file into a folder; one that exists is never overwritten.

    Parameters
    ----------
    folder : Path
        Where it goes.
    chosen : Chosen
        The design.
    name : str
        Of the file, without an ending; letters, digits, dashes and underscores.
    systems : sequence of str
        The system, and the baseline that it is compared with.
    question : str
        What it is for.
    """
    if chosen.form.plan is None:
        raise InputError(
            f"the scenario {chosen.form.name} cannot be frozen as a plan: looks test judgments, "
            "not corpus metrics or arenas."
        )
    if not _NAME.fullmatch(name):
        raise InputError(
            "`name` must be 1 to 64 letters, digits, dashes or underscores, and begin with a "
            f"letter or digit; got {name[:80]!r}."
        )
    values = chosen.values
    design: dict[str, object] = {"power": values["power"]}
    if chosen.form.sided(values) > 0 and int(values["looks"]) > 1:
        design |= {"looks": values["looks"], "family": values["family"]}
    price = float(values["price"])
    return make_plan(
        folder / f"{name}.json",
        systems=list(systems),
        baseline=systems[-1],
        n_max=int(values["n_items"]),
        question=question,
        alpha=float(values["alpha"]),
        cost_per_judgment=price if price > 0.0 else None,
        **chosen.form.plan(values),
        **design,  # type: ignore[arg-type]
    )
