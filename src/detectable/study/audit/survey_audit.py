"""What a survey of studies shows about size and effect, and what significant results exaggerate."""

import math
from dataclasses import dataclass, field

import numpy as np

from detectable.core import check
from detectable.core.choices import LikertPreset
from detectable.core.errors import InputError
from detectable.core.result import ADDED, Result, Signature
from detectable.core.types import FloatArray
from detectable.core.wording import count, visible
from detectable.planning.ask import power
from detectable.planning.closed_forms import beyond, error_factors
from detectable.planning.likert import Likert
from detectable.study.audit.tables import Reporting, Studies

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


# --- What a survey of studies shows about size and effect: the result, and how it is made ---

DIGITS = 9  # of effects: what remains is rounding of floats, and makes or breaks ties


@dataclass(frozen=True, slots=True, kw_only=True)
class SizeBand:
    """The studies of about one size.

    Attributes
    ----------
    low, high : int
        Smallest and largest n of the band.
    n_studies : int
        Studies in it.
    n : float
        Their median size.
    median_effect, effect_sd : float
        Middle and spread of their effects; the spread of one study is nan.
    share_positive : float
        Share with an effect above 0.
    power, type_m, type_s : float
        Of a study of median size if the true effect is the assumed one: chance to show it, how
        many times as large as the truth a significant result is on average, and how often its
        sign is wrong. nan where nothing is known about noise.
    """

    low: int
    high: int
    n_studies: int
    n: float
    median_effect: float
    effect_sd: float
    share_positive: float
    power: float
    type_m: float
    type_s: float


@dataclass(frozen=True, slots=True, kw_only=True)
class SurveyAudit(Result):
    """Whether larger studies see larger effects, and what small ones exaggerate.

    Attributes
    ----------
    tau, p_value : float
        Kendall's τ-b of size and effect, effects rounded, and its two-sided p-value.
    tau_unrounded, p_unrounded : float
        The same with effects as they stand, whose ties rounding of floats may break.
    effect_sd : float
        Standard deviation of the effects.
    bands : tuple of SizeBand
        Studies by size, the smallest first.
    assumed_effect : float
        The true effect that power and Type-M are about.
    effect_given : bool
        Whether it was given; otherwise it is the median size of an effect.
    noise : str
        What is assumed about the noise of a study; empty where nothing is.
    at_least : float or None
        Smaller effects were left out of all but `reporting`.
    reporting : Reporting or None
        What the studies say of themselves; None in files of earlier versions.
    sizes, effects : array
        Of every study; not in `to_dict`.
    """

    n_studies: int
    tau: float
    p_value: float
    tau_unrounded: float
    p_unrounded: float
    effect_sd: float
    median_n: float
    bands: tuple[SizeBand, ...]
    assumed_effect: float
    effect_given: bool
    noise: str
    alpha: float
    notes: tuple[str, ...] = ()
    at_least: float | None = field(default=None, metadata=ADDED)
    reporting: Reporting | None = field(default=None, metadata=ADDED)
    sizes: FloatArray = field(repr=False, compare=False, metadata={"bulk": "array"})
    effects: FloatArray = field(repr=False, compare=False, metadata={"bulk": "array"})

    @property
    def digits(self) -> int:
        """Decimals with which effects are written."""
        return visible(self.assumed_effect, 3 if self.effect_sd < 1.0 else 2)


