"""The rows of a gate: every task under every metric, tested and decided."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from detectable.core.choices import GateRule
from detectable.inference.multiplicity import holm
from detectable.study.gate.evidence import Evidence
from detectable.study.gate.matching import Matched, MatchedTask
from detectable.study.gate.passable import detectable_loss, margin_passable, questions_needed
from detectable.study.gate.row import GateRow
from detectable.study.gate.rules import FEWEST_CLUSTERS, Outcome, decide


@dataclass(frozen=True, slots=True)
class Part:
    """A row before it is decided."""

    of: Matched
    task: MatchedTask
    margin: float
    watched: bool

    @property
    def sign(self) -> float:
        """−1 where lower is better."""
        return 1.0 if self.of.higher_is_better else -1.0

    def evidence(self) -> Evidence:
        """Return what its questions say."""
        return Evidence.of(
            self.task.new.means,
            self.task.old.means,
            clusters=self.task.clusters,
            answers=self.task.answers,
            zero_one=self.of.zero_one,
            sign=self.sign,
        )


def rows_of(
    parts: Sequence[Part], *, rule: GateRule, alpha: float, power: float
) -> tuple[GateRow, ...]:
    """Test every row, correct the losses over those that decide together, and decide."""
    found = [part.evidence() for part in parts]
    worse = np.array([one.p_below(0.0) for one in found])
    adjusted = np.empty_like(worse)
    watched = np.array([part.watched for part in parts])
    for family in (~watched, watched):  # those that only are watched must not cost the others
        adjusted[family] = holm(worse[family])
    return tuple(
        _row(part, one, float(p), float(corrected), rule=rule, alpha=alpha, power=power)
        for part, one, p, corrected in zip(parts, found, worse, adjusted, strict=True)
    )


def _row(
    part: Part,
    found: Evidence,
    p_worse: float,
    p_worse_adjusted: float,
    *,
    rule: GateRule,
    alpha: float,
    power: float,
) -> GateRow:
    given = not math.isnan(part.margin)
    p_margin = found.p_above(-part.margin) if given else math.nan
    passable = math.nan
    if rule == "non-inferiority":
        passable = margin_passable(found, alpha=alpha, power=power)
    elif rule == "no-regression":
        passable = detectable_loss(found, alpha=alpha, power=power)
    p_values = {
        "p_margin": p_margin,
        "p_better": found.p_above(0.0),
        "p_worse": p_worse,
        "p_worse_adjusted": p_worse_adjusted,
    }

    def decided(*, may_pass: bool) -> Outcome:
        return decide(
            rule, **p_values, could_see=passable <= part.margin, may_pass=may_pass, alpha=alpha
        )

    enough = found.n_clusters >= FEWEST_CLUSTERS
    return GateRow(
        task=part.task.task,
        metric=part.of.metric,
        old=float(part.task.old.means.mean()),
        new=float(part.task.new.means.mean()),
        difference=found.value,
        interval=found.interval(alpha),
        outcome=decided(may_pass=enough),
        margin=part.margin,
        margin_passable=passable,
        n_needed=questions_needed(found, part.margin, alpha=alpha, power=power)
        if given
        else None,
        watched=part.watched,
        **p_values,
        standard_error=found.standard_error,
        df=found.df,
        n_items=found.n_questions,
        n_clusters=found.n_clusters,
        samples_old=float(part.task.old.samples.mean()),
        samples_new=float(part.task.new.samples.mean()),
        method="t" if found.shares is None else "score",
        unchanged=found.unchanged,
        too_few=not enough and decided(may_pass=True) == "pass",
    )
