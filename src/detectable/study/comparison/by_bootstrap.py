"""The test by resampled units: differences of the bootstrap, centred at zero."""

import math

import numpy as np

from detectable.core.interval import Interval
from detectable.core.types import FloatArray
from detectable.inference.bootstrap import Draws, centred_p, tie_slack
from detectable.inference.multiplicity import max_t, max_t_threshold
from detectable.kernels.distributions.normal import normal_below_each
from detectable.study.comparison.question import Question
from detectable.study.pairs.analysis import Analysis, agreeing, stepwise, t_margins


def by_bootstrap(question: Question, draws: Draws) -> Analysis:
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
    adjusted = _corrected(question, drawn - observed, p_values, slack)
    threshold = _thresholds(question, drawn - observed)
    level = _levels(question, threshold)
    tests = question.tests

    def alone(p: int, m: int, a: float) -> Interval:
        half = float(np.quantile(apart[:, p, m], 1.0 - a))
        value = float(observed[p, m])
        return Interval(value - half, value + half, 1.0 - a)

    def corrected(p: int, m: int, a: float) -> Interval:
        if chosen.correction != "max-t" or tests[p, m] == 1.0:
            found = alone(p, m, a / float(tests[p, m]))
            return Interval(found.low, found.high, 1.0 - a)
        half = float(threshold[p, m] * spread[p, m])
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
        attainable=np.minimum(
            1.0, (tests if chosen.correction == "holm" else np.ones(shape)) / (len(drawn) + 1.0)
        ),
        attainable_margin=np.zeros(shape),
    )


def _corrected(
    question: Question, null: FloatArray, p_values: FloatArray, slack: FloatArray
) -> FloatArray:
    """Return corrected p-values."""
    if question.chosen.correction != "max-t":
        return stepwise(p_values, question.groups, question.chosen.correction)
    flat = null.reshape(len(null), -1)
    observed = np.array([[part.value for part in row] for row in question.parts]).ravel()
    adjusted = np.empty(flat.shape[1])
    for columns in question.groups:
        adjusted[columns] = max_t(
            observed[columns], flat[:, columns], slack=slack.ravel()[columns]
        )
    return adjusted.reshape(question.shape)


def _thresholds(question: Question, null: FloatArray) -> FloatArray:
    """Return for every cell what the largest of its family exceeds with chance α; 0 if none varies."""
    flat = null.reshape(len(null), -1)
    found = np.empty(flat.shape[1])
    for columns in question.groups:
        found[columns] = max_t_threshold(flat[:, columns], question.settings.alpha)
    return np.nan_to_num(found).reshape(question.shape)


def _levels(question: Question, threshold: FloatArray) -> FloatArray:
    """Return the two-sided level of one normal test that every cell must pass first."""
    alpha = question.settings.alpha
    if question.chosen.correction != "max-t":
        return alpha / question.tests
    return np.where(threshold > 0.0, 2.0 * normal_below_each(-threshold), alpha)


def _by_t_shift(question: Question, level: FloatArray) -> FloatArray:
    found = np.empty(question.shape)
    for p, m in np.ndindex(*question.shape):
        cell = question.parts[p][m].estimate()
        alpha, power = float(level[p, m]), question.settings.power
        known = cell.standard_error > 0.0
        found[p, m] = cell.detectable(alpha=alpha, power=power) if known else math.nan
    return found
