"""The answer of `rank_systems`: an order of systems, its clusters, and every pair."""

import math
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from detectable.contrasts.contrast import Alias, Contrast
from detectable.core.choices import Claim, RepeatKind
from detectable.core.errors import InputError
from detectable.core.interval import Interval
from detectable.core.result import ADDED_IF_KNOWN, WORKING, Result
from detectable.core.types import Seed
from detectable.core.verdict import (
    Verdict,
)
from detectable.study.ranking.repeat import Claimed, Repeat, predict_repeat
from detectable.study.ranking.repeat_variance import Judged
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
    repetition : Repeat or None
        What a repeat would keep, where the command line was asked for it; ``repeat`` in JSON.
    weighted : bool or None
        True where items weigh unequally (`select`).
    judged : Judged or None
        What `repeat` looks at. No file holds it.
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
    repetition: Repeat | None = field(default=None, metadata=ADDED_IF_KNOWN)
    weighted: bool | None = field(default=None, metadata=ADDED_IF_KNOWN)
    judged: Judged | None = field(default=None, repr=False, compare=False, metadata=WORKING)

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
        """Pairs that differ significantly."""
        return sum(pair.verdict in ("better", "worse") for pair in self.pairs)

    def pair(self, first: str, second: str) -> RankedPair:
        """Return the row of two systems, whichever is higher."""
        return next(p for p in self.pairs if {p.better, p.worse} == {first, second})

    def repeat(
        self,
        kind: RepeatKind = "both",
        *,
        n_documents: int | None = None,
        n_raters: int | None = None,
        keep: float = 0.9,
        rng: Seed = None,
    ) -> Repeat:
        """Predict how many of the claims of this ranking a repeat of the study would keep.

        The claims are the pairs that differ significantly, by the test and correction of this ranking.
        `detectable.study.ranking.repeat.predict_repeat` says what is predicted, and how.

        Parameters
        ----------
        kind : {'both', 'raters', 'documents', 'pool'}
            What is new in the repeat: raters and documents, raters, documents, or nothing but who
            judges which document.
        n_documents, n_raters : int, optional
            Size of the repeat, raters for each document; by default that of this study.
        keep : float
            The chance of keeping all claims that `needed` sizes are to reach.
        rng : Generator, int or None
            None draws a fresh seed and records it in the signature.
        """
        if self.weighted:
            raise InputError(
                "`repeat` knows no sampling weights, and items of this ranking weigh unequally. Rank a "
                "random sample to ask about its repeat."
            )
        if self.judged is None:
            raise InputError(
                "This ranking was loaded from a file, which does not hold its judgments. Rank them "
                "again."
            )
        self._refuse_other_claims()
        notes: tuple[str, ...] = ()
        if self.correction == "none" and len(self.pairs) > 1:
            notes = (
                "Claims without a correction for the number of pairs: chances of such claims were "
                "off by up to 13 points.",
            )
        return predict_repeat(
            self.judged,
            [_claimed(pair) for pair in self.pairs if pair.verdict in ("better", "worse")],
            kind,
            n_documents=n_documents,
            n_raters=n_raters,
            keep=keep,
            rng=rng,
            notes=notes,
        )

    def with_repeat(self, kind: RepeatKind, *, rng: Seed = None, **asked: Any) -> "Ranking":
        """Return the same with `repetition`, by the seed of the ranking; `repeat` says the rest."""
        seed = self.signature.seed
        if rng is None and seed is not None and seed.isdecimal():
            rng = int(seed)
        found = self.repeat(kind, rng=rng, **asked)
        usual = {"n_documents": None, "n_raters": None, "keep": 0.9}
        more = {"repeat": kind} | {
            f"repeat-{name.removeprefix('n_')}": one
            for name, one in asked.items()
            if one != usual[name]
        }
        signature = replace(
            self.signature,
            settings={**self.signature.settings, **more},
            seed=found.signature.seed,
        )
        return replace(self, repetition=found, signature=signature)

    def _refuse_other_claims(self) -> None:
        tested = ""
        if self.claim != "better":
            tested = "this ranking is about a margin"
        elif self.test not in ("permutation", "t", "mixed"):
            tested = "this ranking was tested by ranks"
        elif self.judged is not None and self.judged.domains:
            tested = "this ranking averages means of domains"
        if tested:
            raise InputError(
                f"`repeat` works on mean differences (sign flips, t, mixed); {tested}."
            )

    def to_dict(self) -> dict[str, Any]:
        """Return JSON-ready values; what a repeat would keep stands under ``repeat``."""
        plain = Result.to_dict(self)
        if "repetition" in plain:
            found = plain.pop("repetition")
            plain["repeat"] = {"kind": found.pop("repeat"), **found}
        return plain


def _claimed(pair: RankedPair) -> Claimed:
    """Return the winner and the loser, and the difference at which the interval would end at 0."""
    better, worse = (pair.better, pair.worse)[:: 1 if pair.verdict == "better" else -1]
    end = pair.interval.low if pair.verdict == "better" else pair.interval.high
    return Claimed(better=better, worse=worse, threshold=abs(pair.difference - end))
