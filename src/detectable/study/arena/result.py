"""What an arena can say: strengths, ranks that hold together, and every pair."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from detectable.core.choices import TieRule, VoteWeights
from detectable.core.interval import Interval
from detectable.core.result import Result
from detectable.core.verdict import Verdict, in_words
from detectable.core.wording import count, listing, number, p_statement, significant

Placed: TypeAlias = Literal["ranked", "above", "below", "unknown"]
_FEW = 3  # pairs that a summary spells out


@dataclass(frozen=True, slots=True, kw_only=True)
class ArenaSystem:
    """A system.

    Attributes
    ----------
    strength, standard_error : float
        In log-odds; all strengths that are ranked add up to zero. Not a number where a system won
        or lost everything.
    interval, interval_alone : Interval
        For all systems together, and for this one by itself.
    elo : float
        The strength on the scale of Elo, with the mean of all at 1000.
    rank_low, rank_high : int
        The ranks that it may have; all true ranks are in their sets at once.
    votes, wins : int, float
        Battles, and its share of wins in them (a tie is half a win).
    placed : {'ranked', 'above', 'below', 'unknown'}
        Whether it has an estimate, or beat (lost to) all who have one.
    bound : float
        One-sided limit of a strength that has no estimate, against the mean of those that have.
    adjusted, adjusted_rank_low, adjusted_rank_high
        The same with the side and the covariates taken out; none where there are none.
    lmarena_rank : int
        One more than the systems whose interval lies wholly above its own, votes independent.
    """

    system: str
    strength: float
    standard_error: float
    interval: Interval
    interval_alone: Interval
    elo: float
    rank_low: int
    rank_high: int
    votes: int
    wins: float
    placed: Placed = "ranked"
    bound: float = math.nan
    adjusted: float = math.nan
    adjusted_rank_low: int | None = None
    adjusted_rank_high: int | None = None
    lmarena_rank: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ArenaPair:
    """Two systems, the stronger first.

    Attributes
    ----------
    difference, standard_error : float
        Of their strengths, in log-odds.
    interval : Interval
        That of the verdict, for all pairs together; `interval_alone` is of this pair by itself.
    p_value, p_adjusted : float
        Alone, and for all pairs together; the verdict goes by the latter.
    chance : float
        That the first wins a battle, a tie counted as half: by the strengths.
    share, votes : float, int
        Its share of wins in the battles of the two, and how many there were.
    mde, mde_elo, mde_share : float
        The difference that this test finds with the asked power: in log-odds, in points of Elo,
        and as a share of wins.
    votes_needed : int or None
        Further battles of the two with which a gap of `Arena.effect` points of Elo would be found.
    """

    better: str
    worse: str
    difference: float
    standard_error: float
    interval: Interval
    interval_alone: Interval
    p_value: float
    p_adjusted: float
    verdict: Verdict
    chance: float
    share: float
    votes: int
    mde: float
    mde_elo: float
    mde_share: float
    votes_needed: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ArenaEffect:
    """What sways voters besides the systems: the side, or a covariate.

    `estimate` is in log-odds: for a covariate, of one standard deviation (`scale`) more.
    """

    name: str
    estimate: float
    standard_error: float
    interval: Interval
    p_value: float
    scale: float = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class NextPair:
    """Of which pair one more vote would sharpen the difference of two systems most.

    `gain` is the share by which the variance of that difference falls.
    """

    between: tuple[str, str]
    vote: tuple[str, str]
    gain: float


@dataclass(frozen=True, slots=True, kw_only=True)
class NaiveArena:
    """What the common choices would have said.

    Attributes
    ----------
    n_apart : int
        Pairs told apart where votes are independent and every pair stands alone.
    design_effect : float
        How many times the variance of a difference is what independent votes say: the median.
    tool : str
        What the tool that wrote the file would say, where it counts otherwise.
    """

    n_apart: int
    design_effect: float
    tool: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Arena(Result):
    """Strengths of systems from battles.

    Attributes
    ----------
    systems, pairs : tuple
        The strongest first.
    effects : tuple of ArenaEffect
        Of the side and of covariates.
    ties : {'half', 'davidson', 'rao-kupper', 'drop'}
        What a tie counts; `tie_parameter` is log ν or η of a model of ties.
    cluster, clusters
        What is independent, and how many there are of each kind.
    test : {'max-t', 'sign', 't'}
        Of the pairs: the largest absolute t of all; for two systems the exact sign test, or t over
        clusters.
    n_votes, n_ties, n_both_bad : int
        Battles; ties among them; those among the ties where both were bad.
    critical, df : float
        The absolute t beyond which a pair is told apart, and degrees of freedom.
    effect : float
        The gap in points of Elo to which `votes_needed` belongs.
    effective, most_votes : mapping of kind to float, or None
        How many clusters there are in effect (fewer where some have most of the votes; of the pair
        that has the fewest), and the share of votes of the largest.
    cap_voter : float or None
        How many times as much as the median voter a voter may count.
    """

    systems: tuple[ArenaSystem, ...]
    pairs: tuple[ArenaPair, ...]
    effects: tuple[ArenaEffect, ...]
    ties: TieRule
    tie_parameter: float
    weights: VoteWeights
    cluster: str
    clusters: Mapping[str, int]
    test: Literal["max-t", "sign", "t"]
    n_votes: int
    n_ties: int
    n_both_bad: int
    critical: float
    df: float
    alpha: float
    power: float
    effect: float
    next_pair: NextPair | None
    naive: NaiveArena
    notes: tuple[str, ...] = ()
    effective: Mapping[str, float] | None = field(default=None, metadata={"added": True})
    most_votes: Mapping[str, float] | None = field(default=None, metadata={"added": True})
    cap_voter: float | None = field(default=None, metadata={"added": True})

    @property
    def n_apart(self) -> int:
        """The number of pairs that are told apart."""
        return sum(pair.verdict == "better" for pair in self.pairs)

    def tiers(self) -> dict[str, int]:
        """Return the tier of each system: lines are where all above are better than all below."""
        found, tier, lowest = {}, 1, 0
        for place, row in enumerate(self.systems):
            if place and lowest <= place and row.rank_low > place:
                tier += 1
            found[row.system] = tier
            lowest = max(lowest, row.rank_high)
        return found

    def summary(self) -> str:
        """Say who is on top, how many pairs were told apart, and the closest calls."""
        return "\n".join(self.sentences())

    def sentences(self) -> list[str]:
        """Return the sentences of the summary."""
        said = [self.on_top(), self.apart(), *self.outside()]
        shown = self.pairs if len(self.pairs) <= _FEW else self.pairs[:1]
        said += [self.in_words(pair) for pair in shown]
        said += [self.basis(), *self.uneven(), self.common()]
        return [sentence for sentence in said if sentence]

    def on_top(self) -> str:
        """Say who may be first."""
        first = [row.system for row in self.systems if row.rank_low == 1]
        if len(first) == 1:
            others = len(self.systems) - 1
            what = "the other" if others == 1 else f"all {others} others"
            return f"{first[0]} is on top: better than {what}."
        if len(self.systems) == 2:
            return f"Undecided between {first[0]} and {first[1]}."
        some = "any" if len(first) == len(self.systems) else "each"
        return f"{some.capitalize()} of {count(len(first), 'system')} may be first: {listing(first, most=8)}."

    def apart(self) -> str:
        """Say how many pairs were told apart."""
        if len(self.pairs) == 1:
            return ""
        undecided = [pair for pair in self.pairs if pair.verdict == "undecided"]
        said = (
            f"{self.n_apart:,} of {count(len(self.pairs), 'pair')} told apart (all pairs together, "
            f"p ≤ {self.alpha:g})"
        )
        known = [pair.mde_elo for pair in undecided if not math.isnan(pair.mde_elo)]
        if not known:
            return f"{said}."
        low, high = (number(x, digits=0) for x in (min(known), max(known)))
        span = low if low == high else f"{low} to {high}"
        return (
            f"{said}, {len(undecided):,} undecided; there, gaps of {span} Elo could have "
            f"been detected ({self.power:.0%} power)."
        )

    def outside(self) -> list[str]:
        """Say who won or lost everything."""
        words = {
            "above": "is above all: it lost to none of those that can be ranked",
            "below": "is below all: it won against none of those that can be ranked",
            "unknown": "cannot be placed beside those that can be ranked",
        }
        said: list[str] = []
        if len(self.systems) == 2:  # their pair says it
            return said
        for row in self.systems:
            if row.placed == "ranked":
                continue
            end = ""
            if math.isfinite(row.bound):
                side = "at least" if row.placed == "above" else "at most"
                end = f"; its strength is {side} {number(row.bound, digits=2, sign=True)} ({1 - self.alpha:.0%}, one-sided)"
            said.append(f"{row.system} {words[row.placed]}{end}.")
        return said

    def in_words(self, pair: ArenaPair) -> str:
        """Say what is known of a pair."""
        head = in_words(pair.verdict, pair.better, pair.worse)
        low, high = (
            number(100 * _share(x), digits=1) for x in (pair.interval.low, pair.interval.high)
        )
        numbers = (
            f"{number(100 * pair.chance, digits=1)}% of wins [{low}, {high}], "
            f"{p_statement(pair.p_adjusted)}"
        )
        if pair.verdict != "undecided" or math.isnan(pair.mde_share):
            return f"{head}: {numbers}."
        return (
            f"{head}: {numbers}. {number(100 * pair.mde_share, digits=1)}% of wins or more "
            f"({number(pair.mde_elo, digits=0)} Elo) could have been detected ({self.power:.0%} power)."
        )

    def basis(self) -> str:
        """Say what the numbers rest on."""
        ties = {
            "half": "ties as half a win",
            "davidson": "ties by Davidson's model",
            "rao-kupper": "ties by Rao and Kupper's model",
            "drop": "ties left out",
        }
        sizes = ", ".join(count(n, kind) for kind, n in self.clusters.items())
        by = "votes as independent" if not self.clusters else f"standard errors by {sizes}"
        cap = (
            f", no voter counts more than {significant(self.cap_voter)} times the median one"
            if self.cap_voter is not None
            else ""
        )
        votes = f"{count(self.n_votes, 'vote')} ({count(self.n_ties, 'tie')})"
        return f"{votes}, {ties[self.ties]}{cap}, {by}."

    def uneven(self) -> list[str]:
        """Say of which clusters few have most of the votes."""
        said = []
        for kind, effective in (self.effective or {}).items():
            n, most = self.clusters[kind], (self.most_votes or {}).get(kind, math.nan)
            if effective >= 0.5 * n:
                continue
            text = (
                f"{count(n, kind)} count as {number(effective, digits=1)}: one "
                f"{'gave' if kind == 'voter' else 'got'} {100 * most:.0f} % of the votes."
            )
            if kind == "voter" and self.cap_voter is None:
                text += " --cap-voter 2 weighs voters more evenly."
            said.append(text)
        return said

    def common(self) -> str:
        """Say what the common choices would have said."""
        if self.naive.tool or len(self.systems) == 2:
            return self.naive.tool
        ranks = " ".join(str(row.lmarena_rank) for row in self.systems if row.lmarena_rank)
        said = (
            f"Independent votes and every pair by itself would tell {self.naive.n_apart:,} of "
            f"{count(len(self.pairs), 'pair')} apart"
        )
        if len(self.systems) > 12:
            return f"{said}."
        return f"{said}; LMArena's rule would rank {ranks}."


def _share(difference: float) -> float:
    """Return a difference in strength as a share of wins."""
    if difference > 0.0:
        return 1.0 / (1.0 + math.exp(-difference))
    return 1.0 - 1.0 / (1.0 + math.exp(difference))
