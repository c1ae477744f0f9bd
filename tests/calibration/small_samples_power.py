"""Is a difference as large as the stated MDE found four times in five?

For every law the median MDE that `compare` states of data without any difference is taken as the
true effect; then the share of fresh data sets that find it is counted, on the right side only. Where
several systems are compared, one is better than all others by that much, and the share is over
its pairs. The median and not the mean: a user reads one MDE, and half of all users read less.
"""

import functools
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TypeAlias, TypeVar

import numpy as np

from detectable.core.choices import RunVariance
from detectable.core.types import FloatArray
from detectable.core.wording import count
from detectable.data.scores.scores import Scores
from detectable.inference.randomization import swap_parts
from detectable.inference.runs import RandomRuns, random_runs
from detectable.metrics.mean import Mean
from tests.calibration.decisions import decide
from tests.calibration.effort import ALPHA, POWER, Effort, Rates
from tests.calibration.small_samples import NAMES, compared, pairs_of
from tests.study.comparison.tables import sample_of

UNITS = (6, 7, 8, 10, 12, 20, 40, 60)
SYSTEMS = (2, 3, 5, 10)  # 1, 3, 10 and 45 pairs
AGAINST_ONE = 3  # systems, two of them against the first: 2 pairs
SHARES = tuple((n, discordance) for n in (100, 400) for discordance in (0.05, 0.20))
CLUSTERED = ((10, 10, 0.20), (20, 5, 0.20), (50, 4, 0.05), (50, 4, 0.20))
TIED = tuple((n, share) for n in (20, 40, 100, 300) for share in (0.1, 0.2, 0.3))
SIZES = {
    "1": (1.0,),
    "1/2": (1.0, 2.0),
    "1/2/5": (1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 2.0, 2.0, 2.0, 5.0),
}
RUNS = (2, 3, 5)
RUN_SPREADS = (0.0, 0.1, 0.3)
_FOR_MEDIAN = 5  # one data set in so many serves to find the median MDE, except for runs


@dataclass(frozen=True, slots=True)
class Law:
    """What the data are like; `effect` is what the last system is better by."""

    n_systems: int = 2
    n_units: int = 60
    effect: float = 0.0
    against_one: bool = False

    @property
    def pairs(self) -> list[tuple[int, int]]:
        """All pairs of systems, or those with the first."""
        return pairs_of(self.n_systems, against_one=self.against_one)


@dataclass(frozen=True, slots=True)
class ShareLaw(Law):
    """Right or wrong answers, of which two systems disagree on a share."""

    discordance: float = 0.05
    cluster: int = 1  # answers of a document, which agree with each other with chance ½

    @property
    def label(self) -> str:
        documents = f"{self.n_units // self.cluster} × {self.cluster}"
        items = str(self.n_units) if self.cluster == 1 else documents
        return f"{items}, {self.discordance:.0%}"


@dataclass(frozen=True, slots=True)
class TiedLaw(Law):
    """Scores of which most are the same for both systems; the others differ by one of `sizes`."""

    differing: float = 0.2
    sizes: tuple[float, ...] = (1.0,)

    @property
    def label(self) -> str:
        return f"{self.n_units}, {self.differing:.0%}"


@dataclass(frozen=True, slots=True)
class RunLaw(Law):
    """Several runs of each system, with a run effect; differences of items have variance 1."""

    n_runs: int = 2
    run_spread: float = 0.1
    run_variance: RunVariance = "own"


AnyLaw = TypeVar("AnyLaw", bound=Law)
Make: TypeAlias = Callable[[AnyLaw, np.random.Generator], Scores]


def normal_scores(law: Law, rng: np.random.Generator) -> Scores:
    """Return one score per unit: independent, normal, differences with variance 1."""
    table = rng.normal(0.0, 0.5**0.5, (law.n_systems, law.n_units))
    table[-1] += law.effect
    return Scores.build(dict(zip(NAMES, table, strict=False)))


