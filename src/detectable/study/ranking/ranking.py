"""The answer of `rank_systems`: an order of systems, its clusters, and every pair."""

import math
from dataclasses import dataclass, field
from typing import Literal

from detectable.contrasts.contrast import Alias, Contrast
from detectable.core.choices import Claim
from detectable.core.interval import Interval
from detectable.core.result import ADDED_IF_KNOWN, Result
from detectable.core.verdict import (
    Verdict,
)
from detectable.study.reverse_share import ReverseShare


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
class RankedPair(Contrast):
    """Two systems, the one with the higher score first.

    The claim ``'non-inferior'`` is that `worse` is not worse than `better` by more than the margin;
    the verdicts ``'non-inferior'`` and ``'inferior'`` are said of `worse`, all others of `better`.
    ``'worse'`` is a rank reversal: the system with the higher score loses the test.

    Attributes
    ----------
    probability : float
        P(better > worse) + ½ P(equal) of a unit.
    """

    LAYOUT = """
        better worse claim difference interval interval_level interval_alone standard_error df
        probability p_value p_adjusted p_equivalence attainable_p mde units_needed verdict n
        n_clusters p_beyond n_differing
    """
    better, worse = Alias[str]("system"), Alias[str]("baseline")

    verdict: Verdict
    probability: float

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
        Whether all sign patterns were counted: one by one, or by McNemar's test of 0/1 scores.
    reverse : ReverseShare or None
        How much of the data was created in reverse, and what changes without it; None where the
        original languages are not known.
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
    reverse: ReverseShare | None = field(default=None, metadata=ADDED_IF_KNOWN)

    @property
    def counted(self) -> bool:
        """Whether 0/1 scores were tested by McNemar's exact test, without a draw."""
        return self.exact and self.n_resamples is None

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
