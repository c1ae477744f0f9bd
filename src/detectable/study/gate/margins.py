"""The margins of a gate: one for every metric that decides, on the scale of its scores."""

from collections.abc import Mapping, Sequence

from detectable.core import check
from detectable.core.choices import GateRule
from detectable.core.errors import InputError
from detectable.core.wording import listing


def margins_of(
    margin: float | Mapping[str, float] | None,
    metrics: Sequence[str],
    *,
    rule: GateRule,
    watch: Sequence[str],
) -> dict[str, float]:
    """Return the margin of every metric that has one, and refuse those that lack one.

    Metrics that are only watched may have none.
    """
    if rule == "superiority":
        if margin is not None:
            raise InputError("`margin` has no effect on superiority. Drop it.")
        return {}
    if margin is None:
        raise InputError(
            f"the rule {rule!r} needs `margin`: the loss that you would mind, as in "
            f"{metrics[0]}=0.05. There is no default, for only you know it."
        )
    if isinstance(margin, Mapping):
        given = {_known(name, metrics): value for name, value in margin.items()}
    else:
        given = dict.fromkeys(metrics, margin)
    found = {name: check.positive(value, "margin") for name, value in given.items()}
    lacking = [name for name in metrics if name not in found and name not in watch]
    if lacking:
        raise InputError(
            f"`margin` lacks {listing(lacking)}. Give every metric that decides its own, or only "
            "watch it."
        )
    return found


def _known(name: str, metrics: Sequence[str]) -> str:
    for metric in metrics:
        if metric.casefold() == name.casefold():
            return metric
    raise InputError(f"`margin` must be for one of {listing(list(metrics))}; got {name!r}.")


def check_scale(metric: str, margin: float | None, *, zero_one: bool) -> None:
    """Refuse a margin in points of percent for scores of 0 and 1."""
    if zero_one and margin is not None and margin >= 1.0:
        raise InputError(
            f"`margin` of {metric} must lie between 0 and 1, for its scores are 0 and 1; got "
            f"{margin:g}. Two points of percent are 0.02."
        )
