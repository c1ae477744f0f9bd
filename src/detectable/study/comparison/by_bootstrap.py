"""The test by resampled units: differences of the bootstrap, centred at zero."""

import math
from collections.abc import Callable

import numpy as np

from detectable.core.interval import Interval
from detectable.core.types import FloatArray, IntArray
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
    n_metrics = shape[1]

    def drawn(p: int, m: int) -> FloatArray:
        return draws.difference(*question.pairs[p], m)

    def null(column: int) -> FloatArray:
        p, m = divmod(column, n_metrics)
        centred: FloatArray = drawn(p, m) - observed[p, m]
        return centred

    largest = np.abs(draws.scores).max(axis=(0, 1)).tolist()
    p_values, slack, spread = np.empty(shape), np.empty(shape), np.empty(shape)
    for p, m in np.ndindex(*shape):
        one = drawn(p, m)
        p_values[p, m] = centred_p(float(observed[p, m]), one, score=largest[m])
        slack[p, m] = tie_slack(one, largest[m])
        spread[p, m] = one.std()
    adjusted = _corrected(question, null, p_values, slack)
    threshold = _thresholds(question, null)
    level = _levels(question, threshold)
    tests = question.tests

    def alone(p: int, m: int, a: float) -> Interval:
        half = float(np.quantile(np.abs(drawn(p, m) - observed[p, m]), 1.0 - a))
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
            1.0,
            (tests if chosen.correction == "holm" else np.ones(shape))
            / (len(draws.scores) + 1.0),
        ),
        attainable_margin=np.zeros(shape),
    )


def _corrected(
    question: Question,
    null: Callable[[int], FloatArray],
    p_values: FloatArray,
    slack: FloatArray,
) -> FloatArray:
    """Return corrected p-values."""
    if question.chosen.correction != "max-t":
        return stepwise(p_values, question.groups, question.chosen.correction)
    observed = np.array([[part.value for part in row] for row in question.parts]).ravel()
    adjusted = np.empty(observed.size)
    for columns in question.groups:
        adjusted[columns] = max_t(
            observed[columns], _of_family(null, columns), slack=slack.ravel()[columns]
        )
    return adjusted.reshape(question.shape)


def _thresholds(question: Question, null: Callable[[int], FloatArray]) -> FloatArray:
    """Return for every cell what the largest of its family exceeds with chance α; 0 if none varies."""
    found = np.zeros(question.shape)
    if question.chosen.correction != "max-t":
        return found
    for columns in question.groups:
        found.flat[columns] = max_t_threshold(
            _of_family(null, columns), question.settings.alpha, size=columns.size
        )
    return np.nan_to_num(found)


def _of_family(
    null: Callable[[int], FloatArray], columns: IntArray
) -> Callable[[int], FloatArray]:
    return lambda position: null(int(columns[position]))


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
