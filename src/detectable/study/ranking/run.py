"""Test every pair of a ranking, also on part of its data."""

import itertools
from dataclasses import dataclass, replace

import numpy as np

from detectable.contrasts.analysis import (
    Analysis,
    by_swaps,
    by_t,
    families,
    stepwise,
    t_margins,
    t_p_value,
    with_exact_answers,
    with_share_mdes,
    with_shares,
)
from detectable.contrasts.margins import AgainstMargins, with_margin_scores
from detectable.core.errors import InputError
from detectable.core.execute import Engine
from detectable.core.types import FloatArray, IntArray
from detectable.core.verdict import Verdict, decide
from detectable.data.human.judgments import Judgments
from detectable.inference.classic_tests import sign_test_p
from detectable.inference.few_units import choose_test, enumerable, resample_count, smallest_p
from detectable.inference.margin_score import MarginScore, kind_of
from detectable.inference.margin_test import StratifiedScore
from detectable.inference.shares import PairedShares
from detectable.inference.sign_flips import sign_flips
from detectable.inference.standard_errors import Estimate
from detectable.study.ranking import pair_tests
from detectable.study.ranking.item_scores import system_estimate, unpaired_estimate
from detectable.study.ranking.prepare import Pairs, Prepared
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
    correction : {'max-t', 'holm', 'none'}
    n_resamples : int or None
        Sign patterns, where they were drawn.
    exact : bool
        Whether all of them were counted, one by one or by the sign test.
    """

    means: list[Estimate]  # by position of the system
    order: list[int]
    pairs: Pairs
    analysis: Analysis
    tests: pair_tests.PairTests
    correction: str
    n_resamples: int | None = None
    exact: bool = False
    notes: tuple[str, ...] = ()
    n_differing: list[int] | None = None  # of every pair, where signs are flipped
    by_score: bool = False  # whether the margin goes by the score rule


def run(prepared: Prepared, settings: RankSettings, engine: Engine) -> Outcome:
    """Estimate and test every pair."""
    if prepared.test == "mixed":
        engine.progress("fitting the mixed model", 0, None)
        return _mixed(prepared, settings)
    answers = counted(prepared)
    correction = choose_correction(prepared.test, settings, counted=bool(answers))
    matched = matched_means(prepared)
    against = margin_scores(prepared, settings)
    estimates = _unmatched(prepared) if matched is None else matched.estimates
    n_resamples, exact, n_differing = None, False, None
    if prepared.test == "permutation":
        if matched is None:
            raise InputError("`test='permutation'` needs matched differences.")
        analysis, n_resamples, exact = _by_swaps(
            matched, settings, engine, correction, by_score=bool(against)
        )
        if answers and correction != "max-t":
            groups = families((len(prepared.pairs), 1), "systems")
            analysis = with_exact_answers(analysis, answers, groups, correction)
            n_resamples, exact = None, True
        tests = _of_means(prepared, estimates, analysis.p_values[:, 0])
    else:
        analysis = _by_t(estimates, settings, correction)
        tests = _of_means(prepared, estimates, analysis.p_values[:, 0])
        if prepared.test != "t":
            tests = pair_tests.rank_tests(prepared, settings)
            analysis = pair_tests.by_ranks(prepared, settings, correction, analysis, tests)
    shares = two_valued(prepared)
    analysis = with_shares(analysis, shares, alpha=settings.alpha)
    analysis = with_margin_scores(analysis, against, margins_of(settings))
    if prepared.test == "permutation" and matched is not None:
        joint = correction == "max-t" and len(prepared.pairs) > 1
        parts = [[part] for part in matched.swap_parts()]
        n_differing = [part.n_differing for (part,) in parts]
        analysis = with_share_mdes(analysis, shares, parts, joint=joint, power=settings.power)
    return Outcome(
        means=prepared.means,
        order=prepared.order,
        pairs=prepared.pairs,
        analysis=analysis,
        tests=tests,
        correction=correction,
        n_resamples=n_resamples,
        exact=exact,
        n_differing=n_differing,
        by_score=bool(against),
    )


def choose_correction(test: str, settings: RankSettings, *, counted: bool) -> str:
    """Return the correction: max-T of differences by swaps, unless another was asked for.

    Claims about a margin have no joint null, as t tests and tests of ranks have none. Where answers
    are counted, Holm takes their exact p-values, and no verdict turns on a seed.
    """
    joint = test == "permutation" and settings.claim == "better"
    if settings.correction == "auto":
        return "max-t" if joint and not counted else "holm"
    if settings.correction == "max-t" and not joint:
        why = f"this is a test by {test}"
        if test == "permutation":
            why = f"a margin has none for `claim={settings.claim!r}`"
        raise InputError(
            f"`correction='max-t'` needs sign flips of differences, and {why}. Use "
            "`correction='holm'`."
        )
    return settings.correction


def margins_of(settings: RankSettings) -> FloatArray:
    """Return the margin, as one metric has it; NaN where there is none."""
    return np.array([np.nan if settings.margin is None else settings.margin])


def matched_means(prepared: Prepared) -> pair_tests.PairMeans | None:
    """Return the mean differences on matched items, where the test is about these."""
    if prepared.differences is None or prepared.test not in MATCHED:
        return None
    return pair_tests.pair_means(
        prepared.differences, prepared.strata, _units(prepared), prepared.weights
    )


def _units(prepared: Prepared) -> IntArray | None:
    return prepared.clusters if prepared.origin is None else prepared.origin


def _by_t(cells: list[Estimate], settings: RankSettings, correction: str) -> Analysis:
    return by_t(
        [[cell] for cell in cells],
        margins_of(settings),
        families((len(cells), 1), "systems"),
        correction if correction == "none" else "holm",
        alpha=settings.alpha,
        power=settings.power,
    )


def _of_means(
    prepared: Prepared, estimates: list[Estimate], p: FloatArray
) -> pair_tests.PairTests:
    """Return tests of mean differences, with units and shares of wins."""
    values = np.array([cell.value for cell in estimates])
    if prepared.differences is not None and prepared.test in MATCHED:
        n = np.isfinite(prepared.differences).sum(axis=0)
        return pair_tests.of_means(p, prepared.differences, values, n, prepared.weights)
    known = np.isfinite(prepared.tested).sum(axis=0)
    n = np.array([known[a] + known[b] for a, b in prepared.pairs])
    shares = pair_tests.rank_sum_tests(prepared.tested, prepared.pairs, None).probability
    return replace(pair_tests.of_means(p, None, values, n), probability=shares)


def n_patterns(settings: RankSettings, correction: str, n_units: int, n_pairs: int) -> int:
    """Return how many sign patterns are drawn, where not all are counted."""
    stepped = correction == "holm" or settings.margin is not None
    return resample_count(
        settings.n_resamples,
        n_stepwise=n_pairs if stepped and correction != "none" else 1,
        alpha=settings.alpha,
        exact=enumerable(n_units),
    )


def _by_swaps(
    matched: pair_tests.PairMeans,
    settings: RankSettings,
    engine: Engine,
    correction: str,
    *,
    by_score: bool,
) -> tuple[Analysis, int, bool]:
    """Flip the signs of whole documents (or items), all pairs alike.

    With a margin that goes by no score rule, intervals are asked for at any level.
    """
    n_units, n_pairs = matched.parts.shape
    levels: tuple[float, ...] | None = settings.alpha, settings.alpha / float(n_pairs)
    if settings.margin is not None and not by_score:
        levels = None
    swaps = sign_flips(
        matched.parts,
        matched.shares,
        n_resamples=n_patterns(settings, correction, n_units, n_pairs),
        alpha=settings.alpha,
        margin=settings.margin,
        levels=levels,
        engine=engine,
    )
    shape = (n_pairs, 1)
    values = np.array([[cell.value] for cell in matched.estimates])
    analysis = by_swaps(
        swaps,
        [[part] for part in matched.swap_parts()],
        families(shape, "systems"),
        correction,
        moved=values - swaps.questions.observed.reshape(shape),
        n_units=(matched.shares > 0.0).sum(axis=0).reshape(shape),
        alpha=settings.alpha,
        power=settings.power,
    )
    # With domains, the error is that of a stratified mean.
    analysis = analysis._replace(estimates=[[cell] for cell in matched.estimates])
    return analysis, swaps.n_resamples, swaps.exact


def _unmatched(prepared: Prepared) -> list[Estimate]:
    strata, found = prepared.strata, []
    for a, b in prepared.pairs:
        first, second = prepared.tested[:, a], prepared.tested[:, b]
        if prepared.test == "rank-sum-matched":
            found.append(system_estimate(first - second, strata, prepared.clusters))
        else:
            found.append(
                unpaired_estimate(first, second, strata, prepared.clusters, prepared.weights)
            )
    return found


def two_valued(prepared: Prepared) -> dict[tuple[int, int], PairedShares]:
    """Return discordant items of scores that take two values only, one score per item."""
    if prepared.differences is None or prepared.test not in ("permutation", "t"):
        return {}
    if prepared.strata is not None or prepared.scale != "points":
        return {}
    if prepared.weights is not None:
        return {}  # counts know no weights
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


def counted(prepared: Prepared) -> dict[tuple[int, int], PairedShares]:
    """Return the answers of independent items whose signs need not be flipped: McNemar's test.

    Of differences of one size every sign pattern is counted by the sign test, without a seed.
    """
    if prepared.test != "permutation" or prepared.clusters is not None:
        return {}
    return two_valued(prepared)


def margin_scores(prepared: Prepared, settings: RankSettings) -> AgainstMargins:
    """Return every pair as the score rule sees it, where means of matched items are tested.

    None without a margin, and where another test was asked for. With strata (domains) the
    difference is the mean of their means.
    """
    if settings.margin is None or settings.test != "auto" or prepared.weights is not None:
        return {}
    if prepared.differences is None or prepared.test not in ("permutation", "t"):
        return {}
    found: dict[tuple[int, int], MarginScore | StratifiedScore] = {}
    for p, (a, b) in enumerate(prepared.pairs):
        d = prepared.differences[:, p]
        seen = np.isfinite(d)
        first, second = prepared.tested[seen, a], prepared.tested[seen, b]
        if not (np.isfinite(first).all() and np.isfinite(second).all()):
            return {}
        # Means of an item over raters may differ from the mean of its matched differences: the
        # differences are what is tested, the scores tell their kind.
        within = None if prepared.clusters is None else prepared.clusters[seen]
        kind = kind_of(first, second)
        new = second + d[seen]
        if prepared.strata is None:
            found[p, 0] = MarginScore.of(new, second, within, kind=kind)
        else:
            names, codes = np.unique(prepared.strata[seen], return_inverse=True)
            weights = np.full(names.size, 1.0 / names.size)
            found[p, 0] = StratifiedScore.of(
                new, second, codes, weights=weights, clusters=within, kind=kind
            )
    return found


def _mixed(prepared: Prepared, settings: RankSettings) -> Outcome:
    if not isinstance(prepared.judgments, Judgments) or prepared.judgments.rater is None:
        raise InputError(
            "`test='mixed'` needs to know who judged. Give the judgments with their raters."
        )
    answer = pair_tests.fit_ranking(prepared.judgments, settings)
    names = prepared.scores.systems
    means = [answer.means[name] for name in names]
    order = np.argsort([-mean.value for mean in means], kind="stable").tolist()
    pairs = list(itertools.combinations(order, 2))
    named = [(names[a], names[b]) for a, b in pairs]
    estimates = [answer.difference(*pair)[0] for pair in named]
    correction = choose_correction("mixed", settings, counted=False)
    analysis = _by_t(estimates, settings, correction)
    raw = pair_tests.p_values(answer, named)[:, None]
    adjusted = stepwise(raw, families(raw.shape, "systems"), correction)
    values = np.array([cell.value for cell in estimates])
    shares = pair_tests.rank_sum_tests(prepared.tested, pairs, None)
    return Outcome(
        means=means,
        order=order,
        pairs=pairs,
        analysis=analysis._replace(p_values=raw, p_adjusted=adjusted),
        tests=replace(
            pair_tests.of_means(raw[:, 0], None, values, shares.n),
            probability=shares.probability,
        ),
        correction=correction,
        notes=answer.notes,
    )


# --- The same ranking on part of its data: verdicts only ---


@dataclass(frozen=True, slots=True, kw_only=True)
class Retested:
    """Of every pair: the difference, the corrected p of its verdict, and the verdict."""

    values: FloatArray
    p_adjusted: FloatArray
    verdicts: list[Verdict]


def retest(prepared: Prepared, settings: RankSettings, engine: Engine) -> Retested | None:
    """Test matched differences as a ranking of just these would; None where it could say nothing.

    Where so few units are left that the test is another, it is that one; where they cannot be
    significant at all, their number says it and not what is missing.
    """
    if prepared.differences is None:
        return None
    known = [np.isfinite(column) for column in prepared.differences.T]
    counts = [column.sum() for column in known]
    if prepared.clusters is not None:
        counts = [np.unique(prepared.clusters[column]).size for column in known]
    if (fewest := int(min(counts))) < 2:
        return None
    by_swaps = prepared.test == "permutation"
    if settings.test == "auto":
        by_swaps = choose_test(fewest, settings.alpha) == "swap"
    if not by_swaps and settings.correction == "max-t":
        return None
    left = replace(prepared, test="permutation" if by_swaps else "t")
    correction = choose_correction(left.test, settings, counted=bool(counted(left)))
    tests = float(len(counts)) if correction == "holm" else 1.0
    one_side = 1.0 if settings.claim == "better" else 0.5
    if by_swaps and one_side * tests * smallest_p(fewest) > settings.alpha:
        return None
    matched = matched_means(left)
    return None if matched is None else _decided(left, matched, settings, engine, correction)


def _decided(
    prepared: Prepared,
    matched: pair_tests.PairMeans,
    settings: RankSettings,
    engine: Engine,
    correction: str,
) -> Retested:
    cells = [[cell] for cell in matched.estimates]
    groups = families((len(cells), 1), "systems")
    stepped = "none" if correction == "none" else "holm"
    margins = t_margins(cells, margins_of(settings))
    scores = margin_scores(prepared, settings)
    if prepared.test == "permutation":
        n_units, n_pairs = matched.parts.shape
        swaps = sign_flips(
            matched.parts,
            matched.shares,
            n_resamples=n_patterns(settings, correction, n_units, n_pairs),
            alpha=0.0,  # no intervals are asked for
            margin=settings.margin,
            engine=engine,
        )
        raw = swaps.p_values()[:, None]
        for (pair, _), known in counted(prepared).items():
            raw[pair] = sign_test_p(known.fixed, known.broken)
        adjusted = swaps.p_max_t()[:, None] if correction == "max-t" else raw
        if settings.margin is not None:
            margins = margins._replace(
                above=swaps.p_above()[:, None],
                below=swaps.p_below()[:, None],
                beyond_low=swaps.p_beyond_low()[:, None],
                beyond_high=swaps.p_beyond_high()[:, None],
            )
    else:
        adjusted = np.array([[t_p_value(cell) for cell in row] for row in cells])
    if correction != "max-t":
        adjusted = stepwise(adjusted, groups, stepped)
    if settings.margin is not None:
        for at, score in scores.items():
            margins.above[at] = score.p_above(-settings.margin)
            margins.below[at] = score.p_below(settings.margin)
            margins.beyond_low[at] = score.p_below(-settings.margin)
            margins.beyond_high[at] = score.p_above(settings.margin)

    def corrected(p: FloatArray) -> FloatArray:
        return stepwise(p, groups, stepped)[:, 0]

    values = np.array([cell.value for cell in matched.estimates])
    return _verdicts(
        values,
        {
            "better": adjusted[:, 0],
            "equivalent": corrected(np.maximum(margins.above, margins.below)),
            "non-inferior": corrected(margins.below),
            # Non-inferiority is said of the second system, equivalence of the first.
            "inferior": corrected(
                margins.beyond_low if settings.claim == "equivalent" else margins.beyond_high
            ),
            "superior": corrected(margins.beyond_high),
        },
        settings,
    )


def _verdicts(
    values: FloatArray, corrected: dict[str, FloatArray], settings: RankSettings
) -> Retested:
    """Decide as the ranking does, from corrected p-values of everything that may be said."""
    alpha, claim = settings.alpha, settings.claim
    verdicts: list[Verdict] = []
    words: dict[str, tuple[Verdict, ...]] = {
        "better": (),
        "non-inferior": ("non-inferior", "inferior"),
        "equivalent": ("equivalent", "inferior", "superior"),
    }
    p_adjusted = corrected[claim].copy()
    for k, value in enumerate(values.tolist()):
        if claim == "better":
            p, within = float(corrected["better"][k]), float(corrected["equivalent"][k])
            verdicts.append(decide(value, p=p, p_equivalence=within, alpha=alpha))
            continue
        said: Verdict = next(
            (one for one in words[claim] if corrected[one][k] <= alpha), "undecided"
        )
        p_adjusted[k] = corrected[claim if said == "undecided" else said][k]
        verdicts.append(said)
    return Retested(values=values, p_adjusted=p_adjusted, verdicts=verdicts)
