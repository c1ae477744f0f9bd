"""What a quality check says about raters."""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, TypeAlias

import numpy as np

from detectable.contrasts.contrast import Family
from detectable.core.choices import CheckAgainst, CheckCorrection, CheckTest, words
from detectable.core.errors import DataError
from detectable.core.interval import Interval
from detectable.core.options import asked
from detectable.core.result import ADDED, Result, Signature
from detectable.core.rng import resolve
from detectable.core.types import FloatArray, IntArray, Progress, Seed, silent
from detectable.core.wording import count, listing
from detectable.data.factor import Factor, cross_codes
from detectable.data.files.table import TableSource
from detectable.data.human.columns import KINDS, Kind
from detectable.data.human.judgments import Judgments
from detectable.data.human.read_judgments import judgments_of
from detectable.kernels.distributions import t_quantile
from detectable.study.raters.rater_check import (
    CarefulRater,
    FlagLimits,
    RaterHabits,
    RaterTest,
    careful_rater,
    check_power,
    check_rater,
    rater_habits,
)
from detectable.study.settings import QualitySettings

ENOUGH = 0.8  # power from which on failing the check says something
CheckVerdict: TypeAlias = Literal["good", "bad", "untestable"]

TEST_NAMES = {
    "paired-t": "paired t test",
    "signed-rank": "signed-rank test",
    "mann-whitney": "Mann-Whitney test",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class RaterQuality:
    """What the check says about one rater.

    Attributes
    ----------
    verdict : {'good', 'bad', 'untestable'}
        Good: degraded copies score below their originals.
    reason : str
        Why the rater cannot be tested.
    p_value, t, z : float
        One-sided; `t` and `z` are negative where copies score lower.
    p_holm, p_bh : float
        Corrected over all testable raters, after Holm and after Benjamini and Hochberg.
    mean_difference, sd_difference : float
        Of degraded − original, in points; less what lines beside differ, where these count.
    power : float
        Chance that the check passes a careful rater with this number of pairs.
    n_judgments, mean, sd : int, float, float
        Of all judgments of the rater.
    mean_system, mean_degraded, mean_reference : float
        Over all judgments of a kind, with a partner or without.
    longest_run, fastest_task : int, float
        Longest run of one score within a task; seconds of the quickest task.
    flags : tuple of str
        Signs of careless work, apart from the verdict; see `FLAGS`.
    run_p : float
        Share of random orders of the rater's scores with a run as long; NaN where it is short.
    pace : float
        Seconds per judgment, in the median task.
    """

    rater: str
    verdict: CheckVerdict
    reason: str
    p_value: float
    p_holm: float
    p_bh: float
    t: float
    z: float
    n_pairs: int
    mean_difference: float
    sd_difference: float
    power: float
    n_judgments: int
    mean: float
    sd: float
    mean_system: float
    mean_degraded: float
    mean_reference: float
    longest_run: int
    fastest_task: float
    flags: tuple[str, ...]
    run_p: float = field(default=math.nan, metadata={"added": True})
    pace: float = field(default=math.nan, metadata={"added": True})

    @property
    def gap(self) -> float:
        """Original − degraded copy, in points: above zero is as it should be."""
        return -self.mean_difference

    def gap_interval(self, level: float) -> Interval | None:
        """Return the t interval of the gap; None with fewer than two pairs."""
        if self.n_pairs < 2 or math.isnan(self.sd_difference):
            return None
        error = self.sd_difference / math.sqrt(self.n_pairs)
        half = error * t_quantile(0.5 + level / 2.0, self.n_pairs - 1.0)
        return Interval(self.gap - half, self.gap + half, level)


@dataclass(frozen=True, slots=True, kw_only=True)
class QualityControl(Result):
    """Verdicts on raters, and what the check could have detected.

    Attributes
    ----------
    raters : tuple of RaterQuality
        In the order of the judgments.
    effect, effect_sd : float
        What the power of the check assumes: how far below the original a careful rater scores a
        degraded copy, in points, and the spread of that difference. Not the plain mean of the
        raters that pass, which is too large. `effect_sd` is NaN where each rater's own spread
        is used.
    expected_lucky : float
        How many of the testable raters would pass if all of them clicked at random.
    against : {'original', 'neighbours'}
        What degraded copies were compared with.
    """

    raters: tuple[RaterQuality, ...]
    test: CheckTest
    alpha: float
    correction: CheckCorrection
    effect: float
    effect_sd: float
    expected_lucky: float
    notes: tuple[str, ...] = field(default=())
    against: CheckAgainst = field(default="original", metadata=ADDED)

    @property
    def good(self) -> tuple[str, ...]:
        """The names of the raters that pass."""
        return self._names("good")

    @property
    def bad(self) -> tuple[str, ...]:
        """The names of the raters that do not pass."""
        return self._names("bad")

    @property
    def untestable(self) -> tuple[str, ...]:
        """The names of the raters that cannot be tested."""
        return self._names("untestable")

    def _names(self, verdict: CheckVerdict) -> tuple[str, ...]:
        return tuple(row.rater for row in self.raters if row.verdict == verdict)

    def to_dict(self) -> dict[str, Any]:
        """Return JSON-ready values, with the number of raters of each verdict."""
        counts = {
            verdict: len(self._names(verdict)) for verdict in ("good", "bad", "untestable")
        }
        # Zero-argument super does not work in a dataclass with slots.
        return {**Result.to_dict(self), **counts}

    def apply(self, judgments: Judgments) -> Judgments:
        """Return the judgments of good raters only, with a note of what was left out."""
        raters = judgments.column("rater")
        good = set(self.good)
        kept = [code for code, name in enumerate(raters.levels) if name in good]
        if not kept:
            raise DataError(
                "no rater passes quality control, so no judgment is left. Look at the raters "
                "and at the power of the check before you drop them all."
            )
        rows = np.isin(raters.codes, kept)
        note = (
            f"Quality control kept {count(int(rows.sum()), 'judgment')} by "
            f"{count(len(kept), 'rater')} and left out {int((~rows).sum()):,} by "
            f"{raters.n_levels - len(kept):,} who did not pass or could not be tested."
        )
        cut = judgments.take(rows)
        return replace(cut, notes=(*cut.notes, note))


# --- Which raters read carefully: degraded copies must score below their originals ---


def quality_control(  # noqa: PLR0913 (how raters are tested, and how the answer is read)
    judgments: Judgments | TableSource,
    *,
    test: CheckTest = "paired-t",
    alpha: float = 0.05,
    correction: CheckCorrection = "none",
    against: CheckAgainst = "original",
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
    against : {'original', 'neighbours'}
        What a degraded copy is compared with: its original; or also the lines beside it, where
        documents are copied whole (`detectable tasks --kind document`): how much further it falls
        below its original than repeats and references of the same copy do. Who scores all lines
        of a copy low without reading them passes the former, and the latter by luck only.
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
    judgments = judgments_of(judgments)
    alpha = asked(QualitySettings, locals()).alpha
    effect = None if effect is None else float(effect)
    generator, seed = resolve(rng)
    raters = judgments.column("rater")
    pairs = pair_up(judgments, against=against)
    tests = [check_rater(*pairs.of(code), test, alpha) for code in range(raters.n_levels)]
    tests = [
        one if n else replace(one, reason="judged no degraded copy")
        for one, n in zip(tests, pairs.n_degraded.tolist(), strict=True)
    ]
    p = np.array([one.p_value for one in tests])
    decided = {
        name: Family(alpha=alpha, correction=name).adjusted(p)
        for name in words(CheckCorrection)
    }
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
    settings: dict[str, str | int | float] = {"test": test, "alpha": alpha}
    settings |= {"correction": correction, "raters": len(rows)}
    settings |= {"against": against} if against != "original" else {}
    drawn = test != "paired-t" or any(not math.isnan(one.run_p) for one in habits)
    return QualityControl(
        raters=tuple(rows),
        test=test,
        alpha=alpha,
        correction=correction,
        effect=effect or (math.nan if careful is None else careful.effect),
        effect_sd=math.nan if effect or careful is None else careful.sd_difference,
        expected_lucky=alpha * int(np.isfinite(p).sum()),
        notes=(*judgments.notes, *judgments.weights_not_used(), *pairs.notes),
        against=against,
        signature=Signature("quality-control", settings, seed if drawn else None),
    )


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


def pair_up(judgments: Judgments, *, against: CheckAgainst = "original") -> RaterPairs:
    """Match each degraded copy with the ordinary item by the same rater in the same task.

    Same means: the same rater, campaign, language pair, wave, task, system and item, as far as
    the data name them. A score given several times under one such key is averaged first.

    With ``against="neighbours"`` the score of a copy is less by as much as the scores of other
    controls of its document, in the same copy of it, differ from those of their originals.
    """
    raters = judgments.column("rater")
    if not judgments.is_kind("degraded").any():
        raise DataError(
            f"{judgments.path or 'the judgments'}: no item is degraded, so nothing shows who "
            "read carefully. Give the column of the kind of each item (--column kind=…), or "
            "collect with controls (detectable tasks)."
        )
    found = _copies(judgments, "degraded")
    notes = (*_alone_note(judgments, found.alone), *_average_note(found.n_averaged))
    degraded, known = found.copy, np.ones(found.row.size, dtype=bool)
    if against == "neighbours":
        beside = _beside(judgments, found)
        known = np.isfinite(beside)
        degraded = degraded - beside
        notes = (*notes, *_lonely_note(int((~known).sum())))
    elif judgments.document is not None:
        notes = (*notes, *_together_note(judgments))
    rows = np.flatnonzero(known)
    order = rows[np.argsort(raters.codes[found.row[rows]], kind="stable")]
    return RaterPairs(
        rater=raters.codes[found.row[order]],
        original=found.original[order],
        degraded=degraded[order],
        n_degraded=np.bincount(
            raters.codes[judgments.is_kind("degraded")], minlength=raters.n_levels
        ),
        notes=notes,
    )


@dataclass(frozen=True, slots=True)
class _Copies:
    """Controls of one kind and their originals, pair by pair."""

    row: IntArray  # of the original
    original: FloatArray
    copy: FloatArray
    alone: IntArray  # rows of controls without an original
    n_averaged: int


def _copies(judgments: Judgments, kind: Kind) -> _Copies:
    """Match the controls of one kind with their originals."""
    kinds: tuple[Kind, Kind] = ("system", kind)
    # A copy belongs to the item of its system, seen in one wave and task; kinds are compared.
    given = [judgments.item, judgments.system, judgments.wave, judgments.task]
    codes, first = cross_codes(*(column for column in given if column is not None))
    cells = judgments.cells(
        kinds=kinds,
        item=Factor(name="item", levels=("",) * first.size, codes=codes),  # needs no names
        system=Factor(name="kind", levels=KINDS, codes=judgments.kind),
    )
    matched = cells.matched([kinds] if set(kinds) <= set(cells.systems) else ())
    row = np.flatnonzero(judgments.is_kind(*kinds))[cells.row]
    alone = np.zeros(cells.n_cells, dtype=bool)
    if kind in cells.systems:
        alone = cells.system == cells.systems.index(kind)
        alone[matched.right] = False
    averaged = (cells.n[matched.left] > 1) | (cells.n[matched.right] > 1)
    return _Copies(
        row[matched.left],
        matched.score_first,
        matched.score_second,
        np.sort(row[alone]),
        int(averaged.sum()),
    )


def _beside(judgments: Judgments, degraded: _Copies) -> FloatArray:
    """Return how far the scores of lines beside a degraded line changed in the same copy."""
    copy = copy_codes(judgments, judgments.system)
    others = [_copies(judgments, kind) for kind in ("repeat", "reference")]
    where = np.concatenate([copy[one.row] for one in others])
    changes = np.concatenate([one.copy - one.original for one in others])
    return change_beside(copy[degraded.row], where, changes)


def copy_codes(judgments: Judgments, *more: Factor) -> IntArray:
    """Return a number for every copy of a document that a rater may have seen in a task."""
    roles = ("rater", "document", "wave", "task", "campaign", "language")
    judgments.column("document")  # or say that there is none
    given = (getattr(judgments, role) for role in roles)
    return cross_codes(*(column for column in given if column is not None), *more)[0]


def change_beside(copy: IntArray, other: IntArray, changes: FloatArray) -> FloatArray:
    """Return for each degraded line the mean change of its neighbours, NaN where it has none.

    The other lines of a copy are dealt to its degraded lines in turn. So no two of these share a
    neighbour, and what a test is given stays independent.

    Parameters
    ----------
    copy, other : array of int
        The copy in which each degraded line stands, and each other one.
    changes : array
        Of the other lines, their score less that of their original.

    Examples
    --------
    >>> change_beside(np.array([1, 1, 2]), np.array([1, 1, 1]), np.array([4.0, 6.0, 8.0]))
    array([ 6.,  6., nan])
    """
    own: dict[int, list[int]] = {}
    for line, code in enumerate(copy.tolist()):
        own.setdefault(code, []).append(line)
    dealt: list[list[float]] = [[] for _ in range(copy.size)]
    turn: Counter[int] = Counter()
    for code, change in zip(other.tolist(), changes.tolist(), strict=True):
        if code in own:
            lines = own[code]
            dealt[lines[turn[code] % len(lines)]].append(change)
            turn[code] += 1
    return np.array([np.mean(beside) if beside else np.nan for beside in dealt])


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


def _lonely_note(n: int) -> tuple[str, ...]:
    if not n:
        return ()
    copies = count(n, "degraded copy", "degraded copies")
    return (
        f"{copies} left out: no repeat or reference stood beside in the same copy of a document.",
    )


def _together_note(judgments: Judgments) -> tuple[str, ...]:
    """Say that lines stand or fall together, where documents were copied as a whole."""
    copy = copy_codes(judgments, judgments.system)
    control = ~judgments.is_kind("system")
    # Rows stand in the order in which they were judged.
    next_to = (copy[1:] == copy[:-1]) & control[1:] & control[:-1]
    next_to &= judgments.item.codes[1:] != judgments.item.codes[:-1]
    degraded = judgments.is_kind("degraded")
    n = int((degraded & (np.append(next_to, False) | np.append(False, next_to))).sum())
    if 2 * n < degraded.sum():
        return ()
    return (
        f"{n:,} of {count(int(degraded.sum()), 'degraded copy', 'degraded copies')} stand beside "
        "other controls of their document and system: who scores copies of documents low as a "
        'whole passes without reading. against="neighbours" compares the lines of a copy.',
    )
