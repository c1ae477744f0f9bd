"""Likert ratings: raters × items × two systems, tested with a mixed model, balanced or with gaps."""

import functools
import itertools
import math
import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from detectable.core import check
from detectable.core.choices import LikertTest, PilotUnit, Repeated
from detectable.core.errors import ConvergenceError, InputError, SuspiciousDataWarning
from detectable.core.options import check_settings
from detectable.core.types import FloatArray, IntArray
from detectable.data.factor import Factor
from detectable.data.human.judgments import Judgments, one_evaluation
from detectable.kernels.crossed import degrees, ml_error, reml_error
from detectable.planning.closed_forms import beyond
from detectable.planning.options import LikertOptions
from detectable.planning.scenario import INDEPENDENT, Closed, Scenario, Settings, Trials

if TYPE_CHECKING:
    from detectable.mixed.design import Design
    from detectable.planning.documents import AssumedDocuments, DocumentSpread

_POINTS = 1 << 14  # of the lattice over five chi-square variables
# The number that solves x**6 = x + 1; its powers give the flattest known additive lattice in
# five dimensions (a golden ratio for five).
_PLASTIC = 1.1347241384015194


@dataclass(frozen=True, slots=True)
class Spread:
    """Standard deviations of ratings, for systems coded −1 and +1.

    Attributes
    ----------
    rater, item : float
        Of raters' and items' levels (intercepts).
    rater_slope, item_slope : float
        Of half the difference between the systems, from rater to rater and item to item.
    residual : float
        Of everything else.
    """

    rater: float
    rater_slope: float
    item: float
    item_slope: float
    residual: float


# From the authors' power_sim.R (card2020, section 5). They are SDs of level effects, used there
# as SDs of slopes; a refit gives about .08 for both slopes of the first (reference page, trap 4).
PRESETS = {
    "card-high": Spread(
        rater=0.01, rater_slope=0.11, item=0.04, item_slope=0.14, residual=0.26
    ),
    "card-low": Spread(rater=0.01, rater_slope=0.04, item=0.01, item_slope=0.13, residual=0.16),
}


def expected_squares(spread: Spread, raters: int, items: int) -> tuple[FloatArray, float]:
    r"""Return the four expected mean squares and the error's, :math:`e = σ^2 / 2`.

    :math:`W_d = J τ_r^2 + e`, :math:`T_d = I τ_i^2 + e`, and the same with the SDs of the levels
    for the half sums.
    """
    error = 0.5 * spread.residual**2
    squares = np.array(
        [
            items * spread.rater_slope**2,
            raters * spread.item_slope**2,
            items * spread.rater**2,
            raters * spread.item**2,
        ]
    )
    return squares + error, error


def true_error(spread: Spread, raters: int, items: int) -> float:
    """Return the standard deviation of the mean half difference."""
    squares, error = expected_squares(spread, raters, items)
    return math.sqrt((squares[0] + squares[1] - error) / (raters * items))


@functools.lru_cache(maxsize=64)
def thresholds(
    spread: Spread, raters: int, items: int, alpha: float, test: LikertTest
) -> FloatArray:
    """Return how far the mean half difference must be from 0, over the lattice of mean squares."""
    from scipy.special import ndtri, stdtrit

    expected, error = expected_squares(spread, raters, items)
    ratios = _chi_square_ratios(raters, items)
    squares, errors = expected * ratios[:, :4], error * ratios[:, 4]
    if test == "card":
        # The authors write 1.96; z(α/2) is the same to four digits and serves any α.
        cuts = -float(ndtri(alpha / 2.0)) * np.sqrt(ml_error(squares, errors, raters, items))
    else:
        variance, df = reml_error(squares, errors, raters, items)
        cuts = stdtrit(df, 1.0 - alpha / 2.0) * np.sqrt(variance)
    cuts.setflags(write=False)
    return cuts


