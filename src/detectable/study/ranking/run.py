"""Test every pair of a ranking."""

import itertools
from dataclasses import dataclass, replace

import numpy as np

from detectable.core.errors import InputError
from detectable.core.execute import Engine
from detectable.core.interval import Interval
from detectable.core.types import FloatArray, IntArray
from detectable.inference.delta import Estimate
from detectable.inference.few_units import enumerable
from detectable.inference.paired_shares import PairedShares
from detectable.inference.resample_count import resample_count
from detectable.inference.sign_flips import sign_flips
from detectable.inference.swap_parts import SwapParts
from detectable.study.comparison.analysis import (
    Analysis,
    agreeing,
    by_t,
    families,
    family_sizes,
    stepwise,
)
from detectable.study.comparison.right_or_wrong import with_shares
from detectable.study.comparison.swap_analysis import by_swaps
from detectable.study.ranking.estimates import system_estimate, unpaired_estimate
from detectable.study.ranking.mixed_pairs import fit_ranking, p_values
from detectable.study.ranking.pair_parts import pair_parts
from detectable.study.ranking.pair_tests import (
    PairTests,
    of_means,
    rank_sum_tests,
    signed_rank_tests,
    stouffer_tests,
)
from detectable.study.ranking.paired_cells import Pairs
from detectable.study.ranking.prepare import Prepared
from detectable.study.ranking.settings import MATCHED, RankSettings


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """Everything that was computed about systems and pairs.

    Attributes
    ----------
    analysis : Analysis
        Of all pairs; its arrays have one column.
    tests : PairTests
        P-values in both directions, shares of wins and numbers of units.
    parts : list of SwapParts or None
        What each unit adds to each pair, where pairs are tested on matched differences.
    correction : {'max-t', 'holm', 'none'}
    n_resamples : int or None
        Sign patterns, where they were drawn.
    exact : bool
        Whether all of them were counted.
    """

    means: list[Estimate]  # by position of the system
    order: list[int]
    pairs: Pairs
    analysis: Analysis
    tests: PairTests
    parts: list[SwapParts] | None
    correction: str
    n_resamples: int | None = None
    exact: bool = False
    notes: tuple[str, ...] = ()


def run(prepared: Prepared, settings: RankSettings, engine: Engine) -> Outcome:
    """Estimate and test every pair."""
    if prepared.test == "mixed":
        engine.progress("fitting the mixed model", 0, None)
        return _mixed(prepared, settings)
    correction = choose_correction(prepared.test, settings)
    parts = None
    if prepared.differences is not None and prepared.test in MATCHED:
        parts = pair_parts(prepared.differences, prepared.strata, _units(prepared))
    outcome = Outcome(
        means=prepared.means,
        order=prepared.order,
        pairs=prepared.pairs,
        analysis=_by_t(_estimates(prepared), settings, correction),
        tests=_n_and_shares(prepared),
        parts=parts,
        correction=correction,
    )
    if prepared.test == "permutation":
        outcome = _by_swaps(prepared, settings, engine, outcome)
    elif prepared.test != "t":
        outcome = _by_ranks(prepared, settings, outcome)
    analysis = with_shares(
        outcome.analysis, _shares(prepared), _margins(settings), alpha=settings.alpha
    )
    return replace(outcome, analysis=analysis)


def choose_correction(test: str, settings: RankSettings) -> str:
    """Return the correction: max-T wherever there are swaps, unless another was asked for."""
    if settings.correction == "auto":
        return "max-t" if test == "permutation" else "holm"
    if settings.correction == "max-t" and test != "permutation":
        raise InputError(
            f"`correction='max-t'` needs sign flips, and this is a test by {test}. Use "
            "`correction='holm'`."
        )
    return settings.correction


def _units(prepared: Prepared) -> IntArray | None:
    return prepared.clusters if prepared.origin is None else prepared.origin


def _margins(settings: RankSettings) -> FloatArray:
    return np.array([np.nan if settings.margin is None else settings.margin])


def _by_t(cells: list[Estimate], settings: RankSettings, correction: str) -> Analysis:
    return by_t(
        [[cell] for cell in cells],
        _margins(settings),
        families((len(cells), 1), "systems"),
        correction if correction == "none" else "holm",
        alpha=settings.alpha,
        power=settings.power,
    )


def _n_and_shares(prepared: Prepared) -> PairTests:
    """Return units and shares of wins, of tests that have no others."""
    estimates = _estimates(prepared)
    values = np.array([cell.value for cell in estimates])
    p = np.array([cell.p_value() if cell.standard_error > 0 else 1.0 for cell in estimates])
    if prepared.differences is not None and prepared.test in MATCHED:
        n = np.isfinite(prepared.differences).sum(axis=0)
        return of_means(p, prepared.differences, values, n)
    known = np.isfinite(prepared.tested).sum(axis=0)
    n = np.array([known[a] + known[b] for a, b in prepared.pairs])
    shares = rank_sum_tests(prepared.tested, prepared.pairs, None).probability
    return replace(of_means(p, None, values, n), probability=shares)


