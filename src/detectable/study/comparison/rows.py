"""The rows of a comparison: one per system and metric, one per pair and metric."""

import math
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from detectable.contrasts.analysis import Analysis, t_p_value
from detectable.contrasts.contrast import Contrast
from detectable.core import check
from detectable.core.errors import InputError
from detectable.core.interval import Interval
from detectable.core.types import ArrayLike, FloatArray
from detectable.core.wording import listing
from detectable.inference.few_units import smallest_p, units_to_reject
from detectable.inference.randomization import swap_parts
from detectable.inference.runs import RunSpread, median_run, run_spread
from detectable.inference.standard_errors import Estimate, estimate, robust_variance
from detectable.inference.swap_power import units_needed
from detectable.kernels.distributions import t_quantile
from detectable.study.comparison.claims import score_on_scale
from detectable.study.comparison.measure import Measured
from detectable.study.comparison.result import Naive, PairComparison, RunsClaim, SystemScore
from detectable.study.comparison.settings import Question
from detectable.study.comparison.ways_to_test import right_or_wrong

if TYPE_CHECKING:
    from detectable.inference.bootstrap import Draws
    from detectable.inference.runs import RandomRuns
    from detectable.inference.shares import PairedShares


def system_rows(
    question: Question,
    draws: "Draws | None",
    *,
    development: Mapping[str, Mapping[str, FloatArray]],
    groups: Mapping[str, tuple[tuple[str, ...], ...]],
) -> tuple[SystemScore, ...]:
    """Return one row per system and metric, metrics within systems.

    Parameters
    ----------
    development : mapping of metric to mapping of system to scores
        As `development_scores` returns it: scores of one metric say nothing about another.
    """
    measured = question.measured
    if question.settings.median_by == "dev":
        several = dict(zip(measured.systems, measured.units[0].runs, strict=True))
        known = {name for scores in development.values() for name in scores}
        lost = [name for name, runs in several.items() if runs > 1 and name not in known]
        if max(several.values()) < 2:
            raise InputError(
                "`median_by='dev'` chooses among runs, and every system has one. Drop it, or give more runs."
            )
        if lost:
            raise InputError(
                f"`median_by='dev'` needs `dev_scores` of every system with several runs; there are none "
                f"of {listing(lost)}."
            )
    rows = []
    for s, system in enumerate(measured.systems):
        for m, sample in enumerate(measured.units):
            developed = development.get(sample.metric.name, {}).get(system)
            spread = run_spread(sample, s, dev_scores=developed)
            weighted = measured.tasks
            if weighted is not None:
                spread = spread._replace(s_sel=weighted.score(sample, s).standard_error)
            chosen = spread.median_run
            if question.settings.median_by == "dev":
                # A metric that was not tuned is read in the runs that the tuned one chooses.
                by = [developed, *(scores.get(system) for scores in development.values())]
                chosen = next((median_run(one) for one in by if one is not None), chosen)
            name = sample.metric.name
            group = next(
                (g for g, members in enumerate(groups.get(name, ()), 1) if system in members),
                None,
            )
            rows.append(
                SystemScore(
                    system=system,
                    metric=name,
                    score=float(spread.runs.mean()),
                    interval=score_on_scale(
                        sample.metric,
                        float(spread.runs.mean()),
                        _system_interval(question, (s, m), spread, draws),
                    ),
                    runs=tuple(float(x) for x in spread.runs),
                    s_test=spread.s_test,
                    s_sel=spread.s_sel,
                    s_dev=spread.s_dev,
                    median_run=chosen,
                    group=group,
                )
            )
    return tuple(rows)


