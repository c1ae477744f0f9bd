"""Ratings from 0 to 100, as in direct assessment: power of rank and mean tests, simulated and closed."""

import math
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from detectable.core.errors import InputError
from detectable.core.options import check_settings
from detectable.core.types import FloatArray
from detectable.kernels.pairing import rank_sum_z, signed_rank_z, signed_rank_z_untied
from detectable.planning.closed_forms import (
    between,
    beyond,
    error_factors,
    graded_nodes,
    unit_nodes,
)
from detectable.planning.options import RatingsOptions
from detectable.planning.rating_model import (
    TOP,
    VALUES,
    PairedCounts,
    RatingData,
    RatingModel,
    Unpaired,
    superiority,
)
from detectable.planning.scenario import (
    INDEPENDENT,
    Closed,
    EffectRange,
    Scenario,
    Settings,
    Trials,
)

_PAIRED = ("paired-mean", "signed-rank")


@dataclass(frozen=True, slots=True, kw_only=True)
class Ratings(RatingsOptions, Scenario):
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

    unit: ClassVar[str] = "judgment per system"
    scale: ClassVar[str] = "difference of the mean ratings"

    def __post_init__(self) -> None:
        check_settings(self)
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

    def assumptions(self, effect: float) -> tuple[str, ...]:  # noqa: ARG002 (for any effect)
        """Return the spread and the correlation, and that items stand alone."""
        spread = f"ratings with a mean of {self.mean:g} and an sd of {self.sd:g}"
        if self.correlation is not None:
            spread += f" that correlate by {self.correlation:g}"
        return spread, f"{INDEPENDENT}items"

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


# --- Closed forms for ratings: the rank sum, the mean difference, and margins ---

_FAR = 8.5  # standard deviations at which a normal tail ends


@dataclass(frozen=True, slots=True)
class _Comparison:
    """Moments of one comparison of two ratings, A against B."""

    won: float  # P(A > B) + ½ P(A = B)
    projected: float  # variance of its mean given A, plus given B
    alone: float  # variance of one comparison
    squares: float  # sums of squared and of cubed shares of each value in both samples together
    cubes: float
    difference: float  # mean of A − B
    spread: float  # variance of A plus variance of B
    shared: float  # covariance of A − B with the projections


def rank_sum_form(model: RatingModel, n: int, effect: float, alpha: float) -> Closed:
    r"""Return the power of Mann-Whitney's test by the normal approximation.

    With :math:`h = [A > B] + ½ [A = B]`, mean p, and its projections
    :math:`ψ_A = E(h \mid A)`, :math:`ψ_B = E(h \mid B)`, the share of won comparisons has
    variance :math:`σ_1^2 = ((n-1)(\operatorname{var} ψ_A + \operatorname{var} ψ_B) +
    \operatorname{var} h) / n^2`, and under the null hypothesis the textbook
    :math:`σ_0^2`, ties included:

    .. math:: \text{power} = Φ\Bigl(\frac{p - ½ - 1/2n^2 - z_{α/2} σ_0}{σ_1}\Bigr).

    Noether's formula is the case :math:`σ_1 = σ_0` without ties. The difference of means is
    jointly normal with the share won, which gives Type-M.
    """
    from scipy.special import ndtr

    one = _compare(model, effect)
    cut, sd = _rank_cut(one, n, alpha), _rank_sd(one, n)
    shift = one.won - 0.5
    right, wrong = (float(ndtr((sign * shift - cut) / sd)) for sign in (1.0, -1.0))
    if effect == 0.0 or right + wrong == 0.0:
        return Closed(right, math.nan, math.nan if effect else 0.5, "closed-form")
    size = _mean_size(one, n, shift, sd, cut) / (right + wrong)
    return Closed(right, size / one.difference, wrong / (right + wrong), "closed-form")


def disagreement_form(model: RatingModel, n: int, effect: float, alpha: float) -> float:
    """Return the share of rank tests won by the better system whose means point the other way."""
    from scipy.special import ndtr

    one = _compare(model, effect)
    cut, sd = _rank_cut(one, n, alpha), _rank_sd(one, n)
    x, density = _tail((cut - one.won + 0.5) / sd, _FAR)
    slope, rest = _given_rank(one, n, sd)
    against = float(density @ ndtr(-(one.difference + slope * sd * x) / rest))
    return against / float(density.sum()) if density.any() else math.nan


def mean_form(model: RatingModel, n: int, effect: float, alpha: float) -> Closed:
    r"""Return the power of a t-test of the means, Welch's or the paired one.

    The mean difference is taken as normal and the squared standard error as a multiple of
    chi-square, so that the power is that of the noncentral t distribution.
    """
    from scipy.special import stdtrit

    sd, df = mean_error(model, n, effect)
    factors, weights = error_factors(df)
    cuts = float(stdtrit(df, 1.0 - alpha / 2.0)) * sd * factors
    return beyond(model.realised(effect), sd, cuts, weights)


