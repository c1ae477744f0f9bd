"""How pairs are tested: by swaps, t, bootstrap, counts of answers, or another tool's rule."""

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Literal, TypeVar

import numpy as np

from detectable.contrasts.analysis import (
    Analysis,
    Pairs,
    agreeing,
    by_swaps,
    by_t,
    stepwise,
    t_margins,
    together,
)
from detectable.core.errors import InputError
from detectable.core.execute import Engine
from detectable.core.interval import Interval
from detectable.core.types import FloatArray, IntArray
from detectable.data.texts.corpus import Corpus
from detectable.inference.few_units import smallest_p
from detectable.inference.multiplicity import max_t, max_t_threshold
from detectable.inference.randomization import SwapParts, randomization_test
from detectable.inference.swaps import SwapRequest
from detectable.kernels.distributions import normal_below_each
from detectable.metrics.base import Metric, TextMetric
from detectable.study.comparison.claims import on_scale
from detectable.study.comparison.measure import Measured
from detectable.study.comparison.options import OF_DRAWS, CompareSettings
from detectable.study.comparison.result import Agreement, PairComparison
from detectable.study.comparison.settings import Question

if TYPE_CHECKING:
    from detectable.contrasts.margins import AgainstMargins
    from detectable.data.scores.scores import Scores
    from detectable.inference.bootstrap import Draws
    from detectable.inference.runs import RandomRuns
    from detectable.inference.shares import PairedShares
    from detectable.study.comparison.measure import Strata
    from detectable.study.comparison.parts import Sampled, Standings, TaskRows


def by_units(
    question: Question, engine: Engine, scores: "AgainstMargins"
) -> "tuple[Analysis, Draws | None]":
    """Test every pair under every metric with the runs at hand; and the bootstrap, if it ran.

    Parameters
    ----------
    scores : mapping of (pair, metric) to MarginScore or StratifiedScore
        What margins go by.
    """
    settings, chosen = question.settings, question.chosen
    draws = _draws(question, engine)
    if chosen.test in ("t", "score"):  # what the score rule does not say is said by t
        found = by_t(
            question.cells,
            question.margins,
            question.groups,
            chosen.correction,
            alpha=settings.alpha,
            power=settings.power,
        )
    elif chosen.test == "mcnemar":
        found = _by_counts(question)
    elif chosen.test == "swap":
        found = _by_swaps(question, engine)
    elif chosen.test == "bootstrap" and draws is not None:
        found = by_bootstrap(question, draws)
    else:
        found = _by_other_tool(question, engine)
    # A weighted mean of tasks is no share of right answers.
    by_task = question.measured.tasks is not None
    shares = {} if by_task else right_or_wrong(question.measured, question.pairs)
    if shares:
        found = _by_answers(question, found, shares)
    if scores:
        from detectable.contrasts.margins import with_margin_scores

        found = with_margin_scores(found, scores, question.margins)
    found = _by_size(question, found)
    if settings.family == "systems-and-metrics" and chosen.correction != "none":
        # The score rule has no smallest p-value, so Holm may come to the others after it.
        left = 1.0 - len(scores) / np.prod(question.shape)
        found = found._replace(attainable_margin=left * found.attainable_margin)
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
    from detectable.contrasts.analysis import with_exact_answers, with_share_mdes, with_shares

    settings, chosen = question.settings, question.chosen
    joint = chosen.correction == "max-t" and chosen.family_size > 1
    alone = question.measured.counted
    counted = {cell: one for cell, one in shares.items() if alone[cell[1]]}
    if chosen.test == "swap" and counted and not joint:
        correction = chosen.stepwise
        found = with_exact_answers(found, counted, question.groups, correction)
    found = with_shares(found, shares, alpha=settings.alpha)
    if chosen.test not in ("swap", "mcnemar"):
        return found
    return with_share_mdes(found, shares, question.parts, joint=joint, power=settings.power)


def _by_counts(question: Question) -> Analysis:
    """Count the answers that only one system has right: no swap is drawn."""
    from detectable.contrasts.analysis import by_answers

    return by_answers(
        right_or_wrong(question.measured, question.pairs),
        question.parts,
        question.groups,
        question.chosen.correction,
        alpha=question.settings.alpha,
    )


