"""The tests of the runs at hand: by swaps, by t where units are few, by bootstrap, or another tool's."""

import math
from dataclasses import replace
from typing import Literal

import numpy as np

from detectable.core.errors import InputError
from detectable.core.execute import Engine
from detectable.core.interval import Interval
from detectable.core.types import FloatArray
from detectable.inference.bootstrap import Draws, bootstrap
from detectable.inference.bootstrap import interval as bootstrap_interval
from detectable.inference.compat import multeval_p, sacrebleu_p
from detectable.inference.few_units import smallest_p
from detectable.inference.randomization import Randomization, randomization_test
from detectable.inference.swap_power import max_t_level, max_t_shift, swap_shift
from detectable.inference.swap_tally import SwapRequest
from detectable.study.comparison.analysis import (
    Analysis,
    MakeInterval,
    Margins,
    agreeing,
    by_t,
    stepwise,
)
from detectable.study.comparison.by_bootstrap import by_bootstrap
from detectable.study.comparison.question import Question
from detectable.study.comparison.right_or_wrong import on_scale, right_or_wrong
from detectable.study.comparison.settings import OF_DRAWS


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
        found = by_bootstrap(question, draws)
    else:
        found = _by_other_tool(question, engine)
    found = _of_right_or_wrong(question, found)
    if settings.interval != "test":
        found = _asked_intervals(question, found, draws)
    return on_scale(question.measured, found), draws


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
    margins = np.broadcast_to(question.margins, shape)
    test = randomization_test(
        question.measured.units,
        question.pairs,
        request=SwapRequest(
            alpha=settings.alpha, families=question.groups, scale=scale, margins=margins
        ),
        n_resamples=chosen.n_resamples,
        rng=engine.rng,
        n_jobs=engine.n_jobs,
        executor=engine.executor,
        progress=engine.progress,
    )
    swaps, alpha = test.swaps, settings.alpha
    if chosen.correction == "max-t":
        adjusted = swaps.p_max_t().reshape(shape)
    else:
        adjusted = stepwise(test.p_values, question.groups, chosen.correction)
    cells = [[part.estimate() for part in row] for row in question.parts]
    alone = _half_samples(question, test)
    critical = _critical(question, test, alpha)
    tests = question.tests

    def corrected(p: int, m: int, a: float) -> Interval:
        if tests[p, m] == 1.0:
            return alone(p, m, a)
        if chosen.correction == "max-t":
            return question.parts[p][m].interval(float(critical[p, m]), 1.0 - a)
        found = alone(p, m, a / float(tests[p, m]))
        return Interval(found.low, found.high, 1.0 - a)

    level, mde = _found(question, critical)
    n_units = question.measured.units[0].n_units
    smallest = smallest_p(n_units, None if swaps.exact else swaps.n_resamples)
    stepped = tests if chosen.correction == "holm" else np.ones(shape)
    return Analysis(
        estimates=cells,
        p_values=test.p_values,
        p_adjusted=adjusted,
        intervals=agreeing(cells, adjusted, alpha, corrected),
        interval_alone=alone,
        margins=Margins(
            above=swaps.p_above().reshape(shape), below=swaps.p_below().reshape(shape)
        ),
        level=level,
        mde=mde,
        attainable=np.minimum(1.0, smallest * stepped),
        # One side of the margin: half as many patterns are as extreme.
        attainable_margin=np.minimum(1.0, 0.5 * smallest * tests),
    )


def _half_samples(question: Question, test: Randomization) -> MakeInterval:
    """Return the half-sample intervals of the differences of mean scores.

    The swaps are of pooled runs, whose score may be a little off the mean score of the runs; the
    interval moves with the difference that is reported.
    """
    metrics = question.shape[1]

    def alone(p: int, m: int, a: float) -> Interval:
        found = test.swaps.interval(p * metrics + m, a)
        shift = question.parts[p][m].value - float(test.differences[p, m])
        return Interval(found.low + shift, found.high + shift, found.level)

    return alone


def _critical(question: Question, test: Randomization, alpha: float) -> FloatArray:
    """Return for every cell the critical value of the largest T of its family."""
    found = np.empty(question.shape[0] * question.shape[1])
    for family, columns in enumerate(question.groups):
        found[columns] = test.swaps.critical(family, alpha)
    return found.reshape(question.shape)


def _found(question: Question, critical: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the level of every cell, and the smallest difference that its test finds."""
    alpha, power = question.settings.alpha, question.settings.power
    n_units = question.measured.units[0].n_units
    tests = question.tests
    level, shift = np.empty(question.shape), np.empty(question.shape)
    for cell in np.ndindex(*question.shape):
        if question.chosen.correction == "max-t" and tests[cell] > 1.0:
            c = float(critical[cell])
            # Where nothing can be rejected, a single pair could not be either.
            level[cell] = max_t_level(c, n_units) if math.isfinite(c) else alpha
            shift[cell] = max_t_shift(c, n_units, power=power)
        else:
            level[cell] = alpha / tests[cell]
            shift[cell] = swap_shift(n_units, level=float(level[cell]), power=power)
    return level, _in_points(question, shift)


def _in_points(question: Question, shift: FloatArray) -> FloatArray:
    """Turn shifts in standard errors into differences; none where nothing varies."""
    cells = [[part.estimate() for part in row] for row in question.parts]
    errors = np.array([[cell.standard_error for cell in row] for row in cells])
    return np.where(errors > 0.0, errors * shift, np.nan)


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


def _of_right_or_wrong(question: Question, found: Analysis) -> Analysis:
    """Take intervals and margins of 0/1 scores from the score statistic.

    Differences of 0/1 scores are rare and lopsided: a mean and its standard error do not know
    that none of 500 answers changed because changes are rare, and the swap test at a margin
    would need differences that are symmetric about it.
    """
    shares = right_or_wrong(question.measured, question.pairs)
    if not shares:
        return found
    alpha = question.settings.alpha
    inner = found.interval_alone

    def alone(p: int, m: int, a: float) -> Interval:
        known = shares.get((p, m))
        return inner(p, m, a) if known is None else known.interval(1.0 - a)

    def corrected(p: int, m: int, a: float) -> Interval:
        known = shares.get((p, m))
        if known is None:
            return found.intervals[p][m]
        interval = known.interval(1.0 - float(found.level[p, m]))
        return Interval(interval.low, interval.high, 1.0 - a)

    above, below = found.margins.above.copy(), found.margins.below.copy()
    attainable = found.attainable_margin.copy()
    for (p, m), known in shares.items():
        attainable[p, m] = 0.0
        margin = float(question.margins[m])
        if not math.isnan(margin):
            above[p, m], below[p, m] = known.p_above(-margin), known.p_below(margin)
    return replace(
        found,
        intervals=agreeing(found.estimates, found.p_adjusted, alpha, corrected),
        interval_alone=alone,
        margins=Margins(above=above, below=below),
        attainable_margin=attainable,
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
