"""The answer of `compare`: scores, differences, verdicts, tasks and samples."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from detectable.contrasts.contrast import Alias, Contrast
from detectable.core.choices import Claim, CorrectionFamily, MedianBy
from detectable.core.interval import Interval
from detectable.core.result import ADDED, ADDED_IF_KNOWN, Result
from detectable.core.verdict import (
    Verdict,
)

if TYPE_CHECKING:
    from detectable.study.archive.meaning import PairMeaning
    from detectable.study.comparison.parts import DrawnRuns, Sampled, Standings, TaskRows
    from detectable.study.reverse_share import ReverseShare


@dataclass(frozen=True, slots=True, kw_only=True)
class Naive:
    """What a common but wrong analysis would have said."""

    method: str
    p_value: float


@dataclass(frozen=True, slots=True, kw_only=True)
class RunsClaim:
    """The same difference as a claim about the runs at hand, or about new runs."""

    p_value: float
    p_adjusted: float
    interval: Interval


@dataclass(frozen=True, slots=True, kw_only=True)
class PairComparison(Contrast):
    """One system against one baseline under one metric.

    Attributes
    ----------
    runs_needed : int or None
        For the named difference, with runs as random; None even where no number suffices.
    mde_many_runs : float
        The floor that more runs cannot lower; nan with fixed runs.
    these_runs, new_runs : RunsClaim or None
        With several runs, both claims: the verdict is about the one that `Comparison.runs` names.
    p_by_document : float
        By t over documents, where segments were tested although documents are known.
    """

    LAYOUT = """
        metric system baseline claim difference interval interval_level interval_alone
        standard_error df p_value p_adjusted p_equivalence attainable_p mde units_needed
        runs_needed mde_many_runs verdict naive p_by_document these_runs new_runs p_beyond
        n_differing
    """
    metric = Alias[str]("measure")

    verdict: Verdict
    runs_needed: int | None
    mde_many_runs: float
    naive: Naive | None
    p_by_document: float
    these_runs: RunsClaim | None
    new_runs: RunsClaim | None


# --- The answer of `compare`: scores, differences, verdicts, and what to read by hand ---

# Classes that few comparisons need stand elsewhere, so that others need not load them; who reads a
# result from a file finds them there.
LATE = {
    "DrawnRuns": "detectable.study.comparison.parts",
    "PairMeaning": "detectable.study.archive.meaning",
    "ReverseShare": "detectable.study.reverse_share",
    "Sampled": "detectable.study.comparison.parts",
    "Standings": "detectable.study.comparison.parts",
    "TaskRows": "detectable.study.comparison.parts",
}
ItemWord: TypeAlias = Literal["segment", "item"]


@dataclass(frozen=True, slots=True, kw_only=True)
class SystemScore:
    """One system under one metric."""

    system: str
    metric: str
    score: float  # mean over runs
    interval: Interval
    runs: tuple[float, ...]
    s_test: float  # over runs; nan with one run
    s_sel: float  # from the choice of test sentences
    s_dev: float  # over runs, on the development set; nan when not given
    median_run: int  # position in `runs`
    group: int | None  # rank group, 1 is best; None unless all pairs were tested


@dataclass(frozen=True, slots=True, kw_only=True)
class Influential:
    """A unit without which a pair would read otherwise.

    Attributes
    ----------
    name : str
        The document, or the segment.
    difference, p_adjusted : float
        Without it. p is nan where the pair is undecided anyway.
    decides : bool
        Whether the verdict hangs on it; else an undecided difference would change its sign, or
        fall to half.
    """

    metric: str
    system: str
    baseline: str
    unit: Literal["segment", "document"]
    name: str
    difference: float
    p_adjusted: float
    decides: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Agreement:
    """How far two metrics order the systems alike."""

    metrics: tuple[str, str]
    same_order: int  # pairs of systems that both metrics order alike
    pairs: int
    conflicts: tuple[str, ...]  # tested pairs with opposite verdicts


@dataclass(frozen=True, slots=True, kw_only=True)
class TellingUnit:
    """A segment or document in which two systems differ, for reading."""

    system: str
    baseline: str
    unit: Literal["segment", "document"]
    name: str  # line number, item or document
    contribution: float  # its part of the difference under the first metric
    source: str | None
    reference: str | None
    system_output: str | None
    baseline_output: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison(Result):
    """Several systems compared under several metrics.

    Attributes
    ----------
    test : {'swap', 't', 'bootstrap', 'compat'}
        Of the runs at hand; new runs are always tested by t.
    runs : {'fixed', 'random'}
        What the verdicts are about: the runs at hand, or the systems and any of their runs.
    correction : {'max-t', 'holm', 'none'}
        For testing several pairs.
    family : {'systems', 'systems-and-metrics'}
        What the correction covers: all pairs under one metric, or under all metrics.
    n_resamples : int
        Swaps or resamples behind the test; all there are, if `exact`.
    influential : tuple of Influential
        Pairs that hang on one document or segment.
    samples : Sampled or None
        Where items have several samples: their noise, and what more of them could do.
    tasks : TaskRows or None
        Where there are several: a row for each. Scores and pairs then are weighted means.
    item_word : {'segment', 'item'}
        What `unit` calls a segment: "segment" for texts, "item" for scores, as a question of a log.
    drawn_runs : tuple of DrawnRuns
        What fewer runs would have said, where that was asked.
    median_by : {'test', 'dev'}
        The scores that chose `median_run`.
    reverse : ReverseShare or None
        How much of the data was created in reverse, and what changes without it; None where the
        original languages are not known.
    standings : Standings or None
        Of three systems or more on several tasks, all pairs tested: which ranks each may have, and who
        may be best in each task.
    meanings : tuple of PairMeaning
        What the differences of the pairs meant to people, in their order; empty where that was not
        asked, or no metric of translations is compared.
    """

    metrics: tuple[Mapping[str, Any], ...]
    systems: tuple[SystemScore, ...]
    pairs: tuple[PairComparison, ...]
    groups: Mapping[str, tuple[tuple[str, ...], ...]]  # per metric, best first
    agreement: tuple[Agreement, ...]
    contrasts: tuple[TellingUnit, ...]
    influential: tuple[Influential, ...]
    unit: Literal["segment", "document"]
    n_units: int
    n_segments: int
    n_runs: Mapping[str, int]
    test: str
    runs: Literal["fixed", "random"]
    correction: str
    family: CorrectionFamily
    n_resamples: int | None
    exact: bool
    claim: Claim
    alpha: float
    power: float
    margin: Mapping[str, float]
    effect: Mapping[str, float]
    notes: tuple[str, ...] = field(default=())
    samples: "Sampled | None" = None
    tasks: "TaskRows | None" = None
    item_word: ItemWord = "segment"
    drawn_runs: "tuple[DrawnRuns, ...]" = ()
    median_by: MedianBy = "test"
    reverse: "ReverseShare | None" = field(default=None, metadata=ADDED_IF_KNOWN)
    standings: "Standings | None" = field(default=None, metadata=ADDED_IF_KNOWN)
    meanings: "tuple[PairMeaning, ...]" = field(default=(), metadata=ADDED)

    def to_dict(self) -> dict[str, Any]:
        """Return JSON-ready values; nothing about samples, tasks or drawn runs where there are none.

        What differences meant to people stands with each pair.
        """
        plain = super(Comparison, self).to_dict()
        for pair, found in zip(plain["pairs"], plain.pop("meanings"), strict=False):
            pair["meaning"], pair["meaning_reason"] = found["meaning"], found["reason"]
        usual: dict[str, Any] = {
            "samples": None,
            "tasks": None,
            "item_word": "segment",
            "drawn_runs": [],
            "median_by": "test",
        }
        return {
            key: value
            for key, value in plain.items()
            if key not in usual or value != usual[key]
        }

    def meaning_of(self, pair: PairComparison) -> "PairMeaning | None":
        """Return what the difference of a pair meant to people, or why that is not known."""
        known = (pair.metric, pair.system, pair.baseline)
        return next(
            (one for one in self.meanings if (one.metric, one.system, one.baseline) == known),
            None,
        )

    @property
    def unit_word(self) -> str:
        """What the data call the unit: a segment of a text, an item of scores, or a document."""
        return self.item_word if self.unit == "segment" else self.unit

    def about(self, metric: str) -> Mapping[str, Any]:
        """Return label, direction, decimals and signature of a metric."""
        return next(m for m in self.metrics if m["metric"] == metric)

    def digits(self, metric: str) -> int:
        """Return the number of decimals that make sense for a metric."""
        return int(self.about(metric)["digits"])

    def label(self, metric: str) -> str:
        """Return what to call a metric in tables."""
        return str(self.about(metric)["label"])

    @property
    def family_size(self) -> int:
        """The number of tests that are corrected together."""
        if self.family == "systems-and-metrics":
            return len(self.pairs)
        return len(self.pairs) // len(self.metrics)
