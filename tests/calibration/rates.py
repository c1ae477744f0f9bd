"""How often each test rejects when nothing is true: type I error at .05."""

import functools
import itertools
import warnings
from collections.abc import Callable

import numpy as np

from detectable.core.errors import CompatibilityWarning
from detectable.core.interval import Interval
from detectable.core.types import FloatArray
from detectable.inference.bootstrap import Draws, Method, bootstrap, centred_p, interval
from detectable.inference.multiplicity import holm, max_t
from detectable.inference.randomization import randomization_test, swap_parts
from detectable.inference.sample import Sample
from detectable.inference.standard_errors import Estimate
from detectable.inference.swaps import SwapRequest
from detectable.study.comparison.result import Comparison
from tests.calibration.compared import (
    compared,
    decided,
    outside,
    p_values,
    same_numbers,
)
from tests.calibration.effort import ALPHA, LEVEL, RESAMPLES, Effort, Rates
from tests.calibration.nulls import (
    Texts,
    en_de,
    judgments,
    optimizer_runs,
    permute_outputs,
    ru_en,
    swap_halves,
)

VERDICT_RESAMPLES = 199  # fewer, since six comparisons are made of every data set
PAIR = ((1, 0),)
BOOTSTRAPS: tuple[Method, ...] = ("percentile", "basic", "bca")


AR = "approximate randomization"
CENTRED = "centred bootstrap test"
DELTA = "t test (delta method)"
SACREBLEU_AR = "sacreBLEU's randomization"
SACREBLEU_BS = "sacreBLEU's paired bootstrap"
OUTSIDE = {
    "percentile": "percentile interval without 0",
    "basic": "basic interval without 0",
    "bca": "BCa interval without 0",
}


def two_systems(effort: Effort) -> Rates:
    """Two systems, one run each, segments swapped by fair coins."""
    texts = en_de()
    hits = effort.repeat(_two_systems, texts, "two systems")
    rows = (AR, CENTRED, DELTA, *OUTSIDE.values(), SACREBLEU_AR, SACREBLEU_BS)
    title = "Two systems, segments swapped (WMT21 en-de, 1002 segments)"
    return Rates(title, rows, texts.labels, hits.mean(axis=0), effort.trials)


def _two_systems(texts: Texts, rng: np.random.Generator) -> FloatArray:
    null = swap_halves(texts.random_outputs(2, rng), rng)
    # Three methods see one set of draws, as `compare` would make it for each of them.
    drawn = [
        compared(
            *(null, 1, 1),
            rng=rng if method == BOOTSTRAPS[-1] else same_numbers(rng),
            test="bootstrap",
            interval=method,
            n_resamples=RESAMPLES,
        )
        for method in BOOTSTRAPS
    ]
    swapped = compared(null, 1, 1, rng=rng, n_resamples=RESAMPLES)
    by_t = compared(null, 1, 1, rng=same_numbers(rng), test="t")
    theirs = [
        p_values(_sacrebleu(null, test, int(rng.integers(1 << 31))))
        for test in ("randomization", "bootstrap")
    ]
    return np.vstack(
        [
            rejected(p_values(swapped), p_values(drawn[0])),
            outside(by_t),
            [outside(result) for result in drawn],
            rejected(*theirs),
        ]
    )


def _sacrebleu(null: Texts, test: str, seed: int) -> Comparison:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CompatibilityWarning)
        return compared(
            null, 1, 1, rng=seed, compat="sacrebleu", test=test, n_resamples=RESAMPLES
        )


def rejected(*p_values: FloatArray) -> FloatArray:
    """Return 1 where a p-value is at most alpha, one row per test."""
    return (np.stack(p_values) <= ALPHA).astype(np.float64)


def randomization_p(samples: tuple[Sample, ...], rng: np.random.Generator) -> FloatArray:
    """Return the p-values of approximate randomization, one per metric."""
    test = randomization_test(samples, PAIR, n_resamples=RESAMPLES, rng=rng)
    p_values: FloatArray = test.p_values[0]
    return p_values


def by_units(sample: Sample, system: int = 1, baseline: int = 0) -> Estimate:
    """Return a difference with the error that comes from its units, the runs as they are."""
    return swap_parts(sample, [(system, baseline)])[0].estimate()


