"""A judge beside a few labels: coverage, the test of unequal bias, and what plans of labels find."""

import math
from dataclasses import dataclass

import numpy as np

from detectable.core.errors import DataError
from detectable.core.types import FloatArray
from detectable.data.human.judgments import Judgments
from detectable.inference.control_variate import control_variate
from detectable.kernels.distributions import normal_quantile, t_quantile
from detectable.study.precision.control_variates import control_variates
from detectable.study.precision.judge_agreement import judge_agreement
from detectable.study.precision.label_plan import labels
from detectable.study.precision.rogan_gladen import CorrectedShare, rogan_gladen
from tests.calibration.effort import ALPHA, LEVEL, POWER, Effort, Rates

POOL = 400
WITH_JUDGES, LABELS_ALONE = "`control_variates`", "labels alone"
JUDGES_ALONE = "judges alone, as if they were right"
ROGAN_GLADEN, WALD = "`rogan_gladen`", "the same with ± 1.96 standard errors"
BOOTSTRAP = "a bootstrap over labels and items"
SHARE_ALONE = "the judge's share alone"
PAIRED, UNPAIRED = "`judge_agreement`, paired", "unpaired"
PLANNED, BY_NORMAL = "`labels`", "by normal quantiles, slope known"

Answers = dict[str, dict[str, float]]


@dataclass(frozen=True, slots=True)
class Judged:
    """People's scores are the sum of what each judge sees, and noise; every judge is biased."""

    n_judges: int
    n_labels: int

    @property
    def label(self) -> str:
        several = "judge" if self.n_judges == 1 else "judges"
        return f"{self.n_judges} {several}, {self.n_labels} labels"

    def draw(self, rng: np.random.Generator) -> tuple[Judgments, list[Answers]]:
        """Return labels of a few items drawn at random, whose true mean is 0, and all judges."""
        seen = rng.normal(size=(self.n_judges, POOL))
        human = seen.sum(axis=0) + rng.normal(size=POOL)
        chosen = rng.permutation(POOL)[: self.n_labels]
        table = {
            "system": ["A"] * chosen.size,
            "item": chosen.astype(str),
            "score": human[chosen],
        }
        tables = [{"A": {str(i): float(x) + 0.3 for i, x in enumerate(f)}} for f in seen]
        return Judgments.build(table, scale=(-99, 99)), tables


def _covers(world: Judged, rng: np.random.Generator) -> FloatArray:
    human, judges = world.draw(rng)
    [row] = control_variates(human, judge=judges).systems
    mean = np.mean([list(one["A"].values()) for one in judges], axis=0)
    half = normal_quantile(0.5 + 0.5 * LEVEL) * float(mean.std(ddof=1)) / math.sqrt(POOL)
    wide = t_quantile(0.5 + 0.5 * LEVEL, row.n_items - 1.0) * row.plain_standard_error
    held = (0.0 in row.interval, abs(row.plain_mean) <= wide, abs(float(mean.mean())) <= half)
    return np.array(held, dtype=float)


def coverage(effort: Effort) -> Rates:
    """95 % intervals of a mean with one judge and several."""
    worlds = (Judged(1, 40), Judged(2, 40), Judged(3, 40), Judged(2, 200))
    shares = [effort.repeat(_covers, w, f"judged {w.label}").mean(axis=0) for w in worlds]
    return Rates(
        f"95 % interval of a mean, {POOL} items, judges biased by .3",
        (WITH_JUDGES, LABELS_ALONE, JUDGES_ALONE),
        tuple(world.label for world in worlds),
        np.column_stack(shares),
        effort.trials,
        LEVEL,
        "coverage",
    )


@dataclass(frozen=True, slots=True)
class Elsewhere:
    """A judge of 0/1 whose errors were counted on labels of another data set."""

    n_labels: int
    sensitivity: float = 0.9
    specificity: float = 0.8
    share: float = 0.5
    pool: int = 1000
    specificity_here: float | None = None  # None: as where the labels are

    def draw(self, rng: np.random.Generator) -> tuple[Judgments, Answers, Answers]:
        """Return labels and the judge there, and the judge here."""

        def answers(truth: FloatArray, specificity: float) -> FloatArray:
            u = rng.random(truth.size)
            yes = np.where(truth == 1.0, u < self.sensitivity, u >= specificity)
            return yes.astype(float)

        n = self.n_labels
        human = (rng.random(n) < 0.6).astype(float)
        pool = (rng.random(self.pool) < self.share).astype(float)
        at_home = self.specificity if self.specificity_here is None else self.specificity_here
        items = [f"l{i}" for i in range(n)]
        table = {"system": ["A"] * n, "item": items, "score": human}
        said = answers(human, self.specificity).tolist()
        there = {"A": dict(zip(items, said, strict=True))}
        here = {"A": {f"p{i}": x for i, x in enumerate(answers(pool, at_home).tolist())}}
        return Judgments.build(table, scale=(0, 1)), there, here


