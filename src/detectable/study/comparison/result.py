"""The answer of `compare`: scores, differences, verdicts, and what to read by hand."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from detectable.core.interval import Interval
from detectable.core.result import Result
from detectable.core.verdict import Verdict, could_have_seen, in_numbers, in_words
from detectable.core.wording import count, listing, number, p_statement, p_value


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
class Naive:
    """What a common but wrong analysis would have said."""

    method: str
    p_value: float


@dataclass(frozen=True, slots=True, kw_only=True)
class PairComparison:
    """One system against one baseline under one metric; differences are system − baseline."""

    metric: str
    system: str
    baseline: str
    difference: float
    interval: Interval  # of this difference alone; p_adjusted carries the correction
    standard_error: float
    p_value: float
    p_adjusted: float
    p_equivalence: float  # adjusted; nan without a margin
    mde: float  # smallest difference found with the asked power, at the corrected level
    units_needed: int | None  # for the difference that the user named
    runs_needed: int | None  # likewise, with runs as random; None also where no number suffices
    mde_many_runs: float  # the floor that more runs cannot lower; nan with fixed runs
    verdict: Verdict
    naive: Naive | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Agreement:
    """How far two metrics order the systems alike."""

    metrics: tuple[str, str]
    same_order: int  # pairs of systems that both metrics order alike
    pairs: int
    conflicts: tuple[str, ...]  # tested pairs with opposite verdicts


@dataclass(frozen=True, slots=True, kw_only=True)
class Contrast:
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
    """Several systems compared under several metrics."""

    metrics: tuple[Mapping[str, Any], ...]
    systems: tuple[SystemScore, ...]
    pairs: tuple[PairComparison, ...]
    groups: Mapping[str, tuple[tuple[str, ...], ...]]  # per metric, best first
    agreement: tuple[Agreement, ...]
    contrasts: tuple[Contrast, ...]
    unit: Literal["segment", "document"]
    n_units: int
    n_segments: int
    alpha: float
    power: float
    margin: Mapping[str, float]
    effect: Mapping[str, float]
    notes: tuple[str, ...] = field(default=())

    def summary(self) -> str:
        """Say every verdict in one sentence each."""
        return "\n".join(self.sentence(pair) for pair in self.pairs)

    def about(self, metric: str) -> Mapping[str, Any]:
        """Return label, direction, decimals and signature of a metric."""
        return next(m for m in self.metrics if m["metric"] == metric)

    def digits(self, metric: str) -> int:
        """Return the number of decimals that make sense for a metric."""
        return int(self.about(metric)["digits"])

    def label(self, metric: str) -> str:
        """Return what to call a metric in tables."""
        return str(self.about(metric)["label"])

    def sentence(self, pair: PairComparison) -> str:
        """Say one verdict in words first, numbers after."""
        digits = self.digits(pair.metric)
        margin = self.margin.get(pair.metric)
        words = in_words(
            pair.verdict,
            pair.system,
            pair.baseline,
            margin=None if margin is None else number(margin, digits=digits),
        )
        numbers = in_numbers(
            pair.difference,
            pair.interval,
            p=pair.p_adjusted,
            scale=self.label(pair.metric),
            digits=digits,
        )
        if pair.verdict != "undecided":
            return f"{words}: {numbers}."
        needs = ""
        if pair.units_needed is not None:
            wanted = number(self.effect[pair.metric], digits=digits)
            needs = f"{wanted} needs about {count(pair.units_needed, self.unit)}"
        remark = could_have_seen(pair.mde, power=self.power, digits=digits, needs=needs)
        return f"{words}: {numbers}. {remark}".rstrip()

    def disagreements(self) -> list[str]:
        """Name the pairs on which two metrics give opposite verdicts."""
        return [
            f"{self.label(a.metrics[0])} and {self.label(a.metrics[1])} disagree on {listing(list(a.conflicts))}"
            for a in self.agreement
            if a.conflicts
        ]

    def naive_remarks(self) -> list[str]:
        """Say where the common simpler analysis would have decided otherwise."""
        return [
            f"With {pair.naive.method}, {self.label(pair.metric)} of {pair.system} against {pair.baseline} "
            f"would have had {p_statement(pair.naive.p_value)} instead of "
            f"{p_value(pair.p_value)}."
            for pair in self.pairs
            if pair.naive is not None
            and (pair.naive.p_value <= self.alpha) != (pair.p_value <= self.alpha)
        ]
