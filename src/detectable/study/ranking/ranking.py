"""The answer of `rank_systems`: an order of systems, its clusters, and every pair."""

import math
from dataclasses import dataclass, field

from detectable.core.interval import Interval
from detectable.core.result import Result
from detectable.core.verdict import Verdict, could_have_seen, in_numbers, in_words
from detectable.core.wording import count, listing, number


@dataclass(frozen=True, slots=True, kw_only=True)
class RankedSystem:
    """One system of a ranking.

    Attributes
    ----------
    score, interval
        What the ranking goes by: raw, z, mean over domains, or the mean of a mixed model.
    n : int
        Distinct items: what the score rests on.
    N : int
        Judgments of these items, repeats included.
    rank_low, rank_high : int
        Best and worst rank that the significant differences allow: losses + 1, systems − wins.
    """

    system: str
    score: float
    interval: Interval
    mean_raw: float
    mean_z: float  # nan where raters are not known
    n: int
    N: int
    cluster: int  # 1 is best
    rank_low: int
    rank_high: int


@dataclass(frozen=True, slots=True, kw_only=True)
class RankedPair:
    """Two systems, the one with the higher score first.

    Attributes
    ----------
    verdict : {'better', 'worse', 'equivalent', 'undecided'}
        Of `better` against `worse`. ``'worse'`` is a rank reversal: the system with the higher
        score loses the test.
    probability : float
        P(better > worse) + ½ P(equal) of a unit.
    mde : float
        Smallest difference that would reliably have been found, at the corrected level.
    p_equivalence : float
        Two one-sided tests of «within ±margin», corrected like the differences; nan without a
        margin. As the difference is not below zero, it is also the p-value of «`worse` is not
        worse by more than the margin» (non-inferiority).
    """

    better: str
    worse: str
    difference: float
    interval: Interval  # of this difference alone; p_adjusted carries the correction
    standard_error: float
    probability: float
    p_value: float
    p_adjusted: float
    p_equivalence: float
    mde: float
    verdict: Verdict
    n: int  # units compared
    n_clusters: int | None  # documents among them; None where units are independent


@dataclass(frozen=True, slots=True, kw_only=True)
class DifferentVerdict:
    """A pair on which WMT's rule and this ranking disagree; both of the first system."""

    better: str
    worse: str
    verdict: Verdict
    wmt: Verdict


@dataclass(frozen=True, slots=True, kw_only=True)
class WmtView:
    """What WMT's rule (rank-sum on z, one-sided, uncorrected) says about the same data."""

    clusters: tuple[tuple[str, ...], ...]
    n_significant: int
    n_pairs: int
    different: tuple[DifferentVerdict, ...]

    def sentence(self, n_significant: int) -> str:
        """Say it in one sentence, next to the number of pairs found here."""
        same = (
            "and agrees on every pair"
            if not self.different
            else f"{n_significant:,} here; {count(len(self.different), 'pair')} "
            f"{'differs' if len(self.different) == 1 else 'differ'}"
        )
        return (
            f"WMT's rule (one-sided rank-sum on z, uncorrected) would make "
            f"{count(len(self.clusters), 'cluster')} and tell {self.n_significant:,} of "
            f"{count(self.n_pairs, 'pair')} apart, {same}."
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Ranking(Result):
    """Systems from best to worst.

    Attributes
    ----------
    systems : tuple of RankedSystem
        Best first.
    clusters : tuple of tuple of str
        Best first.
    pairs : tuple of RankedPair
        In the order of the ranking.
    test, matching, unit, level, scale : str
        What was tested: how pairs were matched (``rater``, ``item`` or ``none``), what counts as
        independent, items or judgments, and the scale of differences (``points`` or ``z``).
    reason : str
        Why it was tested that way.
    wmt : WmtView
        What WMT's rule would have said.
    """

    systems: tuple[RankedSystem, ...]
    clusters: tuple[tuple[str, ...], ...]
    pairs: tuple[RankedPair, ...]
    wmt: WmtView
    preset: str | None
    test: str
    matching: str
    unit: str
    level: str
    scale: str
    reason: str
    correction: str  # of p-values, for the number of pairs
    alpha: float
    power: float
    margin: float | None
    reversals: tuple[str, ...] = ()
    notes: tuple[str, ...] = field(default=())

    @property
    def digits(self) -> int:
        """The number of decimals that make sense for scores."""
        return 3 if self.scale == "z" else 2

    @property
    def n_significant(self) -> int:
        """Pairs that were told apart."""
        return sum(pair.verdict in ("better", "worse") for pair in self.pairs)

    def pair(self, first: str, second: str) -> RankedPair:
        """Return the row of two systems, whichever is higher."""
        return next(p for p in self.pairs if {p.better, p.worse} == {first, second})

    def summary(self) -> str:
        """Say who is on top, what cannot be told apart, and what WMT would have said."""
        return "\n".join(self.sentences())

    def sentences(self) -> list[str]:
        """Return the sentences of the summary."""
        found = [self._top(), self._apart()]
        if len(self.pairs) <= 3:
            found += [self.sentence(pair) for pair in self.pairs]
        found.append(self.reason)
        if self.preset != "wmt21":
            found.append(self.wmt.sentence(self.n_significant))
        return found

    def _top(self) -> str:
        first, rest = self.clusters[0], len(self.systems) - len(self.clusters[0])
        if len(first) == 1:
            return f"{first[0]} is on top: better than {_others(rest)}."
        names = listing(list(first), most=8)
        if rest == 0:
            return f"No line can be drawn between the {len(first)} systems: {names}."
        return f"{len(first)} systems share the top cluster, above {_others(rest)}: {names}."

    def _apart(self) -> str:
        undecided = [pair for pair in self.pairs if pair.verdict == "undecided"]
        equivalent = sum(pair.verdict == "equivalent" for pair in self.pairs)
        said = (
            f"{self.n_significant:,} of {count(len(self.pairs), 'pair')} told apart"
            f" (p ≤ {self.alpha:g}{self._corrected()})"
        )
        if equivalent:
            said += (
                f", {equivalent:,} equivalent within ±{number(self.margin, digits=self.digits)}"
            )
        if not undecided:
            return f"{said}."
        mdes = sorted(pair.mde for pair in undecided if not math.isnan(pair.mde))
        said += f", {len(undecided):,} undecided"
        if not mdes:
            return f"{said}."
        low, high = (number(x, digits=self.digits) for x in (mdes[0], mdes[-1]))
        span = low if low == high else f"{low} to {high}"
        return f"{said}; there, differences of {span} {self.scale} would reliably have been seen ({self.power:.0%} power)."

    def _corrected(self) -> str:
        return ", Holm" if self.correction == "holm" and len(self.pairs) > 1 else ""

    def sentence(self, pair: RankedPair) -> str:
        """Say one verdict in words first, numbers after."""
        # The first system has the higher score: where it loses all the same, that must be said.
        first = pair.better
        if pair.verdict == "worse":
            first = f"{first} has the higher score but"
        margin = None if self.margin is None else number(self.margin, digits=self.digits)
        words = in_words(pair.verdict, first, pair.worse, margin=margin)
        numbers = in_numbers(
            pair.difference,
            pair.interval,
            p=pair.p_adjusted,
            scale=self.scale,
            digits=self.digits,
        )
        if pair.verdict != "undecided":
            return f"{words}: {numbers}."
        remark = could_have_seen(pair.mde, power=self.power, digits=self.digits)
        return f"{words}: {numbers}. {remark}".rstrip()


def _others(rest: int) -> str:
    return "the other system" if rest == 1 else f"the other {rest}"
