"""The answer of `rank_systems`: an order of systems, its clusters, and every pair."""

import math
from dataclasses import dataclass, field
from typing import Literal

from detectable.core.choices import Claim
from detectable.core.interval import Interval
from detectable.core.result import ADDED, Result
from detectable.core.verdict import (
    Verdict,
    could_have_seen,
    in_numbers,
    in_words,
    margin_could_have_been,
    would_make_differ,
)
from detectable.core.wording import count, listing, number, p_statement
from detectable.inference.few_units import (
    choose_test,
    few_differ,
    p_in_words,
    too_few_to_swap,
)


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
    claim : {'better', 'non-inferior', 'equivalent'}
        What p-values and verdict are about. ``'non-inferior'``: that `worse` is not worse than
        `better` by more than the margin.
    verdict : {'better', 'worse', 'equivalent', 'non-inferior', 'inferior', 'superior', 'undecided'}
        Of `better` against `worse`. ``'worse'`` is a rank reversal: the system with the higher
        score loses the test. ``'inferior'``, as ``'non-inferior'``, is said of `worse`.
    interval : Interval
        It shows the verdict: corrected like p, for all pairs together; at 1 − 2α for a claim
        about a margin.
    interval_alone : Interval
        Of this pair by itself, uncorrected.
    probability : float
        P(better > worse) + ½ P(equal) of a unit.
    attainable_p : float
        The smallest corrected p that such data can give.
    mde : float
        Smallest difference that this very test could have detected; nan where it can find
        nothing. For a claim about a margin: the smallest margin that equal systems would be shown
        to keep.
    units_needed : int or None
        Where the test can find nothing, the number of units at which it could.
    n_differing : int or None
        Units in which the systems differ, where signs of differences are flipped: ties say nothing
        there.
    p_equivalence : float
        Two one-sided tests of «within ±margin», corrected like the differences; nan without a
        margin.
    p_beyond : float
        Of a claim about a margin: of «not beyond it», corrected.
    """

    better: str
    worse: str
    claim: Claim
    difference: float
    interval: Interval
    interval_level: float
    interval_alone: Interval
    standard_error: float
    df: float
    probability: float
    p_value: float
    p_adjusted: float
    p_equivalence: float
    attainable_p: float
    mde: float
    units_needed: int | None
    verdict: Verdict
    n: int  # units compared
    n_clusters: int | None  # documents among them; None where units are independent
    p_beyond: float = field(default=math.nan, metadata=ADDED)
    n_differing: int | None = field(default=None, metadata=ADDED)

    @property
    def p_of_verdict(self) -> float:
        """The p-value of what the verdict says."""
        if self.verdict in ("inferior", "superior"):
            return self.p_beyond
        return self.p_equivalence if self.verdict == "equivalent" else self.p_adjusted

    @property
    def n_flipped(self) -> int:
        """Units whose signs are flipped: documents where they are known."""
        return self.n if self.n_clusters is None else self.n_clusters


@dataclass(frozen=True, slots=True, kw_only=True)
class Influential:
    """A document or rater without which a pair, or the clusters, would read otherwise.

    Attributes
    ----------
    kind, name : str
        What it is, and what it is called.
    share : float
        Of the matched items that it holds.
    better, worse : str
        The pair; empty where it is about the clusters.
    difference, p_adjusted, verdict
        Of the pair without it.
    clusters : tuple of tuple of str
        Without it, where they change; else empty.
    """

    kind: Literal["document", "rater"]
    name: str
    share: float
    better: str = ""
    worse: str = ""
    difference: float = math.nan
    p_adjusted: float = math.nan
    verdict: Verdict = "undecided"
    clusters: tuple[tuple[str, ...], ...] = ()


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
    influential : tuple of Influential
        Documents and raters on which a verdict, or a line between clusters, hangs.
    n_units : int
        Units behind the pair that has fewest.
    exact : bool
        Whether all sign patterns were counted.
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
    correction: str  # of p-values, for the number of pairs: max-t, holm or none
    claim: Claim
    n_units: int
    n_resamples: int | None
    exact: bool
    alpha: float
    power: float
    margin: float | None
    influential: tuple[Influential, ...] = ()
    reversals: tuple[str, ...] = ()
    notes: tuple[str, ...] = field(default=())

    @property
    def digits(self) -> int:
        """The number of decimals that make sense for scores: four between 0 and 1, as elsewhere."""
        if self.scale == "z":
            return 3
        known = [abs(row.score) for row in self.systems if row.score == row.score]
        return 4 if known and max(known) <= 1.0 else 2

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
        found = [self._top()]
        if self.claim == "better":
            found.append(self.apart())
        if len(self.pairs) <= 3:
            found += [self.sentence(pair) for pair in self.pairs]
        found.append(self.reason)
        found += [sentence for sentence in (self.design(),) if sentence]
        found += self.hinges()
        if self.preset != "wmt21" and self.claim == "better":
            found.append(self.wmt.sentence(self.n_significant))
        return found

    def _top(self) -> str:
        if self.claim != "better":
            return self._shown()
        first, rest = self.clusters[0], len(self.systems) - len(self.clusters[0])
        if len(first) == 1:
            return f"{first[0]} is on top: better than {_others(rest)}."
        names = listing(list(first), most=8)
        if rest == 0:
            return f"No line can be drawn between the {len(first)} systems: {names}."
        return f"{len(first)} systems share the top cluster, above {_others(rest)}: {names}."

    def _shown(self) -> str:
        """Say of how many pairs the claim about the margin was shown."""
        shown = sum(pair.verdict == self.claim for pair in self.pairs)
        margin = number(self.margin, digits=self.digits)
        what = f"equivalent within ±{margin}"
        if self.claim == "non-inferior":
            what = f"the lower system not worse by more than {margin}"
        return (
            f"{shown:,} of {count(len(self.pairs), 'pair')} shown: {what} "
            f"(p ≤ {self.alpha:g}{self._corrected()})."
        )

    def apart(self, *, seen: bool = True) -> str:
        """Say how many pairs were told apart; `seen`: and what could have been, in the others."""
        undecided = [pair for pair in self.pairs if pair.verdict == "undecided"]
        equivalent = sum(pair.verdict == "equivalent" for pair in self.pairs)
        margin = number(self.margin, digits=self.digits)
        said = (
            f"{self.n_significant:,} of {count(len(self.pairs), 'pair')} told apart"
            f" (p ≤ {self.alpha:g}{self._corrected()})"
        )
        if equivalent:
            said += f", {equivalent:,} equivalent within ±{margin}"
        if not undecided:
            return f"{said}."
        mdes = sorted(pair.mde for pair in undecided if not math.isnan(pair.mde))
        said += f", {len(undecided):,} undecided"
        if not mdes or not seen:
            return f"{said}."
        low, high = (number(x, digits=self.digits) for x in (mdes[0], mdes[-1]))
        span = low if low == high else f"{low} to {high}"
        return f"{said}; there, differences of {span} {self.scale} could have been detected ({self.power:.0%} power)."

    def _corrected(self) -> str:
        if len(self.pairs) == 1 or self.correction == "none":
            return ""
        return ", max-T" if self.correction == "max-t" else ", Holm"

    def design(self) -> str:
        """Say what so few units allow, where it is not the usual test."""
        unit = "document" if self.unit == "document" else "item"
        stuck = [
            pair
            for pair in self.pairs
            if pair.attainable_p > self.alpha
            and math.isnan(pair.mde)
            # Else nothing varies, which its own sentence says.
            and (pair.n_differing != 0 or pair.units_needed is not None)
        ]
        if stuck and self.preset is None:
            return self._stuck(stuck, unit)
        if self.test != "t" or choose_test(self.n_units, self.alpha) != "t":
            return ""
        df = min((pair.df for pair in self.pairs if pair.df > 0.0), default=math.nan)
        if math.isnan(df):
            return ""
        if self.matching != "none":
            return too_few_to_swap(self.n_units, unit, self.alpha, df)
        return (
            f"{count(self.n_units, unit)} of some system: too few for a test of ranks. Tested by t "
            f"over {unit}s, {df:.1f} degrees of freedom; it assumes that {unit} means are roughly "
            "normal."
        )

    def _stuck(self, stuck: list[RankedPair], unit: str) -> str:
        """Say that some pairs, or all, can never be decided with so few units."""
        worst = max(stuck, key=lambda pair: pair.attainable_p)
        which = "" if len(self.pairs) == 1 else f" among {len(self.pairs):,} pairs"
        if len(stuck) < len(self.pairs):
            which = f" for {len(stuck):,} of {count(len(self.pairs), 'pair')}"
        start = (
            f"This design cannot reject at {f'{self.alpha:g}'.lstrip('0')}{which}: the smallest "
            "possible p of"
        )
        p = p_in_words(worst.attainable_p)
        if worst.units_needed is None:
            return f"{start} {count(self.n_resamples or 0, 'sign pattern')} is {p}. Draw more."
        return f"{start} {count(self.n_units, unit)} is {p}. It needs at least {worst.units_needed}."

    def hinges(self) -> list[str]:
        """Say which verdicts and lines hang on one document or one rater."""
        return [self._hinge(found) for found in self.influential]

    def _hinge(self, found: Influential) -> str:
        what = f"Without {found.kind} {found.name} ({found.share:.0%} of the comparisons)"
        if found.clusters:
            groups = " | ".join(", ".join(group) for group in found.clusters)
            return f"{what} the clusters would be {groups}."
        shown = number(found.difference, digits=self.digits, sign=True)
        would = "undecided"
        if found.verdict != "undecided":
            would = f"«{found.verdict}»"
        return (
            f"{what} {found.better} − {found.worse} would be {would} ({shown}, "
            f"{p_statement(found.p_adjusted)})."
        )

    def sentence(self, pair: RankedPair) -> str:
        """Say one verdict in words first, numbers after."""
        # The first system has the higher score: where it loses all the same, that must be said.
        first = pair.better
        if pair.verdict == "worse":
            first = f"{first} has the higher score but"
        margin = None if self.margin is None else number(self.margin, digits=self.digits)
        second = pair.worse
        if pair.claim == "non-inferior":
            first, second = pair.worse, pair.better
        words = in_words(pair.verdict, first, second, claim=pair.claim, margin=margin)
        numbers = in_numbers(
            pair.difference,
            pair.interval,
            p=pair.p_of_verdict,
            scale=self.scale,
            digits=self.digits,
            alpha=self.alpha,
        )
        if pair.claim == "non-inferior":
            numbers = f"{pair.better} − {pair.worse} {numbers}"
        if pair.verdict != "undecided":
            return f"{words}: {numbers}."
        if pair.claim != "better":
            remark = margin_could_have_been(pair.mde, power=self.power, digits=self.digits)
        else:
            remark = could_have_seen(pair.mde, power=self.power, digits=self.digits)
        stuck = pair.attainable_p > self.alpha
        if stuck and pair.mde == pair.mde and pair.n_differing is not None:
            unit = "document" if self.unit == "document" else "item"
            few = few_differ(pair.n_differing, pair.n_flipped, unit, pair.attainable_p)
            more = would_make_differ(pair.mde, unit, power=self.power, digits=self.digits)
            remark = f"{few} {more}"
        speaks = not stuck or (pair.n_differing == 0 and pair.units_needed is None)
        if math.isnan(pair.mde) and speaks and self.preset is None:
            remark = _no_mde(pair)
        return f"{words}: {numbers}. {remark}".rstrip()


def _no_mde(pair: RankedPair) -> str:
    """Say why there is no detectable difference, though the test could reject."""
    if pair.n_flipped < 2:
        unit = "item" if pair.n_clusters is None else "document"
        return f"One {unit} says nothing about the next: nothing is claimed."
    if math.isnan(pair.standard_error):
        return "Its error is not known: some domain has one unit only."
    if pair.standard_error == 0.0:
        return "Nothing varies here, so that nothing can be shown."
    return "It rests on too few units of its own for any difference to be detected."


def _others(rest: int) -> str:
    return "the other system" if rest == 1 else f"the other {rest}"
