"""Show that ratings are not worse, or not different, by more than a margin."""

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from detectable.core import check
from detectable.core.choices import Goal
from detectable.core.errors import InputError
from detectable.planning.rating_forms import margin_form, mean_error
from detectable.planning.rating_model import RatingData
from detectable.planning.ratings import Ratings
from detectable.planning.scenario import Closed, EffectRange, Scenario, Settings, Trials


@dataclass(frozen=True, slots=True)
class RatingsMargin(Scenario):
    r"""Non-inferiority or equivalence of two mean ratings.

    With the mean difference :math:`\hat Δ` and its standard error s, non-inferiority is shown if
    :math:`\hat Δ > -m + t_{1-α} s`, equivalence if also :math:`\hat Δ < m - t_{1-α} s`
    (two one-sided t-tests [1]_). The closed form takes :math:`\hat Δ` as normal and averages over
    the distribution of s; `simulate` checks it with the ratings themselves.

    The effect is the true difference, usually 0. Type-M here is the mean distance of the estimate
    from the margin, as a multiple of the true distance.

    Parameters
    ----------
    ratings : Ratings
        How the ratings come about, with ``test="welch"`` or ``"paired-t"``: a margin in
        points is a statement about means.
    margin : float
        The difference in points that does not matter.
    goal : {'non-inferiority', 'equivalence'}
        What is to be shown. `alpha` is one-sided in both, as is usual.

    References
    ----------
    .. [1] Schuirmann (1987), "A comparison of the two one-sided tests procedure and the power
       approach", Journal of Pharmacokinetics and Biopharmaceutics 15(6), 657–680.

    Examples
    --------
    >>> from detectable.planning.ask import sample_size
    >>> ratings = Ratings(mean=80, sd=20, continuous=True, test="welch")
    >>> sample_size(RatingsMargin(ratings, margin=3), effect=0).n_items
    551
    """

    ratings: Ratings
    margin: float
    goal: Goal = "non-inferiority"

    unit: ClassVar[str] = "judgment per system"

    def __post_init__(self) -> None:
        check.positive(self.margin, "margin")
        check.literal(self.goal, Goal, "goal")
        if self.ratings.test not in ("welch", "paired-t"):
            raise InputError(
                "`ratings` must be tested by their means for a margin in points: test="
                f"'welch' or 'paired-t'; got {self.ratings.test!r}."
            )

    @property
    def null_effect(self) -> float:
        """The margin that must be excluded: the lower one, or for equivalence both."""
        return -self.margin if self.goal == "non-inferiority" else self.margin

    def effect_range(self, n_items: int) -> EffectRange:
        """Return the differences for which the claim would be true."""
        possible = self.ratings.effect_range(n_items)
        high = possible.high if self.goal == "non-inferiority" else self.margin
        reason = f"outside, {self.goal} within {self.margin:g} is false or impossible"
        return EffectRange(max(possible.low, -self.margin), min(possible.high, high), reason)

    def typical_effect(self, n_items: int) -> float:
        """Return about the distance from the margin that can be shown."""
        error, _ = mean_error(self.ratings.model, n_items, 0.0)
        return min(0.5 * self.margin, 2.5 * error)

    def settings(self) -> Settings:
        """Return the settings of the ratings with the margin."""
        return {**self.ratings.settings(), "margin": self.margin, "goal": self.goal}

    def details(self, n_items: int, effect: float, *, alpha: float) -> Settings:
        """Return what the ratings say about themselves."""
        return self.ratings.details(n_items, effect, alpha=alpha)

    def notes(self, n_items: int, effect: float, *, alpha: float) -> tuple[str, ...]:
        """Say what the effect and the level mean here."""
        meaning = (
            f"The effect is the true difference, at which {self.goal} within {self.margin:g} is "
            f"to be shown; alpha = {alpha:g} is one-sided."
        )
        return meaning, self.ratings.notes(n_items, effect, alpha=alpha)[0]

    def closed_form(self, n_items: int, effect: float, *, alpha: float) -> Closed:
        """Average over the standard error."""
        power, mean = margin_form(
            self.ratings.model,
            n_items,
            effect,
            alpha,
            self.margin,
            both=self.goal == "equivalence",
        )
        if power <= 0.0:
            return Closed(0.0, math.nan, math.nan, "closed-form")
        distance = effect - self.null_effect
        return Closed(power, (mean - self.null_effect) / distance, 0.0, "closed-form")

    def draw(
        self, n_items: int, effect: float, *, trials: int, rng: np.random.Generator
    ) -> RatingData:
        """Draw the ratings."""
        return self.ratings.model.draw(n_items, effect, trials=trials, rng=rng)

    def analyse(self, data: RatingData, *, alpha: float) -> Trials:  # noqa: ARG002 (p-values suffice)
        """Apply one or two one-sided t-tests."""
        from scipy.special import stdtr

        sums = data.sums()
        shown = self.margin + sums.difference
        if self.goal == "equivalence":
            shown = self.margin - np.abs(sums.difference)
        t = shown / np.sqrt(np.maximum(sums.variance, 1e-300))
        return Trials(sums.difference, stdtr(sums.df, -t))