def right_or_wrong(law: ShareLaw, rng: np.random.Generator) -> Scores:
    """Return answers of 0 and 1.

    Every system departs from what the first would have said on its own items, so that each pair
    disagrees on the same share of them; an effect turns broken answers into fixed ones, and where
    it is larger than the discordance, that grows with it.
    """
    n_clusters = law.n_units // law.cluster
    gains = max(0.5 * (law.discordance + law.effect), law.effect)
    losses = max(0.5 * (law.discordance - law.effect), 0.0)
    kind = rng.choice(3, p=[gains, losses, 1.0 - gains - losses], size=law.n_units)
    if law.cluster > 1:
        shared = np.repeat(kind[:: law.cluster], law.cluster)
        kind = np.where(rng.random(law.n_units) < 0.5, shared, kind)
    documents = None
    if law.cluster > 1:
        documents = [str(i) for i in np.repeat(np.arange(n_clusters), law.cluster)]
    baseline = np.where(kind == 0, 0, np.where(kind == 1, 1, rng.integers(2, size=kind.size)))
    system = np.where(kind == 0, 1, np.where(kind == 1, 0, baseline))
    return Scores.build({"A": baseline, "B": system}, documents=documents)


def tied_scores(law: TiedLaw, rng: np.random.Generator) -> Scores:
    """Return scores that mostly agree; an effect turns losses into wins, then ties into wins."""
    average = float(np.mean(law.sizes))
    differs = rng.random(law.n_units) < max(law.differing, law.effect / average)
    wins = 0.5 + 0.5 * min(1.0, law.effect / (law.differing * average))
    sizes = np.where(rng.random(law.n_units) < wins, 1.0, -1.0)
    sizes *= rng.choice(law.sizes, law.n_units)
    baseline = rng.integers(5, 9, law.n_units).astype(float)
    return Scores.build({"A": baseline, "B": baseline + np.where(differs, sizes, 0.0)})


def several_runs(law: RunLaw, rng: np.random.Generator) -> Scores:
    """Return scores of several runs: item effects that runs share, noise, and a run effect."""
    shape = (law.n_systems, law.n_runs, law.n_units)
    shared = rng.normal(0.0, 0.5, (law.n_systems, 1, law.n_units))
    noise = rng.normal(0.0, 0.5, shape)
    run = rng.normal(0.0, law.run_spread, (*shape[:2], 1))
    table = shared + noise + run
    table[-1] += law.effect
    return Scores.build(dict(zip(NAMES, table, strict=False)))


def _mdes(make: Make[AnyLaw], law: AnyLaw, rng: np.random.Generator) -> FloatArray:
    data = make(law, rng)
    if isinstance(law, RunLaw):
        return np.array([over_runs(data, law).detectable(alpha=ALPHA, power=POWER)])
    found = compared(data, rng, baseline=NAMES[0] if law.against_one else None)
    return np.array([np.mean([pair.mde for pair in found.pairs])])


def _found(make: Make[AnyLaw], law: AnyLaw, rng: np.random.Generator) -> FloatArray:
    """Return the share of the pairs of the better system that are decided for it."""
    data = make(law, rng)
    if isinstance(law, RunLaw):
        apart = over_runs(data, law).estimate
        return np.array([float(apart.p_value() <= ALPHA and apart.value > 0.0)])
    if isinstance(law, ShareLaw):
        return np.array([float(found_in_answers(data, law, rng))])
    return np.array([_found_in_means(data, law, rng)])


def over_runs(data: Scores, law: RunLaw) -> RandomRuns:
    """Return the difference of two systems with their runs as a sample, as `compare` has it."""
    sample = sample_of(data, Mean())
    units = swap_parts(sample, [(1, 0)])[0].estimate()
    return random_runs(sample, [(1, 0)], [units], variance=law.run_variance)[0]


def found_in_answers(data: Scores, law: ShareLaw, rng: np.random.Generator) -> bool:
    """Return whether swaps of items or documents find the second system better."""
    apart = data.systems["B"][0] - data.systems["A"][0]
    sums = apart.reshape(-1, law.cluster).sum(axis=1)
    sizes = np.full(sums.size, float(law.cluster))
    found = decide(sums[:, None], sizes, rng).p_values[0] <= ALPHA
    return bool(found) and sums.sum() > 0.0


