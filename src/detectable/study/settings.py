"""The settings of studies, each declared once.

They stand apart from their studies because ``--help`` shows them: nothing heavy is imported.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from detectable.core.choices import (
    AgreementLevel,
    Assignment,
    CellRepeats,
    CheckAgainst,
    CheckCorrection,
    CheckTest,
    Claim,
    CompareTest,
    CompareUnit,
    Compat,
    CorrectionFamily,
    CurveMethod,
    DegradeUnit,
    GateRule,
    Inconclusive,
    IntervalMethod,
    JudgmentUnit,
    PairCorrection,
    Penalty,
    Pooled,
    PowerFit,
    Runs,
    RunVariance,
    SideEffect,
    Target,
    TaskCorrection,
    TaskKind,
    Tasks,
    TaskWeights,
    TieRule,
    VoteCluster,
    VoteWeights,
)
from detectable.core.errors import InputError
from detectable.core.options import alpha, check_settings, option, power, resamples_of_family

if TYPE_CHECKING:
    import numpy as np

_FEWEST_DRAWS = 100  # from which a covariance can be had


@dataclass(frozen=True, slots=True, kw_only=True)
class _Checked:
    """Settings that are checked when they are made."""

    def __post_init__(self) -> None:
        check_settings(self)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReliabilitySettings(_Checked):
    """How to look for the number of documents; see `reliability` for what each choice means."""

    method: CurveMethod = option(
        "poisson", "Curves: Poisson weights, multinomial, or closed form."
    )
    fit: PowerFit = option("log", "Of the power law: line through logs, or NLS.")
    epsilon: float = option(
        1e-4,
        "Of x_max: fall of the relative spread, a fraction, per document.",
        kind="positive",
    )
    # The ends of a 5–95 % band need a hundred.
    orders: int = option(200, "Random orders of the documents.", least=100)
    n_resamples: int = option(
        1_500, "Bootstrap, for each number of documents.", flag="--resamples", least=2
    )
    alpha: float = alpha()
    power: float = power()

    @property
    def level(self) -> float:
        """The confidence level of intervals."""
        return 1.0 - self.alpha


@dataclass(frozen=True, slots=True, kw_only=True)
class VarianceSettings(_Checked):
    """How the variance of judgments is split; see `variance_components`."""

    pooled: Pooled = option(
        "within-system",
        "Total variance: within systems, of all scores, or the mean of the systems' own.",
    )
    repeats: CellRepeats = option("mean", "Several scores of one rater for one translation.")
    unit: JudgmentUnit = option(
        "auto", "What is left out beside raters; auto: documents, or items without them."
    )
    alpha: float = alpha()


@dataclass(frozen=True, slots=True, kw_only=True)
class AgreementSettings(_Checked):
    """How the agreement of raters is measured; see `agreement`."""

    level: AgreementLevel = option(
        "interval",
        "How scores are compared: squared difference, rank, or same and not same.",
    )
    min_overlap: int = option(
        10, "Translations that two raters must share for a correlation.", least=3
    )
    alpha: float = alpha()


@dataclass(frozen=True, slots=True, kw_only=True)
class ControlVariatesSettings(_Checked):
    """What a metric or a judge corrects; see `control_variates`."""

    target: Target = option(
        "domain", "Means over all texts like these, or over the items with metric scores."
    )
    quality_share: float | None = option(
        None,
        "Share of quality in the variance of a judgment, from `detectable variance`; with "
        "--target test-set only quality is known once it is judged.",
    )
    alpha: float = alpha()


@dataclass(frozen=True, slots=True, kw_only=True)
class QualitySettings(_Checked):
    """How raters are tested by degraded copies; see `quality_control`."""

    test: CheckTest = option(
        "paired-t", "The rule of WMT; Wilcoxon's; Appraise's, which ignores the pairing."
    )
    correction: CheckCorrection = option(
        "none", "Which p-value decides, as several raters are tested."
    )
    against: CheckAgainst = option(
        "original",
        "What a copy is compared with; neighbours: for tasks of documents, the lines beside it.",
    )
    effect: float | None = option(
        None,
        "Points by which a careful rater lowers a degraded copy (default: from the data).",
        kind="positive",
    )
    alpha: float = alpha()


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskSettings(_Checked):
    """What is judged, by whom, in which form; see `make_tasks`."""

    kind: TaskKind = option("segment", "Single sentences, or documents in order.")
    assignment: Assignment = option(
        "paired", "All systems of a sentence or document to one rater, or as it comes."
    )
    n_items: int | None = option(
        None,
        "Lines to draw, whole documents at a time where they are known (default: all).",
    )
    per_task: int = option(100, "Texts in a task, at most.")
    raters: int | None = option(None, "How many raters share the tasks.")
    overlap: float = option(
        0.0,
        "Share of the lines that a second rater judges too: 0.1 for agreement and variance.",
    )
    unit: DegradeUnit = option(
        "auto",
        "What is replaced in degraded copies; auto: by the script of the references.",
        flag="--replace",
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class GateSettings(_Checked):
    """What a gate must be told beforehand; see `gate`."""

    rule: GateRule = option(
        "non-inferiority", "What lets it pass; the first and last need --margin."
    )
    watch: tuple[str, ...] = option(
        (), "Show it, without a say (repeatable).", metavar="METRIC"
    )
    watch_tasks: tuple[str, ...] = option(
        (), "Show it, without a say (repeatable).", flag="--watch-task", metavar="TASK"
    )
    inconclusive: Inconclusive | None = option(
        None, "Exit as after a pass or a fail where it is open (default: exit 4)."
    )
    allow_different_items: bool = option(
        False, "Go on with the questions in both, even if they are below 90 %."
    )
    attempt: int | None = option(
        None, "This is the Nth try of one candidate: tested at alpha / 2^N.", metavar="N"
    )
    self_test: bool = option(False, "Say how often an unchanged system would pass, fail, flip.")
    n_resamples: int = option(
        2000,
        "Evaluations that --self-test simulates.",
        flag="--resamples",
        kind="repetitions",
    )
    alpha: float = alpha()
    power: float = power()


@dataclass(frozen=True, slots=True, kw_only=True)
class ArenaSettings:
    """Checked settings, and the generator of random numbers."""

    ties: TieRule = option("half", "A tie is half a win, modelled, or dropped.")
    cluster: VoteCluster = option(
        "auto", "What is independent; auto: prompts and voters, where they repeat."
    )
    side: SideEffect = option("auto", "Estimate the effect of the first place; auto: if known.")
    covariates: tuple[str, ...] = option(
        (),
        "What else may sway voters: columns NAME_a and NAME_b (repeatable).",
        flag="--covariate",
        metavar="NAME",
    )
    weights: VoteWeights = option("votes", "Every vote counts alike, or every pair of systems.")
    penalty: Penalty = option("none", "firth: finite strengths for unbeaten systems.")
    cap_voter: float | None = option(
        None,
        "No voter counts more than K times the median voter.",
        metavar="K",
        kind="positive",
    )
    bootstrap: int = option(
        0,
        "Draws of the Bayesian bootstrap for standard errors; 0: sandwich.",
        least=0,
        most=100_000,
    )
    effect: float = option(
        20.0, "A gap in points of Elo, for the votes needed.", kind="positive"
    )
    between: tuple[str, str] | None = None
    alpha: float = alpha()
    power: float = power()
    rng: "np.random.Generator"

    def __post_init__(self) -> None:
        check_settings(self)
        if self.between is not None and len(set(self.between)) != 2:
            raise InputError(
                f"`between` must name two systems; got {', '.join(self.between) or 'none'}."
            )
        if self.firth and self.ties in ("davidson", "rao-kupper"):
            raise InputError(
                f"penalty='firth' does not go with ties='{self.ties}'. Choose ties='half' or "
                "ties='drop'."
            )
        if self.firth and self.bootstrap:
            raise InputError("`bootstrap` does not go with penalty='firth'. Leave one out.")
        if 0 < self.bootstrap < _FEWEST_DRAWS:
            raise InputError(
                f"`bootstrap` must be 0 or at least {_FEWEST_DRAWS} draws; got {self.bootstrap}. Fewer "
                "say little about a covariance."
            )

    @property
    def firth(self) -> bool:
        """Whether Firth's penalty was asked for."""
        return self.penalty == "firth"


