"""The tests of the runs at hand: by swaps, by t where units are few, by bootstrap, or another tool's."""

import math
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from detectable.core.errors import InputError
from detectable.core.execute import Engine
from detectable.core.interval import Interval
from detectable.core.types import FloatArray, IntArray
from detectable.inference.bootstrap import Draws, bootstrap, centred_p, tie_slack
from detectable.inference.bootstrap import interval as bootstrap_interval
from detectable.inference.compat import multeval_p, sacrebleu_p
from detectable.inference.multiplicity import max_t, max_t_threshold
from detectable.inference.randomization import randomization_test
from detectable.inference.swap_parts import SwapParts
from detectable.inference.swap_tally import SwapRequest
from detectable.study.comparison.analysis import (
    Analysis,
    Pairs,
    agreeing,
    by_t,
    families,
    family_sizes,
    stepwise,
    t_margins,
)
from detectable.study.comparison.chosen import Chosen
from detectable.study.comparison.measure import Measured
from detectable.study.comparison.right_or_wrong import (
    right_or_wrong,
    with_share_mdes,
    with_shares,
)
from detectable.study.comparison.settings import OF_DRAWS, CompareSettings
from detectable.study.comparison.swap_analysis import by_swaps


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What is tested: the same for every way to test it."""

    measured: Measured
    pairs: Pairs
    parts: list[list[SwapParts]]  # [pair][metric]
    margins: FloatArray  # per metric; NaN where there is none
    settings: CompareSettings
    chosen: Chosen

    @property
    def shape(self) -> tuple[int, int]:
        """Pairs and metrics."""
        return len(self.pairs), len(self.measured.units)

    @property
    def groups(self) -> tuple[IntArray, ...]:
        """Columns that are corrected together."""
        return families(self.shape, self.settings.family)

    @property
    def tests(self) -> FloatArray:
        """The number of tests that each cell is corrected for."""
        if self.chosen.correction == "none":
            return np.ones(self.shape)
        return family_sizes(self.shape, self.groups)


def by_units(question: Question, engine: Engine) -> tuple[Analysis, Draws | None]:
    """Test every pair under every metric with the runs at hand; and the bootstrap, if it ran."""
    settings, chosen = question.settings, question.chosen
    draws = _draws(question, engine)
    cells = [[part.estimate() for part in row] for row in question.parts]
    if chosen.test == "t":
        found = by_t(
            cells,
            question.margins,
            question.groups,
            chosen.correction,
            alpha=settings.alpha,
            power=settings.power,
        )
    elif chosen.test == "swap":
        found = _by_swaps(question, engine)
    elif chosen.test == "bootstrap" and draws is not None:
        found = _by_bootstrap(question, draws)
    else:
        found = _by_other_tool(question, engine)
    shares = right_or_wrong(question.measured, question.pairs)
    found = with_shares(found, shares, question.margins, alpha=settings.alpha)
    if chosen.test == "swap":
        joint = chosen.correction == "max-t" and chosen.family_size > 1
        found = with_share_mdes(found, shares, joint=joint, power=settings.power)
    if settings.interval == "test":
        return found, draws
    return _asked_intervals(question, found, draws), draws


def _draws(question: Question, engine: Engine) -> Draws | None:
    """Bootstrap once if the test or the intervals ask for it."""
    if question.chosen.test != "bootstrap" and question.settings.interval not in OF_DRAWS:
        return None
    return bootstrap(
        question.measured.units,
        n_resamples=question.chosen.n_resamples,
        rng=engine.rng,
        n_jobs=engine.n_jobs,
        executor=engine.executor,
        progress=engine.progress,
    )


def _by_swaps(question: Question, engine: Engine) -> Analysis:
    settings, chosen, shape = question.settings, question.chosen, question.shape
    scale = np.array([[part.scale for part in row] for row in question.parts])
    test = randomization_test(
        question.measured.units,
        question.pairs,
        request=SwapRequest(
            alpha=settings.alpha,
            families=question.groups,
            scale=scale,
            margins=np.broadcast_to(question.margins, shape),
        ),
        n_resamples=chosen.n_resamples,
        rng=engine.rng,
        n_jobs=engine.n_jobs,
        executor=engine.executor,
        progress=engine.progress,
    )
    values = np.array([[part.value for part in row] for row in question.parts])
    return by_swaps(
        test.swaps,
        question.parts,
        question.groups,
        chosen.correction,
        # The swaps are of pooled runs, whose score may be a little off the mean score of the
        # runs; intervals move with the difference that is reported.
        moved=values - test.differences,
        n_units=np.full(shape, question.measured.units[0].n_units),
        alpha=settings.alpha,
        power=settings.power,
    )


def _by_bootstrap(question: Question, draws: Draws) -> Analysis:
    """Test by resampled differences, centred at zero."""
    settings, chosen, shape = question.settings, question.chosen, question.shape
    cells = [[part.estimate() for part in row] for row in question.parts]
    observed = np.array([[cell.value for cell in row] for row in cells])
    system, baseline = np.array(question.pairs).T
    drawn = draws.scores[:, system] - draws.scores[:, baseline]
    largest = np.abs(draws.scores).max(axis=(0, 1)).tolist()
    p_values, slack = np.empty(shape), np.empty(shape)
    for p, m in np.ndindex(*shape):
        p_values[p, m] = centred_p(float(observed[p, m]), drawn[:, p, m], score=largest[m])
        slack[p, m] = tie_slack(drawn[:, p, m], largest[m])
    apart = np.abs(drawn - observed)
    spread = drawn.std(axis=0)
    adjusted, level = _bootstrap_correction(question, drawn - observed, p_values, slack)
    tests = question.tests

    def alone(p: int, m: int, a: float) -> Interval:
        half = float(np.quantile(apart[:, p, m], 1.0 - a))
        value = float(observed[p, m])
        return Interval(value - half, value + half, 1.0 - a)

    def corrected(p: int, m: int, a: float) -> Interval:
        if chosen.correction != "max-t" or tests[p, m] == 1.0:
            found = alone(p, m, a / float(tests[p, m]))
            return Interval(found.low, found.high, 1.0 - a)
        family = next(columns for columns in question.groups if p * shape[1] + m in columns)
        joint = (drawn - observed).reshape(len(drawn), -1)[:, family]
        half = max_t_threshold(joint, a) * float(spread[p, m])
        value = float(observed[p, m])
        return Interval(value - half, value + half, 1.0 - a)

    return Analysis(
        estimates=cells,
        p_values=p_values,
        p_adjusted=adjusted,
        intervals=agreeing(cells, adjusted, settings.alpha, corrected),
        interval_alone=alone,
        margins=t_margins(cells, question.margins),
        level=level,
        mde=_by_t_shift(question, level),
        attainable=np.full(shape, 1.0 / (len(drawn) + 1.0))
        * (tests if chosen.correction == "holm" else 1.0),
    )


def _bootstrap_correction(
    question: Question, null: FloatArray, p_values: FloatArray, slack: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return corrected p-values, and the level that one pair must pass first."""
    alpha, shape = question.settings.alpha, question.shape
    if question.chosen.correction != "max-t":
        adjusted = stepwise(p_values, question.groups, question.chosen.correction)
        return adjusted, alpha / question.tests
    flat = null.reshape(len(null), -1)
    observed = np.array([[part.value for part in row] for row in question.parts]).ravel()
    adjusted, level = np.empty(flat.shape[1]), np.empty(flat.shape[1])
    for columns in question.groups:
        joint = flat[:, columns]
        adjusted[columns] = max_t(observed[columns], joint, slack=slack.ravel()[columns])
        level[columns] = _implied_level(joint, alpha)
    return adjusted.reshape(shape), level.reshape(shape)