def _found_in_means(data: Scores, law: Law, rng: np.random.Generator) -> float:
    scores = np.stack([data.systems[name][0] for name in NAMES[: law.n_systems]], axis=1)
    system, baseline = np.array(law.pairs).T
    apart = scores[:, system] - scores[:, baseline]
    found = decide(apart, np.ones(law.n_units), rng).p_adjusted <= ALPHA
    mine = system == law.n_systems - 1
    return float((found & (apart.mean(axis=0) > 0.0))[mine].mean())


def power_at_mde(effort: Effort, make: Make[AnyLaw], law: AnyLaw) -> tuple[float, float]:
    """Return the median stated MDE, and the share of data sets that find such an effect."""
    # With two runs the MDE scatters so much that its median needs many.
    share = 1 if isinstance(law, RunLaw) else _FOR_MEDIAN
    fewer = replace(effort, trials=max(200, effort.trials // share))
    stated = fewer.repeat(functools.partial(_mdes, make), law, f"MDE, {law}")
    effect = float(np.nanmedian(stated)) if np.isfinite(stated).mean() > 0.5 else float("nan")
    if not np.isfinite(effect):
        return effect, float("nan")
    found = effort.repeat(
        functools.partial(_found, make), replace(law, effect=effect), f"power, {law}"
    )
    return effect, float(found.mean())


def _rates(
    title: str,
    effort: Effort,
    rows: tuple[str, ...],
    columns: tuple[str, ...],
    shares: list[list[float]],
) -> Rates:
    return Rates(title, rows, columns, np.array(shares), effort.trials, POWER, "power")


def of_means(effort: Effort) -> Rates:
    """Means over few units, one to 45 pairs."""
    laws = [Law(s) for s in SYSTEMS]
    laws.insert(1, Law(AGAINST_ONE, against_one=True))
    shares = [
        [power_at_mde(effort, normal_scores, replace(law, n_units=n))[1] for n in UNITS]
        for law in laws
    ]
    rows = tuple(count(len(law.pairs), "pair") for law in laws)
    columns = tuple(f"{n} units" for n in UNITS)
    return _rates("Power at the stated MDE, means", effort, rows, columns, shares)


def of_shares(effort: Effort) -> list[Rates]:
    """Right or wrong answers, item by item and in documents."""
    alone = [ShareLaw(2, n, discordance=d) for n, d in SHARES]
    clustered = [ShareLaw(2, g * k, discordance=d, cluster=k) for g, k, d in CLUSTERED]
    tables = []
    for laws, what in ((alone, "items"), (clustered, "documents × answers")):
        found = [power_at_mde(effort, right_or_wrong, law)[1] for law in laws]
        title = f"Power at the stated MDE, scores of 0 and 1, {what}, share discordant"
        columns = tuple(law.label for law in laws)
        tables.append(_rates(title, effort, ("1 pair",), columns, [found]))
    return tables


def of_ties(effort: Effort) -> Rates:
    """Mostly tied scores, of one size and of several."""
    shares = [
        [
            power_at_mde(effort, tied_scores, TiedLaw(2, n, differing=q, sizes=sizes))[1]
            for n, q in TIED
        ]
        for sizes in SIZES.values()
    ]
    rows = tuple(f"sizes {name}" for name in SIZES)
    columns = tuple(TiedLaw(2, n, differing=q).label for n, q in TIED)
    title = "Power at the stated MDE, mostly tied scores, items, share that differs"
    return _rates(title, effort, rows, columns, shares)


def of_runs(effort: Effort) -> Rates:
    """Runs as a sample, 100 items."""
    shares = [
        [
            power_at_mde(effort, several_runs, RunLaw(2, 100, n_runs=r, run_spread=s))[1]
            for s in RUN_SPREADS
        ]
        for r in RUNS
    ]
    rows = tuple(f"{r} runs" for r in RUNS)
    columns = tuple(f"run sd {s:g}" for s in RUN_SPREADS)
    return _rates("Power at the stated MDE, new runs", effort, rows, columns, shares)