# --- Of comparisons; how the data complete them stands in `comparison.settings` ---

OF_DRAWS = ("percentile", "basic", "bca")  # intervals that need bootstrap draws


@dataclass(frozen=True, slots=True, kw_only=True)
class CompareSettings:
    """How to compare; see `compare` for what each choice means."""

    claim: Claim = option("better", "What is to be shown; the last two need --margin.")
    test: CompareTest = option(
        "auto", "Swap outputs (auto: t where units are few), or resample."
    )
    interval: IntervalMethod = option(
        "test", "That of the test, by t, or from bootstrap draws."
    )
    runs: Runs = option(
        "auto", "A sample of possible runs, or these runs; auto: random where all have two."
    )
    run_variance: RunVariance = option("own", "Between runs: of each system, or one for all.")
    correction: PairCorrection = option("auto", "For testing several pairs.")
    family: CorrectionFamily = option("systems", "What the correction covers.")
    unit: CompareUnit = option("auto", "What is independent; auto: documents where known.")
    compat: Compat | None = option(None, "Another tool's test.")
    tasks: Tasks = option(
        "fixed", "Of several tasks: these, others like them, or all items together."
    )
    weights: TaskWeights | Mapping[str, float] = "macro"
    task_correction: TaskCorrection = option("holm", "For testing several tasks.")
    n_resamples: int | None = resamples_of_family("Swaps or resamples")
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
