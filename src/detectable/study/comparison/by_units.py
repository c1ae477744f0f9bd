"""The tests of the runs at hand: by swaps, by t where units are few, by bootstrap, or another tool's."""

from dataclasses import replace
from typing import TYPE_CHECKING, Literal

import numpy as np

from detectable.core.errors import InputError
from detectable.core.execute import Engine
from detectable.core.interval import Interval
from detectable.inference.randomization import randomization_test
from detectable.inference.swap_tally import SwapRequest
from detectable.study.comparison.on_scale import on_scale
from detectable.study.comparison.question import Question
from detectable.study.comparison.right_or_wrong import right_or_wrong
from detectable.study.comparison.settings import OF_DRAWS
from detectable.study.pairs.analysis import (
    Analysis,
    agreeing,
    by_t,
    stepwise,
)
from detectable.study.pairs.swap_analysis import by_swaps

if TYPE_CHECKING:
    from detectable.inference.bootstrap import Draws
    from detectable.inference.paired_shares import PairedShares


def by_units(question: Question, engine: Engine) -> "tuple[Analysis, Draws | None]":
    """Test every pair under every metric with the runs at hand; and the bootstrap, if it ran."""
    settings, chosen = question.settings, question.chosen
    draws = _draws(question, engine)
    if chosen.test == "t":
        found = by_t(
            question.cells,
            question.margins,
            question.groups,
            chosen.correction,
            alpha=settings.alpha,
            power=settings.power,
        )
    elif chosen.test == "swap":
        found = _by_swaps(question, engine)
    elif chosen.test == "bootstrap" and draws is not None:
        from detectable.study.comparison.by_bootstrap import by_bootstrap

        found = by_bootstrap(question, draws)
    else:
        found = _by_other_tool(question, engine)
    # A weighted mean of tasks is no share of right answers.
    by_task = question.measured.tasks is not None
    shares = {} if by_task else right_or_wrong(question.measured, question.pairs)
    if shares:
        found = _by_answers(question, found, shares)
    if settings.family == "systems-and-metrics" and chosen.correction != "none":
        # Scores of 0 and 1 have no smallest p-value, so Holm may come to the others after them.
        left = 1.0 - len(shares) / np.prod(question.shape)
        found = replace(found, attainable_margin=left * found.attainable_margin)
    if settings.interval != "test":
        found = _asked_intervals(question, found, draws)
    return on_scale(question.measured, found), draws


def _draws(question: Question, engine: Engine) -> "Draws | None":
    """Bootstrap once if the test or the intervals ask for it."""
    if question.chosen.test != "bootstrap" and question.settings.interval not in OF_DRAWS:
        return None
    from detectable.inference.bootstrap import bootstrap

    return bootstrap(
        question.measured.units,
        n_resamples=question.chosen.n_resamples,
        rng=engine.rng,
        n_jobs=engine.n_jobs,
        executor=engine.executor,
        progress=engine.progress,
    )


def _by_answers(
    question: Question, found: Analysis, shares: "dict[tuple[int, int], PairedShares]"
) -> Analysis:
    """Take from counts of right and wrong answers what a mean of them does not know."""
    from detectable.study.pairs.shares import with_share_mdes, with_shares

    settings, chosen = question.settings, question.chosen
    found = with_shares(found, shares, question.margins, alpha=settings.alpha)
    if chosen.test != "swap":
        return found
    joint = chosen.correction == "max-t" and chosen.family_size > 1
    return with_share_mdes(found, shares, question.parts, joint=joint, power=settings.power)


def _by_swaps(question: Question, engine: Engine) -> Analysis:
    settings, chosen, shape = question.settings, question.chosen, question.shape
    scale = np.array([[part.scale for part in row] for row in question.parts])
    test = randomization_test(
        question.measured.units,
        question.pairs,
        request=SwapRequest(
            alpha=settings.alpha,
            tests=int(question.tests.max()),
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


def _by_other_tool(question: Question, engine: Engine) -> Analysis:
    """Return another tool's p-values, with intervals by t."""
    from detectable.inference.compat import multeval_p, sacrebleu_p

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
        attainable_margin=np.zeros(question.shape),
    )


def _asked_intervals(question: Question, found: Analysis, draws: "Draws | None") -> Analysis:
    """Replace the intervals by those that were asked for, at the same levels."""
    method, alpha = question.settings.interval, question.settings.alpha
    tests = question.tests

    def alone(p: int, m: int, a: float) -> Interval:
        part = question.parts[p][m]
        if method == "test" or method == "delta" or draws is None:
            return part.estimate().interval(1.0 - a)
        from detectable.inference.bootstrap import interval as bootstrap_interval

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
