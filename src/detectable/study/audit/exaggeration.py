"""What a significant result of a study of some size exaggerates (Type-M)."""

import math
from dataclasses import dataclass

from detectable.core import check
from detectable.core.choices import LikertPreset
from detectable.core.errors import InputError
from detectable.planning.ask import power
from detectable.planning.likert import Likert
from detectable.planning.normal import beyond, error_factors

USUAL_RATERS = 3  # of most evaluations that card2020 surveyed
_USUAL_PRESET: LikertPreset = "card-high"


@dataclass(frozen=True, slots=True, kw_only=True)
class Noise:
    """What is assumed about the noise of a study: the spread of an item, or a rating design.

    Attributes
    ----------
    item_sd : float or None
        Standard deviation of the difference that one item shows, over all its ratings.
    preset : str or None
        A setting of card2020 on a scale from 0 to 1, with `n_raters` raters of every item.
    """

    item_sd: float | None
    preset: LikertPreset | None
    n_raters: int

    def __str__(self) -> str:
        if self.item_sd is not None:
            return f"an SD of {self.item_sd:g} of an item's difference"
        return f"{self.preset} of card2020 with {self.n_raters} raters"

    def chances(self, n: int, effect: float, *, alpha: float) -> tuple[float, float, float]:
        """Return power, Type-M and Type-S of a study of n items, for a true effect."""
        if self.item_sd is None:
            plan = Likert(n_raters=self.n_raters, preset=self.preset)
            answer = power(plan, n_items=n, effect=effect, alpha=alpha, drawn=0)
            return answer.power, answer.type_m, answer.type_s
        from scipy.special import stdtrit

        error = self.item_sd / math.sqrt(n)
        factors, weights = error_factors(n - 1.0)
        critical = -float(stdtrit(n - 1.0, 0.5 * alpha))
        found = beyond(effect, error, critical * error * factors, weights)
        return found.power, found.type_m, found.type_s


def choose_noise(
    largest: float,
    *,
    item_sd: float | None,
    preset: LikertPreset | None,
    n_raters: int | None,
) -> Noise | None:
    """Return what to assume; None where nothing was said and effects leave the scale 0 to 1."""
    if item_sd is not None:
        if preset is not None or n_raters is not None:
            raise InputError(
                "`item_sd` says all about the noise of an item: give it, or `preset` and "
                "`n_raters`."
            )
        return Noise(item_sd=check.positive(item_sd, "item_sd"), preset=None, n_raters=0)
    raters = USUAL_RATERS if n_raters is None else n_raters
    raters = check.positive_int(raters, "n_raters", minimum=2)
    if preset is None and largest > 1.0:
        return None
    chosen = _USUAL_PRESET if preset is None else preset
    check.literal(chosen, LikertPreset, "preset")
    return Noise(item_sd=None, preset=chosen, n_raters=raters)
