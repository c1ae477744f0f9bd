r"""One row for all tasks: the weighted mean of their differences, with the interval of MOVER.

Each task t has a difference :math:`d_t` and limits :math:`l_t, h_t` of its own method. With weights
w that add up to 1 (macro: all tasks alike; micro: by questions) the limits of :math:`\sum w_t d_t` are [1]_

.. math::

    L = \sum w_t d_t - \sqrt{\textstyle\sum w_t^2 (d_t - l_t)^2}, \qquad
    U = \sum w_t d_t + \sqrt{\textstyle\sum w_t^2 (h_t - d_t)^2},

tasks being independent. A p-value is the level at which a limit reaches the bound. Satterthwaite's t
passes a loss of the margin in up to 10 % where few answers differ; this does so in 5 % (docs/calibration.md).

References
----------
.. [1] Zou and Donner (2008), "Construction of confidence limits about effect measures: a general
   approach", Statistics in Medicine 27(10), 1693–1702.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from detectable.core.choices import GateRule, Overall
from detectable.core.errors import InputError
from detectable.core.interval import Interval
from detectable.core.wording import listing
from detectable.kernels.roots import bracketed_root
from detectable.study.gate.evidence import Evidence
from detectable.study.gate.result import FEWEST_CLUSTERS, GateRow, decide
from detectable.study.gate.rows import Part, as_shown

NAME = "overall"  # of its margin, and of its metric where tasks have several
_LEAST, _MOST = 1e-9, 0.5 - 1e-9  # levels


@dataclass(frozen=True, slots=True)
class Mean:
    """A weighted mean of the differences of tasks, turned so that higher is better."""

    parts: tuple[Evidence, ...]
    weights: tuple[float, ...]

    @property
    def value(self) -> float:
        """The mean difference."""
        return math.fsum(w * one.value for w, one in zip(self.weights, self.parts, strict=True))

    @property
    def speaks(self) -> bool:
        """Whether every task says something."""
        return all(one.speaks for one in self.parts)

    def interval(self, alpha: float) -> Interval:
        """Return the limits at one-sided levels of α."""
        if not self.speaks:
            return Interval(math.nan, math.nan, 1.0 - 2.0 * alpha)
        down = up = 0.0
        for weight, one in zip(self.weights, self.parts, strict=True):
            found = one.score.interval(alpha)
            down += (weight * (one.value - found.low)) ** 2
            up += (weight * (found.high - one.value)) ** 2
        value = self.value
        return Interval(value - math.sqrt(down), value + math.sqrt(up), 1.0 - 2.0 * alpha)

    def p_above(self, bound: float) -> float:
        """Return the p-value of “the true mean is at most `bound`”."""
        return self._p(bound, 1.0)

    def p_below(self, bound: float) -> float:
        """Return the p-value of “the true mean is at least `bound`”."""
        return self._p(bound, -1.0)

    def _p(self, bound: float, side: float) -> float:
        """Return the level at which the limit on one side reaches the bound.

        The limits at a level above one half are those of the other side at what is left of it.
        """
        if not self.speaks:
            return 1.0
        away = side * (self.value - bound)
        if away == 0.0:
            return 0.5

        def short(level: float) -> float:
            found = self.interval(level)
            low = found.low if (side > 0.0) == (away > 0.0) else found.high
            return abs(self.value - low) - abs(away)

        if short(_LEAST) <= 0.0:
            level = _LEAST
        elif short(_MOST) >= 0.0:
            level = 0.5
        else:
            level = math.exp(
                bracketed_root(lambda x: short(math.exp(x)), math.log(_LEAST), math.log(_MOST))
            )
        return level if away > 0.0 else 1.0 - level

    def passable(self, each: Sequence[float]) -> float:
        """Return about which margin an unchanged system passes, from those of the tasks."""
        return math.sqrt(
            math.fsum((w * m) ** 2 for w, m in zip(self.weights, each, strict=True))
        )


def overall_row(
    parts: Sequence[Part],
    rows: Sequence[GateRow],
    *,
    how: Overall,
    margins: Mapping[str, float],
    rule: GateRule,
    alpha: float,
    watched: bool,
) -> GateRow:
    """Return the row of all tasks that decide by an absolute margin, each by one metric.

    Parameters
    ----------
    parts, rows
        Tasks under metrics, before they are decided and after.
    how : {'macro', 'micro'}
        All tasks alike, or by questions.
    margins : mapping
        Of metrics, and of the mean under “overall”, where theirs differ.
    watched : bool
        Whether it is only shown.
    """
    chosen = [
        (part, row)
        for part, row in zip(parts, rows, strict=True)
        if not part.watched and not part.relative
    ]
    _check(chosen)
    found = [part.evidence() for part, _ in chosen]
    sizes = np.ones(len(chosen)) if how == "macro" else np.array([row.n for _, row in chosen])
    weights = tuple((sizes / sizes.sum()).tolist())
    mean = Mean(tuple(one for one in found if isinstance(one, Evidence)), weights)
    margin = _margin(chosen, margins) if rule != "superiority" else math.nan
    given = not math.isnan(margin)
    p_margin = mean.p_above(-margin) if given else math.nan
    p_better, p_worse = mean.p_above(0.0), mean.p_below(0.0)
    clusters = min(one.n_clusters for one in found)
    each = [row.margin_passable for _, row in chosen]
    passable = math.nan if rule == "superiority" else mean.passable(each)
    n = sum(row.n for _, row in chosen)
    sign = chosen[0][0].sign
    metrics = list(dict.fromkeys(row.metric for _, row in chosen))

    def weighted(name: str) -> float:
        return math.fsum(
            w * getattr(row, name) for w, (_, row) in zip(weights, chosen, strict=True)
        )

    def decided(*, may_pass: bool) -> GateRow:
        outcome = decide(
            rule,
            p_margin=p_margin,
            p_better=p_better,
            p_worse=p_worse,
            p_worse_adjusted=p_worse,
            could_see=passable <= margin,
            may_pass=may_pass,
            alpha=alpha,
        )
        interval = mean.interval(alpha)
        return GateRow(
            part=f"{how} mean",
            measure=metrics[0] if len(metrics) == 1 else NAME,
            old=weighted("old"),
            new=weighted("new"),
            difference=sign * mean.value,
            interval=as_shown(interval, sign),
            higher_is_better=sign > 0.0,
            outcome=outcome,
            margin=margin,
            mde=passable,
            units_needed=_needed(n, passable, margin),
            watched=watched,
            p_margin=p_margin,
            p_better=p_better,
            p_value=p_worse,
            p_adjusted=p_worse,
            standard_error=math.sqrt(
                math.fsum(
                    (w * row.standard_error) ** 2
                    for w, (_, row) in zip(weights, chosen, strict=True)
                )
            ),
            df=math.inf,
            n=n,
            n_clusters=clusters,
            samples_old=weighted("samples_old"),
            samples_new=weighted("samples_new"),
            method="mover",
            unchanged=all(one.unchanged for one in found),
            p_inferior=mean.p_below(-margin) if given else math.nan,
            too_few=False,
        )

    enough = clusters >= FEWEST_CLUSTERS
    row = decided(may_pass=enough)
    if enough or decided(may_pass=True).outcome != "pass":
        return row
    return replace(row, too_few=True)


def _check(chosen: Sequence[tuple[Part, GateRow]]) -> None:
    """Refuse rows whose mean says nothing."""
    if not chosen:
        raise InputError("`overall` needs tasks that decide by an absolute margin; none does.")
    named = [row.task for _, row in chosen]
    twice = [task for task in dict.fromkeys(named) if named.count(task) > 1]
    if twice:
        metrics = [row.metric for _, row in chosen if row.task == twice[0]]
        raise InputError(
            f"`overall` takes every task by one metric; {twice[0]} is gated by {listing(metrics)}. "
            f"Watch all but one: `watch={metrics[-1]!r}`."
        )
    ways = {part.sign for part, _ in chosen}
    if len(ways) > 1:
        raise InputError(
            "`overall` takes the mean of metrics that go the same way, and here some go up and some "
            "down. Watch the others."
        )
    tops = [max(abs(row.old), abs(row.new)) <= 1.0 for _, row in chosen]
    if len({row.metric for _, row in chosen}) > 1 and not all(tops) and any(tops):
        raise InputError(
            "`overall` takes the mean of metrics on one scale, and here some stay within 1 and "
            "others do not. Watch the others."
        )


def _margin(chosen: Sequence[tuple[Part, GateRow]], margins: Mapping[str, float]) -> float:
    if NAME in margins:
        return margins[NAME]
    own = {row.margin for _, row in chosen}
    if len(own) == 1:
        return own.pop()
    raise InputError(
        f"`overall` needs a margin of its own where those of the tasks differ: `margin={NAME}=…`."
    )


def _needed(n: int, passable: float, margin: float) -> int | None:
    if math.isnan(passable) or math.isnan(margin):
        return None
    return max(2, math.ceil(n * (passable / margin) ** 2))