def margin_form(
    model: RatingModel, n: int, effect: float, alpha: float, margin: float, *, both: bool
) -> tuple[float, float]:
    r"""Return the power to show that the difference is within a margin, and its mean then.

    One-sided t-tests at level α of :math:`Δ > -m` and, if `both`, of :math:`Δ < m` (Schuirmann's
    two one-sided tests), given the standard error and averaged over its distribution.
    """
    from scipy.special import stdtrit

    sd, df = mean_error(model, n, effect)
    factors, weights = error_factors(df)
    reach = float(stdtrit(df, 1.0 - alpha)) * sd * factors
    true = math.copysign(model.realised(effect), effect)
    highs = margin - reach if both else np.full(reach.shape, math.inf)
    return between(true, sd, reach - margin, highs, weights)


def mean_error(model: RatingModel, n: int, effect: float) -> tuple[float, float]:
    """Return the standard deviation of the mean difference, and the test's degrees of freedom."""
    if model.correlation is not None:
        return math.sqrt(model.difference_variance(effect) / n), n - 1.0
    first, second = _variances(model, effect)
    df = (n - 1.0) * (first + second) ** 2 / (first**2 + second**2)
    return math.sqrt((first + second) / n), df


def _variances(model: RatingModel, effect: float) -> tuple[float, float]:
    systems = model.systems(effect)
    if model.continuous:
        return systems[0].variance, systems[1].variance
    chances = [one.probabilities() for one in systems]
    first, second = (float(p @ (VALUES - p @ VALUES) ** 2) for p in chances)
    return first, second


def _compare(model: RatingModel, effect: float) -> _Comparison:
    better, worse = model.systems(effect)
    if model.continuous:
        nodes, weights = graded_nodes()
        a, b = better.lost_at(nodes), worse.lost_at(nodes)
        return _moments(
            (TOP - a, weights, 1.0 - worse.share_below(a)),
            (TOP - b, weights, better.share_below(b)),
            tied=0.0,
            pooled=np.zeros(1),
        )
    p, q = better.probabilities(), worse.probabilities()
    return _moments(
        (VALUES, p, np.cumsum(q) - 0.5 * q),
        (VALUES, q, 1.0 - np.cumsum(p) + 0.5 * p),
        tied=float(p @ q),
        pooled=0.5 * (p + q),
    )


def _moments(
    a: tuple[FloatArray, FloatArray, FloatArray],
    b: tuple[FloatArray, FloatArray, FloatArray],
    *,
    tied: float,
    pooled: FloatArray,
) -> _Comparison:
    """Gather moments from scores, their weights and the chance to win with each."""
    won = float(a[1] @ a[2])
    means = [float(w @ x) for x, w, _ in (a, b)]
    spread = sum(float(w @ (x - m) ** 2) for (x, w, _), m in zip((a, b), means, strict=True))
    projected = sum(float(w @ (psi - won) ** 2) for _, w, psi in (a, b))
    shared = float((a[1] * (a[0] - means[0])) @ a[2] - (b[1] * (b[0] - means[1])) @ b[2])
    return _Comparison(
        won=won,
        projected=projected,
        alone=won - 0.25 * tied - won**2,  # E h² = P(>) + ¼ P(=)
        squares=float(np.sum(pooled**2)),
        cubes=float(np.sum(pooled**3)),
        difference=means[0] - means[1],
        spread=spread,
        shared=shared,
    )


def _rank_cut(one: _Comparison, n: int, alpha: float) -> float:
    """Return how far from ½ the share of won comparisons must be."""
    from scipy.special import ndtri

    total = 2.0 * n
    ties = (total - 2.0) * one.cubes + 3.0 * one.squares
    null_sd = math.sqrt((total + 1.0 - ties) / (12.0 * n * n))
    return -float(ndtri(alpha / 2.0)) * null_sd + 0.5 / (n * n)


def _rank_sd(one: _Comparison, n: int) -> float:
    """Return the spread of the share of won comparisons; not 0 where every one is won."""
    return math.sqrt(max((n - 1.0) * one.projected + one.alone, 1e-20)) / n


def _given_rank(one: _Comparison, n: int, sd: float) -> tuple[float, float]:
    """Return slope and rest of the difference of means given the share of won comparisons."""
    slope = one.shared / n / sd**2
    return slope, math.sqrt(max(one.spread / n - (slope * sd) ** 2, 1e-300))


def _tail(low: float, high: float) -> tuple[FloatArray, FloatArray]:
    """Return nodes of a standard normal variable between two limits, with their weights."""
    low, high = max(low, -_FAR), min(high, _FAR)
    nodes, weights = unit_nodes(64)
    x = low + (high - low) * nodes
    density = max(high - low, 0.0) * weights * np.exp(-0.5 * x * x) / math.sqrt(2.0 * math.pi)
    return x, density


def _mean_size(one: _Comparison, n: int, shift: float, sd: float, cut: float) -> float:
    """Return the mean of |difference of means| times [significant]."""
    from scipy.special import ndtr

    slope, rest = _given_rank(one, n, sd)
    mean = 0.0
    for low, high in (((cut - shift) / sd, _FAR), (-_FAR, (-cut - shift) / sd)):
        x, density = _tail(low, high)
        centre = (one.difference + slope * sd * x) / rest
        folded = centre * (2.0 * ndtr(centre) - 1.0)
        folded += np.exp(-0.5 * centre**2) * math.sqrt(2.0 / math.pi)
        mean += float(density @ folded) * rest
    return mean
