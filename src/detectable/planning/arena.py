"""Arena: votes on two systems at a time, among several, and a gap in Elo to be shown."""

import math
from dataclasses import dataclass
from typing import ClassVar, TypeAlias

import numpy as np

from detectable.core.errors import InputError
from detectable.core.options import check_settings
from detectable.core.types import FloatArray
from detectable.inference.battle_votes import ELO
from detectable.inference.rank_sets import largest_range
from detectable.kernels.distributions import normal_below_each, normal_quantile
from detectable.planning.closed_forms import normal_power
from detectable.planning.options import ArenaOptions
from detectable.planning.scenario import (
    INDEPENDENT,
    Closed,
    EffectRange,
    Scenario,
    Settings,
    Trials,
)

Counts: TypeAlias = FloatArray  # wins of row against column, of every trial

_STEPS = 60
_WIDEST = 1200.0  # points of Elo: a thousand wins to one loss


@dataclass(frozen=True, slots=True)
class Arena(ArenaOptions, Scenario):
    r"""Votes of an arena, by the model of Bradley and Terry.

    The effect is the gap between two systems in points of Elo: among decided votes the better one
    wins with chance :math:`p = 1 / (1 + 10^{-\Delta/400})`. With :math:`g = \Delta \ln 10 / 400`
    the estimated gap has the variance

    .. math:: s^2 = \frac{\text{deff}}{n (1 - \text{ties})\, p (1 - p)} \qquad
              s^2 = \frac{4 (K - 1)\, \text{deff}}{n (1 - \text{ties})}

    where all n votes are on the two systems (``direct``), and where they are spread over all pairs
    of K systems (``uniform``): the resistance between two nodes of a complete network [1]_. It is
    for gaps so small that :math:`p (1 - p)` is ¼. The gap is shown where :math:`|\hat g| > c s`,
    with c the normal quantile, or for all pairs at once that of the largest of all (Tukey's).

    Parameters
    ----------
    systems : int
        How many systems there are.
    pairing : {'direct', 'uniform'}
        Whether all votes are on the two systems in question, or all pairs get equally many.
    ties : float
        Expected share of ties.
    design_effect : float
        How many times the variance is that of independent votes: 1.3 where prompts repeat five or
        six times. `dt.arena` measures it.
    family : {'pair', 'all-pairs'}
        Whether the gap is tested by itself, or with all pairs of the systems.

    References
    ----------
    .. [1] Doyle and Snell (1984), Random Walks and Electric Networks, Mathematical Association of
       America, chapter 1. Bradley and Terry (1952), Biometrika 39(3/4), 324–345.

    Examples
    --------
    >>> from detectable.planning.ask import sample_size
    >>> sample_size(Arena(), effect=10.0).n_items
    9483
    """

    unit: ClassVar[str] = "vote"
    scale: ClassVar[str] = "gap in Elo"
    smallest_n: ClassVar[int] = 10

    def __post_init__(self) -> None:
        check_settings(self)
        if not 0.0 <= self.ties < 1.0:
            raise InputError(
                f"`ties` must lie between 0 and 1, below 1; got {self.ties!r}: somebody must "
                "prefer something."
            )
        if not 1.0 <= self.design_effect <= 1000.0:
            raise InputError(
                f"`design_effect` must lie between 1 and 1,000; got {self.design_effect!r}."
            )

    def effect_range(self, n_items: int) -> EffectRange:  # noqa: ARG002 (holds for any size)
        """Return gaps at which there still are losses."""
        return EffectRange(-_WIDEST, _WIDEST, "beyond it the better system never loses")

    def typical_effect(self, n_items: int) -> float:
        """Return the gap that so many votes show every other time."""
        return min(_WIDEST, ELO * 2.0 * self._spread(n_items, 0.0))

    def first_n(self, effect: float) -> int:
        """Return the votes that the formula asks for, about."""
        g = max(abs(effect) / ELO, 1e-6)
        wanted = 8.0 * self._spread(1, effect) ** 2 / g**2
        return max(self.smallest_n, min(self.largest_n(), round(wanted)))

    def largest_n(self) -> int:
        """Return ten thousand million votes."""
        return 10_000_000_000

    def assumptions(self, effect: float) -> tuple[str, ...]:  # noqa: ARG002 (for any effect)
        """Return the design effect, and where it can be seen."""
        if self.design_effect != 1.0:
            return (f"a design effect of {self.design_effect:g}",)
        return (f"{INDEPENDENT}votes (design effect 1; `detectable arena` measures it)",)

    def critical(self, alpha: float) -> float:
        """Return the absolute t beyond which the gap is shown."""
        if self.family == "pair" or self.systems == 2:
            return normal_quantile(1.0 - 0.5 * alpha)
        return largest_range(self.systems, alpha)

    def closed_form(self, n_items: int, effect: float, *, alpha: float) -> Closed:
        """Return the power of a normal estimate."""
        spread = self._spread(n_items, effect)
        return normal_power(abs(effect) / ELO, spread, self.critical(alpha) * spread)

    def details(self, n_items: int, effect: float, *, alpha: float) -> Settings:  # noqa: ARG002
        """Return the decided votes, those of the two systems, and the share of wins."""
        pairs = 1 if self.pairing == "direct" else self.systems * (self.systems - 1) // 2
        return {
            "expected_decided": n_items * (1.0 - self.ties),
            "votes_per_pair": n_items / pairs,
            "share_of_wins": _chance(effect),
        }

    def _spread(self, n_items: int, effect: float) -> float:
        """Return the standard error of the gap, in log-odds."""
        decided = n_items * (1.0 - self.ties) / self.design_effect
        if self.pairing == "direct" or self.systems == 2:
            p = _chance(effect)
            return 1.0 / math.sqrt(decided * p * (1.0 - p))
        return math.sqrt(4.0 * (self.systems - 1) / decided)

    def draw(
        self, n_items: int, effect: float, *, trials: int, rng: np.random.Generator
    ) -> Counts:
        """Return wins between all systems: those in question, and the others half-way.

        Of votes that go together only as many are drawn as are worth independent ones.
        """
        worth = max(1, round(n_items / self.design_effect))
        decided = rng.binomial(worth, 1.0 - self.ties, size=trials)
        k = 2 if self.pairing == "direct" else self.systems
        strengths = np.zeros(k)
        strengths[0], strengths[1] = 0.5 * effect / ELO, -0.5 * effect / ELO
        first, second = np.triu_indices(k, 1)
        met = rng.multinomial(decided, np.full(first.size, 1.0 / first.size))
        chance = 1.0 / (1.0 + np.exp(strengths[second] - strengths[first]))
        won = rng.binomial(met, chance)
        counts = np.zeros((trials, k, k))
        counts[:, first, second] = won
        counts[:, second, first] = met - won
        return counts

    def block_trials(self, n_items: int) -> int:  # noqa: ARG002 (counts have one size)
        """Return as many trials as fit a few million numbers."""
        return min(1024, 4_000_000 // self.systems**2)

    def analyse(self, data: Counts, *, alpha: float) -> Trials:
        """Fit the model to every trial, and test the gap by its standard error."""
        gap, spread = _fitted(data)
        t = gap / spread
        # One pair of many must pass a higher bar: p is stated for a bar at the level.
        bar = normal_quantile(1.0 - 0.5 * alpha) / self.critical(alpha)
        p_values = 2.0 * normal_below_each(-np.abs(t) * bar)
        return Trials(ELO * gap, np.asarray(p_values))


def _chance(effect: float) -> float:
    return 1.0 / (1.0 + math.exp(-effect / ELO))


def _fitted(wins: Counts) -> tuple[FloatArray, FloatArray]:
    """Return the gap of the first two systems and its standard error, of every trial.

    Newton's method over all trials at once. Trials in which the estimate is infinite end far out,
    with a standard error so large that they show nothing.
    """
    trials, k = wins.shape[:2]
    met = wins + wins.transpose(0, 2, 1)
    lift = np.ones((k, k)) / k
    strengths = np.zeros((trials, k))
    inverse = np.zeros_like(wins)
    for _ in range(_STEPS):
        gaps = strengths[:, :, None] - strengths[:, None, :]
        chance = 1.0 / (1.0 + np.exp(-gaps))
        score = (wins - met * chance).sum(axis=2)
        weight = met * chance * (1.0 - chance)
        information = -weight
        information[:, np.arange(k), np.arange(k)] = weight.sum(axis=2)
        size = np.maximum(np.trace(information, axis1=1, axis2=2) / k, 1e-12)[:, None, None]
        inverse = np.linalg.inv(information + size * (lift + 1e-9 * np.eye(k)))
        step = np.einsum("tij,tj->ti", inverse, score)
        strengths += np.clip(step, -1.0, 1.0)
        strengths = np.clip(strengths, -20.0, 20.0)
        if np.abs(step).max() < 1e-9:
            break
    variance = inverse[:, 0, 0] + inverse[:, 1, 1] - 2.0 * inverse[:, 0, 1]
    return strengths[:, 0] - strengths[:, 1], np.sqrt(variance)
