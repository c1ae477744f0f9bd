"""Which raters read carefully: degraded copies must score below their originals."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from detectable.core import check
from detectable.core.choices import CheckCorrection, CheckTest
from detectable.core.errors import DataError
from detectable.core.result import Signature
from detectable.core.rng import resolve
from detectable.core.types import FloatArray, IntArray, Progress, Seed, silent
from detectable.core.wording import count, listing
from detectable.data.factor import Factor, cross_codes
from detectable.data.human.columns import KINDS, Kind
from detectable.data.human.judgments import Judgments
from detectable.inference.multiplicity import benjamini_hochberg, holm
from detectable.study.raters.quality_result import CheckVerdict, QualityControl, RaterQuality
from detectable.study.raters.rater_check import (
    CarefulRater,
    RaterTest,
    careful_rater,
    check_power,
    check_rater,
)
from detectable.study.raters.rater_flags import FlagLimits, RaterHabits, rater_habits


def quality_control(
    judgments: Judgments,
    *,
    test: CheckTest = "paired-t",
    alpha: float = 0.05,
    correction: CheckCorrection = "none",
    effect: float | None = None,
    limits: FlagLimits | None = None,
    rng: Seed = None,
    progress: Progress = silent,
) -> QualityControl:
    r"""Test whether each rater scores degraded copies below their originals.

    Pairs of an ordinary item and its degraded copy, judged by one rater in one task, are pooled
    over tasks and languages. A rater is good if the one-sided test has p ≤ `alpha`. This is the
    rule of the WMT campaigns on Mechanical Turk [1]_ [2]_ with ``test="paired-t"`` and
    ``correction="none"``; there raters without a test are dropped too.

    Parameters
    ----------
    judgments : Judgments
        With raters and the kind of each item.
    test : {'paired-t', 'signed-rank', 'mann-whitney'}
        The WMT rule; Wilcoxon's test with Pratt's zeros; Appraise's rule, which takes the two
        scores of a pair as independent.
    alpha : float
        The chance that a random clicker passes.
    correction : {'none', 'holm', 'benjamini-hochberg'}
        Which p-value decides. Both corrected p-values are reported in any case.
    effect : float, optional
        How many points below the original a careful rater puts a degraded copy, for the power
        of the check with each rater's own spread. By default effect and spread are those of
        the raters that pass the t test, corrected for their having passed.
    limits : FlagLimits, optional
        When to raise a flag.
    rng : Generator, int or None
        For the power of the rank tests, which is simulated, and for long runs of one score, which
        are compared with those of shuffled scores.
    progress : callable
        Is told how many raters' power is known.

    References
    ----------
    .. [1] Graham, Baldwin, Moffat and Zobel (2017), "Can machine translation systems be
       evaluated by the crowd alone", Natural Language Engineering 23(1), 3–30.
    .. [2] Akhbardeh et al. (2021), "Findings of the 2021 conference on machine translation".

    Examples
    --------
    >>> judgments = Judgments.build({
    ...     "rater": ["w"] * 8, "system": ["A"] * 8, "item": [1, 2, 3, 4] * 2,
    ...     "kind": ["system"] * 4 + ["degraded"] * 4,
    ...     "score": [80, 70, 90, 60, 30, 40, 20, 50],
    ... })
    >>> checked = quality_control(judgments)
    >>> checked.good, round(checked.raters[0].p_value, 4)
    (('w',), 0.0267)
    """
    check.literal(test, CheckTest, "test")
    check.literal(correction, CheckCorrection, "correction")
    alpha = check.probability(alpha, "alpha")
    if effect is not None:
        effect = check.positive(effect, "effect")
    generator, seed = resolve(rng)
    raters = judgments.column("rater")
    pairs = pair_up(judgments)
    tests = [check_rater(*pairs.of(code), test, alpha) for code in range(raters.n_levels)]
    tests = [
        one if n else replace(one, reason="judged no degraded copy")
        for one, n in zip(tests, pairs.n_degraded.tolist(), strict=True)
    ]
    p = np.array([one.p_value for one in tests])
    decided = {"none": p, **_corrected(p)}
    verdicts = [_verdict(value, alpha) for value in decided[correction].tolist()]
    careful = careful_rater(tests, alpha)
    powers = _powers(tests, careful, effect, (test, alpha, generator), progress)
    habits = rater_habits(judgments, limits or FlagLimits(), generator)
    rows = [
        _row(name, verdict, one, of_rater, (holm_p, bh_p, power))
        for name, verdict, one, of_rater, holm_p, bh_p, power in zip(
            raters.levels,
            verdicts,
            tests,
            habits,
            decided["holm"].tolist(),
            decided["benjamini-hochberg"].tolist(),
            powers,
            strict=True,
        )
    ]
    settings = {"test": test, "alpha": alpha, "correction": correction, "raters": len(rows)}
    drawn = test != "paired-t" or any(not math.isnan(one.run_p) for one in habits)
    return QualityControl(
        raters=tuple(rows),
        test=test,
        alpha=alpha,
        correction=correction,
        effect=effect or (math.nan if careful is None else careful.effect),
        effect_sd=math.nan if effect or careful is None else careful.sd_difference,
        expected_lucky=alpha * int(np.isfinite(p).sum()),
        notes=(*judgments.notes, *pairs.notes),
        signature=Signature("quality-control", settings, seed if drawn else None),
    )


def _corrected(p: FloatArray) -> dict[str, FloatArray]:
    """Return p-values corrected over the raters that could be tested."""
    known = np.isfinite(p)
    corrected = {}
    for name, correct in (("holm", holm), ("benjamini-hochberg", benjamini_hochberg)):
        values = np.full(p.size, np.nan)
        if known.any():
            values[known] = correct(p[known])
        corrected[name] = values
    return corrected


def _verdict(p: float, alpha: float) -> CheckVerdict:
    if math.isnan(p):
        return "untestable"
    return "good" if p <= alpha else "bad"


def _powers(
    tests: Sequence[RaterTest],
    careful: CarefulRater | None,
    effect: float | None,
    how: tuple[CheckTest, float, np.random.Generator],
    progress: Progress,
) -> list[float]:
    """Return the power of the check for every rater; pooled, it depends on the pairs alone."""
    known: dict[tuple[int, CarefulRater], float] = {}
    powers = []
    for done, one in enumerate(tests):
        progress("power of the check", done, len(tests))
        assumed = careful
        if effect is not None:
            assumed = CarefulRater(
                effect=effect, sd_difference=one.sd_difference, sd_score=one.sd_score
            )
        if assumed is None:
            powers.append(math.nan)
            continue
        key = one.n_pairs, assumed
        if key not in known:
            known[key] = check_power(one.n_pairs, assumed, *how)
        powers.append(known[key])
    progress("power of the check", len(tests), len(tests))
    return powers


def _row(
    name: str,
    verdict: CheckVerdict,
    test: RaterTest,
    habits: RaterHabits,
    values: tuple[float, float, float],
) -> RaterQuality:
    holm_p, bh_p, power = values
    return RaterQuality(
        rater=name,
        verdict=verdict,
        reason=test.reason,
        p_value=test.p_value,
        p_holm=holm_p,
        p_bh=bh_p,
        t=test.t,
        z=test.z,
        n_pairs=test.n_pairs,
        mean_difference=test.mean_difference,
        sd_difference=test.sd_difference,
        power=power,
        n_judgments=habits.n_judgments,
        mean=habits.mean,
        sd=habits.sd,
        mean_system=habits.mean_system,
        mean_degraded=habits.mean_degraded,
        mean_reference=habits.mean_reference,
        longest_run=habits.longest_run,
        run_p=habits.run_p,
        fastest_task=habits.fastest_task,
        pace=habits.pace,
        flags=habits.flags,
    )


# --- For every rater the pairs of an ordinary item and its degraded copy ---

_KINDS: tuple[Kind, Kind] = ("system", "degraded")


@dataclass(frozen=True, slots=True, kw_only=True)
class RaterPairs:
    """Scores of ordinary items and of their degraded copies, pair by pair.

    Attributes
    ----------
    rater : array of int
        Position of the rater among the levels of the judgments' raters, sorted.
    original, degraded : array
        The two scores of each pair.
    n_degraded : array of int
        Judgments of degraded copies by each rater, with a partner or without.
    notes : tuple of str
        What found no partner, and what was averaged.
    """

    rater: IntArray
    original: FloatArray
    degraded: FloatArray
    n_degraded: IntArray
    notes: tuple[str, ...] = field(default=())

    def of(self, rater: int) -> tuple[FloatArray, FloatArray]:
        """Return the scores of originals and of degraded copies of one rater."""
        first, last = np.searchsorted(self.rater, [rater, rater + 1])
        return self.original[first:last], self.degraded[first:last]


def pair_up(judgments: Judgments) -> RaterPairs:
    """Match each degraded copy with the ordinary item by the same rater in the same task.

    Same means: the same rater, campaign, language pair, wave, task, system and item, as far as
    the data name them. A score given several times under one such key is averaged first.
    """
    raters = judgments.column("rater")
    if not judgments.is_kind("degraded").any():
        raise DataError(
            f"{judgments.path or 'the judgments'}: no item is degraded, so nothing shows who "
            "read carefully. Give the column of the kind of each item (--column kind=…), or "
            "collect with controls (detectable tasks)."
        )
    # A copy belongs to the item of its system, seen in one wave and task; kinds are compared.
    given = [judgments.item, judgments.system, judgments.wave, judgments.task]
    codes, first = cross_codes(*(column for column in given if column is not None))
    cells = judgments.cells(
        kinds=_KINDS,
        item=Factor(name="item", levels=("",) * first.size, codes=codes),  # needs no names
        system=Factor(name="kind", levels=KINDS, codes=judgments.kind),
    )
    matched = cells.matched([_KINDS] if set(_KINDS) <= set(cells.systems) else ())
    row = np.flatnonzero(judgments.is_kind(*_KINDS))[cells.row]
    who = raters.codes[row]
    order = np.argsort(who[matched.left], kind="stable")
    alone = cells.system == cells.systems.index("degraded")
    alone[matched.right] = False
    repeated = (cells.n[matched.left] > 1) | (cells.n[matched.right] > 1)
    return RaterPairs(
        rater=who[matched.left][order],
        original=matched.score_first[order],
        degraded=matched.score_second[order],
        n_degraded=np.bincount(
            raters.codes[judgments.is_kind("degraded")], minlength=raters.n_levels
        ),
        notes=(
            *_alone_note(judgments, np.sort(row[alone])),
            *_average_note(int(repeated.sum())),
        ),
    )


def _alone_note(judgments: Judgments, rows: IntArray) -> tuple[str, ...]:
    if not rows.size:
        return ()
    raters = judgments.column("rater")
    names = [
        f"{judgments.system.label(row)} item {judgments.item.label(row)} by {raters.label(row)}"
        for row in rows[:3].tolist()
    ]
    named = listing(names) if rows.size <= 3 else f"{', '.join(names)}, …"
    return (
        f"{count(int(rows.size), 'degraded copy', 'degraded copies')} left out: the same rater "
        f"judged no ordinary item of that name in the same task ({named}).",
    )


def _average_note(repeated: int) -> tuple[str, ...]:
    if not repeated:
        return ()
    pairs = count(repeated, "pair")
    return (f"{pairs} had several scores for the item or its copy; they were averaged first.",)
