"""The rows of a gate: every task under every metric, with its margin, tested and decided."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np

from detectable.contrasts.contrast import Family
from detectable.contrasts.margins import UNKNOWN, KnownRange
from detectable.core import check
from detectable.core.choices import GateRule
from detectable.core.errors import InputError
from detectable.core.interval import Interval
from detectable.core.wording import count, listing
from detectable.inference.margin_score import MarginKind
from detectable.inference.shares import PairedShares, score_variance
from detectable.inference.standard_errors import agreeing_interval
from detectable.kernels.distributions import normal_quantile, t_quantile
from detectable.kernels.roots import bracketed_root
from detectable.study.gate.evidence import Evidence
from detectable.study.gate.matching import Matched, MatchedTask
from detectable.study.gate.relative import TOP_SHARE, RelativeEvidence
from detectable.study.gate.result import FEW_CLUSTERS, FEWEST_CLUSTERS, GateRow, Outcome, decide
from detectable.study.gate.stopped import StoppedRun

GivenMargin: TypeAlias = float | str  # 0.05, or "10%" of the old score


@dataclass(frozen=True, slots=True)
class Part:
    """A row before it is decided."""

    of: Matched
    task: MatchedTask
    margin: float
    watched: bool
    known: KnownRange = UNKNOWN
    kind: MarginKind | None = None
    relative: bool = False  # whether the margin is a share of the old score
    slice: str = ""  # the kind of question that these are, of all of the task
    stopped: StoppedRun | None = None

    @property
    def untested(self) -> bool:
        """Whether there are too few questions of this kind for a verdict."""
        return bool(self.slice) and len(self.task.new.items) < FEWEST_CLUSTERS

    @property
    def is_grouped(self) -> bool:
        """Whether some questions depend on each other."""
        codes = self.task.clusters
        return codes is not None and np.unique(codes).size < codes.size

    @property
    def sign(self) -> float:
        """−1 where lower is better."""
        return 1.0 if self.of.higher_is_better else -1.0

    def evidence(self) -> "Evidence | RelativeEvidence":
        """Return what its questions say, over all looks where a plan stopped it."""
        if self.relative:
            return RelativeEvidence.of(
                self.task.new.means,
                self.task.old.means,
                self.task.clusters,
                self.sign,
                f"{self.of.metric} on {self.task.task}",
            )
        found = Evidence.of(
            self.task.new.means,
            self.task.old.means,
            clusters=self.task.clusters,
            answers=self.task.answers,
            zero_one=self.of.zero_one,
            sign=self.sign,
            known=self.known,
            kind=self.kind,
        )
        if self.stopped is None:
            return found
        adjusted = self.stopped.adjusted(found, self.of.metric)
        # Looks took all questions of the task, and each by itself.
        own = not self.slice and not self.is_grouped
        return adjusted if own else replace(adjusted, decides=False)


def rows_of(
    parts: Sequence[Part], *, rule: GateRule, alpha: float, power: float
) -> tuple[GateRow, ...]:
    """Test every row, correct the losses over those that decide together, and decide."""
    found = [part.evidence() for part in parts]
    worse = np.array([one.p_below(0.0) for one in found])
    beyond = np.array(
        [
            math.nan if math.isnan(part.margin) else one.p_below(-part.margin)
            for part, one in zip(parts, found, strict=True)
        ]
    )
    adjusted, corrected = np.empty_like(worse), np.empty_like(beyond)
    watched, family = (
        np.array([part.watched for part in parts], dtype=bool),
        Family(alpha=alpha),
    )
    untested = np.array([part.untested for part in parts], dtype=bool)
    # Those that only are watched must not cost the others.
    for rows in (~watched & ~untested, watched & ~untested, untested):
        adjusted[rows] = family.adjusted(worse[rows])
        corrected[rows] = family.adjusted(beyond[rows])
    losses = zip(worse.tolist(), adjusted.tolist(), corrected.tolist(), strict=True)
    return tuple(
        _row(part, one, *loss, rule=rule, alpha=alpha, power=power)
        for part, one, loss in zip(parts, found, losses, strict=True)
    )


def _row(
    part: Part,
    found: "Evidence | RelativeEvidence",
    p_worse: float,
    p_worse_adjusted: float,
    p_inferior: float,
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

    interval = found.interval(alpha)
    if (
        found.value < 0.0
    ):  # the end next to 0, or to the margin, says what corrected p-values say
        lost = p_worse_adjusted <= alpha
        interval = agreeing_interval(interval, found.value, rejected=lost)
    if found.value < -part.margin:
        beyond = p_inferior <= alpha
        interval = agreeing_interval(interval, found.value, rejected=beyond, bound=-part.margin)
    enough = found.n_clusters >= FEWEST_CLUSTERS
    top = found.top_share(part.margin) if isinstance(found, RelativeEvidence) else math.nan
    trusted = not top > TOP_SHARE
    return GateRow(
        part=part.task.task,
        measure=part.of.metric,
        old=float(part.task.old.means.mean()),
        new=float(part.task.new.means.mean()),
        difference=part.sign * found.value,
        interval=as_shown(interval, part.sign),
        higher_is_better=part.of.higher_is_better,
        outcome="inconclusive" if part.untested else decided(may_pass=enough and trusted),
        margin=part.margin,
        mde=passable,
        units_needed=questions_needed(found, part.margin, alpha=alpha, power=power)
        if given
        else None,
        watched=part.watched or part.untested,
        p_margin=p_margin,
        p_better=p_values["p_better"],
        p_value=p_worse,
        p_adjusted=p_worse_adjusted,
        standard_error=found.standard_error,
        df=found.df,
        n=found.n_questions,
        n_clusters=found.n_clusters,
        samples_old=float(part.task.old.samples.mean()),
        samples_new=float(part.task.new.samples.mean()),
        method="score",
        unchanged=found.unchanged,
        p_inferior=p_inferior,
        kind=found.score.kind,
        reach=found.score.reach,
        largest_change=found.score.largest,
        too_few=not enough and decided(may_pass=True) == "pass",
        slice=part.slice,
        relative=part.relative,
        top_share=top,
    )


def slices_of(
    parts: Sequence[Part], key: str, *, watched: bool
) -> tuple[list[Part], list[str]]:
    """Return a row for every slice of every task, and notes.

    Tasks without slices have none, which the notes say.
    """
    found, lacking = [], []
    for part in parts:
        if part.watched:
            continue
        task = part.task
        kinds = task.new.slices if task.new.slices is not None else task.old.slices
        if kinds is None:
            lacking.append(task.task)
            continue
        for value in sorted(set(kinds)):
            places = [place for place, kind in enumerate(kinds) if kind == value]
            own = task.take(f"{task.task} ({value})", places)
            kind = part.kind or part.evidence().score.kind  # as of the whole task
            found.append(replace(part, task=own, watched=watched, slice=value, kind=kind))
    if not found:
        raise InputError(f"no question is known by {key!r}, so there is nothing to slice by.")
    notes = [f"{listing(lacking)}: nothing is known by {key!r}."] if lacking else []
    return found, notes


def as_shown(interval: Interval, sign: float) -> Interval:
    """Return the interval of new − old, whichever way is better."""
    if sign > 0.0:
        return interval
    return Interval(-interval.high, -interval.low, interval.level)


# --- The margins of a gate: one for every metric that decides, on the scale of its scores ---


def margins_of(
    margin: "GivenMargin | Mapping[str, GivenMargin] | None",
    metrics: Sequence[str],
    *,
    rule: GateRule,
    watch: Sequence[str],
    besides: Sequence[str] = (),
) -> tuple[dict[str, float], frozenset[str]]:
    """Return the margin of every metric that has one, and which of them are shares of the old score.

    Metrics that are only watched may have none; others are refused without one, and so is one
    number for several. `besides` names what may have a margin and is no metric.
    """
    if rule == "superiority":
        if margin is not None:
            raise InputError("`margin` has no effect on superiority. Drop it.")
        return {}, frozenset()
    if margin is None:
        raise InputError(
            f"the rule {rule!r} needs `margin`: the loss that you would mind, as in "
            f"{metrics[0]}=0.05. There is no default, for only you know it."
        )
    if isinstance(margin, Mapping):
        given = {_known(name, (*metrics, *besides)): value for name, value in margin.items()}
    else:
        deciding = [name for name in metrics if name not in watch]
        _share_or_loss(margin)
        if len(deciding) > 1:
            raise InputError(one_for_several(margin, deciding))
        given = dict.fromkeys(metrics, margin)
    found = {name: _share_or_loss(value) for name, value in given.items()}
    lacking = [name for name in metrics if name not in found and name not in watch]
    if lacking:
        raise InputError(
            f"`margin` lacks {listing(lacking)}. Give every metric that decides its own, or only "
            "watch it."
        )
    shares = frozenset(name for name, (_, relative) in found.items() if relative)
    return {name: value for name, (value, _) in found.items()}, shares


def one_for_several(margin: "GivenMargin | None", metrics: Sequence[str]) -> str:
    """Say that one margin cannot serve several metrics, with what to type instead."""
    each = ", ".join(f"{name!r}: {margin!r}" for name in metrics)
    return (
        f"`margin` is one number for {listing(list(metrics), most=20)}, and each metric has a scale "
        f"of its own. Give each its margin: `margin={{{each}}}`."
    )


def _share_or_loss(margin: "GivenMargin") -> tuple[float, bool]:
    """Return a margin, and whether it is a share of the old score, as in ``10%``.

    Examples
    --------
    >>> _share_or_loss("10%"), _share_or_loss(0.05)
    ((0.1, True), (0.05, False))
    """
    if not isinstance(margin, str):
        return check.positive(margin, "margin"), False
    try:
        share = float(margin.removesuffix("%")) / 100.0 if margin.endswith("%") else math.nan
    except ValueError:
        share = math.nan
    if not 0.0 < share < 1.0:
        raise InputError(
            f"`margin` must be a number, or a share of the old score such as '10%', below 100%; got "
            f"{margin!r}."
        )
    return share, True


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


# --- Which margin a gate can pass, and how many questions a margin needs ---
#
# If nothing changed, the difference is 0 with the spread that was observed. Which margin then passes
# with the given power, `MarginScore.passable` says; for counts of answers the same stands here. With
# N effective pairs of answers of which a share π is discordant, M solves
#
# .. math:: N M = t_{1-\alpha} \sqrt{V(-M)} + t_{\text{power}} \sqrt{N \pi},
#
# V(−M) being the variance that the score test takes at the margin. The numbers of questions follow from the
# same equations, with normal quantiles for the large evaluation that is asked for, and with the design
# effect that so many clusters would have.
#
# References
# ----------
# Nam (1997), "Establishing equivalence of two treatments and sample size requirements in
# matched-pairs design", Biometrics 53(4), 1422–1430.

_TOO_MANY = 1e12  # questions
_ROUNDING = 1e-9  # of a number of questions that is whole but for it


def margin_passable(
    found: "Evidence | RelativeEvidence", *, alpha: float, power: float
) -> float:
    """Return the smallest margin that an unchanged system passes with this power.

    NaN where nothing follows from the data.
    """
    if not found.speaks:
        return math.nan
    if isinstance(found, RelativeEvidence):
        return found.passable(alpha, power)
    quantiles = t_quantile(1.0 - alpha, found.df), t_quantile(power, found.df)
    if found.shares is None:
        return found.score.passable(alpha, power)
    n, half = _symmetric(found.shares)

    def lacking(margin: float) -> float:
        return _spent(n, half, margin, *quantiles) - n * margin

    least = 1.0 if lacking(1.0) >= 0.0 else bracketed_root(lacking, 0.0, 1.0)
    return min(max(least, _three(found, alpha)), 1.0)  # shares differ by 1 at most


def questions_needed(
    found: "Evidence | RelativeEvidence", margin: float, *, alpha: float, power: float
) -> int | None:
    """Return how many questions like these let an unchanged system pass `margin`.

    None where nothing follows from the data, or where it would take more than anybody has.
    """
    if not found.speaks:
        return None
    quantiles = normal_quantile(1.0 - alpha), normal_quantile(power)
    if isinstance(found, RelativeEvidence):
        growth = found.growth(margin, alpha, power)
    elif found.shares is None:
        score = found.score
        spent = quantiles[0] * math.sqrt(score.variance_at(margin))
        spent += quantiles[1] * math.sqrt(score.variance_at(0.0))
        growth = (spent / margin) ** 2 / score.worth
        if score.unchanged:
            growth = max(growth, -math.log(alpha) / score.n_units * score.reach / margin)
    elif margin >= 1.0:
        growth = 0.0
    else:
        share = 0.5 * (found.shares.fixed + found.shares.broken) / found.shares.n
        pairs = (_spent(1.0, share, margin, *quantiles) / margin) ** 2
        growth = max(_growth(found, found.shares, pairs), _three(found, alpha) / margin)
    needed = growth * found.n_questions
    return None if needed > _TOO_MANY else max(2, math.ceil(needed - _ROUNDING))


def _growth(found: Evidence, shares: PairedShares, pairs: float) -> float:
    """Return how many times as many questions are worth so many pairs of answers.

    With few clusters the design effect is drawn towards whole dependence; with more it is not.
    """
    n, s = float(found.n_questions), found.typical
    if found.is_exact:
        return pairs / n
    spread = (found.estimate.standard_error * n) ** 2
    independent = n * ((shares.fixed + shares.broken) / shares.n - shares.value**2)

    def lacking(log_growth: float) -> float:
        growth = math.exp(log_growth)
        worth = growth * n * (growth * independent + s) / (growth * spread + s**2)
        return min(max(worth, growth * n / s), growth * shares.n) - pairs

    # Between no dependence and whole dependence; a little beyond, for rounding at the ends.
    low, high = math.log(pairs / shares.n) - _ROUNDING, math.log(pairs * s / n) + _ROUNDING
    return math.exp(bracketed_root(lacking, low, high))


def detectable_loss(
    found: "Evidence | RelativeEvidence", *, alpha: float, power: float
) -> float:
    """Return the smallest loss that the test of “there is a loss” finds with this power."""
    if not found.speaks:
        return math.nan
    if isinstance(found, RelativeEvidence):
        return found.passable(alpha, power)
    if found.shares is None:
        return found.score.passable(alpha, power)  # zero is as far from it as −M from zero
    from detectable.inference.swap_power import detectable_share

    n = max(1, round(found.shares.n / found.shares.design_effect))
    share = (found.shares.fixed + found.shares.broken) / found.shares.n
    return detectable_share(n, round(share * n), level=2.0 * alpha, power=power)


def _symmetric(shares: PairedShares) -> tuple[float, float]:
    """Return the effective pairs, and how many are won, and lost, if nothing changed."""
    n = shares.n / shares.design_effect
    return n, 0.5 * (shares.fixed + shares.broken) / shares.design_effect


def _spent(n: float, half: float, margin: float, alpha_t: float, power_t: float) -> float:
    at_margin = float(score_variance(half, half, n, -margin))
    return alpha_t * math.sqrt(at_margin) + power_t * math.sqrt(2.0 * half)


def _three(found: Evidence, alpha: float) -> float:
    return -math.log(alpha) / found.n_clusters if found.unchanged else 0.0


def tail_notes(rows: Sequence[GateRow], alpha: float) -> list[str]:
    """Say of which rows a pass is not trusted, as one question holds too much of the spread."""
    barred = [row for row in rows if row.top_share > TOP_SHARE and row.p_margin <= alpha]
    if not barred:
        return []
    named = listing([f"{row.name} ({row.top_share:.0%})" for row in barred])
    return [
        f"One question holds more than a fifth of the spread, so a pass is not trusted: {named}."
    ]


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