def delta_p(samples: tuple[Sample, ...]) -> FloatArray:
    """Return the p-values of the t test with the standard error of the delta method."""
    return np.array([by_units(sample).p_value() for sample in samples])


def intervals(samples: tuple[Sample, ...], draws: Draws, method: Method) -> list[Interval]:
    """Return a bootstrap interval of the difference for each metric."""
    found = []
    for m, sample in enumerate(samples):
        observed = sample.score(1) - sample.score(0)
        influence = (sample.influence(1) - sample.influence(0))[0]
        drawn = draws.difference(1, 0, m)
        found.append(interval(method, observed, drawn, influence, level=LEVEL))
    return found


N_SYSTEMS = 5
ALL_PAIRS = tuple((b, a) for a, b in itertools.combinations(range(N_SYSTEMS), 2))
AGAINST_ONE = [i for i, (_, baseline) in enumerate(ALL_PAIRS) if baseline == 0]
FAMILIES = {"4 against one": AGAINST_ONE, "all 10 pairs": list(range(len(ALL_PAIRS)))}
CORRECTIONS = ("uncorrected", "Holm", "max-T")


def several_systems(effort: Effort) -> Rates:
    """Five systems, labels permuted within each segment: the chance of any false alarm."""
    texts = en_de()
    hits = effort.repeat(_several_systems, texts, "several systems")
    tests = ("randomization", "bootstrap")
    rows = tuple(f"{test}, {correction}" for test in tests for correction in CORRECTIONS)
    metrics = (*texts.labels, "all three")
    columns = tuple(f"{family}: {metric}" for family in FAMILIES for metric in metrics)
    title = "Five systems, outputs permuted: chance of any false alarm (WMT21 en-de)"
    return Rates(title, rows, columns, hits.mean(axis=0), effort.trials)


def _several_systems(texts: Texts, rng: np.random.Generator) -> FloatArray:
    five = permute_outputs(texts.random_outputs(N_SYSTEMS, rng), rng)
    samples = five.samples(*(1,) * N_SYSTEMS)
    test = randomization_test(
        samples,
        ALL_PAIRS,
        request=SwapRequest(keep_null=True),
        n_resamples=RESAMPLES,
        rng=rng,
    )
    null = test.swaps.null().reshape(-1, *test.differences.shape)
    draws = bootstrap(samples, n_resamples=RESAMPLES, rng=rng)
    system, baseline = np.array(ALL_PAIRS).T
    drawn = draws.scores[:, system] - draws.scores[:, baseline]
    p_boot = [
        [centred_p(d, drawn[:, p, m]) for m, d in enumerate(row)]
        for p, row in enumerate(test.differences)
    ]
    return np.vstack(
        [
            _any_alarm(test.p_values, test.differences, null),
            _any_alarm(np.array(p_boot), test.differences, drawn - test.differences),
        ]
    )


def _any_alarm(p_values: FloatArray, observed: FloatArray, null: FloatArray) -> FloatArray:
    """Return 1 where a family has a rejection: (corrections, families · metrics)."""
    together = list(range(p_values.shape[1]))
    columns = []
    for pairs, metrics in itertools.product(
        FAMILIES.values(), [*([m] for m in together), together]
    ):
        p = p_values[np.ix_(pairs, metrics)].ravel()
        joint = null[:, pairs][:, :, metrics].reshape(len(null), -1)
        stepped = max_t(observed[np.ix_(pairs, metrics)].ravel(), joint)
        columns.append([p.min(), holm(p).min(), stepped.min()])
    return rejected(*np.array(columns).T)


CORRECTED = tuple(
    (test, correction)
    for test in ("randomization", "bootstrap")
    for correction in ("none", "holm", "max-t")
)


def verdicts(effort: Effort) -> Rates:
    """Three systems, outputs permuted: how often `compare` decides anything at all."""
    texts = en_de()
    hits = effort.repeat(_verdicts, texts, "verdicts of three systems")
    rows = tuple(f"{test}, {correction}" for test, correction in CORRECTED)
    title = "Three systems, outputs permuted: chance of any verdict (WMT21 en-de)"
    return Rates(title, rows, texts.labels, hits.mean(axis=0), effort.trials)


