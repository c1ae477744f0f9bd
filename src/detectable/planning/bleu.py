"""BLEU and any corpus metric: the Delta-Laplace model of what swapping one output does."""

import math
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, ClassVar, TypeAlias

import numpy as np
from numpy.typing import NDArray

from detectable.core import check
from detectable.core.choices import PilotUnit
from detectable.core.errors import InputError
from detectable.core.options import check_settings
from detectable.core.types import FloatArray, Seed
from detectable.kernels.distributions import noncentral_t_below, normal_quantile
from detectable.planning.closed_forms import normal_power
from detectable.planning.options import CARD_B0, CARD_P0, BleuOptions
from detectable.planning.scenario import INDEPENDENT, Closed, Scenario, Trials

if TYPE_CHECKING:
    from detectable.data.scores.scores import Scores
    from detectable.data.texts.corpus import Corpus
    from detectable.metrics.base import Metric
    from detectable.planning.documents import AssumedDocuments, DocumentSpread
    from detectable.planning.swap_effects import SwapFit

# Differences in BLEU of all pairs of the ten systems of WMT21 ru-en, 107 documents of 9.3 segments:
# 0.7 to 2.0, half of them between 1.06 and 1.39. chrF: 1.3 in the median.
_TYPICAL = 1.2
_ADDITIVE = 0.05  # a slope further from 1 than this is worth a note

# Swap effects of every trial, and the signs of the randomization test, shared by a block.
Swaps: TypeAlias = tuple[FloatArray, NDArray[np.float32]]


