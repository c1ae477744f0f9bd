"""What the control variates of a metric give: means, differences, and judgments saved."""

from dataclasses import dataclass

from detectable.core.choices import Target
from detectable.core.interval import Interval
from detectable.core.result import Result
from detectable.core.verdict import Verdict, in_numbers, in_words
from detectable.core.wording import number, p_statement


@dataclass(frozen=True, slots=True, kw_only=True)
class AdjustedMean:
    """A system's mean human score over the items of the pool, with and without the metric."""

    system: str
    mean: float
    standard_error: float
    df: float
    interval: Interval
    plain_mean: float
    plain_standard_error: float
    slope: float  # λ
    power_tuning: float  # λ as PPI++ counts it
    correlation: float  # with the mean judgment of an item
    n_items: int  # judged
    n_pool: int

    @property
    def saved(self) -> float:
        """Share of judgments saved: 1 - variance with the metric / variance without."""
        return saved(self.standard_error, self.plain_standard_error)


@dataclass(frozen=True, slots=True, kw_only=True)
class AdjustedDifference:
    """The difference of two systems, with and without the metric."""

    system: str
    baseline: str
    estimate: float
    standard_error: float
    df: float
    interval: Interval
    p_value: float
    p_adjusted: float  # Holm, over all pairs
    verdict: Verdict
    plain_estimate: float
    plain_standard_error: float
    plain_p_value: float
    plain_p_adjusted: float  # Holm, over all pairs without the metric
    correlation: float  # of the differences where items are shared, else NaN
    paired: bool  # computed on differences within items
    n_items: int  # judged for both if paired, else for either

    @property
    def saved(self) -> float:
        """Share of judgments saved for this difference."""
        return saved(self.standard_error, self.plain_standard_error)


@dataclass(frozen=True, slots=True, kw_only=True)
class ControlVariates(Result):
    """Means and differences of systems, corrected by an automatic metric.

    Attributes
    ----------
    correlation : float
        Of the metric and the mean judgment of an item, within systems.
    data_efficiency : float
        1 / (1 - correlation²): how many times as many judgments would be needed without the
        metric, if it were known on endless items.
    true_correlation : float
        Of the metric and the quality of an item, where `quality_share` was given, else NaN.
    true_data_efficiency : float
        From that correlation and the noise. Up to rounding the same number: not another gain.
    saved : float
        Share of judgments saved on the pairs as they are (on the means of a single system).
    """

    metric: str
    systems: tuple[AdjustedMean, ...]
    pairs: tuple[AdjustedDifference, ...]
    correlation: float
    data_efficiency: float
    quality_share: float | None
    true_correlation: float
    true_data_efficiency: float
    saved: float
    target: Target
    unit: str
    alpha: float
    notes: tuple[str, ...]

    def summary(self) -> str:
        """Say what the metric saves, then who is better."""
        many = (
            f"With {self.metric} the same precision takes {self.saved:.0%} fewer judgments"
            if self.saved >= 0.005
            else f"{self.metric} saves no judgments here"
        )
        lines = [
            f"{many} (correlation {number(self.correlation)} within systems, data efficiency "
            f"{number(self.data_efficiency)})."
        ]
        lines += [self.sentence(pair) for pair in self.pairs]
        return "\n".join(lines)

    def sentence(self, pair: AdjustedDifference) -> str:
        """Say one comparison; both p-values are corrected for all pairs."""
        words = in_words(pair.verdict, pair.system, pair.baseline)
        numbers = in_numbers(pair.estimate, pair.interval, p=pair.p_adjusted)
        return (
            f"{words}: {numbers} (without the metric {number(pair.plain_estimate, sign=True)}, "
            f"{p_statement(pair.plain_p_adjusted)})."
        )


def saved(error: float, plain: float) -> float:
    """Return 1 - (error / plain)², the share of judgments that a smaller error is worth."""
    return 1.0 - (error / plain) ** 2 if plain > 0.0 else 0.0