def _corrected(world: Elsewhere, rng: np.random.Generator) -> FloatArray:
    human, there, here = world.draw(rng)
    try:
        [row] = rogan_gladen(human, there, here).systems
    except DataError:  # refused: nothing is said, and nothing is wrong
        return np.full(4, np.nan)
    z = normal_quantile(0.5 + 0.5 * LEVEL)
    said = np.mean(list(here["A"].values()))
    alone = z * math.sqrt(said * (1.0 - said) / len(here["A"]))
    held = (
        world.share in row.interval,
        abs(row.share - world.share) <= z * row.standard_error,
        _drawn(row, world.share, rng),
        abs(said - world.share) <= alone,
    )
    return np.array(held, dtype=float)


def _drawn(row: CorrectedShare, truth: float, rng: np.random.Generator) -> bool:
    """Whether the percentile interval of a bootstrap over all three samples holds the truth."""
    p, se, sp = (
        rng.binomial(size, share, 999) / size
        for size, share in (
            (row.n_pool, row.judged_share),
            (row.n_right, row.sensitivity),
            (row.n_wrong, row.specificity),
        )
    )
    able = se + sp > 1.0
    found = np.clip((p + sp - 1.0)[able] / (se + sp - 1.0)[able], 0.0, 1.0)
    low, high = np.quantile(found, [0.5 * ALPHA, 1.0 - 0.5 * ALPHA])
    return bool(low <= truth <= high)


def labels_elsewhere(effort: Effort) -> Rates:
    """95 % intervals of a share, by Rogan and Gladen's correction."""
    worlds = {
        "200 labels": Elsewhere(200),
        "60 labels": Elsewhere(60),
        "200 labels, share .95": Elsewhere(200, share=0.95),
        "200 labels, judge .7 and .7": Elsewhere(
            200, sensitivity=0.7, specificity=0.7, share=0.8
        ),
    }
    shares = [
        np.nanmean(effort.repeat(_corrected, world, f"elsewhere {label}"), axis=0)
        for label, world in worlds.items()
    ]
    return Rates(
        "95 % interval of a share with labels of another data set, 1,000 items here, where it is not refused",
        (ROGAN_GLADEN, WALD, BOOTSTRAP, SHARE_ALONE),
        tuple(worlds),
        np.column_stack(shares),
        effort.trials,
        LEVEL,
        "coverage",
    )


NEAR_THE_ENDS = {
    "60 labels, share .02": Elsewhere(60, share=0.02, pool=500),
    "60 labels, share .05": Elsewhere(60, share=0.05, pool=500),
    "60 labels, share .10": Elsewhere(60, share=0.10, pool=500),
    "200 labels, share .05": Elsewhere(200, share=0.05, pool=500),
    "60 labels, share .95": Elsewhere(60, share=0.95, pool=500),
}
ERRS_OTHERWISE = {
    f"specificity {here:g} here": Elsewhere(200, share=0.05, pool=500, specificity_here=here)
    for here in (0.8, 0.9, 0.95, 0.999)
}
REFUSED_OUTSIDE = "refused wherever the share is outside of 0 to 1, as before"


def _given(world: Elsewhere, rng: np.random.Generator) -> FloatArray:
    """Whether a share is given and its interval holds the truth, by our rule and the former."""
    try:
        [row] = rogan_gladen(*world.draw(rng)).systems
    except DataError:
        return np.zeros(4)
    held = world.share in row.interval
    return np.array([True, not row.cut, held, held and not row.cut], dtype=float)


