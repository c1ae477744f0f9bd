"""The choices of a comparison, checked once and written into its signature."""

from collections.abc import Mapping
from dataclasses import dataclass

from detectable.core import check
from detectable.core.choices import (
    Claim,
    CompareTest,
    CompareUnit,
    Compat,
    CorrectionFamily,
    IntervalMethod,
    PairCorrection,
    Runs,
    RunVariance,
    TaskCorrection,
    Tasks,
    TaskWeights,
)
from detectable.core.errors import InputError

OF_DRAWS = ("percentile", "basic", "bca")  # intervals that need bootstrap draws


@dataclass(frozen=True, slots=True, kw_only=True)
class CompareSettings:
    """How to compare; see `compare` for what each choice means."""

    test: CompareTest = "auto"
    interval: IntervalMethod = "test"
    runs: Runs = "auto"
    run_variance: RunVariance = "own"
    correction: PairCorrection = "auto"
    family: CorrectionFamily = "systems"
    unit: CompareUnit = "auto"
    compat: Compat | None = None
    claim: Claim = "better"
    alpha: float = 0.05
    power: float = 0.80
    n_resamples: int | None = None
    n_examples: int = 3
    tasks: Tasks = "fixed"
    weights: TaskWeights | Mapping[str, float] = "macro"
    task_correction: TaskCorrection = "holm"

    def __post_init__(self) -> None:
        check.literal(self.test, CompareTest, "test")
        check.literal(self.interval, IntervalMethod, "interval")
        check.literal(self.runs, Runs, "runs")
        check.literal(self.run_variance, RunVariance, "run_variance")
        check.literal(self.correction, PairCorrection, "correction")
        check.literal(self.family, CorrectionFamily, "family")
        check.literal(self.unit, CompareUnit, "unit")
        check.literal(self.claim, Claim, "claim")
        check.literal(self.tasks, Tasks, "tasks")
        check.literal(self.task_correction, TaskCorrection, "task_correction")
        check.probability(self.alpha, "alpha")
        check.probability(self.power, "power")
        if self.n_resamples is not None:
            check.repetitions(self.n_resamples, "n_resamples")
        check.positive_int(self.n_examples, "n_examples", minimum=0)
        if self.claim != "better" and self.alpha >= 0.5:
            raise InputError(
                f"`alpha` must be below .5 for a claim about a margin, which is one-sided; got "
                f"{self.alpha:g}."
            )
        self._check_compat()
        if self.runs == "random":
            self._check_random_runs()

    def _check_compat(self) -> None:
        if self.compat is None:
            return
        check.literal(self.compat, Compat, "compat")
        if self.runs == "random" or self.correction == "max-t":
            raise InputError(
                f"`compat={self.compat!r}` fixes the test, so it goes with neither "
                "`runs='random'` nor `correction='max-t'`. Drop one of them."
            )
        if self.claim != "better":
            raise InputError(
                f"`compat={self.compat!r}` tests for a difference, so it does not go with "
                f"`claim={self.claim!r}`. Drop one of them."
            )
        if self.unit == "document":
            raise InputError(
                f"`compat={self.compat!r}` resamples segments; `unit='document'` does not fit."
            )
        if self.test == "t" or (self.compat == "multeval" and self.test == "bootstrap"):
            raise InputError(
                f"{'MultEval tests by randomization only' if self.compat == 'multeval' else 'sacreBLEU has no t test'}"
                f"; drop `test={self.test!r}`."
            )

    def _check_random_runs(self) -> None:
        """Refuse what resamples units only: it would say nothing about new runs."""
        for name, value, allowed in (
            ("test", self.test, ("auto", "t")),
            ("interval", self.interval, ("test", "delta")),
        ):
            if value not in allowed:
                raise InputError(
                    f"`{name}={value!r}` resamples units only, so it does not go with "
                    "`runs='random'`, which is a t test over units and runs. Drop one of them."
                )
        if self.correction == "max-t":
            raise InputError(
                "`correction='max-t'` needs resampled differences, and `runs='random'` is a t "
                "test. Use `correction='holm'`."
            )

    def check_tasks(self, n_tasks: int) -> None:
        """Refuse what takes all items together, where there are tasks to be weighted."""
        taken = {
            f"test={self.test!r}": self.test in ("randomization", "bootstrap"),
            f"interval={self.interval!r}": self.interval in OF_DRAWS,
            f"compat={self.compat!r}": self.compat is not None,
            "correction='max-t'": self.correction == "max-t",
            "runs='random'": self.runs == "random",
        }
        for option, given in taken.items():
            if given:
                raise InputError(
                    f"`{option}` takes all items together, and the data hold {n_tasks} tasks, whose "
                    "weighted mean is tested by t. Drop it, or use `tasks='pooled'`."
                )

    @property
    def only_these_runs(self) -> bool:
        """Whether something was asked for that says nothing about new runs."""
        return (
            self.runs == "fixed"
            or self.compat is not None
            or self.test in ("randomization", "bootstrap")
            or self.interval in OF_DRAWS
            or self.correction == "max-t"
        )

    @property
    def compat_test(self) -> str:
        """The other tool's test by name: it swaps unless it is asked to resample."""
        if self.compat == "multeval":
            return "multeval-randomization"
        return f"sacrebleu-{'bootstrap' if self.test == 'bootstrap' else 'randomization'}"

    @property
    def level(self) -> float:
        """The confidence level of intervals."""
        return 1.0 - self.alpha


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