def development_scores(
    measured: Measured,
    metrics: Sequence[str],
    dev_scores: Mapping[str, ArrayLike] | None,
    dev_metric: str | None,
) -> dict[str, dict[str, FloatArray]]:
    """Return the development score of each run, by metric and system.

    Parameters
    ----------
    dev_scores : mapping of str to scores
        By system, or by ``metric:system``.
    dev_metric : str, optional
        The metric of those that do not say theirs; may be left out where there is one.
    """
    runs = dict(zip(measured.systems, measured.units[0].runs, strict=True))
    found: dict[str, dict[str, FloatArray]] = {}
    unsaid = False
    for name, values in (dev_scores or {}).items():
        before, _, after = name.partition(":")
        says = name not in runs and before in metrics and after in runs
        system = after if says else name
        if system not in runs:
            raise InputError(
                f"`dev_scores` names {name!r}, which is not a system"
                f"{_no_metric(before, after, metrics) if after in runs else '.'}"
            )
        scores = np.asarray(values, dtype=np.float64)
        if scores.shape != (runs[system],):
            raise InputError(
                f"`dev_scores` of {name!r} must give one score for each of its "
                f"{runs[system]} runs; got {scores.size}."
            )
        unsaid |= not says
        metric = before if says else _tuned(metrics, dev_metric)
        if system in found.setdefault(metric, {}):
            raise InputError(f"`dev_scores` has {metric} of {system!r} twice. Give it once.")
        found[metric][system] = scores
    if dev_metric is not None and not unsaid:
        raise InputError(
            f"`dev_metric={dev_metric!r}` "
            + (
                "has no effect: the scores say their metric."
                if found
                else "needs `dev_scores`."
            )
            + (" Drop it." if found else " Give both or neither.")
        )
    return found


def _no_metric(name: str, system: str, metrics: Sequence[str]) -> str:
    return f": {system!r} is one, and {name!r} is not among the metrics ({', '.join(metrics)})."


def _tuned(metrics: Sequence[str], named: str | None) -> str:
    """Return the metric of development scores that do not say theirs."""
    if named is None and len(metrics) > 1:
        raise InputError(
            f"`dev_scores` are of one metric, and there are {', '.join(metrics)}. Name the one that "
            f"was tuned: `dev_metric='{metrics[0]}'`, or '{metrics[0]}:SYSTEM' in place of 'SYSTEM'."
        )
    return metrics[0] if named is None else check.one_of(named, tuple(metrics), "dev_metric")


def _system_interval(
    question: Question, cell: tuple[int, int], spread: RunSpread, draws: "Draws | None"
) -> Interval:
    """Return the interval of a mean score; with random runs it covers new runs as well."""
    s, m = cell
    sample, settings = question.measured.units[m], question.settings
    influence = sample.influence(s).mean(axis=0)
    value = float(spread.runs.mean())
    method = settings.interval
    if method != "test" and method != "delta" and draws is not None:
        from detectable.inference.bootstrap import interval as bootstrap_interval

        return bootstrap_interval(
            method, value, draws.scores[:, s, m], influence, level=settings.level
        )
    if sample.n_units < 2:
        return Interval(math.nan, math.nan, settings.level)
    variance, df = robust_variance(influence, sample.shares(s))
    by_unit = Estimate(value, math.sqrt(float(variance)), float(df))
    if question.measured.tasks is not None:
        by_unit = question.measured.tasks.score(sample, s)
    if question.chosen.runs == "random" and spread.runs.size > 1:
        by_unit = _with_runs(by_unit, spread)
    if sample.metric.answers == "share":
        return _share_interval(by_unit, sample.n_units, settings.level)
    if sample.metric.answers == "chance":
        from detectable.inference.shares import chance_interval

        return chance_interval(by_unit, settings.level, (0.0, 1.0))
    return by_unit.interval(settings.level)


def _with_runs(by_unit: Estimate, spread: RunSpread) -> Estimate:
    """Add the error of the runs to that of the units; degrees of freedom by Satterthwaite.

    As in `inference.runs`, on the safe side: what runs and units share is counted in
    both.
    """
    n_runs = spread.runs.size
    units, runs = by_unit.standard_error**2, spread.s_test**2 / n_runs
    noise = units**2 / by_unit.df + runs**2 / (n_runs - 1.0)
    df = (units + runs) ** 2 / noise if noise > 0.0 else by_unit.df
    return Estimate(by_unit.value, math.sqrt(units + runs), df)


def _share_interval(share: Estimate, n_units: int, level: float) -> Interval:
    """Return Wilson's interval of a share whose error is that of fewer, independent answers.

    So it stays between 0 and 1. Where no answer differs from another there is no error to go by,
    and the number of units takes its place.
    """
    from detectable.inference.shares import wilson_limits

    value = share.value
    trials = float(n_units)
    if share.standard_error > 0.0 and 0.0 < value < 1.0:
        trials = value * (1.0 - value) / share.standard_error**2
    low, high = wilson_limits(value, trials, t_quantile(0.5 + level / 2.0, share.df))
    return Interval(low, high, level)


