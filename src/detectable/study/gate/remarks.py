"""What a gate says besides its rows: which way scores go, few groups, and how to repeat it."""

from collections.abc import Mapping, Sequence

from detectable.core.choices import GateRule
from detectable.core.result import Signature
from detectable.core.wording import count, listing
from detectable.study.gate.baseline import Baseline
from detectable.study.gate.row import GateRow
from detectable.study.gate.rules import FEW_CLUSTERS

_DIGEST = 12  # characters of a hash that a person compares


def direction_notes(new: Baseline) -> list[str]:
    """Say which way scores were taken, unless higher is plainly better."""
    lower = [
        f"{one.metric}: lower is better." for one in new.tallies if not one.higher_is_better
    ]
    guessed = [
        f"{one.metric}: higher is taken to be better, as the name does not tell. If lower is "
        f"better, say so (--lower-is-better {one.metric}, lower_is_better=[{one.metric!r}])."
        for one in new.tallies
        if one.is_guess
    ]
    return [*lower, *guessed]


def few_notes(rows: Sequence[GateRow], n_metrics: int) -> list[str]:
    """Warn of rows with few independent groups of questions."""
    few = [row for row in rows if row.n_clusters < FEW_CLUSTERS]
    if not few:
        return []
    named = listing([row.task if n_metrics == 1 else row.name for row in few])
    least = min(row.n_clusters for row in few)
    return [
        f"Fewer than {FEW_CLUSTERS} independent groups of questions ({named}: "
        f"{count(least, 'group')}{' at least' if len(few) > 1 else ''}): error rates are rough there."
    ]


def gate_signature(
    baseline_sha256: str,
    rows: Sequence[GateRow],
    margins: Mapping[str, float],
    *,
    rule: GateRule,
    alpha: float,
    seed: str | None,
) -> Signature:
    """Return the recipe of a gate."""
    settings: dict[str, str | int | float] = {
        "metrics": ",".join(dict.fromkeys(row.metric for row in rows)),
        "rule": rule,
    }
    if margins:
        values = [f"{value:g}" for value in margins.values()]
        settings["margin"] = values[0] if len(set(values)) == 1 else ",".join(values)
    first = [row for row in rows if row.metric == rows[0].metric]
    samples = sorted({round(row.samples_new, 2) for row in first})
    settings |= {
        "alpha": float(f"{alpha:.6g}"),
        "n": sum(row.n_items for row in first),
        "groups": sum(row.n_clusters for row in first),
        "k": f"{samples[0]:g}" if len(samples) == 1 else f"{samples[0]:g}-{samples[-1]:g}",
        "baseline": baseline_sha256[:_DIGEST],
    }
    return Signature("gate", settings, seed)