def _verdicts(texts: Texts, rng: np.random.Generator) -> FloatArray:
    three = permute_outputs(texts.random_outputs(3, rng), rng)
    return np.stack(
        [
            decided(
                compared(
                    *(three, 1, 1, 1),
                    rng=same_numbers(rng),
                    test=test,
                    correction=correction,
                    n_resamples=VERDICT_RESAMPLES,
                )
            )
            for test, correction in CORRECTED
        ]
    )


def documents(effort: Effort) -> Rates:
    """Two systems, whole documents swapped: documents as units, and segments as if they were."""
    scored = [
        effort.repeat(_documents, texts, f"documents, {' and '.join(texts.labels)}")
        for texts in (ru_en(), judgments())
    ]
    tests = (AR, CENTRED, DELTA)
    rows = (*(f"{t}, documents" for t in tests), *(f"{t}, segments" for t in tests))
    title = "Two systems, whole documents swapped (WMT21 ru-en, 107 documents)"
    shares = np.concatenate(scored, axis=-1).mean(axis=0)
    return Rates(title, rows, ru_en().labels + judgments().labels, shares, effort.trials)


def _documents(texts: Texts, rng: np.random.Generator) -> FloatArray:
    null = swap_halves(texts.random_outputs(2, rng), rng)
    hits = []
    for unit in ("document", "segment"):
        drawn, swapped = (
            compared(null, 1, 1, rng=rng, test=test, unit=unit, n_resamples=RESAMPLES)
            for test in ("bootstrap", "randomization")
        )
        by_t = compared(null, 1, 1, rng=same_numbers(rng), test="t", unit=unit)
        hits += [*rejected(p_values(swapped), p_values(drawn)), outside(by_t)]
    return np.stack(hits)


TOGETHER = "runs swapped together (ours)"
FIXED_DELTA = "t test, runs fixed (ours)"
MULTEVAL = "runs swapped one by one (MultEval)"


def runs_systems(effort: Effort) -> Rates:
    """Six systems as three and three runs."""
    return _fixed_runs(effort, en_de(), "six systems as runs (WMT21 en-de)", _six_systems)


def runs_optimizer(effort: Effort) -> Rates:
    """Real runs: three of one system and three of another."""
    return _fixed_runs(
        effort, optimizer_runs(), "real optimizer runs (MultEval's example)", _as_given
    )


def runs_copied(effort: Effort) -> Rates:
    """One run of each of two systems, copied three times."""
    return _fixed_runs(effort, en_de(), "one run copied three times (WMT21 en-de)", _copies)


def _fixed_runs(
    effort: Effort,
    texts: Texts,
    what: str,
    choose: Callable[[Texts, np.random.Generator], Texts],
) -> Rates:
    hits = effort.repeat(functools.partial(_swapped_runs, choose), texts, what)
    rows = (TOGETHER, FIXED_DELTA, MULTEVAL)
    title = f"Three runs of each of two systems, {what}"
    return Rates(title, rows, texts.labels, hits.mean(axis=0), effort.trials)


def _swapped_runs(
    choose: Callable[[Texts, np.random.Generator], Texts],
    texts: Texts,
    rng: np.random.Generator,
) -> FloatArray:
    null = swap_halves(choose(texts, rng), rng)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CompatibilityWarning)
        theirs = compared(null, 3, 3, rng=rng, compat="multeval", n_resamples=RESAMPLES)
    ours = compared(null, 3, 3, rng=rng, runs="fixed", n_resamples=RESAMPLES)
    by_t = compared(null, 3, 3, rng=same_numbers(rng), runs="fixed", test="t")
    return np.vstack([rejected(p_values(ours)), outside(by_t), rejected(p_values(theirs))])


def _six_systems(texts: Texts, rng: np.random.Generator) -> Texts:
    return texts.random_outputs(6, rng)


def _as_given(texts: Texts, rng: np.random.Generator) -> Texts:
    return texts


def _copies(texts: Texts, rng: np.random.Generator) -> Texts:
    return texts.outputs(np.repeat(rng.choice(texts.n_outputs, 2, replace=False), 3))
