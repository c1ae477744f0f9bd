"""The rows of a comparison: one per system and metric, one per pair and metric."""

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from detectable.core.errors import InputError
from detectable.core.interval import Interval
from detectable.core.types import ArrayLike, FloatArray
from detectable.core.verdict import decide
from detectable.inference.bootstrap import interval as bootstrap_interval
from detectable.inference.delta import Estimate, estimate
from detectable.inference.runs import RunSpread, run_spread
from detectable.inference.sample import Sample
from detectable.study.comparison.measure import Measured
from detectable.study.comparison.result import Naive, PairComparison, SystemScore
from detectable.study.comparison.settings import CompareSettings
from detectable.study.comparison.significance import Pairs, Tested, equivalence_p


def system_rows(
    measured: Measured,
    tested: Tested,
    settings: CompareSettings,
    *,
    dev_scores: Mapping[str, ArrayLike] | None,
    groups: Mapping[str, tuple[tuple[str, ...], ...]],
) -> tuple[SystemScore, ...]:
    """Return one row per system and metric, metrics within systems."""
    development = _development(measured, dev_scores)
    rows = []
    for s, system in enumerate(measured.systems):
        for m, sample in enumerate(measured.units):
            spread = run_spread(sample, s, dev_scores=development.get(system))
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
                    interval=_system_interval(sample, s, m, spread, tested, settings),
                    runs=tuple(float(x) for x in spread.runs),
                    s_test=spread.s_test,
                    s_sel=spread.s_sel,
                    s_dev=spread.s_dev,
                    median_run=spread.median_run,
                    group=group,
                )
            )
    return tuple(rows)


def _development(
    measured: Measured, dev_scores: Mapping[str, ArrayLike] | None
) -> dict[str, FloatArray]:
    found = {}
    runs = dict(zip(measured.systems, measured.units[0].runs, strict=True))
    for system, values in (dev_scores or {}).items():
        scores = np.asarray(values, dtype=np.float64)
        if system not in runs:
            raise InputError(f"`dev_scores` names {system!r}, which is not a system.")
        if scores.shape != (runs[system],):
            raise InputError(
                f"`dev_scores` of {system!r} must give one score for each of its "
                f"{runs[system]} runs; got {scores.size}."
            )
        found[system] = scores
    return found


def _system_interval(
    sample: Sample,
    s: int,
    m: int,
    spread: RunSpread,
    tested: Tested,
    settings: CompareSettings,
) -> Interval:
    """Return the interval of a mean score; with random runs it covers new runs as well."""
    influence = sample.influence(s).mean(axis=0)
    value = float(spread.runs.mean())
    if settings.interval != "delta" and tested.draws is not None:
        drawn = tested.draws.scores[:, s, m]
        return bootstrap_interval(
            settings.interval, value, drawn, influence, level=settings.level
        )
    by_unit = estimate(value, influence)
    if settings.runs == "fixed":
        return by_unit.interval(settings.level)
    # Both errors are added and the fewest degrees of freedom kept: simple and on the safe side.
    error = math.hypot(by_unit.standard_error, spread.s_test / math.sqrt(spread.runs.size))
    return Estimate(value, error, spread.runs.size - 1.0).interval(settings.level)


def pair_rows(
    measured: Measured,
    pairs: Pairs,
    tested: Tested,
    settings: CompareSettings,
    *,
    margins: Mapping[str, float],
    effects: Mapping[str, float],
) -> tuple[PairComparison, ...]:
    """Return one row per metric and pair, pairs within metrics."""
    names = [sample.metric.name for sample in measured.units]
    p_equivalent = equivalence_p(tested.estimates, [margins.get(n) for n in names], settings)
    rows = []
    for m, sample in enumerate(measured.units):
        for p, pair in enumerate(pairs):
            cell = tested.estimates[p][m]
            level = float(tested.level[m])
            needs = _needs(sample, tested, (p, m), settings, effects.get(names[m]))
            rows.append(
                PairComparison(
                    metric=names[m],
                    system=sample.systems[pair[0]],
                    baseline=sample.systems[pair[1]],
                    difference=cell.value,
                    interval=_pair_interval(sample, pair, (p, m), tested, settings),
                    standard_error=cell.standard_error,
                    p_value=float(tested.p_values[p, m]),
                    p_adjusted=float(tested.p_adjusted[p, m]),
                    p_equivalence=float(p_equivalent[p, m]),
                    mde=cell.detectable(alpha=level, power=settings.power),
                    verdict=decide(
                        cell.value,
                        p=float(tested.p_adjusted[p, m]),
                        p_equivalence=float(p_equivalent[p, m]),
                        higher_is_better=sample.metric.higher_is_better,
                        alpha=settings.alpha,
                    ),
                    naive=_naive(measured, m, pair),
                    units_needed=needs.units,
                    runs_needed=needs.runs,
                    mde_many_runs=needs.mde_many_runs,
                )
            )
    return tuple(rows)


def _pair_interval(
    sample: Sample,
    pair: tuple[int, int],
    cell: tuple[int, int],
    tested: Tested,
    settings: CompareSettings,
) -> Interval:
    p, m = cell
    if settings.interval == "delta" or tested.draws is None:
        return tested.estimates[p][m].interval(settings.level)
    influence = sample.influence(pair[0]).mean(axis=0) - sample.influence(pair[1]).mean(axis=0)
    return bootstrap_interval(
        settings.interval,
        tested.estimates[p][m].value,
        tested.draws.difference(*pair, m),
        influence,
        level=settings.level,
    )


@dataclass(frozen=True, slots=True)
class _Needs:
    """How much more data, or how many more runs, would show the named effect."""

    units: int | None = None
    runs: int | None = None
    mde_many_runs: float = math.nan


def _needs(
    sample: Sample,
    tested: Tested,
    cell: tuple[int, int],
    settings: CompareSettings,
    effect: float | None,
) -> _Needs:
    p, m = cell
    level, power = float(tested.level[m]), settings.power
    found = tested.estimates[p][m]
    if tested.two_way is None:
        if effect is None:
            return _Needs()
        n_units = sample.n_units
        return _Needs(units=found.units_needed(effect, n_units, alpha=level, power=power))
    two_way = tested.two_way[p][m]
    floor = Estimate(found.value, math.sqrt(two_way.item_variance), sample.n_units - 1.0)
    return _Needs(
        runs=None if effect is None else two_way.runs_needed(effect, alpha=level, power=power),
        mde_many_runs=floor.detectable(alpha=level, power=power),
    )


def _naive(measured: Measured, m: int, pair: tuple[int, int]) -> Naive | None:
    """Return what treating every segment, and every run, as independent would have said."""
    sample = measured.segments[m]
    runs = sample.runs[pair[0]], sample.runs[pair[1]]
    several = runs[0] > 1 and runs[0] == runs[1]
    if measured.unit == "segment" and not several:
        return None
    ours, theirs = sample.influence(pair[0]), sample.influence(pair[1])
    if several:
        method = "runs counted as further sentences"
        parts = (ours - theirs).ravel() / runs[0]
    else:
        method = "segments counted as independent"
        parts = ours.mean(axis=0) - theirs.mean(axis=0)
    if measured.unit == "document" and several:
        method = "segments and runs counted as independent"
    difference = sample.score(pair[0]) - sample.score(pair[1])
    return Naive(method=method, p_value=estimate(difference, parts).p_value())
