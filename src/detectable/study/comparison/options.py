"""The choices of a comparison, checked; how the data complete them stands in `settings`."""

from collections.abc import Mapping
from dataclasses import dataclass

from detectable.core import choices
from detectable.core.errors import InputError
from detectable.core.options import alpha, check_settings, option, power, resamples_of_family

OF_DRAWS = ("percentile", "basic", "bca")  # intervals that need bootstrap draws


@dataclass(frozen=True, slots=True, kw_only=True)
class CompareSettings:
    """How to compare; see `compare` for what each choice means."""

    claim: choices.Claim = option("better", "What is to be shown; the last two need --margin.")
    test: choices.CompareTest = option(
        "auto", "Swap outputs (auto: t where units are few), or resample."
    )
    interval: choices.IntervalMethod = option(
        "test", "That of the test, by t, or from bootstrap draws."
    )
    runs: choices.Runs = option(
        "auto", "A sample of possible runs, or these runs; auto: random where all have two."
    )
    run_variance: choices.RunVariance = option(
        "own", "Between runs: of each system, or one for all."
    )
    correction: choices.PairCorrection = option("auto", "For testing several pairs.")
    family: choices.CorrectionFamily = option("systems", "What the correction covers.")
    unit: choices.CompareUnit = option(
        "auto", "What is independent; auto: documents where known."
    )
    allow_early_stop: bool = option(
        False, "Compare what logs hold whose runs were stopped early."
    )
    compat: choices.Compat | None = option(None, "Another tool's test.")
    tasks: choices.Tasks = option(
        "fixed", "Of several tasks: these, others like them, or all items together."
    )
    weights: choices.TaskWeights | Mapping[str, float] = "macro"
    task_correction: choices.TaskCorrection = option("holm", "For testing several tasks.")
    n_resamples: int | None = resamples_of_family("Swaps or resamples")
    median_by: choices.MedianBy = option(
        "test", "Scores that choose the run to read; dev: --dev-scores."
    )
    n_examples: int = option(3, "Segments to read, each way.", flag="--examples", least=0)
    alpha: float = alpha()
    power: float = power()

    def __post_init__(self) -> None:
        check_settings(self)
        if self.claim != "better" and self.test == "bootstrap":
            raise InputError(
                f"`test='bootstrap'` does not go with `claim={self.claim!r}`: it tests no margin. "
                "Drop it, or use `test='randomization'` or `test='t'`."
            )
        if self.claim != "better" and self.interval != "test":
            raise InputError(
                f"`interval={self.interval!r}` does not go with `claim={self.claim!r}`, whose "
                "interval is that of its own test. Drop one of them."
            )
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
        if self.unit == "auto":
            object.__setattr__(self, "unit", "segment")
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
        for choice, given in taken.items():
            if given:
                raise InputError(
                    f"`{choice}` takes all items together, and the data hold {n_tasks} tasks with a "
                    "weight each. Drop it, or use `tasks='pooled'`."
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
