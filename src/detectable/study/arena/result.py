"""What an arena can say: strengths, ranks that hold together, and every pair."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from detectable.contrasts.contrast import Alias, Contrast
from detectable.core.choices import TieRule, VoteWeights
from detectable.core.interval import Interval
from detectable.core.result import ADDED_IF_KNOWN, Result
from detectable.core.verdict import Verdict

Placed: TypeAlias = Literal["ranked", "above", "below", "unknown"]


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
class PlainStrength:
    """A strength with the side and the covariates left in, where those without them decide."""

    system: str
    strength: float
    rank_low: int
    rank_high: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ArenaPair(Contrast):
    """Two systems, the stronger first; the difference is that of their strengths, in log-odds.

    Attributes
    ----------
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

    LAYOUT = """
        better worse difference standard_error interval interval_alone p_value p_adjusted verdict
        chance share votes mde mde_elo mde_share votes_needed
    """
    better, worse = Alias[str]("system"), Alias[str]("baseline")
    votes, votes_needed = Alias[int]("n"), Alias[int | None]("units_needed")

    verdict: Verdict
    chance: float
    share: float
    mde_elo: float
    mde_share: float


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
        Pairs that differ significantly where votes are independent and every pair stands alone.
    design_effect : float
        How many times the variance of a difference is what independent votes say: the median.
    tool : str
        What the tool that wrote the file would say, where it counts otherwise.
    """

    n_apart: int
    design_effect: float
    tool: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class BothOrders:
    """What became of pairs that were judged in both orders.

    Attributes
    ----------
    n_pairs : int
        Pairs of answers to a prompt.
    share_same, interval
        Share of them with one outcome in both orders.
    first, second : float
        Shares in which whoever was shown first won both times, or whoever was shown second.
    effect, effect_interval, p_value
        How much more of a win a system has where it is shown first, with prompts as clusters.
    """

    n_pairs: int
    share_same: float
    interval: Interval
    first: float
    second: float
    effect: float
    effect_interval: Interval
    p_value: float


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
        The absolute t beyond which a pair differs significantly, and degrees of freedom.
    effect : float
        The gap in points of Elo to which `votes_needed` belongs.
    effective, most_votes : mapping of kind to float, or None
        How many clusters there are in effect (fewer where some have most of the votes; of the pair
        that has the fewest), and the share of votes of the largest.
    cap_voter : float or None
        How many times as much as the median voter a voter may count.
    decided_without : tuple of str or None
        Effects that are taken out of strengths, ranks and verdicts, where that was asked.
    unadjusted : tuple of PlainStrength or None
        Then those without that, in the order of `systems`.
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
    decided_without: tuple[str, ...] | None = field(default=None, metadata=ADDED_IF_KNOWN)
    unadjusted: tuple[PlainStrength, ...] | None = field(default=None, metadata=ADDED_IF_KNOWN)
    orders: BothOrders | None = field(default=None, metadata=ADDED_IF_KNOWN)

    @property
    def n_apart(self) -> int:
        """The number of pairs that differ significantly."""
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
