"""The choices of a comparison, checked once and written into its signature."""

from collections.abc import Mapping
from dataclasses import dataclass

from detectable.core import check
from detectable.core.choices import (
    CompareCorrection,
    CompareTest,
    CompareUnit,
    Compat,
    CorrectionFamily,
    IntervalMethod,
    Runs,
)
from detectable.core.errors import InputError


@dataclass(frozen=True, slots=True, kw_only=True)
class CompareSettings:
    """How to compare; see `compare` for what each choice means."""

    test: CompareTest = "randomization"
    interval: IntervalMethod = "delta"
    runs: Runs = "fixed"
    correction: CompareCorrection = "holm"
    family: CorrectionFamily = "systems"
    unit: CompareUnit = "auto"
    compat: Compat | None = None
    alpha: float = 0.05
    power: float = 0.80
    n_resamples: int = 10_000
    n_examples: int = 3

    def __post_init__(self) -> None:
        check.literal(self.test, CompareTest, "test")
        check.literal(self.interval, IntervalMethod, "interval")
        check.literal(self.runs, Runs, "runs")
        check.literal(self.correction, CompareCorrection, "correction")
        check.literal(self.family, CorrectionFamily, "family")
        check.literal(self.unit, CompareUnit, "unit")
        check.probability(self.alpha, "alpha")
        check.probability(self.power, "power")
        check.positive_int(self.n_resamples, "n_resamples")
        check.positive_int(self.n_examples, "n_examples", minimum=0)
        self._check_combinations()

    def _check_combinations(self) -> None:
        if self.compat is not None:
            check.literal(self.compat, Compat, "compat")
            if self.runs == "random" or self.correction == "max-t":
                raise InputError(
                    f"`compat={self.compat!r}` fixes the test, so it goes with neither "
                    "`runs='random'` nor `correction='max-t'`. Drop one of them."
                )
            if self.unit == "document":
                raise InputError(
                    f"`compat={self.compat!r}` resamples segments; `unit='document'` does not fit."
                )
        if self.compat == "multeval" and self.test == "bootstrap":
            raise InputError("MultEval tests by randomization only; drop `test='bootstrap'`.")
        if self.runs == "random":
            self._check_random_runs()

    def _check_random_runs(self) -> None:
        """Refuse what resamples units only: it would say nothing about new runs."""
        for name, value, allowed in (
            ("test", self.test, "randomization"),
            ("interval", self.interval, "delta"),
        ):
            if value != allowed:
                raise InputError(
                    f"`{name}={value!r}` resamples units only, so it does not go with "
                    "`runs='random'`, which is a t test over units and runs. Drop one of them."
                )
        if self.correction == "max-t":
            raise InputError(
                "`correction='max-t'` needs resampled differences, and `runs='random'` is a t "
                "test. Use `correction='holm'`."
            )

    @property
    def level(self) -> float:
        """The confidence level of intervals."""
        return 1.0 - self.alpha

    def for_signature(self) -> dict[str, str | int | float]:
        """Return the choices that make the numbers."""
        test = f"{self.compat}-{self.test}" if self.compat else self.test
        two_way = self.runs == "random"
        return {
            "test": "t-two-way" if two_way else test,
            **({} if two_way else {"R": self.n_resamples}),
            "runs": self.runs,
            "interval": self.interval,
            "correction": self.correction,
            "family": self.family,
            "alpha": self.alpha,
            "power": self.power,
        }


def per_metric(
    value: float | Mapping[str, float] | None, metrics: tuple[str, ...], name: str
) -> dict[str, float]:
    """Return a positive number per metric; one number serves one metric only.

    Metrics have different scales, so a margin of 0.5 cannot mean the same for two of them.
    """
    if value is None:
        return {}
    if not isinstance(value, Mapping):
        if len(metrics) > 1:
            raise InputError(
                f"`{name}` must name its metric when there are several; got {value!r} for "
                f"{', '.join(metrics)}. Write {name}={{'{metrics[0]}': {value!r}}}."
            )
        value = {metrics[0]: value}
    for metric in value:
        check.one_of(metric, metrics, f"{name} of metric")
    return {metric: check.positive(number, f"{name}") for metric, number in value.items()}
