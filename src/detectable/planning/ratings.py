"""Ratings from 0 to 100, as in direct assessment: power of rank and mean tests."""

import math
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from detectable.core import check
from detectable.core.choices import RatingMethod, RatingTest, SecondRule
from detectable.core.errors import InputError
from detectable.core.types import FloatArray
from detectable.kernels.rankcounts import (
    rank_sum_z,
    signed_rank_z,
    signed_rank_z_untied,
)
from detectable.planning.gamma_scores import superiority
from detectable.planning.rating_forms import disagreement_form, mean_form, rank_sum_form
from detectable.planning.rating_model import PairedCounts, RatingData, RatingModel, Unpaired
from detectable.planning.scenario import Closed, EffectRange, Scenario, Settings, Trials

_PAIRED = ("paired-mean", "signed-rank")


@dataclass(frozen=True, slots=True, kw_only=True)
class Ratings(Scenario):
    r"""Two systems rated from 0 to 100 (wei2022, section 6.1).

    As in [1]_, a rating is :math:`100 - G`, :math:`G` Gamma with shape :math:`\mu^2/\sigma^2` and scale
    :math:`\sigma^2/\mu`, where :math:`\mu = 100 - \text{mean}`; then it is rounded to a whole
    number and cut at 0. The effect is the difference of the two means: positive if the first
    system is better. `mean` and `sd` are those of the *better* system; the worse one has a mean
    lower by the effect. `n_items` is the number of judgments *per system*.

    Power comes from simulated evaluations: only the counts of the 101 scores are drawn, and rank
    tests are computed from counts. ``method="closed-form"`` gives the normal approximation with
    the exact variance of the rank sum under the alternative [2]_ instead.

    Parameters
    ----------
    mean, sd : float
        Mean and standard deviation of the better system's ratings.
    second : {'same-variance', 'same-shape', 'same-scale', 'shift'}
        What the worse system shares with the better one. It decides the answer; the paper does
        not say, and only the default fits its words.
    continuous : bool
        Neither round nor cut, as in the paper. Rounding matters where the shape is below ½,
        that is where most ratings are 100.
    test : {'two-means', 'rank-sum', 'paired-mean', 'signed-rank'}
        The test that will be used, two-sided, by the name it has in `plan` and `rank_systems`:
        Welch's and the paired t-test of means; Mann-Whitney and Wilcoxon on ranks, by their
        normal approximation, with ties corrected and ½ taken off for continuity, as in scipy.
    correlation : float, optional
        Of the two ratings of an item, for the paired tests only. The two are joined by a
        Gaussian copula.
    method : {'simulated', 'closed-form'}
        The closed form exists for all but the signed-rank test.

    References
    ----------
    .. [1] Wei, Kocmi and Federmann (2022), "Searching for a higher power in the human evaluation
       of MT", WMT, 129–139.
    .. [2] Noether (1987), "Sample size determination for some common nonparametric tests",
       Journal of the American Statistical Association 82(398), 645–647; the variance under the
       alternative as in Lehmann (1975), Nonparametrics, section 2.3.

    Examples
    --------
    >>> from detectable.planning.ask import power
    >>> answer = power(Ratings(mean=80, sd=20, test="rank-sum"), n_items=600, effect=2, rng=1)
    >>> bool(abs(answer.power - 0.718) < 0.03), answer.details["total_judgments"]
    (True, 1200)
    """

    mean: float
    sd: float
    second: SecondRule = "same-variance"
    continuous: bool = False
    test: RatingTest = "two-means"
    correlation: float | None = None
    method: RatingMethod = "simulated"

    unit: ClassVar[str] = "judgment per system"
    scale: ClassVar[str] = "difference of the mean ratings"

    def __post_init__(self) -> None:
        check.literal(self.test, RatingTest, "test")
        check.literal(self.method, RatingMethod, "method")
        if (self.test in _PAIRED) != (self.correlation is not None):
            raise InputError(
                "`correlation` must be given for the paired tests (paired-mean, signed-rank) and "
                f"only for them; got {self.correlation!r} with test={self.test!r}."
            )
        if self.method == "closed-form" and self.test == "signed-rank":
            raise InputError(
                "`method` must be simulated for the signed-rank test; got 'closed-form'."
            )
        self.model.check()

    @property
    def model(self) -> RatingModel:
        """How the ratings come about."""
        return RatingModel(self.mean, self.sd, self.second, self.continuous, self.correlation)

    def draw(
        self, n_items: int, effect: float, *, trials: int, rng: np.random.Generator
    ) -> tuple[RatingData, float]:
        """Draw the ratings; and what turns their difference into one before rounding."""
        realised = self.model.realised(effect)
        stretch = abs(effect) / realised if realised > 0.0 else 1.0
        return self.model.draw(n_items, effect, trials=trials, rng=rng), stretch

    def analyse(self, data: tuple[RatingData, float], *, alpha: float) -> Trials:  # noqa: ARG002 (the tests serve any level)
        """Test every trial; the estimate is the difference of means.

        Its sign is that of the test: the difference of means can point the other way, which
        `details` gives the chance of. Cutting at 0 makes ratings differ a little less than the
        model behind them; the estimates are put back on the scale of `effect`.
        """
        from scipy.special import ndtr, stdtr

        drawn, stretch = data
        sums = drawn.sums()
        if self.test in ("two-means", "paired-mean"):
            t = sums.difference / np.sqrt(np.maximum(sums.variance, 1e-300))
            return Trials(sums.difference * stretch, 2.0 * stdtr(sums.df, -np.abs(t)))
        z = _rank_z(drawn)
        sizes = np.abs(sums.difference) * stretch
        return Trials(np.copysign(sizes, z), 2.0 * ndtr(-np.abs(z)))

    def closed_form(self, n_items: int, effect: float, *, alpha: float) -> Closed | None:
        """Return the normal approximation where it is asked for."""
        if self.method == "simulated":
            return None
        if self.test == "rank-sum":
            return rank_sum_form(self.model, n_items, effect, alpha)
        return mean_form(self.model, n_items, effect, alpha)

    def without_simulation(self) -> "Ratings":
        """Return the normal approximation, which all but the signed-rank test have."""
        return self if self.test == "signed-rank" else replace(self, method="closed-form")

    def points_drawn(self) -> int:
        """Return few where a correlation has to be found for every effect."""
        return 66 if self.correlation is None else 11

    def effect_range(self, n_items: int) -> EffectRange:  # noqa: ARG002 (the same for every size)
        """Return the effects that the scale has room for."""
        return self.model.effect_range()

    def typical_effect(self, n_items: int) -> float:
        """Return the effect that a t-test would show."""
        return 2.8 * self.sd * math.sqrt(2.0 / n_items)

    def first_n(self, effect: float) -> int:
        r"""Return Noether's number for 80 % power: :math:`(z_{α/2} + z_β)^2 / 6 (p - ½)^2`."""
        excess = superiority(*self.model.systems(effect)) - 0.5
        return max(8, math.ceil(7.85 / (6.0 * max(excess, 1e-4) ** 2)))

    def details(self, n_items: int, effect: float, *, alpha: float) -> Settings:
        """Return the total, other ways to say how large the effect is, and a warning in a number.

        `means_point_the_other_way` is the share of significant rank tests, right ones, whose
        difference of means has the opposite sign: ranks and means measure different things.
        """
        known = {
            "total_judgments": 2 * n_items,
            "probability_better": superiority(*self.model.systems(effect)),
            "difference_of_ratings": math.copysign(self.model.realised(effect), effect),
        }
        if self.test == "rank-sum":
            against = disagreement_form(self.model, n_items, effect, alpha)
            known["means_point_the_other_way"] = against
        return known

    def notes(self, n_items: int, effect: float, *, alpha: float) -> tuple[str, ...]:  # noqa: ARG002 (as above)
        """Say what `n_items` counts and what decides the answer."""
        first = (
            f"n_items counts judgments per system: {n_items:,} for each of two systems, "
            f"{2 * n_items:,} in total."
        )
        rule = (
            f"The answer rests on the rule for the worse system ({self.second}); other rules "
            "can change the number of judgments many times."
        )
        return first, rule


def _rank_z(drawn: RatingData) -> FloatArray:
    if isinstance(drawn, Unpaired):
        z: FloatArray = rank_sum_z(drawn.first, drawn.second)
        return z
    if isinstance(drawn, PairedCounts):
        return signed_rank_z(drawn.counts)
    return signed_rank_z_untied(drawn.differences)
