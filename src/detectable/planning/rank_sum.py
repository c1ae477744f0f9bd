"""Preference: which of two outputs is better, item by item, with or without ties."""

import math
from dataclasses import dataclass
from typing import ClassVar, TypeAlias

import numpy as np

from detectable.core.errors import InputError
from detectable.core.options import check_settings
from detectable.core.types import FloatArray, IntArray
from detectable.inference.classic_tests import sign_test_p
from detectable.kernels.distributions import normal_below, normal_quantile
from detectable.planning.closed_forms import normal_power, sign_power
from detectable.planning.options import PreferenceOptions, RankSumOptions
from detectable.planning.scenario import (
    INDEPENDENT,
    Closed,
    EffectRange,
    Scenario,
    Settings,
    Trials,
)

Counts: TypeAlias = tuple[IntArray, IntArray]  # wins, losses


@dataclass(frozen=True, slots=True)
class Preference(PreferenceOptions, Scenario):
    r"""Side-by-side judgments (win, tie, loss), by the exact sign test.

    The effect :math:`\pi` is the chance to win a comparison that is decided: .5 is no
    preference [2]_. Of n comparisons a share `ties` is not decided and drops out, so that wins are
    :math:`W \sim \text{Bin}(m, \pi)` with :math:`m \sim \text{Bin}(n, 1 - \text{ties})`. Without
    ties this is the binomial test of [1]_, Figure 1.

    Parameters
    ----------
    ties : float
        Expected share of ties.

    References
    ----------
    .. [1] Card et al. (2020), "With little power comes great responsibility", Figure 1.
    .. [2] Dixon and Mood (1946), "The statistical sign test", Journal of the American
       Statistical Association 41(236), 557–566.

    Examples
    --------
    >>> round(Preference().closed_form(100, 0.65, alpha=0.05).power, 4)
    0.8276
    """

    unit: ClassVar[str] = "comparison"
    scale: ClassVar[str] = "chance to win a decided comparison"

    def __post_init__(self) -> None:
        if not 0.0 <= self.ties < 1.0:
            raise InputError(
                f"`ties` must lie between 0 and 1, below 1; got {self.ties!r}: somebody must "
                "prefer something."
            )

    @property
    def null_effect(self) -> float:
        """The chance to win at which nobody is preferred."""
        return 0.5

    def effect_range(self, n_items: int) -> EffectRange:  # noqa: ARG002 (holds for any size)
        """Return the range of a probability."""
        return EffectRange(0.0, 1.0, "it is the chance to win a decided comparison")

    def largest_n(self) -> int:
        """Return a hundred million comparisons."""
        return 100_000_000

    def saw_tooth(self, n_items: int, effect: float) -> int:  # noqa: ARG002 (for any effect)
        """Return about three times the length over which the saw-tooth matters."""
        decided = 1.0 - self.ties
        return math.ceil(4.0 * math.sqrt(n_items / decided) / decided) + 20

    def closed_form(self, n_items: int, effect: float, *, alpha: float) -> Closed:
        """Enumerate the exact test."""
        decided, better = 1.0 - self.ties, max(effect, 1.0 - effect)
        found = sign_power(n_items, decided * better, decided * (1.0 - better), alpha=alpha)
        significant = found.right + found.wrong
        if significant == 0.0:
            return Closed(0.0, math.nan, math.nan, "exact")
        size = 0.5 * found.per_decided / significant
        return Closed(found.right, size / abs(effect - 0.5), found.wrong / significant, "exact")

    def assumptions(self, effect: float) -> tuple[str, ...]:  # noqa: ARG002 (for any effect)
        """Return the ties, and that comparisons stand alone."""
        return f"{self.ties:.0%} ties", f"{INDEPENDENT}comparisons"

    def details(self, n_items: int, effect: float, *, alpha: float) -> Settings:  # noqa: ARG002
        """Return the comparisons that will be decided, on average."""
        return {"expected_decided": n_items * (1.0 - self.ties)}

    def draw(
        self, n_items: int, effect: float, *, trials: int, rng: np.random.Generator
    ) -> Counts:
        """Return wins and losses of every trial."""
        decided = rng.binomial(n_items, 1.0 - self.ties, size=trials)
        wins = rng.binomial(decided, effect)
        return wins, decided - wins

    def analyse(self, data: Counts, *, alpha: float) -> Trials:  # noqa: ARG002 (exact p-values)
        """Apply the exact sign test."""
        wins, losses = data
        estimates = np.where(wins + losses > 0, wins, 0.5) / np.maximum(wins + losses, 1)
        return Trials(estimates, sign_test_p(wins, losses))