def _implied_level(joint: FloatArray, alpha: float) -> float:
    """Turn the max-T threshold back into the two-sided level of a single normal test."""
    from scipy.special import ndtr

    threshold = max_t_threshold(joint, alpha)
    return alpha if math.isnan(threshold) else float(2.0 * ndtr(-threshold))


def _by_t_shift(question: Question, level: FloatArray) -> FloatArray:
    found = np.empty(question.shape)
    for p, m in np.ndindex(*question.shape):
        cell = question.parts[p][m].estimate()
        alpha, power = float(level[p, m]), question.settings.power
        known = cell.standard_error > 0.0
        found[p, m] = cell.detectable(alpha=alpha, power=power) if known else math.nan
    return found


def _by_other_tool(question: Question, engine: Engine) -> Analysis:
    """Return another tool's p-values, with intervals by t."""
    settings, chosen = question.settings, question.chosen
    samples, pairs = question.measured.units, question.pairs
    if settings.compat == "multeval":
        p_values = multeval_p(
            samples,
            pairs,
            n_resamples=chosen.n_resamples,
            rng=engine.rng,
            n_jobs=engine.n_jobs,
            executor=engine.executor,
            progress=engine.progress,
        ).p_values
    elif engine.given is None:
        raise InputError(
            "`compat='sacrebleu'` repeats sacreBLEU's own random calls and so needs its seed; "
            "give `rng=12345`, its default."
        )
    else:
        test: Literal["randomization", "bootstrap"] = (
            "bootstrap" if settings.test == "bootstrap" else "randomization"
        )
        p_values = sacrebleu_p(
            samples, pairs, test=test, n_resamples=chosen.n_resamples, seed=engine.given
        ).p_values
    cells = [[part.estimate() for part in row] for row in question.parts]
    by_error = by_t(
        cells,
        question.margins,
        question.groups,
        chosen.correction,
        alpha=settings.alpha,
        power=settings.power,
    )
    adjusted = stepwise(p_values, question.groups, chosen.correction)
    tests = question.tests

    def corrected(p: int, m: int, a: float) -> Interval:
        found = by_error.interval_alone(p, m, a / float(tests[p, m]))
        return Interval(found.low, found.high, 1.0 - a)

    return replace(
        by_error,
        p_values=p_values,
        p_adjusted=adjusted,
        intervals=agreeing(cells, adjusted, settings.alpha, corrected),
        attainable=np.minimum(1.0, tests / (chosen.n_resamples + 1.0)),
    )


def _asked_intervals(question: Question, found: Analysis, draws: Draws | None) -> Analysis:
    """Replace the intervals by those that were asked for, at the same levels."""
    method, alpha = question.settings.interval, question.settings.alpha
    tests = question.tests

    def alone(p: int, m: int, a: float) -> Interval:
        part = question.parts[p][m]
        if method == "test" or method == "delta" or draws is None:
            return part.estimate().interval(1.0 - a)
        influence = part.parts - part.shares * part.value
        drawn = draws.difference(*question.pairs[p], m)
        return bootstrap_interval(method, part.value, drawn, influence, level=1.0 - a)

    def corrected(p: int, m: int, a: float) -> Interval:
        interval = alone(p, m, a / float(tests[p, m]))
        return Interval(interval.low, interval.high, 1.0 - a)

    return replace(
        found,
        intervals=agreeing(found.estimates, found.p_adjusted, alpha, corrected),
        interval_alone=alone,
    )
