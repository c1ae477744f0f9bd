"""All tests of a comparison: raw p-values, corrected ones, and the level they imply."""

import math
from dataclasses import dataclass

import numpy as np

from detectable.core.errors import InputError
from detectable.core.execute import Engine
from detectable.core.types import FloatArray
from detectable.inference.bootstrap import Draws, bootstrap, centred_p, tie_slack
from detectable.inference.compat import multeval_p, sacrebleu_p
from detectable.inference.delta import Estimate
from detectable.inference.multiplicity import holm, max_t, max_t_threshold
from detectable.inference.randomization import randomization_test
from detectable.inference.runs import RandomRuns, fixed_runs, random_runs
from detectable.inference.sample import Sample
from detectable.study.comparison.settings import CompareSettings

Pairs = tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class Tested:
    """P-values of (pairs, metrics), and what they were made of."""

    estimates: list[list[Estimate]]  # [pair][metric]
    two_way: list[list[RandomRuns]] | None
    p_values: FloatArray
    p_adjusted: FloatArray
    level: FloatArray  # per metric: the α that one pair must pass first
    draws: Draws | None


@dataclass(frozen=True, slots=True)
class _Raw:
    """Uncorrected p-values and, where there is one, the joint null they come from."""

    p_values: FloatArray
    null: FloatArray | None = None  # (resamples, pairs, metrics)
    # What `null` is compared with, and from where on it is a tie: both as in the test, so that
    # the corrected p of a single pair is its raw one.
    observed: FloatArray | None = None
    slack: FloatArray | None = None


def run_tests(
    samples: tuple[Sample, ...], pairs: Pairs, settings: CompareSettings, engine: Engine
) -> Tested:
    """Estimate and test every pair under every metric."""
    two_way = _two_way(samples, pairs) if settings.runs == "random" else None
    estimates = (
        [[cell.estimate for cell in row] for row in two_way]
        if two_way is not None
        else [[fixed_runs(sample, *pair) for sample in samples] for pair in pairs]
    )
    draws = _draws(samples, settings, engine)
    raw = _raw(samples, pairs, settings, engine, estimates=estimates, draws=draws)
    adjusted, level = _corrected(raw, settings)
    return Tested(estimates, two_way, raw.p_values, adjusted, level, draws)


def _two_way(samples: tuple[Sample, ...], pairs: Pairs) -> list[list[RandomRuns]]:
    single = [n for n, r in zip(samples[0].systems, samples[0].runs, strict=True) if r < 2]
    if single:
        raise InputError(
            "`runs='random'` needs at least two runs of every system; "
            f"{', '.join(single)} has one. Give more runs or use `runs='fixed'`."
        )
    return [[random_runs(sample, *pair) for sample in samples] for pair in pairs]


def _draws(
    samples: tuple[Sample, ...], settings: CompareSettings, engine: Engine
) -> Draws | None:
    """Bootstrap once if the test or the intervals ask for it."""
    wanted = settings.test == "bootstrap" and settings.compat is None
    if not wanted and settings.interval == "delta":
        return None
    return bootstrap(
        samples,
        n_resamples=settings.n_resamples,
        rng=engine.rng,
        n_jobs=engine.n_jobs,
        executor=engine.executor,
        progress=engine.progress,
    )


def _raw(
    samples: tuple[Sample, ...],
    pairs: Pairs,
    settings: CompareSettings,
    engine: Engine,
    *,
    estimates: list[list[Estimate]],
    draws: Draws | None,
) -> _Raw:
    if settings.runs == "random":
        return _Raw(np.array([[cell.p_value() for cell in row] for row in estimates]))
    if settings.compat is not None:
        return _Raw(_compat(samples, pairs, settings, engine))
    if settings.test == "bootstrap" and draws is not None:
        return _bootstrap_p(pairs, estimates, draws)
    test = randomization_test(
        samples,
        pairs,
        n_resamples=settings.n_resamples,
        rng=engine.rng,
        n_jobs=engine.n_jobs,
        executor=engine.executor,
        progress=engine.progress,
    )
    return _Raw(test.p_values, test.null, test.differences, test.slack)


def _bootstrap_p(pairs: Pairs, estimates: list[list[Estimate]], draws: Draws) -> _Raw:
    observed = np.array([[cell.value for cell in row] for row in estimates])
    system, baseline = np.array(pairs).T
    drawn = draws.scores[:, system] - draws.scores[:, baseline]
    largest = np.abs(draws.scores).max(axis=(0, 1)).tolist()
    p_values, slack = np.empty_like(observed), np.empty_like(observed)
    for p, m in np.ndindex(*observed.shape):
        p_values[p, m] = centred_p(float(observed[p, m]), drawn[:, p, m], score=largest[m])
        slack[p, m] = tie_slack(drawn[:, p, m], largest[m])
    return _Raw(p_values, drawn - observed, observed, slack)


def _compat(
    samples: tuple[Sample, ...], pairs: Pairs, settings: CompareSettings, engine: Engine
) -> FloatArray:
    if settings.compat == "multeval":
        return multeval_p(
            samples,
            pairs,
            n_resamples=settings.n_resamples,
            rng=engine.rng,
            n_jobs=engine.n_jobs,
            executor=engine.executor,
            progress=engine.progress,
        ).p_values
    if engine.given is None:
        raise InputError(
            "`compat='sacrebleu'` repeats sacreBLEU's own random calls and so needs its seed; "
            "give `rng=12345`, its default."
        )
    return sacrebleu_p(
        samples, pairs, test=settings.test, n_resamples=settings.n_resamples, seed=engine.given
    ).p_values


def _corrected(raw: _Raw, settings: CompareSettings) -> tuple[FloatArray, FloatArray]:
    """Return adjusted p-values and, per metric, the level that the first rejection must pass."""
    p_values = raw.p_values
    adjusted = np.empty_like(p_values)
    level = np.empty(p_values.shape[1])
    columns = range(p_values.shape[1])
    families = (
        [list(columns)] if settings.family == "systems-and-metrics" else [[m] for m in columns]
    )
    for family in families:
        shape = p_values[:, family].shape
        size = p_values[:, family].size
        if settings.correction == "max-t" and raw.null is not None and raw.observed is not None:
            joint = raw.null[:, :, family].reshape(len(raw.null), -1)
            slack = None if raw.slack is None else raw.slack[:, family].ravel()
            stepped = max_t(raw.observed[:, family].ravel(), joint, slack=slack)
            level[family] = _implied_level(joint, settings.alpha)
        elif settings.correction == "holm":
            stepped = holm(p_values[:, family].ravel())
            level[family] = settings.alpha / size
        else:
            stepped = p_values[:, family].ravel()
            level[family] = settings.alpha
        adjusted[:, family] = stepped.reshape(shape)
    return adjusted, level


def _implied_level(joint: FloatArray, alpha: float) -> float:
    """Turn the max-T threshold back into the two-sided level of a single normal test."""
    from scipy.special import ndtr

    threshold = max_t_threshold(joint, alpha)
    return alpha if math.isnan(threshold) else float(2.0 * ndtr(-threshold))


def equivalence_p(
    estimates: list[list[Estimate]],
    margins: list[float | None],
    settings: CompareSettings,
) -> FloatArray:
    """Return p-values of «within ±margin», corrected like the differences; nan without margin."""
    p = np.full((len(estimates), len(margins)), np.nan)
    for m, margin in enumerate(margins):
        if margin is not None:
            raw = np.array([row[m].equivalence_p(margin) for row in estimates])
            p[:, m] = raw if settings.correction == "none" else holm(raw)
    return p