# --- RankSum: two samples of human scores, compared by the Wilcoxon–Mann–Whitney test ---

_CELLS = 2_000_000  # scores that are sorted at a time


@dataclass(frozen=True, slots=True)
class RankSum(RankSumOptions, Scenario):
    r"""Scores of two systems on different items, by the rank-sum test.

    The effect is :math:`p = P(A < B)` for a random score of each system, ties counted half: .5
    is no difference [3]_. With n scores per system, Noether's formula [1]_ gives

    .. math:: \text{power} = \Phi\left(|p - \tfrac12| \sqrt{\frac{6 n}{1 - t}} -
       z_{1-\alpha/2}\right),

    where :math:`t = \sum_c \pi_c^3` over the shares of tied scores [2]_: 0 for continuous
    scores, :math:`1/K^2` for K equally frequent levels.

    Parameters
    ----------
    levels : int, optional
        Number of equally frequent score levels; None for scores without ties.
    alternative : {'two-sided', 'observed-order'}
        WMT tests one-sided at `alpha` in the direction that was observed, which has twice the
        type I error that it claims; ``'observed-order'`` is the power of that.

    References
    ----------
    .. [1] Noether (1987), "Sample size determination for some common nonparametric tests",
       Journal of the American Statistical Association 82(398), 645–647.
    .. [2] Zhao, Rahardja and Qu (2008), "Sample size calculation for the Wilcoxon-Mann-Whitney
       test adjusting for ties", Statistics in Medicine 27(3), 462–468.
    .. [3] Graham, Haddow and Koehn (2020), "Statistical power and translationese in machine
       translation evaluation", EMNLP, Table 2.

    Examples
    --------
    >>> round(RankSum().closed_form(1500, 0.47, alpha=0.05).power, 3)
    0.812
    """

    unit: ClassVar[str] = "judgment per system"
    scale: ClassVar[str] = "P(A < B)"

    def __post_init__(self) -> None:
        check_settings(self)

    @property
    def null_effect(self) -> float:
        """The chance at which neither system scores higher."""
        return 0.5

    def effect_range(self, n_items: int) -> EffectRange:  # noqa: ARG002 (holds for any size)
        """Return the range of a probability."""
        return EffectRange(0.0, 1.0, "it is the probability P(A < B)")

    def typical_effect(self, n_items: int) -> float:
        """Return about the detectable effect."""
        return min(0.25, 2.8 * self.standard_error(n_items))

    def largest_n(self) -> int:
        """Return a hundred million judgments."""
        return 100_000_000

    def assumptions(self, effect: float) -> tuple[str, ...]:  # noqa: ARG002 (for any effect)
        """Return that judgments stand alone."""
        return (f"{INDEPENDENT}judgments",)

    def standard_error(self, n_items: int) -> float:
        """Return the spread of the estimated P(A < B) if the systems do not differ."""
        tied = 0.0 if self.levels is None else 1.0 / self.levels**2
        return math.sqrt((1.0 - tied) / (6.0 * n_items))

    def closed_form(self, n_items: int, effect: float, *, alpha: float) -> Closed:
        """Return Noether's power."""
        tail = alpha / 2.0 if self.alternative == "two-sided" else alpha
        spread = self.standard_error(n_items)
        return normal_power(abs(effect - 0.5), spread, normal_quantile(1.0 - tail) * spread)

    def details(self, n_items: int, effect: float, *, alpha: float) -> Settings:  # noqa: ARG002
        """Return the judgments of both systems together."""
        return {"total_judgments": 2 * n_items}

    def notes(self, n_items: int, effect: float, *, alpha: float) -> tuple[str, ...]:  # noqa: ARG002
        """Warn of the level of the test in the observed order."""
        if self.alternative == "two-sided":
            return ()
        return (
            f"a one-sided test in the observed order at {alpha:g} calls equal systems different "
            f"with chance {2.0 * alpha:g}.",
        )

    def block_trials(self, n_items: int) -> int:
        """Return how many trials are sorted at a time."""
        return 1024 if self.levels is not None else max(16, min(1024, _CELLS // n_items))

    def draw(
        self, n_items: int, effect: float, *, trials: int, rng: np.random.Generator
    ) -> tuple[FloatArray, int]:
        """Return rank statistics: of normal scores, or of normal scores cut into levels."""
        if not 0.0 < effect < 1.0:
            raise InputError(
                f"`effect` must lie strictly between 0 and 1 to be simulated; got {effect!r}."
            )
        if self.levels is not None:
            ours, theirs = _level_shares(effect, self.levels)
            counts_a = rng.multinomial(n_items, ours, size=trials)
            counts_b = rng.multinomial(n_items, theirs, size=trials)
            return _from_counts(counts_a.astype(float), counts_b.astype(float)), n_items
        shift = math.sqrt(2.0) * normal_quantile(effect)
        scores = rng.standard_normal((trials, 2 * n_items))
        scores[:, n_items:] += shift
        order = np.argsort(scores, axis=1)
        ranks_of_b = ((order >= n_items) * np.arange(1.0, 2 * n_items + 1.0)).sum(axis=1)
        below = ranks_of_b - 0.5 * n_items * (n_items + 1.0)  # pairs with A < B
        return np.column_stack([below, np.zeros(trials)]), n_items

    def analyse(self, data: tuple[FloatArray, int], *, alpha: float) -> Trials:  # noqa: ARG002
        """Apply the normal form with ties and continuity corrected, as R and scipy do."""
        from scipy.special import ndtr

        statistics, n = data
        below, tied = statistics[:, 0], statistics[:, 1]
        variance = n * n / 12.0 * (2.0 * n + 1.0 - tied / (2.0 * n * (2.0 * n - 1.0)))
        distance = np.maximum(np.abs(below - 0.5 * n * n) - 0.5, 0.0)
        tails = 2.0 if self.alternative == "two-sided" else 1.0
        z = distance / np.sqrt(np.maximum(variance, 1e-300))
        return Trials(below / (n * n), np.minimum(1.0, tails * ndtr(-z)))


def _from_counts(ours: FloatArray, theirs: FloatArray) -> FloatArray:
    """Return for every trial the pairs with A < B (ties half) and the sum of t³ − t."""
    lower = np.cumsum(ours, axis=1) - ours
    below = ((lower + 0.5 * ours) * theirs).sum(axis=1)
    together = ours + theirs
    return np.column_stack([below, (together**3 - together).sum(axis=1)])


def _level_shares(effect: float, levels: int) -> tuple[FloatArray, FloatArray]:
    """Return level shares of two shifted normals whose P(A < B) + P(A = B)/2 is `effect`.

    The cuts make the levels of the average of both systems equally frequent.
    """
    low, high = -20.0, 20.0
    ours = theirs = np.full(levels, 1.0 / levels)
    for _ in range(60):
        shift = 0.5 * (low + high)
        cuts = [_mixture_quantile(k / levels, shift) for k in range(1, levels)]
        ours = np.diff([0.0, *(normal_below(c + shift / 2.0) for c in cuts), 1.0])
        theirs = np.diff([0.0, *(normal_below(c - shift / 2.0) for c in cuts), 1.0])
        reached = float(((np.cumsum(ours) - 0.5 * ours) * theirs).sum())
        low, high = (shift, high) if reached < effect else (low, shift)
    return ours, theirs


def _mixture_quantile(p: float, shift: float) -> float:
    low, high = -40.0, 40.0
    for _ in range(60):
        middle = 0.5 * (low + high)
        below = 0.5 * (normal_below(middle + shift / 2.0) + normal_below(middle - shift / 2.0))
        low, high = (middle, high) if below < p else (low, middle)
    return 0.5 * (low + high)