def pair_rows(
    question: Question,
    found: Mapping[str, Analysis],
    two_way: "list[list[RandomRuns]] | None",
    claimed: list[list[Contrast]],
    effects: Mapping[str, float],
) -> tuple[PairComparison, ...]:
    """Return one row per metric and pair, pairs within metrics.

    Parameters
    ----------
    found : mapping
        ``fixed``: the analysis of the runs at hand; ``random``: of new runs, where there are
        several.
    """
    rows = []
    by_document = _by_document(question)
    by_swaps = question.chosen.test in ("swap", "mcnemar") and question.chosen.runs == "fixed"
    # The detectable difference of answers is that of the exact test only where swaps decide.
    swapped = question.settings.test in ("auto", "randomization")
    answers: Mapping[tuple[int, int], PairedShares] = {}
    if effects and swapped and question.measured.tasks is None:
        answers = right_or_wrong(question.measured, question.pairs)
    for m, sample in enumerate(question.measured.units):
        name = sample.metric.name
        for p, pair in enumerate(question.pairs):
            said = claimed[p][m]
            main = found[question.chosen.runs]
            needs = _needs(question, main, two_way, (p, m), said, effects.get(name), answers)
            rows.append(
                PairComparison.of(
                    said,
                    measure=name,
                    system=sample.systems[pair[0]],
                    baseline=sample.systems[pair[1]],
                    naive=_naive(question.measured, m, pair),
                    p_by_document=by_document.get((p, m), math.nan),
                    units_needed=needs.units,
                    runs_needed=needs.runs,
                    mde_many_runs=needs.mde_many_runs,
                    these_runs=_runs_claim(found, "fixed", (p, m)) if two_way else None,
                    new_runs=_runs_claim(found, "random", (p, m)) if two_way else None,
                    n_differing=question.parts[p][m].n_differing if by_swaps else None,
                )
            )
    return tuple(rows)


def _runs_claim(found: Mapping[str, Analysis], runs: str, cell: tuple[int, int]) -> RunsClaim:
    p, m = cell
    analysis = found[runs]
    return RunsClaim(
        p_value=float(analysis.p_values[p, m]),
        p_adjusted=float(analysis.p_adjusted[p, m]),
        interval=analysis.intervals[p][m],
    )


class _Needs(NamedTuple):
    """How much more data, or how many more runs, would show the named effect."""

    units: int | None = None
    runs: int | None = None
    mde_many_runs: float = math.nan


def _needs(
    question: Question,
    main: Analysis,
    two_way: "list[list[RandomRuns]] | None",
    cell: tuple[int, int],
    said: Contrast,
    effect: float | None,
    answers: "Mapping[tuple[int, int], PairedShares]",
) -> _Needs:
    p, m = cell
    level, power = float(main.level[p, m]), question.settings.power
    found, n_units = main.estimates[p][m], question.measured.units[m].n_units
    if question.chosen.runs == "fixed" or two_way is None:
        fixed_test = {"randomization": True, "t": False}.get(question.settings.test)
        if question.measured.tasks is not None:
            fixed_test = False
        if effect is not None:
            by_test = units_needed(
                effect,
                found.typical_error,
                n_units,
                alpha=question.settings.alpha,
                level=level,
                power=power,
                swap=fixed_test,
                swaps_find=_answers_find(question, cell, answers, effect, level),
            )
            strict = cell in answers or fixed_test is True
            return _Needs(units=_planned(question, main, cell, effect, by_test, strict=strict))
        return _Needs(units=_units_to_speak(question, said.attainable_p))
    floor = Estimate(found.value, math.sqrt(two_way[p][m].item_variance), n_units - 1.0)
    return _Needs(
        runs=None
        if effect is None
        else two_way[p][m].runs_needed(effect, alpha=level, power=power),
        mde_many_runs=floor.detectable(alpha=level, power=power),
    )