def _chi_square_ratios(raters: int, items: int) -> FloatArray:
    """Return mean squares over their expectations, shape (points, 5), evenly spread."""
    own, error_df = degrees(raters, items)
    dfs = (*own.tolist(), error_df)
    return np.column_stack([_lattice(axis, df) for axis, df in enumerate(dfs)])


@functools.lru_cache(maxsize=64)  # a search over items keeps the columns of the raters
def _lattice(axis: int, df: float) -> FloatArray:
    """Return chi-square over its degrees of freedom along one axis of the lattice."""
    from scipy.special import gammaincinv

    shares = (0.5 + np.arange(1, _POINTS + 1) * _PLASTIC ** -(axis + 1.0)) % 1.0
    ratios: FloatArray = gammaincinv(0.5 * df, shares) / (0.5 * df)
    return ratios


# --- Likert designs with gaps: simulated ratings, fitted one by one ---
#
# The mixed model is imported where it is used: a balanced plan needs none of it.

_CONTRAST = np.array([0.0, 1.0])
_FAILED = 0.1  # share of fits that may fail in a block


@dataclass(frozen=True, slots=True)
class UnbalancedRatings:
    """Ratings of many trials on one design; one column per rating."""

    design: "Design"
    ratings: FloatArray  # (trials, ratings)


