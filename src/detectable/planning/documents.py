r"""Documents: items of a document resemble each other, so documents are what is planned.

A pilot with G documents shows the standard error s of its difference (CR2, which knows of the
documents) with df degrees of freedom. A single pilot may have been lucky, so its variance is taken at
its upper 60 % limit [1]_,

.. math:: v_1 = G\, s^2 \frac{\mathrm{df}}{\chi^2_{.4,\,\mathrm{df}}},

and with n documents of the pilot's sizes, whose coefficient of variation is c, the difference is
tested by t with

.. math:: \text{error} = \sqrt{v_1 / n}, \qquad \mathrm{df}(n) = \frac{n}{1 + c^2} - 1,

so that power is that of a noncentral t. Without a pilot, m items to a document with an intraclass
correlation ρ and a variance s² of one item's difference give [2]_

.. math:: v_1 = s^2\, \frac{1 + (m - 1) \rho}{m}.

Every “how many documents?” is answered here: `sample_size`, `compare(effect=…)`, `reliability` and
`plan(pilot=…)` all ask a `DocumentSpread`.

References
----------
.. [1] Browne (1995), "On the use of a pilot sample for sample size determination", Statistics in
   Medicine 14(17), 1933–1940, who takes an upper limit of the pilot's variance; the 60 % are our
   own: with the pilot's variance as it is, unequal documents have a power of .75 to .79 instead of .8.
.. [2] Kish (1965), Survey Sampling, section 5.4 (the design effect).
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar, TypeAlias

import numpy as np

from detectable.core import check
from detectable.core.choices import PilotUnit
from detectable.core.errors import DataError, InputError
from detectable.core.types import FloatArray, IntArray
from detectable.core.wording import count
from detectable.inference.standard_errors import (
    Estimate,
    cluster_mean,
    cluster_means,
    cluster_sums,
    detectable_shift,
)
from detectable.kernels.distributions import noncentral_t_below, t_quantile
from detectable.planning.closed_forms import beyond, error_factors
from detectable.planning.result import plural
from detectable.planning.scenario import (
    INDEPENDENT,
    Closed,
    EffectRange,
    Scenario,
    Settings,
    Trials,
)

if TYPE_CHECKING:
    from detectable.data.human.judgments import Judgments
    from detectable.inference.sample import Sample

_ONE = (
    "one document says nothing about how documents differ. Give a pilot with several, or "
    "`unit='item'` to plan items as if each stood alone."
)
_LIMIT = 0.4  # the pilot's variance is taken at its upper 60 % limit
_MOST = 1 << 40  # documents; beyond that an effect is out of reach
_FEW = 10  # documents of a pilot below which their spread is hardly known

# Sums and sizes of documents (documents × trials), and the errors and estimated variances that raters add.
Drawn: TypeAlias = tuple[FloatArray, FloatArray, FloatArray, FloatArray]


def upper_variance(variance: float, df: float) -> float:
    """Return the upper 60 % limit of a variance that was estimated with `df` degrees of freedom.

    Examples
    --------
    >>> round(upper_variance(1.0, 39.0), 4)
    1.0785
    """
    from scipy.special import gammaincinv

    return variance * df / (2.0 * float(gammaincinv(0.5 * df, _LIMIT)))


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentSpread:
    """How much a difference varies between documents, and what that asks of a plan.

    Attributes
    ----------
    variance : float
        Of the mean of one document, :math:`v_1`: with n documents the variance is :math:`v_1 / n`.
    size : float
        Items of a document, on average.
    cv2 : float
        Squared coefficient of variation of the sizes.
    item_variance : float
        Of one item by itself.
    design_effect : float
        Variance over that of as many items that stand alone.
    n_documents : int
        Of the pilot; 0 where nobody has seen any.
    rater_variance : float
        What raters who differ about the systems add to the variance, however many documents.
    n_raters : int
        Who add it.
    """

    variance: float
    size: float = 1.0
    cv2: float = 0.0
    item_variance: float = math.nan
    design_effect: float = math.nan
    n_documents: int = 0
    rater_variance: float = 0.0
    n_raters: int = 0

    @classmethod
    def of_pilot(cls, values: FloatArray, documents: IntArray) -> "DocumentSpread":
        """Take the differences of items, and the document of each.

        Examples
        --------
        >>> values, documents = np.array([1.0, 2.0, 3.0, 6.0, 2.0, 4.0]), np.array([0, 0, 1, 1, 2, 2])
        >>> found = DocumentSpread.of_pilot(values, documents)
        >>> found.n_documents, found.size, round(found.design_effect, 3)
        (3, 2.0, 1.406)
        """
        sizes = cluster_sums(np.ones(values.size), documents)
        found = cluster_mean(values, documents)
        return cls.of_estimate(found, sizes / sizes.sum(), cluster_mean(values), values.size)

    @classmethod
    def of_estimate(
        cls, found: Estimate, shares: FloatArray, alone: Estimate, n_items: int
    ) -> "DocumentSpread":
        """Take a difference with its error over documents, and with that over items.

        Parameters
        ----------
        found, alone : Estimate
            With documents, and with items as what is independent.
        shares : array of shape (documents,)
            Share of each document in the score.
        n_items : int
            All items of the pilot.
        """
        used = shares[shares > 0.0]
        n = used.size
        if n < 2:
            raise DataError(_ONE)
        if not found.standard_error > 0.0:
            raise DataError(
                "the difference is the same in all documents of the pilot, which says nothing "
                "about the spread of others. Check the scores."
            )
        by_item = alone.standard_error**2
        return cls(
            variance=n * upper_variance(found.standard_error**2, found.df),
            size=n_items / n,
            cv2=float(used.var() / used.mean() ** 2),
            item_variance=n_items * upper_variance(by_item, alone.df),
            design_effect=found.standard_error**2 / by_item if by_item > 0.0 else math.nan,
            n_documents=n,
        )

    @classmethod
    def assumed(
        cls, item_variance: float, *, per_document: float, icc: float
    ) -> "DocumentSpread":
        """Return the spread of documents of one size, whose items correlate by `icc`.

        Examples
        --------
        >>> DocumentSpread.assumed(2.0, per_document=5, icc=0.25).variance
        0.8
        """
        effect = 1.0 + (per_document - 1.0) * icc
        return cls(
            variance=item_variance * effect / per_document,
            size=per_document,
            item_variance=item_variance,
            design_effect=effect,
        )

    @classmethod
    def typical(cls, spreads: "Sequence[DocumentSpread]") -> "DocumentSpread":
        """Return the mean of what several pairs of systems show."""

        def mean(name: str) -> float:
            return math.fsum(getattr(one, name) for one in spreads) / len(spreads)

        return cls(
            variance=mean("variance"),
            size=mean("size"),
            cv2=mean("cv2"),
            item_variance=mean("item_variance"),
            design_effect=mean("design_effect"),
            n_documents=min(one.n_documents for one in spreads),
        )

    def with_noise(self, before: float, after: float) -> "DocumentSpread":
        """Return the spread where the noise of an item's difference has another variance.

        More samples or raters lower nothing but this noise, so that the rest, which is at least 0,
        stays.
        """
        if before == after or not before > 0.0:
            return self
        share = min(1.0, after / before)
        variance = max(self.variance + (after - before) / self.size, share * self.variance)
        by_item = max(self.item_variance + after - before, share * self.item_variance)
        before_and_after = self.variance / variance * by_item / self.item_variance
        return replace(
            self,
            variance=variance,
            item_variance=by_item,
            design_effect=self.design_effect / before_and_after,
        )

    @property
    def alone(self) -> "DocumentSpread":
        """The same items, each as a document of its own."""
        return DocumentSpread(
            variance=self.item_variance,
            item_variance=self.item_variance,
            design_effect=1.0,
            rater_variance=self.rater_variance,
            n_raters=self.n_raters,
        )

    def items(self, n: int) -> int:
        """Return how many items so many documents have."""
        return math.ceil(n * self.size - 1e-9)

    def estimate(self, n: float) -> Estimate:
        """Return the standard error of the difference with n documents, and its degrees of freedom.

        What raters add has degrees of freedom of its own; both together have Satterthwaite's.
        """
        own, raters = self.variance / n, self.rater_variance
        df = max(n / (1.0 + self.cv2) - 1.0, 1.0)
        if raters > 0.0:
            df = (own + raters) ** 2 / (own**2 / df + raters**2 / (self.n_raters - 1.0))
        return Estimate(0.0, math.sqrt(own + raters), df)

    def power(self, n: float, effect: float, *, alpha: float) -> float:
        """Return the chance that n documents show an effect with the right sign."""
        found = self.estimate(n)
        critical = t_quantile(1.0 - alpha / 2.0, found.df)
        return 1.0 - noncentral_t_below(critical, found.df, abs(effect) / found.standard_error)

    def closed_form(self, n: float, effect: float, *, alpha: float) -> Closed:
        """Return the power and how misleading a significant result is."""
        found = self.estimate(n)
        critical = t_quantile(1.0 - alpha / 2.0, found.df)
        factors, weights = error_factors(found.df)
        errors = beyond(
            effect, found.standard_error, critical * found.standard_error * factors, weights
        )
        power = self.power(n, effect, alpha=alpha)
        return Closed(power, errors.type_m, errors.type_s, "closed-form")

    def needed(self, effect: float, *, alpha: float, power: float) -> int | None:
        """Return how many documents show an effect with a given power; None where no number does.

        Examples
        --------
        >>> DocumentSpread(variance=72.5333333333).needed(3.0, alpha=0.05, power=0.8)
        66
        """
        if effect == 0.0:
            return None
        low, high = 1, 2
        while self.power(high, effect, alpha=alpha) < power:
            low, high = high, 2 * high
            if high > _MOST:
                return None
        while high - low > 1:
            middle = (low + high) // 2
            enough = self.power(middle, effect, alpha=alpha) >= power
            low, high = (low, middle) if enough else (middle, high)
        return high

    def detectable(self, n: float, *, alpha: float, power: float) -> float:
        """Return the smallest effect that n documents show with a given power."""
        found = self.estimate(n)
        return found.standard_error * detectable_shift(found.df, alpha=alpha, power=power)


@dataclass(frozen=True, slots=True)
class AssumedDocuments:
    """Documents that nobody has seen yet, all of one size.

    Parameters
    ----------
    per_document : float
        Items of a document.
    icc : float
        How much items of a document resemble each other, from 0 (not at all) to 1 (they all say
        the same). `detectable reliability` measures it.

    Examples
    --------
    >>> from detectable.planning.accuracy import Accuracy
    >>> from detectable.planning.ask import sample_size
    >>> plan = Accuracy(agreement=0.8, documents=AssumedDocuments(5, icc=0.3))
    >>> sample_size(plan, effect=0.05).n_items
    275
    """

    per_document: float
    icc: float

    def __post_init__(self) -> None:
        check.positive(self.per_document, "per_document")
        if self.per_document < 1.0:
            raise InputError(f"`per_document` must be 1 or more; got {self.per_document!r}.")
        if not 0.0 <= self.icc <= 1.0:
            raise InputError(
                "`icc` must lie between 0 (items of a document are no more alike than others) and "
                f"1 (they all say the same); got {self.icc!r}."
            )


Known: TypeAlias = DocumentSpread | AssumedDocuments


def in_documents(scenario: Scenario) -> Scenario:
    """Return the scenario, or the same with documents where it knows of them."""
    known: Known | None = getattr(scenario, "documents", None)
    return scenario if known is None else Documents(scenario, known)


@dataclass(frozen=True, slots=True)
class Documents(Scenario):
    """A scenario whose items come in documents: `n_items` counts documents.

    The test is the t test of the difference with documents as clusters (CR2), as in `compare`.

    Parameters
    ----------
    of : Scenario
        The same evaluation with items that stand alone.
    known : DocumentSpread or AssumedDocuments
        How documents differ.
    """

    of: Scenario
    known: Known

    unit: ClassVar[str] = "document"

    @property
    def scale(self) -> str:  # type: ignore[override]  # that of the scenario
        """What an effect is."""
        return self.of.scale

    def spread(self, effect: float) -> DocumentSpread:
        """Return how documents differ, if the true difference is `effect`."""
        if isinstance(self.known, DocumentSpread):
            return self.known
        spread = DocumentSpread.assumed(
            self.of.item_variance(effect),
            per_document=self.known.per_document,
            icc=self.known.icc,
        )
        variance, n_raters = self.of.rater_variance()
        return replace(spread, rater_variance=variance, n_raters=n_raters)

    def effect_range(self, n_items: int) -> EffectRange:
        """Return what is possible for the items."""
        if isinstance(self.known, DocumentSpread):
            return self.of.effects_of_pilot(n_items)
        return self.of.effect_range(n_items)

    def typical_effect(self, n_items: int) -> float:
        """Return about the detectable effect."""
        found = 2.8 * self.spread(1e-9).estimate(n_items).standard_error
        high = self.effect_range(n_items).high
        return min(found, 0.5 * high)

    def first_n(self, effect: float) -> int:
        """Return about the number of documents for 80 % power."""
        about = 7.85 * self.spread(effect).variance / effect**2
        return max(self.smallest_n, min(math.ceil(about), self.largest_n()))

    def largest_n(self) -> int:
        """Return a hundred million documents."""
        return 100_000_000

    def closed_form(self, n_items: int, effect: float, *, alpha: float) -> Closed:
        """Return the power from the noncentral t distribution."""
        return self.spread(effect).closed_form(n_items, effect, alpha=alpha)

    def draw(
        self, n_items: int, effect: float, *, trials: int, rng: np.random.Generator
    ) -> Drawn:
        """Return sums and sizes of documents; sizes follow a gamma distribution.

        The error of a document has a variance in proportion to its size, for which the degrees of
        freedom are those of the formula.
        """
        spread = self.spread(effect if effect != 0.0 else 1e-9)
        sizes: FloatArray = np.ones((n_items, trials))
        if spread.cv2 > 0.0:
            sizes = rng.gamma(1.0 / spread.cv2, spread.cv2, size=(n_items, trials))
        noise = np.sqrt(spread.variance * sizes) * rng.standard_normal((n_items, trials))
        raters = np.zeros((2, trials))
        if spread.rater_variance > 0.0:
            df = spread.n_raters - 1.0
            raters[0] = math.sqrt(spread.rater_variance) * rng.standard_normal(trials)
            raters[1] = spread.rater_variance * rng.chisquare(df, trials) / df
        return sizes * effect + noise, sizes, raters[0], raters[1]

    def analyse(self, data: Drawn, *, alpha: float) -> Trials:  # noqa: ARG002 (serves any level)
        """Test the mean of every trial by t with documents as clusters."""
        from scipy.special import stdtr

        sums, sizes, shift, raters = data
        mean, error, df = cluster_means(sums, sizes)  # type: ignore[arg-type]  # sizes are weights
        total = error**2 + raters
        if raters.any():
            n_raters = self.spread(1e-9).n_raters
            df = total**2 / (error**4 / df + raters**2 / (n_raters - 1.0))
        found = mean + shift
        return Trials(found, 2.0 * stdtr(df, -np.abs(found) / np.sqrt(total)))

    def details(self, n_items: int, effect: float, *, alpha: float) -> Settings:
        """Return the items, the design effect, and how many items would do if they stood alone."""
        spread = self.spread(effect)
        return {
            **self._own_details(spread, n_items, effect, alpha),
            **document_details(spread, n_items, effect, alpha=alpha),
        }

    def _own_details(
        self, spread: DocumentSpread, n_items: int, effect: float, alpha: float
    ) -> dict[str, Any]:
        """Return what the scenario of items says of as many items, but for its own error rates."""
        found = dict(self.of.details(spread.items(n_items), effect, alpha=alpha))
        for name in (
            "type_i_error",
            "effect_with_endless_samples",
            "questions_with_endless_samples",
        ):
            found.pop(name, None)  # of items that stand alone
        return found

    def notes(self, n_items: int, effect: float, *, alpha: float) -> tuple[str, ...]:  # noqa: ARG002 (for any size)
        """Warn of what the pilot shows, and of one with few documents."""
        return (*self.of.pilot_notes(effect), *document_notes(self.spread(effect)))

    def assumptions(self, effect: float) -> tuple[str, ...]:
        """Return what was assumed of documents, and of their items."""
        if isinstance(self.known, DocumentSpread):
            return ()
        items = [one for one in self.of.assumptions(effect) if not one.startswith(INDEPENDENT)]
        each = f"{self.known.per_document:g} {plural(self.of.unit, whole=False)}"
        return (
            *items,
            f"documents of {each} with an intraclass correlation of {self.known.icc:g}",
        )

    def settings(self) -> Settings:
        """Return the settings of the scenario, and what is known of documents."""
        known: dict[str, str | int | float] = {
            "of": type(self.of).__name__,
            **self.of.settings(),
        }
        if isinstance(self.known, AssumedDocuments):
            return {**known, "per_document": self.known.per_document, "icc": self.known.icc}
        return {
            **known,
            "pilot_documents": self.known.n_documents,
            "per_document": round(self.known.size, 3),
            "document_variance": float(f"{self.known.variance:.6g}"),
        }


def document_details(
    spread: DocumentSpread, n: int, effect: float, *, alpha: float
) -> dict[str, str | int | float]:
    """Return what an answer in documents says besides their number."""
    same = spread.power(n, effect, alpha=alpha)
    known: dict[str, str | int | float] = {
        "per_document": spread.size,
        "total_items": spread.items(n),
    }
    if math.isfinite(spread.design_effect):
        known["design_effect"] = spread.design_effect
    if spread.item_variance > 0.0 and same < 1.0 - 1e-9:
        alone = spread.alone.needed(effect, alpha=alpha, power=same)
        if alone is not None:
            known["items_alone"] = alone
    return known


def document_notes(spread: DocumentSpread) -> tuple[str, ...]:
    """Warn of a pilot with few documents."""
    if not 0 < spread.n_documents < _FEW:
        return ()
    return (
        f"The pilot has {spread.n_documents} documents: how much documents differ is itself hardly "
        "known, and so is this power.",
    )


# --- The spread of documents, from the data of a pilot ---


def chosen_documents(names: Sequence[str] | None, unit: PilotUnit) -> Sequence[str] | None:
    """Return the documents if they are planned; None where items are."""
    check.literal(unit, PilotUnit, "unit")
    if names is None and unit == "document":
        raise InputError(
            "`unit='document'` needs to know the document of each item. Give its column."
        )
    return None if unit == "item" else names


def document_codes(names: Sequence[str], n_items: int, argument: str = "documents") -> IntArray:
    """Return the document of each item as a number."""
    if len(names) != n_items:
        raise InputError(
            f"`{argument}` must name each of the {count(n_items, 'item')}; got {len(names)}."
        )
    codes: IntArray = np.unique(np.asarray(names, dtype=str), return_inverse=True)[1]
    if codes.size and codes.max() == 0:
        raise DataError(_ONE)
    return codes


def scored_spread(sample: "Sample", documents: IntArray) -> DocumentSpread:
    """Return how documents differ in the difference of two systems under any metric.

    Parameters
    ----------
    sample : Sample
        Statistics of the segments of two systems.
    documents : array of int
        The document of each segment.
    """
    from detectable.inference.randomization import swap_parts

    pair = [(0, 1)]
    [whole], [alone] = (
        swap_parts(one, pair) for one in (sample.by_document(documents), sample)
    )
    return DocumentSpread.of_estimate(
        whole.estimate(), whole.shares, alone.estimate(), sample.n_units
    )


def judged_spread(
    judgments: "Judgments",
    pairs: Sequence[tuple[str, str]],
    *,
    n_raters: int,
    residual_variance: float,
    slope_variance: float,
) -> DocumentSpread | None:
    """Return how documents differ in judgments of two systems; None where nobody named documents.

    Of several pairs the mean. The difference of an item is the mean over its raters, so that with
    more raters than in the pilot it has less noise; what raters differ about the systems stays.

    Parameters
    ----------
    judgments : Judgments
        Of one evaluation.
    n_raters : int
        Raters of every item in the evaluation that is planned.
    residual_variance : float
        Noise of one judgment.
    slope_variance : float
        Between raters, of half the difference of two systems.
    """
    cells = judgments.cells()
    if cells.document is None:
        return None
    matched = cells.matched(pairs)
    if not matched.item.size:
        matched = cells.matched(pairs, within="item")
    if not matched.item.size:
        raise DataError(
            "no two systems of the pilot were judged on the same item, so that it shows no "
            "difference. Give `unit='item'`."
        )
    units = matched.units("document")
    found = []
    for k in range(matched.n_pairs):
        own = slice(int(units.starts[k]), int(units.starts[k + 1]))
        d = units.d[own]
        if d.size < 2:
            continue
        raters = (int(matched.starts[k + 1]) - int(matched.starts[k])) / d.size
        before, after = (2.0 * residual_variance / r for r in (raters, n_raters))
        found.append(DocumentSpread.of_pilot(d, units.cluster[own]).with_noise(before, after))
    spread = DocumentSpread.typical(found)
    return replace(spread, rater_variance=4.0 * slope_variance / n_raters, n_raters=n_raters)