def _by_swaps(
    prepared: Prepared, settings: RankSettings, engine: Engine, outcome: Outcome
) -> Outcome:
    """Flip the signs of whole documents (or items), all pairs alike."""
    if outcome.parts is None:
        raise InputError("`test='permutation'` needs matched differences.")
    parts = outcome.parts
    sums = np.stack([part.parts for part in parts], axis=1)
    sizes = np.stack([part.shares for part in parts], axis=1)
    exact, shape = enumerable(len(sums)), (len(parts), 1)
    stepped = outcome.correction == "holm" or settings.margin is not None
    n_resamples = resample_count(
        settings.n_resamples,
        n_stepwise=len(parts) if stepped and outcome.correction != "none" else 1,
        alpha=settings.alpha,
        exact=exact,
    )
    swaps = sign_flips(
        sums,
        sizes,
        n_resamples=n_resamples,
        alpha=settings.alpha,
        margin=settings.margin,
        engine=engine,
    )
    values = np.array([[part.value] for part in parts])
    analysis = by_swaps(
        swaps,
        [[part] for part in parts],
        families(shape, "systems"),
        outcome.correction,
        moved=values - swaps.questions.observed.reshape(shape),
        n_units=(sizes > 0.0).sum(axis=0).reshape(shape),
        alpha=settings.alpha,
        power=settings.power,
    )
    # With domains, the error is that of a stratified mean.
    analysis = replace(analysis, estimates=[[cell] for cell in _estimates(prepared)])
    return replace(
        outcome,
        analysis=analysis,
        tests=replace(outcome.tests, p_two_sided=analysis.p_values[:, 0]),
        n_resamples=swaps.n_resamples,
        exact=exact,
    )


def _by_ranks(prepared: Prepared, settings: RankSettings, outcome: Outcome) -> Outcome:
    """Take p-values from ranks, and intervals of the mean difference that agree with them."""
    tests = _rank_tests(prepared, settings)
    raw = tests.p_two_sided[:, None]
    groups = families(raw.shape, "systems")
    adjusted = stepwise(raw, groups, outcome.correction)
    by_error = outcome.analysis
    tested = np.ones(raw.shape)
    if outcome.correction != "none":
        tested = family_sizes(raw.shape, groups)

    def corrected(p: int, m: int, a: float) -> Interval:
        found = by_error.interval_alone(p, m, a / float(tested[p, m]))
        return Interval(found.low, found.high, 1.0 - a)

    values = np.array([cell[0].value for cell in by_error.estimates])
    # Where ranks and means point to different systems no interval of means can agree.
    turned = (tests.favours != np.sign(values))[:, None]
    intervals = agreeing(
        by_error.estimates, np.where(turned, 1.0, adjusted), settings.alpha, corrected
    )
    analysis = replace(by_error, p_values=raw, p_adjusted=adjusted, intervals=intervals)
    return replace(outcome, analysis=analysis, tests=tests)


def _rank_tests(prepared: Prepared, settings: RankSettings) -> PairTests:
    clusters = prepared.clusters
    if prepared.test in ("rank-sum", "rank-sum-matched"):
        matched = prepared.test == "rank-sum-matched"
        return rank_sum_tests(prepared.tested, prepared.pairs, clusters, matched=matched)
    if prepared.differences is None:
        raise InputError(f"`test={prepared.test!r}` needs matched differences.")
    if prepared.test == "signed-rank" or prepared.strata is None:
        return signed_rank_tests(prepared.differences, clusters, settings)
    signed = prepared.test == "stouffer"
    return stouffer_tests(
        prepared.differences, clusters, prepared.strata, settings, signed=signed
    )


def _estimates(prepared: Prepared) -> list[Estimate]:
    differences, strata = prepared.differences, prepared.strata
    if differences is not None and prepared.test in MATCHED:
        return [system_estimate(column, strata, _units(prepared)) for column in differences.T]
    found = []
    for a, b in prepared.pairs:
        first, second = prepared.tested[:, a], prepared.tested[:, b]
        if prepared.test == "rank-sum-matched":
            found.append(system_estimate(first - second, strata, prepared.clusters))
        else:
            found.append(unpaired_estimate(first, second, strata, prepared.clusters))
    return found


def _shares(prepared: Prepared) -> dict[tuple[int, int], PairedShares]:
    """Return discordant items of scores that take two values only, one score per item."""
    if prepared.differences is None or prepared.test not in ("permutation", "t"):
        return {}
    if prepared.strata is not None or prepared.scale != "points":
        return {}
    known = prepared.tested[np.isfinite(prepared.tested)]
    low, high = float(known.min()), float(known.max())
    if low == high or not np.isin(known, (low, high)).all():
        return {}
    found = {}
    for p, column in enumerate(prepared.differences.T):
        seen = np.isfinite(column)
        values = column[seen]
        if not np.isin(values, (0.0, high - low, low - high)).all():
            return {}
        within = None if prepared.clusters is None else prepared.clusters[seen]
        found[p, 0] = PairedShares.of_differences(values, within, span=high - low)
    return found


def _mixed(prepared: Prepared, settings: RankSettings) -> Outcome:
    if prepared.judgments is None or prepared.judgments.rater is None:
        raise InputError(
            "`test='mixed'` needs to know who judged. Give the judgments with their raters."
        )
    answer = fit_ranking(prepared.judgments, settings)
    names = prepared.scores.systems
    means = [answer.means[name] for name in names]
    order = np.argsort([-mean.value for mean in means], kind="stable").tolist()
    pairs = list(itertools.combinations(order, 2))
    named = [(names[a], names[b]) for a, b in pairs]
    estimates = [answer.difference(*pair)[0] for pair in named]
    correction = choose_correction("mixed", settings)
    analysis = _by_t(estimates, settings, correction)
    raw = p_values(answer, named)[:, None]
    adjusted = stepwise(raw, families(raw.shape, "systems"), correction)
    values = np.array([cell.value for cell in estimates])
    shares = rank_sum_tests(prepared.tested, pairs, None)
    return Outcome(
        means=means,
        order=order,
        pairs=pairs,
        analysis=replace(analysis, p_values=raw, p_adjusted=adjusted),
        tests=replace(
            of_means(raw[:, 0], None, values, shares.n), probability=shares.probability
        ),
        parts=None,
        correction=correction,
        notes=answer.notes,
    )