@dataclass(frozen=True, slots=True)
class Bleu(BleuOptions, Scenario):
    r"""A corpus metric of two systems on the same segments, by approximate randomization.

    Swapping the outputs of segment i changes the score difference by :math:`\delta_i`: by 0
    with chance `p0`, else by a Laplace variable [1]_ with

    .. math:: \mu = -\frac{2 D}{n (1 - p_0)}, \qquad b = \frac{b_0}{n}.

    If swaps add up, the difference is :math:`-\tfrac12 \sum_i \delta_i` and the randomization
    test is a sign-flip test of the :math:`\delta_i`. Its statistic is Student's t up to a
    monotone map, so with :math:`m = (1-p_0)\mu` and :math:`v = (1-p_0)(2b^2 + \mu^2) - m^2`

    .. math:: \text{power} \approx P\left(T_{n-1}(|m|\sqrt{n/v}) >
       z\sqrt{(n-1)/(n-z^2)}\right),

    a noncentral t. Type-M and Type-S use the normal distribution of the difference. The
    simulation (``simulate=True``) runs the randomization test itself.

    Parameters
    ----------
    p0 : float
        Share of segments whose swap changes nothing. Default: the average of card2020.
    b0 : float
        Laplace scale of the other swaps, times n, in points of the metric: n · sd/√2. Default:
        likewise. card2020 took it from mean distances from the median, which is the same for
        Laplace swaps.
    n_resamples : int
        Sign patterns per simulated test.
    report : SwapFit, optional
        Where the parameters come from, if they were fitted.
    documents : DocumentSpread or AssumedDocuments, optional
        How documents differ: then `n_items` counts documents, and the test is t.

    References
    ----------
    .. [1] Card et al. (2020), "With little power comes great responsibility", section 4 and
       Table 3.

    Examples
    --------
    >>> round(Bleu().closed_form(2000, 1.0, alpha=0.05).power, 3)
    0.747
    """

    n_resamples: int = 1000
    report: "SwapFit | None" = field(default=None, repr=False, compare=False)
    documents: "DocumentSpread | AssumedDocuments | None" = field(default=None, repr=False)

    unit: ClassVar[str] = "segment"
    scale: ClassVar[str] = "difference in points of the metric"

    def __post_init__(self) -> None:
        if not 0.0 <= self.p0 < 1.0:
            raise InputError(
                f"`p0` must lie between 0 and 1, below 1; got {self.p0!r}: some swap must change "
                "the score."
            )
        check_settings(self)
        check.repetitions(self.n_resamples, "n_resamples")

    @classmethod
    def fit(
        cls,
        data: "Corpus | Scores",
        metric: "Metric | str",
        *,
        system: str,
        baseline: str,
        unit: PilotUnit = "auto",
        rng: Seed = None,
    ) -> "Bleu":
        """Estimate `p0` and `b0` from two real outputs, and see how far swaps add up.

        `b0` is n · sd/√2 of the swaps that change something: the Laplace scale with their
        variance, which is what power depends on. See `fit_swaps`; what it found, the kurtosis of
        the swaps too, is the `report` of the scenario. Where documents are known, documents are
        planned, unless `unit` is ``'item'``.

        Examples
        --------
        >>> from detectable.data.example.bundled import example_corpus
        >>> names = list(example_corpus().systems)
        >>> fitted = Bleu.fit(
        ...     example_corpus(), "bleu", system=names[1], baseline=names[0], unit="item", rng=1
        ... )
        >>> 0.0 <= fitted.p0 < 1.0 and fitted.report.n_items == example_corpus().n_segments
        True
        """
        from detectable.planning.documents import (
            chosen_documents,
            document_codes,
            scored_spread,
        )
        from detectable.planning.swap_effects import fit_swaps, pair_sample

        found = fit_swaps(data, metric, system=system, baseline=baseline, rng=rng)
        fitted = cls(p0=found.p0, b0=found.b0, report=found)
        documents = chosen_documents(data.documents, unit)
        if documents is None:
            return fitted
        sample = pair_sample(data, metric, (system, baseline))
        codes = document_codes(documents, sample.n_units)
        return replace(fitted, documents=scored_spread(sample, codes))

    def notes(self, n_items: int, effect: float, *, alpha: float) -> tuple[str, ...]:  # noqa: ARG002
        """Return what there is to say of the outputs."""
        return self.pilot_notes(effect)

    def pilot_notes(self, effect: float) -> tuple[str, ...]:  # noqa: ARG002 (for any effect)
        """Say so where the fitted outputs break the assumption that swaps add up."""
        if self.report is None or abs(self.report.additivity_slope - 1.0) <= _ADDITIVE:
            return ()
        return (
            "swaps do not add up in the outputs that the scenario was fitted to: together they "
            f"change the score by {self.report.additivity_slope:.3f} times the sum of their "
            "effects.",
        )

    def item_variance(self, effect: float) -> float:
        """Return n times the variance of the difference with n segments."""
        return self.standard_error(1, effect) ** 2

    def assumptions(self, effect: float) -> tuple[str, ...]:  # noqa: ARG002 (for any effect)
        """Return the two parameters, and that segments stand alone."""
        usual = (self.p0, self.b0) == (CARD_P0, CARD_B0)
        source = " (the averages of card2020, for BLEU)" if usual else ""
        if self.report is not None:
            source = " (of the outputs given)"
        return (
            f"P0 = {self.p0:.3g} and b0 = {self.b0:.3g}{source}",
            f"{INDEPENDENT}segments, which those of documents are not: WMT21 needs {_TYPICAL:g} "
            "times as many (median design effect of 45 pairs of systems, at most 2)",
        )

    def typical_effect(self, n_items: int) -> float:
        """Return about the detectable effect."""
        return 2.8 * self.standard_error(n_items, 0.0)

    def largest_n(self) -> int:
        """Return a hundred million segments."""
        return 100_000_000

    def standard_error(self, n_items: int, effect: float) -> float:
        """Return the spread of the observed difference, in points of the metric."""
        changed = 1.0 - self.p0
        mu = 2.0 * effect / (n_items * changed)
        b = self.b0 / n_items
        variance = changed * (2.0 * b * b + mu * mu) - (changed * mu) ** 2
        return 0.5 * math.sqrt(n_items * variance)

    def closed_form(self, n_items: int, effect: float, *, alpha: float) -> Closed:
        """Return the power from the noncentral t distribution."""
        z, distance = normal_quantile(1.0 - alpha / 2.0), abs(effect)
        if n_items <= z * z:  # even flips that all agree are not that rare
            return Closed(0.0, math.nan, math.nan, "closed-form")
        spread = self.standard_error(n_items, effect)
        errors = normal_power(distance, spread, z * spread)
        critical = z * math.sqrt((n_items - 1.0) / (n_items - z * z))
        shift = distance / spread
        right = 1.0 - noncentral_t_below(critical, n_items - 1.0, shift)
        if not math.isfinite(right):  # the series gives up far out, where power is 1
            right = errors.power
        return Closed(right, errors.type_m, errors.type_s, "closed-form")

    def block_trials(self, n_items: int) -> int:
        """Return how many trials share the signs of one block."""
        return max(16, min(256, 2_000_000 // n_items))

    def draw(
        self, n_items: int, effect: float, *, trials: int, rng: np.random.Generator
    ) -> Swaps:
        """Return swap effects of every trial, and random signs for the test."""
        mean = -2.0 * effect / (n_items * (1.0 - self.p0))
        swaps = rng.laplace(mean, self.b0 / n_items, size=(trials, n_items))
        swaps *= rng.random((trials, n_items)) >= self.p0
        heads = rng.integers(2, size=(n_items, self.n_resamples), dtype=np.int8)
        return swaps, np.float32(1.0) - np.float32(2.0) * heads.astype(np.float32)

    def analyse(self, data: Swaps, *, alpha: float) -> Trials:  # noqa: ARG002 (p-values suffice)
        r"""Apply the modified randomization test: flip the signs of the swap effects.

        The trials of a block share their sign patterns, which leaves every single test valid
        and makes all of them one matrix product. Single precision is enough: swap effects are
        continuous, so that sums are never close enough to tie.
        """
        swaps, signs = data
        observed = -0.5 * swaps.sum(axis=1)
        flipped = np.abs(swaps.astype(np.float32) @ signs)
        extreme = (flipped >= 2.0 * np.abs(observed)[:, None]).sum(axis=1)
        return Trials(observed, (extreme + 1.0) / (signs.shape[1] + 1.0))