def _by_size(question: Question, found: Analysis) -> Analysis:
    """Take differences that change with document size from the score statistic.

    Such documents are not alike under “no difference”, so their swaps have no joint null: families
    with one of them are corrected by Holm.
    """
    trends = question.growing
    if not trends:
        return found
    from detectable.inference.document_size import dense_p
    from detectable.inference.margin_score import MarginScore

    scores = {}
    raw = found.p_values.copy()
    smallest = np.zeros(raw.shape) if found.smallest is None else found.smallest.copy()
    chosen, alpha, tests = question.chosen, question.settings.alpha, question.tests
    drawn = None if chosen.exact else chosen.n_resamples
    by_design = np.full(raw.shape, smallest_p(chosen.n_units, drawn))
    mde = found.mde.copy()
    for p, m in trends:
        part = question.parts[p][m]
        scores[p, m] = MarginScore.of_units(part.parts, part.shares)
        raw[p, m] = dense_p(scores[p, m])
        smallest[p, m] = by_design[p, m] = 0.0
        if not mde[p, m] > 0.0:  # swaps could not find anything
            mde[p, m] = found.estimates[p][m].detectable(
                alpha=alpha / float(tests[p, m]), power=question.settings.power
            )
    adjusted, attainable = found.p_adjusted.copy(), found.attainable.copy()
    possible = np.ones(raw.shape, bool) if found.possible is None else found.possible.copy()
    # The score statistic has no smallest p-value, so Holm may come to the others after it.
    stepped, least, of_design = (
        stepwise(one, question.groups, chosen.stepwise) for one in (raw, smallest, by_design)
    )
    for columns in question.groups:
        cells = [divmod(int(column), question.shape[1]) for column in columns]
        if any(cell in trends for cell in cells):
            for cell in cells:
                adjusted[cell], attainable[cell] = stepped[cell], least[cell]
                possible[cell] = of_design[cell] <= alpha

    def alone(p: int, m: int, a: float) -> Interval:
        known = scores.get((p, m))
        return found.interval_alone(p, m, a) if known is None else known.interval(0.5 * a)

    def corrected(p: int, m: int, a: float) -> Interval:
        if (p, m) not in scores:
            return found.intervals[p][m]
        return together(alone, tests)(p, m, a)

    return found._replace(
        p_values=raw,
        p_adjusted=adjusted,
        intervals=agreeing(found.estimates, adjusted, alpha, corrected),
        interval_alone=alone,
        mde=mde,
        attainable=attainable,
        possible=possible,
        smallest=smallest,
    )


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

    corrected = together(by_error.interval_alone, tests)
    attainable = np.minimum(1.0, tests / (chosen.n_resamples + 1.0))
    return by_error._replace(
        p_values=p_values,
        p_adjusted=adjusted,
        intervals=agreeing(cells, adjusted, settings.alpha, corrected),
        attainable=attainable,
        attainable_margin=np.zeros(question.shape),
        possible=attainable <= settings.alpha,
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

    return found._replace(
        intervals=agreeing(found.estimates, found.p_adjusted, alpha, together(alone, tests)),
        interval_alone=alone,
    )


# --- The test by resampled units: differences of the bootstrap, centred at zero ---


def by_bootstrap(question: Question, draws: "Draws") -> Analysis:
    """Test by resampled differences, centred at zero."""
    from detectable.inference.bootstrap import centred_p, tie_slack

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
            return together(alone, tests)(p, m, a)
        half = float(threshold[p, m] * spread[p, m])
        value = float(observed[p, m])
        return Interval(value - half, value + half, 1.0 - a)

    stepped = tests if chosen.correction == "holm" else np.ones(shape)
    attainable = np.minimum(1.0, stepped / (len(draws.scores) + 1.0))
    return Analysis(
        estimates=cells,
        p_values=p_values,
        p_adjusted=adjusted,
        intervals=agreeing(cells, adjusted, settings.alpha, corrected),
        interval_alone=alone,
        margins=t_margins(cells, question.margins),
        level=level,
        mde=_by_t_shift(question, level),
        attainable=attainable,
        attainable_margin=np.zeros(shape),
        possible=attainable <= settings.alpha,
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


# --- What only some comparisons have: given scores, tasks, samples of an item, several runs or metrics ---
#
# It is imported where it is needed: a comparison of two texts is over in the time that it takes to
# load all of it.

Part = TypeVar("Part")


def directions_of(
    data: "Corpus | Scores", metrics: tuple[Metric, ...], *, asked: bool
) -> tuple[str, ...]:
    """Return what is to be said of the direction of given scores."""
    given = [m for m in metrics if not isinstance(m, TextMetric) or m.given]
    if not given:
        return ()
    from detectable.study.comparison.given_scores import direction_notes

    return direction_notes(data, metrics, asked=asked)


def samples_of(
    data: "Corpus | Scores", question: Question, rows: tuple[PairComparison, ...]
) -> "tuple[Sampled | None, tuple[str, ...]]":
    """Return what several samples of an item say, and what is to be said of them."""
    if isinstance(data, Corpus) or question.measured.n_samples is None:
        return None, ()
    from detectable.study.comparison.samples import sample_notes, sampled

    return sampled(data, question, rows), sample_notes(question)


def tasks_of(question: Question) -> "TaskRows | None":
    """Return a row for every task; None where there are no tasks."""
    if question.measured.tasks is None:
        return None
    from detectable.study.comparison.claims import task_rows

    return task_rows(question)


def standings_of(
    question: Question, rows: "tuple[PairComparison, ...]", tasks: "TaskRows | None"
) -> "Standings | None":
    """Return ranks over several tasks; None where there are no tasks."""
    if tasks is None:
        return None
    from detectable.study.comparison.claims import standings

    return standings(question, rows, tasks)


def strata_of(data: "Corpus | Scores", settings: CompareSettings) -> "Strata | None":
    """Return the tasks of scores, after checking that the options leave them room."""
    if isinstance(data, Corpus):
        if settings.tasks != "fixed" or settings.weights != "macro":
            raise InputError("`tasks` and `weights` are for scores that hold several tasks.")
        return None
    from detectable.study.comparison.measure import choose_strata

    strata = choose_strata(data, settings.tasks, settings.weights)
    if strata is not None:
        settings.check_tasks(len(strata.names))
    elif settings.task_correction != "holm":
        raise InputError(
            f"`task_correction={settings.task_correction!r}` needs several tasks. Drop it."
        )
    return strata


def task_parts_of(measured: Measured, pairs: Pairs) -> list[list[list[SwapParts]]]:
    """Return [pair][metric][task]; nothing where there are no tasks."""
    tasks = measured.tasks
    if tasks is None:
        return []
    return by_pair([tasks.pair_parts(sample, pairs) for sample in measured.units])


def by_pair(columns: list[list[Part]]) -> list[list[Part]]:
    """Turn [metric][pair] into [pair][metric]."""
    return [list(row) for row in zip(*columns, strict=True)]


def two_way_of(question: Question, fixed: Analysis) -> "list[list[RandomRuns]] | None":
    """Return all pairs with runs as a sample; None where no system has two runs."""
    samples = question.measured.units
    if max(samples[0].runs) < 2 or question.settings.compat is not None:
        return None
    from detectable.inference.runs import random_runs

    return by_pair(
        [
            random_runs(
                sample,
                question.pairs,
                [row[m] for row in fixed.estimates],
                variance=question.settings.run_variance,
            )
            for m, sample in enumerate(samples)
        ]
    )


def by_runs(question: Question, two_way: "list[list[RandomRuns]]") -> Analysis:
    """Test every pair by t over units and runs, where runs are a sample."""
    settings = question.settings
    found = by_t(
        [[cell.estimate for cell in row] for row in two_way],
        question.margins,
        question.groups,
        question.chosen.stepwise,
        alpha=settings.alpha,
        power=settings.power,
    )
    mde = np.empty(question.shape)
    for p, m in np.ndindex(*question.shape):
        level = float(found.level[p, m])
        mde[p, m] = two_way[p][m].detectable(alpha=level, power=settings.power)
    return on_scale(question.measured, found._replace(mde=mde))


def groups_of(
    measured: Measured, rows: tuple[PairComparison, ...], *, ranked: bool
) -> dict[str, tuple[tuple[str, ...], ...]]:
    """Return rank groups under every metric; none where not all pairs were tested."""
    if not ranked:
        return {}
    from detectable.study.comparison.remarks import groups_by_metric

    return groups_by_metric(measured, rows)


def agreement_of(measured: Measured, rows: tuple[PairComparison, ...]) -> tuple[Agreement, ...]:
    """Return how far each two metrics agree; nothing of one."""
    if len(measured.units) < 2:
        return ()
    from detectable.study.comparison.remarks import agreement

    return agreement(measured, rows)


# --- Pairs whose scores are 0 or 1: how many answers one system has right and the other wrong ---


def right_or_wrong(
    measured: Measured, pairs: Pairs, *, without: list[list[int]] | None = None
) -> "dict[tuple[int, int], PairedShares]":
    """Return the discordant answers of every pair and metric of 0/1 scores.

    Answers of a document, and several answers to one question, form a cluster each. Samples of a
    question belong to no sample of another system, and count as expected. Equally many runs of two systems are set against each other in their order. Otherwise every run of one
    is set against every run of the other: the difference is that of their means, and what these
    pairs have in common is in the design effect of their cluster.

    Parameters
    ----------
    without : list of list of int, optional
        For every pair and metric a unit to leave out.
    """
    if all(sample.metric.answers != "share" for sample in measured.segments):
        return {}
    from detectable.inference.shares import PairedShares

    found, counted = {}, measured.counted
    for m, sample in enumerate(measured.segments):
        if sample.metric.answers != "share":
            continue
        unit = np.arange(sample.n_units)
        if measured.unit == "document" and measured.documents is not None:
            unit = measured.documents[0]
        for p, (system, baseline) in enumerate(pairs):
            if measured.n_samples is not None and not counted[m]:
                keep = np.ones(unit.size, bool) if without is None else unit != without[p][m]
                found[p, m] = PairedShares.of_rates(
                    sample.of(system)[0, keep, 0],
                    sample.of(baseline)[0, keep, 0],
                    measured.n_samples[[system, baseline]][:, keep],
                    unit[keep],
                )
                continue
            ours, theirs = _answers(sample.of(system), sample.of(baseline))
            both = (ours[..., 1] > 0.0) & (theirs[..., 1] > 0.0)
            if without is not None:
                both &= unit != without[p][m]
            differences = (ours[..., 0] - theirs[..., 0])[both]
            if not differences.size:
                continue
            clusters = np.broadcast_to(unit, both.shape)[both]
            found[p, m] = PairedShares.of_differences(differences, clusters)
    return found


def _answers(ours: FloatArray, theirs: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the runs of two systems, set against each other."""
    if len(ours) == len(theirs):
        return ours, theirs
    return np.repeat(ours, len(theirs), axis=0), np.tile(theirs, (len(ours), 1, 1))