def near_the_ends(effort: Effort) -> tuple[Rates, Rates]:
    """How often good data are refused, and how often the truth is covered, refusals included."""
    given = [
        effort.repeat(_given, world, f"near {label}").mean(axis=0)
        for label, world in NEAR_THE_ENDS.items()
    ]
    shares = np.column_stack(given)
    rows = (ROGAN_GLADEN, REFUSED_OUTSIDE)
    where = "labels of another data set, 500 items here"
    return (
        Rates(
            f"Good data refused, {where}",
            rows, tuple(NEAR_THE_ENDS), 1.0 - shares[:2], effort.trials, kind="plain",
        ),
        Rates(
            f"95 % interval given and true, of all data sets, {where}",
            rows, tuple(NEAR_THE_ENDS), shares[2:], effort.trials, LEVEL, "coverage",
        ),
    )  # fmt: skip


def errs_otherwise(effort: Effort) -> Rates:
    """How often a judge that errs otherwise here is found out."""
    given = [
        effort.repeat(_given, world, f"otherwise {label}").mean(axis=0)
        for label, world in ERRS_OTHERWISE.items()
    ]
    return Rates(
        "Refused where the judge errs otherwise, 200 labels with specificity .8, share .05 here",
        (ROGAN_GLADEN, REFUSED_OUTSIDE),
        tuple(ERRS_OTHERWISE),
        1.0 - np.column_stack(given)[:2],
        effort.trials,
        kind="plain",
    )


def _bias(n_items: int, rng: np.random.Generator) -> FloatArray:
    """Two systems, whose wrong answers the judge takes for right on the same items."""
    items = [str(i) for i in range(n_items)]
    fooled = rng.random(n_items) < 0.3
    rows: list[tuple[str, str, float]] = []
    judge = {}
    for system in ("A", "B"):
        human = (rng.random(n_items) < 0.6).astype(float)
        slip = rng.random(n_items) < 0.05
        said = np.where(fooled | slip, 1.0, human)
        rows += [(system, i, float(h)) for i, h in zip(items, human, strict=True)]
        judge[system] = dict(zip(items, said.tolist(), strict=True))
    columns = dict(
        zip(("system", "item", "score"), map(list, zip(*rows, strict=True)), strict=True)
    )
    table = Judgments.build(columns, scale=(0, 1))
    found = judge_agreement(table, judge)
    [pair] = found.pairs
    first, second = found.systems
    half = math.hypot(
        *((one.interval.high - one.interval.low) / 2.0 for one in (first, second))
    )
    apart = abs(first.bias - second.bias) > half
    return np.array([pair.p_value <= ALPHA, apart], dtype=float)


def unequal_bias(effort: Effort) -> Rates:
    """Equal bias called unequal."""
    sizes = (30, 60, 200)
    shares = [effort.repeat(_bias, n, f"bias {n}").mean(axis=0) for n in sizes]
    return Rates(
        "Two systems that the judge favours alike are said to be favoured unequally",
        (PAIRED, UNPAIRED),
        tuple(f"{n} labels" for n in sizes),
        np.column_stack(shares),
        effort.trials,
        ALPHA,
        "error",
    )


@dataclass(frozen=True, slots=True)
class Plan:
    """Labels for a difference, in a pool of 2,000 items with normal scores."""

    correlation: float
    mde: float
    n: int
    sd: float = 0.6
    pool: int = 2000


def _found(plan: Plan, rng: np.random.Generator) -> FloatArray:
    f = rng.normal(size=plan.pool)
    noise = math.sqrt(1.0 - plan.correlation**2) * rng.normal(size=plan.pool)
    human = plan.mde + plan.sd * (plan.correlation * f + noise)
    human[plan.n :] = np.nan
    return np.array([control_variate(human, f).adjusted.p_value() <= ALPHA], dtype=float)


def planned_labels(effort: Effort) -> Rates:
    """Differences found with the labels that were planned for them."""
    columns, shares = [], []
    for correlation, mde in ((0.3, 0.1), (0.7, 0.1), (0.9, 0.1), (0.3, 0.3)):
        made = labels(mde=mde, sd=0.6, correlation=correlation, n_pool=2000)
        numbers = made.n_labels or 0, math.ceil(made.n_formula)
        columns.append(f"ρ {correlation:g}, δ {mde:g}: {numbers[0]} labels ({numbers[1]})")
        shares.append(
            [
                float(effort.repeat(_found, Plan(correlation, mde, n), f"plan {n}").mean())
                for n in numbers
            ]
        )
    return Rates(
        "A difference is found with the labels of `labels --mde`, standard deviation .6, pool 2,000",
        (PLANNED, BY_NORMAL),
        tuple(columns),
        np.array(shares).T,
        effort.trials,
        POWER,
        "power",
    )