def draw_unbalanced(
    spread: Spread,
    size: tuple[int, int],
    slope: float,
    *,
    raters_per_item: int,
    missing: float,
    trials: int,
    rng: np.random.Generator,
) -> UnbalancedRatings:
    """Draw ratings; `size` is raters and items, `slope` half the true difference.

    Each item is rated by the next `raters_per_item` raters in turn. The ratings that get lost
    are drawn once for all trials of a block.
    """
    n_raters, n_items = size
    item = np.repeat(np.arange(n_items), raters_per_item)
    rater = (item + np.tile(np.arange(raters_per_item), n_items)) % n_raters
    rater, item = np.repeat(rater, 2), np.repeat(item, 2)
    system = np.tile([0, 1], rater.size // 2)
    if missing > 0.0:
        kept = np.flatnonzero(rng.random(rater.size) >= missing)
        rater, item, system = rater[kept], item[kept], system[kept]
        _check_enough(rater, item, system, missing)
    x = 2.0 * system - 1.0

    def effects(sd: float, codes: IntArray, n: int) -> FloatArray:
        drawn: FloatArray = rng.normal(0.0, sd, (trials, n))[:, codes]
        return drawn

    ratings = rng.normal(0.0, spread.residual, (trials, x.size)) + slope * x
    ratings += effects(spread.rater, rater, n_raters) + effects(spread.item, item, n_items)
    ratings += x * effects(spread.rater_slope, rater, n_raters)
    ratings += x * effects(spread.item_slope, item, n_items)
    return UnbalancedRatings(crossed_design(rater, item, system), ratings)


def fit_all(
    data: UnbalancedRatings, *, reml: bool
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return slope, its variance and degrees of freedom of each trial; nan without a fit.

    A data set that cannot be fitted shows no difference; if more than a few cannot, it is the
    design that is at fault, which is an error.
    """
    from detectable.mixed.model import prepare, solve

    model = prepare(data.design, data.ratings[0])
    found = np.full((len(data.ratings), 3), math.nan)
    failures: list[ConvergenceError] = []
    for row, ratings in enumerate(data.ratings):
        try:
            solution = solve(model, ratings, reml=reml)
            df = solution.satterthwaite(_CONTRAST) if reml else math.nan
        except ConvergenceError as error:
            failures.append(error)
            continue
        found[row] = solution.coefficients[1], solution.covariance[1, 1], df
    if len(failures) > _FAILED * len(found) and len(failures) > 1:
        raise InputError(
            f"the design is too thin for its test: {len(failures)} of {len(found)} simulated "
            f"data sets could not be fitted ({failures[0]}) Give more items or more raters."
        )
    return found[:, 0], found[:, 1], found[:, 2]


def _check_enough(rater: IntArray, item: IntArray, system: IntArray, missing: float) -> None:
    """Refuse what no model could be fitted to."""
    levels = [np.unique(codes).size for codes in (rater, item, system)]
    if min(levels) < 2 or rater.size <= sum(levels):
        raise InputError(
            f"`missing` must leave enough ratings to fit raters, items and systems; got "
            f"{missing:g}, which left {rater.size} ratings of {levels[0]} raters and "
            f"{levels[1]} items. Give more items or more raters."
        )


def crossed_design(rater: IntArray, item: IntArray, system: IntArray) -> "Design":
    """Return a design of two systems with rater and item slopes, from codes of any kind."""
    from detectable.mixed.design import Design, contrast_coding

    return Design(
        systems=("-1", "+1"),
        coding=contrast_coding(2),
        numeric=False,
        system=system,
        factors={"rater": _factor("rater", rater), "item": _factor("item", item)},
        slopes=("rater", "item"),
    )


def _factor(name: str, codes: IntArray) -> Factor:
    levels, dense = np.unique(codes, return_inverse=True)
    return Factor(name=name, levels=tuple(str(level) for level in levels), codes=dense)


# --- Likert ratings: raters × items × two systems, tested with a mixed model ---

_SDS = ("rater_sd", "rater_slope_sd", "item_sd", "item_slope_sd", "residual_sd")
_FEW_RATERS = 5
_LOOSE = 1.2  # times alpha: from here on a type I error is worth a note
_FIT_BLOCK = 32  # trials of an unbalanced design that share one pattern of missing ratings


@dataclass(frozen=True, slots=True)
class BalancedRatings:
    """What a balanced design boils down to: one row per trial."""

    means: FloatArray  # mean half difference
    squares: FloatArray  # (trials, 4)
    errors: FloatArray
    n_items: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Likert(LikertOptions, Scenario):
    r"""Raters judge the items of two systems on a scale (card2020, section 5).

    The model of [1]_ is

    .. math:: y = \mu + \beta x + (a_r + b_r x) + (c_i + d_i x) + \varepsilon,
              \qquad x = \pm 1,

    with independent normal deviations of raters r and items i. The effect is the *true mean
    difference* of the systems, :math:`D = 2\beta`; the axis “effect” of the paper's Figure 6
    is β. `n_items` is the number of items; every rater rates both systems on all of them, unless
    `raters_per_item` or `missing` says otherwise.

    Balanced designs need no simulated ratings: the mean difference is normal, and its estimated
    error depends on five independent mean squares, over which the answer is integrated
    (a lattice of 16,384 points; the error is about .0002). Unbalanced designs are simulated and
    fitted one by one.

    Parameters
    ----------
    n_raters : int
        Raters.
    preset : {'card-high', 'card-low'}, optional
        The paper's two settings, on a scale from 0 to 1.
    rater_sd, rater_slope_sd, item_sd, item_slope_sd, residual_sd : float, optional
        Your own SDs, all five, for x = ±1: a slope's SD is half that of the difference.
    test : {'satterthwaite', 'card'}
        REML with Satterthwaite's degrees of freedom [2]_; or the authors' test, maximum likelihood
        with :math:`|t| > 1.96`. The latter is no test at the level α with few raters, and the
        result says what its real type I error is.
    raters_per_item : int, optional
        Raters of each item, in rotation; by default all.
    missing : float
        Share of ratings that get lost at random.
    documents : DocumentSpread or AssumedDocuments, optional
        How documents differ: then `n_items` counts documents.

    References
    ----------
    .. [1] Card, Henderson, Khandelwal, Jia, Mahowald and Jurafsky (2020), "With little power
       comes great responsibility", EMNLP, 9263–9274.
    .. [2] Satterthwaite (1946), "An approximate distribution of estimates of variance
       components", Biometrics Bulletin 2(6), 110–114.

    Examples
    --------
    >>> from detectable.planning.ask import power
    >>> plan = Likert(n_raters=3, preset="card-high")
    >>> round(power(plan, n_items=100, effect=0.4).power, 2)
    0.46
    """

    documents: "DocumentSpread | AssumedDocuments | None" = field(default=None, repr=False)

    smallest_n: ClassVar[int] = 2
    scale: ClassVar[str] = "difference of the mean ratings"

    def __post_init__(self) -> None:
        check_settings(self)
        _check_spread(self)
        if not 2 <= (self.raters_per_item or 2) <= self.n_raters:
            raise InputError(
                f"`raters_per_item` must lie between 2 and n_raters = {self.n_raters}; got "
                f"{self.raters_per_item!r}. A single rater cannot tell an item's difference "
                "from noise."
            )
        if not 0.0 <= self.missing < 1.0:
            raise InputError(
                f"`missing` must lie between 0 and 1, 1 excluded; got {self.missing!r}. It is "
                "the share of ratings that get lost."
            )

    @classmethod
    def from_ratings(
        cls,
        judgments: Any,
        *,
        columns: Mapping[str, str] | None = None,
        repeated: Repeated | None = None,
        campaign: str | None = None,
        language: str | None = None,
        n_raters: int | None = None,
        test: LikertTest = "satterthwaite",
        unit: PilotUnit = "auto",
    ) -> "Likert":
        r"""Take the SDs from the judgments of a pilot, by the mixed model that will be used.

        Where most items (or raters) have ratings of one system only, the pilot cannot tell how
        far the systems differ from item to item. Then the spread of the items stands in for it,
        as if two systems were as unlike on one item as on two: levels of SD σ in each system
        that are not correlated have a half difference, and a half sum, of SD
        :math:`\sigma / \sqrt 2`. That is the most it can be unless they are correlated negatively,
        and a warning says so. A slope that is absent for another reason counts as 0, with a warning.

        Where documents are known, documents are planned and tested by t with documents as
        clusters; what raters differ about the systems is added to their error.

        Parameters
        ----------
        judgments : Judgments, path, mapping of columns, or data frame
            One row per judgment, as for `detectable.mixed.fit.fit_mixed`; references and
            degraded copies are left out.
        columns, repeated, campaign, language
            As for `fit_mixed`: how to read, and what to use.
        n_raters : int, optional
            Raters of the evaluation to plan; by default those of the pilot.
        test : str
            As for the class.
        unit : {'auto', 'item', 'document'}
            What is planned; auto: documents where they are known.
        """
        from detectable.mixed.fit import fit_mixed
        from detectable.mixed.identify import read_for_model
        from detectable.planning.documents import chosen_documents, judged_spread

        read, _ = read_for_model(judgments, columns=columns, repeated=repeated)
        # With unit="item" the spread of documents is one of items: theirs is found below.
        fit = fit_mixed(read, campaign=campaign, language=language, unit="item")
        chosen = one_evaluation(read, campaign=campaign, language=language)
        found, said = _with_slopes(
            {component.name: component.sd for component in fit.components}, chosen
        )
        if said:
            warnings.warn(
                " ".join((*said, *fit.notes)),
                SuspiciousDataWarning,
                stacklevel=2,
            )
        made = cls(
            n_raters=fit.groups["rater"] if n_raters is None else n_raters,
            rater_sd=found["rater intercept"],
            rater_slope_sd=found["rater slope"],
            item_sd=found["item intercept"],
            item_slope_sd=found["item slope"],
            residual_sd=found["residual"],
            test=test,
        )
        names = None if read.document is None else read.document.levels
        if chosen_documents(names, unit) is None:
            return made
        spread = judged_spread(
            chosen,
            list(itertools.combinations([one.system for one in fit.systems], 2)),
            n_raters=made.n_raters,
            residual_variance=found["residual"] ** 2,
            slope_variance=found["rater slope"] ** 2,
        )
        return replace(made, documents=spread)

    @property
    def spread(self) -> Spread:
        """The five SDs."""
        if self.preset is not None:
            return PRESETS[self.preset]
        own = (float(getattr(self, name)) for name in _SDS)
        return Spread(*own)

    def item_variance(self, effect: float) -> float:  # noqa: ARG002 (the same for any)
        """Return the variance of an item's difference, averaged over its raters."""
        per_item = self.raters_per_item or self.n_raters
        noise = self.spread.residual**2 / (per_item * (1.0 - self.missing))
        return 4.0 * self.spread.item_slope**2 + 2.0 * noise

    def rater_variance(self) -> tuple[float, int]:
        """Return what raters who differ about the systems add, however many items there are."""
        return 4.0 * self.spread.rater_slope**2 / self.n_raters, self.n_raters

    def assumptions(self, effect: float) -> tuple[str, ...]:  # noqa: ARG002 (for any effect)
        """Return where the spread comes from, and that items stand alone."""
        source = "given" if self.preset is None else f"of {self.preset}"
        return f"the standard deviations {source}", f"{INDEPENDENT}items"

    @property
    def balanced(self) -> bool:
        """Whether every rater rates every item of both systems."""
        everyone = self.raters_per_item in (None, self.n_raters)
        return everyone and self.missing == 0.0

    def draw(
        self, n_items: int, effect: float, *, trials: int, rng: np.random.Generator
    ) -> BalancedRatings | UnbalancedRatings:
        """Draw mean and mean squares of a balanced design, or all ratings of another one."""
        if not self.balanced:
            return draw_unbalanced(
                self.spread,
                (self.n_raters, n_items),
                0.5 * effect,
                raters_per_item=self.raters_per_item or self.n_raters,
                missing=self.missing,
                trials=trials,
                rng=rng,
            )
        expected, error = expected_squares(self.spread, self.n_raters, n_items)
        own, error_df = degrees(self.n_raters, n_items)
        sd = true_error(self.spread, self.n_raters, n_items)
        return BalancedRatings(
            rng.normal(0.5 * effect, sd, trials),
            expected * rng.chisquare(own, (trials, 4)) / own,
            error * rng.chisquare(error_df, trials) / error_df,
            n_items,
        )

    def analyse(self, data: BalancedRatings | UnbalancedRatings, *, alpha: float) -> Trials:  # noqa: ARG002 (p-values serve any level)
        """Fit the mixed model of every trial and test the difference."""
        from scipy.special import ndtr, stdtr

        reml = self.test == "satterthwaite"
        if isinstance(data, UnbalancedRatings):
            means, variance, df = fit_all(data, reml=reml)
        else:
            means, size = data.means, (self.n_raters, data.n_items)
            variance, df = reml_error(data.squares, data.errors, *size)
            if not reml:
                variance = ml_error(data.squares, data.errors, *size)
        t = np.abs(means) / np.sqrt(variance)
        return Trials(2.0 * means, 2.0 * (stdtr(df, -t) if reml else ndtr(-t)))

    def closed_form(self, n_items: int, effect: float, *, alpha: float) -> Closed | None:
        """Integrate over the mean squares of a balanced design."""
        if not self.balanced:
            return None
        sd = true_error(self.spread, self.n_raters, n_items)
        return beyond(0.5 * effect, sd, self._thresholds(n_items, alpha))

    def points_drawn(self) -> int:
        """Return few: each is an integral over five mean squares."""
        return 9

    def typical_effect(self, n_items: int) -> float:
        """Return four standard errors."""
        return 8.0 * true_error(self.spread, self.n_raters, n_items)

    def first_n(self, effect: float) -> int:  # noqa: ARG002 (for any effect)
        """Start small: with few raters the power can fall again as items are added."""
        return 4 if self.balanced else 32

    def largest_n(self) -> int:
        """Return a million items, or what an unbalanced design can be fitted to."""
        return 1_000_000 if self.balanced else 4096

    def block_trials(self, n_items: int) -> int:
        """Return small blocks where every trial is fitted by itself."""
        # Not bare super(): slots=True makes a second class, which it would not find.
        return super(Likert, self).block_trials(n_items) if self.balanced else _FIT_BLOCK

    def type_i_error(self, n_items: int, *, alpha: float) -> float | None:
        """Return how often the test of a balanced design finds a difference where there is none."""
        if not self.balanced:
            return None
        sd = true_error(self.spread, self.n_raters, n_items)
        return 2.0 * beyond(0.0, sd, self._thresholds(n_items, alpha)).power

    def details(self, n_items: int, effect: float, *, alpha: float) -> Settings:  # noqa: ARG002 (for any effect)
        """Return raters, total judgments and the real type I error of the test."""
        per_item = self.raters_per_item or self.n_raters
        total = math.floor(2 * per_item * n_items * (1.0 - self.missing))
        size = self.type_i_error(n_items, alpha=alpha)
        known: dict[str, float] = {} if size is None else {"type_i_error": size}
        return {"n_raters": self.n_raters, "total_judgments": total, **known}

    def notes(self, n_items: int, effect: float, *, alpha: float) -> tuple[str, ...]:  # noqa: ARG002 (for any effect)
        """Warn of a test that does not hold its level, and of few raters."""
        size = self.type_i_error(n_items, alpha=alpha)
        notes = []
        if self.test == "card" and size is not None:
            notes.append(
                f"This test (maximum likelihood, |t| > 1.96) finds a difference in {size:.1%} of "
                f"evaluations without any, instead of {alpha:.0%}: its power is no achievement."
            )
        elif size is not None and size > _LOOSE * alpha:
            notes.append(
                f"With so few raters even this test finds a difference in {size:.1%} of "
                f"evaluations without any, instead of {alpha:.0%}."
            )
        if self.n_raters < _FEW_RATERS:
            notes.append(
                f"With {self.n_raters} raters the spread between raters is hardly known. More "
                "items barely help; more raters do."
            )
        return tuple(notes)

    def _thresholds(self, n_items: int, alpha: float) -> FloatArray:
        return thresholds(self.spread, self.n_raters, n_items, alpha, self.test)


def _with_slopes(
    sds: Mapping[str, float], judgments: Judgments
) -> tuple[dict[str, float], list[str]]:
    """Return the SDs with those of the slopes that the model had to leave out, and what to say."""
    from detectable.mixed.design import mostly_of_one_system

    found, said = dict(sds), list[str]()
    for role, factor in (("rater", judgments.rater), ("item", judgments.item)):
        slope, level = f"{role} slope", f"{role} intercept"
        if slope in found:
            continue
        if factor is not None and mostly_of_one_system(judgments.system, factor):
            found[slope] = found[level] = found[level] / math.sqrt(2.0)
            said.append(
                f"Most {role}s of the pilot have ratings of one system only, so that the spread "
                f"of the {role}s stands in for that of the {slope}, {found[slope]:.3g}: true only "
                f"if two systems are as unlike on one {role} as on two. Where they are more alike, "
                "the power is higher."
            )
        else:
            found[slope] = 0.0
            said.append(
                f"The pilot cannot tell the spread of the {slope}, which is taken as 0: the answer "
                "is too optimistic."
            )
    return found, said


def _check_spread(scenario: Likert) -> None:
    """Refuse a mixture of preset and own SDs, and impossible SDs."""
    own = {name: getattr(scenario, name) for name in _SDS}
    given = [name for name, value in own.items() if value is not None]
    if scenario.preset is not None:
        if given:
            raise InputError(
                f"`preset` or your own SDs must be given, not both; got {scenario.preset!r} and "
                f"{', '.join(given)}."
            )
        return
    if len(given) < len(_SDS):
        absent = [name for name in _SDS if own[name] is None]
        raise InputError(
            f"`preset` must be one of {', '.join(PRESETS)}, or else all five SDs must be given; "
            f"got no {', '.join(absent)}."
        )
    check.positive(own["residual_sd"], "residual_sd")
    for name, value in own.items():
        if not (math.isfinite(value) and value >= 0.0):
            raise InputError(f"`{name}` must be a finite number of at least 0; got {value!r}.")