def audit_survey(
    studies: Studies,
    *,
    target_difference: float | None = None,
    item_sd: float | None = None,
    preset: LikertPreset | None = None,
    n_raters: int | None = None,
    at_least: float | None = None,
    alpha: float = 0.05,
) -> SurveyAudit:
    """Compare sizes and effects of studies; see `audit`.

    References
    ----------
    Card et al. (2020), "With little power comes great responsibility", section 5 and figure 5.
    Gelman and Carlin (2014), "Beyond power calculations: assessing Type S and Type M errors",
    Perspectives on Psychological Science 9(6), 641–651.
    """
    from scipy.stats import kendalltau

    alpha = check.probability(alpha, "alpha")
    all_studies = studies.n.size
    if at_least is not None:
        at_least = float(at_least)
        studies = studies.at_least(at_least)
    sizes = np.abs(studies.effect)
    given = target_difference is not None
    assumed = float(np.median(sizes))
    if target_difference is not None:
        assumed = check.positive(target_difference, "target_difference")
    noise = choose_noise(float(sizes.max()), item_sd=item_sd, preset=preset, n_raters=n_raters)
    rounded = kendalltau(studies.n, np.round(studies.effect, DIGITS))
    stored = kendalltau(studies.n, studies.effect)
    usable = noise if assumed > 0.0 else None
    return SurveyAudit(
        n_studies=int(studies.n.size),
        tau=float(rounded.statistic),
        p_value=float(rounded.pvalue),
        tau_unrounded=float(stored.statistic),
        p_unrounded=float(stored.pvalue),
        effect_sd=float(np.std(studies.effect, ddof=1)),
        median_n=float(np.median(studies.n)),
        bands=_bands(studies, usable, assumed, alpha),
        assumed_effect=assumed,
        effect_given=given,
        noise="" if usable is None else str(usable),
        alpha=alpha,
        notes=(
            *studies.notes,
            *_left_out(all_studies - studies.n.size, at_least),
            *_notes(noise, given=given, assumed=assumed, said=preset is not None),
        ),
        at_least=at_least,
        reporting=studies.reporting,
        sizes=studies.n,
        effects=studies.effect,
        signature=Signature(
            "audit-survey",
            {
                **({} if at_least is None else {"at-least": at_least}),
                "studies": int(studies.n.size),
                "digits": DIGITS,
                "effect": assumed if given else "median",
                "noise": "none" if usable is None else str(usable).replace(" ", "-"),
                "alpha": alpha,
            },
        ),
    )


def _bands(
    studies: Studies, noise: Noise | None, assumed: float, alpha: float
) -> tuple[SizeBand, ...]:
    """Return the bands that have a study; they end at 1, 2, 5, 10, 20, 50 and so on."""
    ends = _ends(float(studies.n.max()))
    place = np.searchsorted(ends, studies.n)
    made = []
    for k in np.unique(place).tolist():
        chosen = place == k
        made.append(
            _band(studies.n[chosen], studies.effect[chosen], noise, assumed, alpha=alpha)
        )
    return tuple(made)


def _band(
    n: FloatArray, effect: FloatArray, noise: Noise | None, assumed: float, *, alpha: float
) -> SizeBand:
    middle = float(np.median(n))
    power = type_m = type_s = math.nan
    if noise is not None:
        power, type_m, type_s = noise.chances(max(round(middle), 2), assumed, alpha=alpha)
    return SizeBand(
        low=math.floor(float(n.min())),
        high=math.ceil(float(n.max())),
        n_studies=int(n.size),
        n=middle,
        median_effect=float(np.median(effect)),
        effect_sd=float(np.std(effect, ddof=1)) if n.size > 1 else math.nan,
        share_positive=float((effect > 0.0).mean()),
        power=power,
        type_m=type_m,
        type_s=type_s,
    )


def _ends(largest: float) -> FloatArray:
    ends = [1.0]
    for step in range(len(str(int(largest))) + 1):
        ends += [2.0 * 10.0**step, 5.0 * 10.0**step, 10.0 * 10.0**step]
    return np.array(ends)


def _left_out(n: int, at_least: float | None) -> list[str]:
    if at_least is None:
        return []
    return [
        f"{count(n, 'study', 'studies')} with an effect below {at_least:g} left out, as asked."
    ]


def _notes(noise: Noise | None, *, given: bool, assumed: float, said: bool) -> list[str]:
    notes = []
    if noise is None:
        notes.append(
            "Effects leave the scale from 0 to 1: without `item_sd` nothing is known about "
            "noise, and there is no Type-M."
        )
    elif assumed == 0.0:
        notes.append("The median effect is 0: give a `target_difference` for Type-M.")
    elif noise.preset is not None and not said:
        notes.append(
            f"Power and Type-M rest on {noise}, taken because nothing else was said; "
            "`item_sd` is better where it is known."
        )
    if noise is not None and not given and assumed > 0.0:
        notes.append(
            "The assumed effect is the median of the reported ones, which selection makes too "
            "large: true Type-M is higher."
        )
    return notes