def _planned(
    question: Question,
    main: Analysis,
    cell: tuple[int, int],
    effect: float,
    by_test: int | None,
    *,
    strict: bool,
) -> int | None:
    """Return how many units would find an effect: of documents the number of every plan.

    Parameters
    ----------
    by_test : int or None
        What this very test asks for.
    strict : bool
        Whether it may ask for more than a t test: swaps that were asked for, and answers that rarely
        differ, of which so many must.
    """
    measured, (p, m) = question.measured, cell
    if measured.unit != "document" or measured.tasks is not None or by_test is None:
        return by_test
    from detectable.planning.documents import DocumentSpread

    found, shares = main.estimates[p][m], question.parts[p][m].shares
    spread = DocumentSpread.of_estimate(found, shares, found, shares.size)
    level, power = float(main.level[p, m]), question.settings.power
    needed = spread.needed(effect, alpha=level, power=power)
    return max(needed, by_test) if strict and needed is not None else needed


def _answers_find(
    question: Question,
    cell: tuple[int, int],
    answers: "Mapping[tuple[int, int], PairedShares]",
    effect: float,
    level: float,
) -> Callable[[int, float], bool] | None:
    """Return the rule of the exact test for right or wrong answers; None for other scores."""
    if cell not in answers:
        return None
    from detectable.contrasts.analysis import found_by_swaps

    joint = question.chosen.correction == "max-t" and question.chosen.family_size > 1
    return found_by_swaps(
        answers[cell],
        question.parts[cell[0]][cell[1]],
        effect,
        level=level,
        joint=joint,
        power=question.settings.power,
    )


def _units_to_speak(question: Question, attainable: float) -> int | None:
    """Return at how many units the test could reject; None where it can, or lacks swaps only."""
    alpha, chosen = question.settings.alpha, question.chosen
    if chosen.test not in ("swap", "mcnemar") or attainable <= alpha:
        return None
    drawn = None if chosen.exact else chosen.n_resamples
    tests = float(chosen.family_size) if chosen.correction == "holm" else 1.0
    if question.settings.claim != "better":  # one side of the margin, where no unit is a tie
        tests = attainable / smallest_p(chosen.n_units, drawn)
    if tests * smallest_p(chosen.n_units) <= alpha:
        return None
    return units_to_reject(alpha / tests)


def _by_document(question: Question) -> dict[tuple[int, int], float]:
    """Return p by t over documents, where segments are tested although documents are known."""
    measured = question.measured
    if measured.unit == "document" or measured.documents is None or measured.tasks is not None:
        return {}
    if len(measured.documents[1]) < 2:
        return {}
    found = {}
    for m, sample in enumerate(measured.segments):
        grouped = sample.by_document(measured.documents[0])
        for p, part in enumerate(swap_parts(grouped, question.pairs)):
            found[p, m] = t_p_value(part.estimate())
    return found


def _naive(measured: Measured, m: int, pair: tuple[int, int]) -> Naive | None:
    """Return what treating every segment, and every run, as independent would have said."""
    sample = measured.segments[m]
    if measured.answers and sample.metric.answers != "chance":
        first, second = (measured.answers[s] for s in pair)
        rows = Estimate(
            first.value_rows - second.value_rows,
            math.hypot(first.standard_error_rows, second.standard_error_rows),
            first.n_samples + second.n_samples - 2.0,
        )
        method = "samples counted as further items"
        if measured.tasks is not None:
            method = f"all tasks pooled and {method}"
        return Naive(method=method, p_value=rows.p_value())
    runs = sample.runs[pair[0]], sample.runs[pair[1]]
    several = runs[0] > 1 and runs[0] == runs[1]
    if measured.unit == "segment" and not several:
        return None
    ours, theirs = sample.influence(pair[0]), sample.influence(pair[1])
    if several:
        further = "sentences" if measured.item_word == "segment" else "items"
        method = f"runs counted as further {further}"
        parts = (ours - theirs).ravel() / runs[0]
    else:
        method = f"{measured.item_word}s counted as independent"
        parts = ours.mean(axis=0) - theirs.mean(axis=0)
    if measured.unit == "document" and several:
        method = f"{measured.item_word}s and runs counted as independent"
    difference = sample.score(pair[0]) - sample.score(pair[1])
    return Naive(method=method, p_value=estimate(difference, parts).p_value())
