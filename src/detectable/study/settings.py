"""The settings of studies that have few of them, each declared once.

They stand apart from their studies because ``--help`` shows them: nothing heavy is imported.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from detectable.core import choices
from detectable.core.errors import InputError
from detectable.core.options import alpha, check_settings, option, power

if TYPE_CHECKING:
    import numpy as np

_FEWEST_DRAWS = 100  # from which a covariance can be had
FEWEST_LABELS = 10  # a slope from fewer is no slope


@dataclass(frozen=True, slots=True, kw_only=True)
class _Checked:
    """Settings that are checked when they are made."""

    def __post_init__(self) -> None:
        check_settings(self)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReliabilitySettings(_Checked):
    """How to look for the number of documents; see `reliability` for what each choice means."""

    method: choices.CurveMethod = option(
        "poisson", "Curves: Poisson weights, multinomial, or closed form."
    )
    fit: choices.PowerFit = option("log", "Of the power law: line through logs, or NLS.")
    epsilon: float = option(
        1e-4,
        "Of x_max: fall of the relative spread, a fraction, per document.",
        kind="positive",
    )
    close_to: float = option(
        0.005,
        "Settled: relative spread within this of that of all documents, a fraction.",
        kind="positive",
    )
    order: choices.DocumentOrder = option(
        "given", "Of the documents in the curves; random: two orders."
    )
    rater_weights: choices.RaterWeights = option(
        "equal", "Of three judgments or more: alike, or less the further from the others."
    )
    chart_system: tuple[str, ...] = option(
        (), "Systems of the figures of Estrella et al. (default: best to worst; repeatable)."
    )
    chart_metric: tuple[str, ...] = option(
        (), "Measures of these figures (default: the first; repeatable)."
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

    pooled: choices.Pooled = option(
        "within-system",
        "Total variance: within systems, of all scores, or the mean of the systems' own.",
    )
    repeats: choices.CellRepeats = option(
        "mean", "Several scores of one rater for one translation."
    )
    unit: choices.JudgmentUnit = option(
        "auto", "What is left out beside raters; auto: documents, or items without them."
    )
    alpha: float = alpha()


@dataclass(frozen=True, slots=True, kw_only=True)
class AgreementSettings(_Checked):
    """How the agreement of raters is measured; see `agreement`."""

    level: choices.AgreementLevel = option(
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

    target: choices.Target = option(
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

    test: choices.CheckTest = option(
        "paired-t", "The rule of WMT; Wilcoxon's; Appraise's, which ignores the pairing."
    )
    correction: choices.CheckCorrection = option(
        "none", "Which p-value decides, as several raters are tested."
    )
    against: choices.CheckAgainst = option(
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

    kind: choices.TaskKind = option("segment", "Single sentences, or documents in order.")
    assignment: choices.Assignment = option(
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
    unit: choices.DegradeUnit = option(
        "auto",
        "What is replaced in degraded copies; auto: by the script of the references.",
        flag="--replace",
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class SelectSettings(_Checked):
    """How to choose what people judge; see `select`."""

    n_items: int | None = option(
        None, "What may be judged, in items of mean length; whole documents where known."
    )
    by: choices.SelectBy = option(
        "auto",
        "auto: by the metric where judgments show that this saves, else at random.",
    )
    floor: float = option(0.5, "Share of the budget that is spread evenly.", kind="share")
    cost: choices.SelectCost = option(
        "auto", "What an item costs: half fixed, half by its length; or one like another."
    )
    steps: int = option(
        1, "2: a third at random first, the rest once that was judged (--continue).", most=2
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class GateSettings(_Checked):
    """What a gate must be told beforehand; see `gate`."""

    rule: choices.GateRule = option(
        "non-inferiority", "What lets it pass; the first and last need --margin."
    )
    watch: tuple[str, ...] = option(
        (), "Show it, without a say (repeatable).", metavar="METRIC"
    )
    watch_tasks: tuple[str, ...] = option(
        (), "Show it, without a say (repeatable).", flag="--watch-task", metavar="TASK"
    )
    tasks: tuple[str, ...] = option(
        (), "Gate this task and no other (repeatable).", flag="--task", metavar="TASK"
    )
    metric: str | None = option(
        None, "pass@K or pass^K of right and wrong answers.", metavar="pass@K"
    )
    overall: choices.Overall | None = option(
        None, "Also the mean over tasks: all tasks alike, or by questions."
    )
    decide: choices.Decides = option(
        "tasks", "Which rows decide; under overall a task that is worse still fails."
    )
    inconclusive: choices.Inconclusive | None = option(
        None, "Exit as after a pass or a fail where it is open (default: exit 4)."
    )
    allow_different_items: bool = option(
        False, "Go on with the questions in both, even if they are below 90 %."
    )
    allow_early_stop: bool = option(
        False, "Show tasks that something else than a plan stopped early, without a say."
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
class ScoreSettings(_Checked):
    """What of one system is scored; see `score`."""

    metric: str | None = option(
        None, "pass@K or pass^K of right and wrong answers.", metavar="pass@K"
    )
    tasks: tuple[str, ...] = option(
        (), "Score this task and no other (repeatable).", flag="--task", metavar="TASK"
    )
    overall: choices.Overall | None = option(
        None, "Also the mean over tasks: all tasks alike, or by questions."
    )
    alpha: float = alpha()


@dataclass(frozen=True, slots=True, kw_only=True)
class ArenaSettings:
    """Checked settings, and the generator of random numbers."""

    ties: choices.TieRule = option("half", "A tie is half a win, modelled, or dropped.")
    cluster: choices.VoteCluster = option(
        "auto", "What is independent; auto: prompts and voters, where they repeat."
    )
    side: choices.SideEffect = option(
        "auto", "Estimate the effect of the first place; auto: if known."
    )
    covariates: tuple[str, ...] = option(
        (),
        "What else may sway voters: columns NAME_a and NAME_b (repeatable).",
        flag="--covariate",
        metavar="NAME",
    )
    adjusted: choices.AdjustedStrengths = option(
        "shown",
        "Strengths without side and covariates are shown beside the others, or decide.",
    )
    weights: choices.VoteWeights = option(
        "votes", "Every vote counts alike, or every pair of systems."
    )
    penalty: choices.Penalty = option("none", "firth: finite strengths for unbeaten systems.")
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


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanSettings(_Checked):
    """What is fixed before the data; see `plan`."""

    baseline: str | None = option(
        None, "Compare all others with this one (default: all pairs)."
    )
    n_max: int | None = option(
        None,
        "Items (per system, if the test is unpaired) at which it ends at the latest.",
        least=2,
    )
    question: str = option("", "What it is for, in your words.", shown=False)
    test: choices.PlanTest | None = option(
        None, "How (default: paired-mean; of the preset rank-sum)."
    )
    preset: choices.DesignPreset | None = option(
        None, "Three looks of wei2022: Pocock's bounds, giving up where p > .5, rank-sum."
    )
    unit: choices.JudgmentUnit = option(
        "auto", "What is independent; auto: documents where they are named, else items."
    )
    claim: choices.Claim = option(
        "better", "What is to be shown of a system; better is two-sided unless --sided 1."
    )
    margin: float | None = option(
        None,
        "Of non-inferior or equivalent, in points; with --against the loss to be ruled out.",
    )
    alpha: float = alpha()
    sd: float | None = option(
        None,
        "Of the difference of two outputs (default: a fifth of the scale; 0.3 if unpaired; 0/1: √½).",
        kind="positive",
    )
    agreement: float | None = option(
        None, "Instead of --sd, for 0/1 scores: share of items both get right or wrong."
    )
    baseline_accuracy: float | None = option(
        None, "Instead of --sd, for 0/1 scores that agree only by chance: share that is right."
    )
    effect: float | None = option(None, "A true difference to state the power for.")
    cost_per_judgment: float | None = option(
        None, "Price of one judgment.", flag="--cost", kind="positive"
    )
    budget: float | None = option(
        None, "What may be spent; --n-max must fit or follows.", kind="positive"
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditSettings(_Checked):
    """What is asked of past evaluations; see `audit`."""

    kind: choices.AuditKind = option("auto", "What FILE holds; auto tells it by the columns.")
    by: str | None = option(
        None,
        "Group the comparisons of an archive: campaign, language-pair, any column, file.",
    )
    only: tuple[str, ...] = option((), "Take only this group of --by: ENU-FRA (repeatable).")
    target_difference: float | None = option(
        None,
        "True difference that should be seen (default: the typical one of FILE).",
        kind="positive",
    )
    unit: choices.JudgmentUnit = option(
        "auto", "What is independent in the paired test of judgments."
    )
    prior: choices.Prior | Any = option(
        None,
        "How often two systems of a benchmark agree: as on glue (default), as the pairs of FILE.",
        or_file=True,
    )
    agreement: float | None = option(None, "Instead of --prior: one share for all tasks.")
    n_items: int | None = option(
        None, "For a benchmark: items of the test set, without a column.", flag="--n"
    )
    pairs_n: int | None = option(None, "Items of development data, where --pairs counts them.")
    at_least: float | None = option(
        None, "For a survey: leave out studies with a smaller effect."
    )
    item_sd: float | None = option(
        None, "For a survey: SD of the difference that one item shows."
    )
    preset: choices.LikertPreset | None = option(
        None, "For a survey, instead of --item-sd (default: card-high)."
    )
    n_raters: int | None = option(
        None, "For a survey: raters of every item (default: 3).", flag="--raters"
    )
    alpha: float = alpha()
    power: float = power()


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelSettings(_Checked):
    """What labels are for, and what is known of the judge; see `labels`."""

    half_width: float | None = option(
        None, "Of the interval of one system's mean.", kind="positive"
    )
    mde: float | None = option(
        None, "Or: the difference of two systems that is to be found.", kind="positive"
    )
    sd: float | None = option(
        None, "Of human scores; of their differences with --mde.", kind="positive"
    )
    correlation: float | None = option(
        None, "Of human scores and judge; of differences with --mde."
    )
    quality_share: float | None = option(
        None,
        "Share of quality in the variance of a judgment: --correlation is with true quality.",
        kind="probability",
    )
    n_pool: int | None = option(
        None, "Items that the judge scores (default: no limit).", least=FEWEST_LABELS
    )
    target: choices.Target = option("domain", "All texts like these, or the items of the pool.")
    alpha: float = alpha()
    power: float = power()
