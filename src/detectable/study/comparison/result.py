"""The answer of `compare`: scores, differences, verdicts, tasks and samples."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from detectable.core.choices import Claim, CorrectionFamily, TaskCorrection, Tasks
from detectable.core.interval import Interval
from detectable.core.result import ADDED, Result
from detectable.core.verdict import (
    Verdict,
    could_have_seen,
    in_numbers,
    in_words,
    margin_could_have_been,
    would_make_differ,
)
from detectable.core.wording import count, decimals, listing, number, p_statement, p_value
from detectable.core.wording import interval as in_brackets
from detectable.inference.few_units import (
    cannot_reject,
    choose_test,
    few_differ,
    smallest_p,
    too_few_draws,
    too_few_to_swap,
)


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
class PairComparison:
    """One system against one baseline under one metric; differences are system − baseline.

    Attributes
    ----------
    claim : {'better', 'non-inferior', 'equivalent'}
        What p-values and verdict are about.
    interval : Interval
        It shows the verdict. Corrected like p where several pairs are tested, for all pairs
        together; at 1 − 2α for a claim about a margin, which it then keeps or does not.
    interval_alone : Interval
        Of this pair by itself, uncorrected.
    p_value, p_adjusted : float
        Of the claim, alone and corrected. The verdict goes by the corrected one.
    p_equivalence : float
        Of «within ±margin», corrected; nan without a margin.
    attainable_p : float
        The smallest corrected p that such data can give.
    mde : float
        Smallest true difference that this very test finds with the asked power; nan where it can
        find nothing. For a claim about a margin: the smallest margin that equal systems would be
        shown to keep.
    units_needed : int or None
        For the difference that the user named; without one, where the test can find nothing, the
        number of units at which it could.
    runs_needed : int or None
        For the named difference, with runs as random; None also where no number suffices.
    mde_many_runs : float
        The floor that more runs cannot lower; nan with fixed runs.
    these_runs, new_runs : RunsClaim or None
        With several runs, both claims: the verdict is about the one that `Comparison.runs` names.
    p_by_document : float
        By t over documents, where segments were tested although documents are known.
    p_beyond : float
        Of a claim about a margin: of «not worse by more than it», or «not beyond it on either
        side», corrected. Small where the verdict is inferior or superior.
    n_differing : int or None
        Units in which the systems differ, where a test swaps them: ties say nothing there.
    """

    metric: str
    system: str
    baseline: str
    claim: Claim
    difference: float
    interval: Interval
    interval_level: float
    interval_alone: Interval
    standard_error: float
    df: float
    p_value: float
    p_adjusted: float
    p_equivalence: float
    attainable_p: float
    mde: float
    units_needed: int | None
    runs_needed: int | None
    mde_many_runs: float
    verdict: Verdict
    naive: Naive | None
    p_by_document: float
    these_runs: RunsClaim | None
    new_runs: RunsClaim | None
    p_beyond: float = field(default=math.nan, metadata=ADDED)
    n_differing: int | None = field(default=None, metadata=ADDED)

    @property
    def p_of_verdict(self) -> float:
        """The p-value of what the verdict says."""
        if self.verdict in ("inferior", "superior"):
            return self.p_beyond
        return self.p_equivalence if self.verdict == "equivalent" else self.p_adjusted


# --- The answer of `compare`: scores, differences, verdicts, and what to read by hand ---

# What only comparisons of scores hold; who reads a result from a file finds the classes here.
LATE = {
    "Sampled": "detectable.study.comparison.result",
    "TaskRows": "detectable.study.comparison.result",
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
        What `unit` calls a segment: so it is of texts; of scores it is an item, as a question of a log.
    """

    metrics: tuple[Mapping[str, Any], ...]
    systems: tuple[SystemScore, ...]
    pairs: tuple[PairComparison, ...]
    groups: Mapping[str, tuple[tuple[str, ...], ...]]  # per metric, best first
    agreement: tuple[Agreement, ...]
    contrasts: tuple[Contrast, ...]
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

    def to_dict(self) -> dict[str, Any]:
        """Return JSON-ready values; nothing about samples or tasks where there are none."""
        plain = super(Comparison, self).to_dict()
        usual = {"samples": None, "tasks": None, "item_word": "segment"}
        return {
            key: value
            for key, value in plain.items()
            if key not in usual or value != usual[key]
        }

    @property
    def unit_word(self) -> str:
        """What the data call the unit: a segment of a text, an item of scores, or a document."""
        return self.item_word if self.unit == "segment" else self.unit

    def summary(self) -> str:
        """Say every verdict in one sentence each, and what they do not cover."""
        said = [self.sentence(pair) for pair in self.pairs]
        said += [sentence for sentence in (self.design(), self.scope()) if sentence]
        said += [self.hangs_on(found) for found in self.influential if found.decides]
        return "\n".join(said)

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

    def design(self) -> str:
        """Say which test so few units were given, where it was not the usual one."""
        asked = choose_test(self.n_units, self.alpha) != "t"  # although it could be swapped
        if self.test != "t" or self.runs == "random" or asked or self.tasks is not None:
            return ""
        df = sorted(pair.df for pair in self.pairs)[len(self.pairs) // 2]
        return too_few_to_swap(self.n_units, self.unit_word, self.alpha, df)

    def scope(self) -> str:
        """Say what one run of a system cannot show, and which tasks are spoken of."""
        said = [] if self.tasks is None else [self.tasks.scope()]
        if self.samples is not None:
            said.append("One run per system: says nothing about another training run.")
        elif all(n == 1 for n in self.n_runs.values()):
            said.append(
                "One run per system: says nothing about another training or sampling run."
            )
        return " ".join(said)

    def sentence(self, pair: PairComparison) -> str:
        """Say one verdict in words first, numbers after."""
        digits = self.digits(pair.metric)
        numbers = in_numbers(
            pair.difference,
            pair.interval,
            p=pair.p_of_verdict,
            scale=self.label(pair.metric),
            digits=digits,
            alpha=self.alpha,
        )
        return f"{self._words(pair)}: {self._evidence(pair, numbers)}"

    def headline(self, pair: PairComparison) -> str:
        """Say one verdict in one short sentence."""
        words = self._words(pair)
        if pair.verdict == "undecided":  # else it begins with a name, which stays as it is
            words = f"{words[0].upper()}{words[1:]}"
        shown = number(pair.difference, digits=self.digits(pair.metric), sign=True)
        return f"{words}: {shown} {self.label(pair.metric)}."

    def evidence(self, pair: PairComparison) -> str:
        """Say what a headline leaves out: interval, p-value, runs, and what could be seen."""
        shown = in_brackets(pair.interval, digits=self.digits(pair.metric), sign=True)
        p = pair.p_of_verdict
        stated = "" if math.isnan(p) else f", {p_statement(p)}"
        return self._evidence(pair, f"{pair.interval_level:.0%} interval {shown}{stated}")

    def _words(self, pair: PairComparison) -> str:
        margin = self.margin.get(pair.metric)
        return in_words(
            pair.verdict,
            pair.system,
            pair.baseline,
            claim=pair.claim,
            margin=None if margin is None else number(margin, digits=decimals(margin)),
        )

    def _evidence(self, pair: PairComparison, numbers: str) -> str:
        digits = self.digits(pair.metric)
        if pair.these_runs is not None and pair.new_runs is not None:
            numbers = f"{numbers}{self._both_runs(pair, digits)}"
        unequal = pair.claim == "better" and pair.p_adjusted <= self.alpha
        if pair.verdict == "equivalent" and unequal:
            numbers = f"{numbers} (and not equal: {p_statement(pair.p_adjusted)})"
        said = [f"{numbers}."]
        if pair.these_runs is not None and pair.new_runs is not None:
            said.append(self._other_runs(pair))
        said.append(self._could(pair))
        return " ".join(part for part in said if part)

    def _both_runs(self, pair: PairComparison, digits: int) -> str:
        other = pair.these_runs if self.runs == "random" else pair.new_runs
        if other is None or pair.claim != "better":
            return " for new runs" if self.runs == "random" else " for these runs"
        own, name = ("new", "these") if self.runs == "random" else ("these", "new")
        shown = in_brackets(other.interval, digits=digits, sign=True)
        return f" for {own} runs; {name} runs {shown}, {p_statement(other.p_adjusted)}"

    def _other_runs(self, pair: PairComparison) -> str:
        """Say where the runs at hand differ although the systems may not."""
        if pair.claim != "better" or pair.these_runs is None or pair.new_runs is None:
            return ""
        ahead = pair.these_runs.p_adjusted <= self.alpha < pair.new_runs.p_adjusted
        if not ahead:
            return ""
        higher = self.about(pair.metric)["higher_is_better"]
        leads = (pair.difference > 0.0) == (higher is not False)
        runs = count(self.n_runs[pair.system], "run")
        return (
            f"These {runs} of {pair.system} are {'ahead' if leads else 'behind'}, other runs might "
            "not be."
        )

    def _could(self, pair: PairComparison) -> str:
        """Say what this evaluation would have found, and what the named effect needs."""
        digits = self.digits(pair.metric)
        needs = self.needed(pair)
        if pair.verdict != "undecided":
            return _sentence(needs)
        if pair.attainable_p > self.alpha and pair.mde == pair.mde:
            few = few_differ(
                pair.n_differing or 0, self.n_units, self.unit_word, pair.attainable_p
            )
            more = would_make_differ(pair.mde, self.unit_word, power=self.power, digits=digits)
            return " ".join(part for part in (few, more, _sentence(needs)) if part)
        if pair.attainable_p > self.alpha and pair.n_differing != 0:
            return self._cannot(pair)
        if pair.standard_error == 0.0:
            return f"The difference is the same in every {self.unit_word}: there is no spread to test."
        if math.isnan(pair.mde):
            # The largest statistic of all pairs may reach as far as so few units can: see max-T.
            what = "difference" if pair.claim == "better" else "margin"
            return (
                f"No {what} of any size could have been shown with "
                f"{count(self.n_units, self.unit_word)}."
            )
        if pair.claim != "better":
            return margin_could_have_been(pair.mde, power=self.power, digits=digits)
        return could_have_seen(pair.mde, power=self.power, digits=digits, needs=needs)

    def _cannot(self, pair: PairComparison) -> str:
        """Say that the test can reject nothing: for want of units, or of swaps."""
        drawn = None if self.exact else self.n_resamples
        tests = float(self.family_size) if self.correction == "holm" else 1.0
        # On one side of a margin no unit is a tie, and older files know of none.
        if pair.claim != "better" or pair.n_differing is None:
            tests = pair.attainable_p / smallest_p(self.n_units, drawn)
        if self.test in ("swap", "mcnemar") and tests * smallest_p(self.n_units) > self.alpha:
            return cannot_reject(
                self.n_units,
                self.unit_word,
                self.alpha / tests,
                alpha=self.alpha,
                pairs=self.family_size,
            )
        return too_few_draws(
            self.n_resamples or 0,
            "swap" if self.test == "swap" else "resample",
            alpha=self.alpha,
            smallest=pair.attainable_p,
        )

    def needed(self, pair: PairComparison) -> str:
        """Say how much data would show the difference that the user named."""
        effect = self.effect.get(pair.metric)
        if effect is None:
            return ""
        wanted = number(effect, digits=max(decimals(effect), self.digits(pair.metric)))
        parts = [count(pair.units_needed, self.unit_word)] if pair.units_needed else []
        parts += [count(pair.runs_needed, "run")] if pair.runs_needed else []
        if not parts:
            return "" if self.runs == "fixed" else f"{wanted} needs a larger test set"
        return f"{wanted} needs about {' and '.join(parts)}"

    def hangs_on(self, found: Influential) -> str:
        """Say what would be said without one unit."""
        digits = self.digits(found.metric)
        shown = number(found.difference, digits=digits, sign=True)
        who = f"{found.system} − {found.baseline}"
        what = self.item_word if found.unit == "segment" else found.unit
        without = f"Without {what} {found.name} the difference {who} in"
        if found.decides:
            return (
                f"{without} {self.label(found.metric)} would be undecided ({shown}, "
                f"{p_statement(found.p_adjusted)})."
            )
        return f"{without} {self.label(found.metric)} would be {shown}."

    def disagreements(self) -> list[str]:
        """Name the pairs on which two metrics give opposite verdicts."""
        return [
            f"{self.label(a.metrics[0])} and {self.label(a.metrics[1])} disagree on {listing(list(a.conflicts))}"
            for a in self.agreement
            if a.conflicts
        ]

    def _before_correction(self, pair: PairComparison) -> str:
        """Say that a p-value is not yet the one of the table, where it is not."""
        if self.family_size == 1 or p_value(pair.p_value) == p_value(pair.p_adjusted):
            return ""
        tests = count(self.family_size, "test")
        return f", both before the correction for {tests} ({p_statement(pair.p_adjusted)} after it)"

    def naive_remarks(self) -> list[str]:
        """Say where the common simpler analysis would have decided otherwise."""
        return [
            f"With {pair.naive.method}, {self.label(pair.metric)} of {pair.system} against {pair.baseline} "
            f"would have had {p_statement(pair.naive.p_value)} instead of "
            f"{p_statement(pair.p_value)}{self._before_correction(pair)}."
            for pair in self.pairs
            if pair.naive is not None
            and pair.claim == "better"
            and (pair.naive.p_value <= self.alpha) != (pair.p_value <= self.alpha)
        ]


def _sentence(words: str) -> str:
    return f"{words[0].upper()}{words[1:]}." if words else ""


# --- What a comparison says about its tasks: the rows of a table, one per task ---


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskRow:
    """One pair under one metric in one task, by t over its units.

    Attributes
    ----------
    score, baseline_score : float
        In this task.
    interval : Interval
        Corrected for all tasks of the pair, like `p_adjusted`.
    n_segments, n_units : int
        Items, and what was taken as independent.
    weight : float
        In the weighted mean.
    """

    task: str
    metric: str
    system: str
    baseline: str
    claim: Claim
    score: float
    baseline_score: float
    difference: float
    standard_error: float
    df: float
    interval: Interval
    p_value: float
    p_adjusted: float
    mde: float
    verdict: Verdict
    n_segments: int
    n_units: int
    weight: float
    p_beyond: float = field(default=math.nan, metadata=ADDED)


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskRows:
    """What a comparison says about its tasks.

    Attributes
    ----------
    kind : {'fixed', 'random'}
        Whether the weighted mean is about these tasks, or about others like them.
    weighting : {'macro', 'items', 'given'}
        Tasks weigh alike, by their items, or as the user said.
    correction : {'holm', 'benjamini-hochberg', 'none'}
        Over the tasks of a pair.
    """

    kind: Tasks
    weighting: str
    correction: TaskCorrection
    names: tuple[str, ...]
    rows: tuple[TaskRow, ...]

    def scope(self) -> str:
        """Say what the weighted mean is about."""
        how = {
            "macro": "each weighs the same",
            "items": "each weighs by its items",
            "given": "with the weights given",
        }[self.weighting]
        about = "other tasks like these" if self.kind == "random" else "these tasks"
        return (
            f"The mean of {len(self.names)} tasks ({how}), tested by t: a claim about {about}."
        )


# --- What a comparison says about samples of an item: the rows of two tables ---


@dataclass(frozen=True, slots=True, kw_only=True)
class SystemSamples:
    """The samples of one system.

    Attributes
    ----------
    score : float
        The mean over items of the mean of their samples; items weigh alike.
    n_samples : int
        In all; `fewest` and `most` of an item.
    missing_share : float
        Of samples that should be there.
    standard_error, standard_error_clusters, standard_error_these : float
        Of the score: for other items like these, for other documents (with C/(C − 1)), for other
        samples of these very items.
    standard_error_rows : float
        What counting every sample as an item would say.
    variance_items, variance_samples : float
        Between items, and between samples of an item.
    """

    system: str
    score: float
    n_items: int
    n_samples: int
    fewest: int
    most: int
    missing_share: float
    n_clusters: int | None
    standard_error: float
    standard_error_clusters: float
    standard_error_these: float
    standard_error_rows: float
    variance_items: float
    variance_samples: float


@dataclass(frozen=True, slots=True, kw_only=True)
class PairSamples:
    """One pair under one mean.

    Attributes
    ----------
    variance_differences : float
        Of true differences between items: ω², without the noise of sampling.
    mde_many_samples : float
        The floor: what endless samples of these items would find; only more items lower it. NaN
        where the noise of sampling explains all that is seen between items, so that no floor is.
    """

    metric: str
    system: str
    baseline: str
    variance_differences: float
    mde_many_samples: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Sampled:
    """What a comparison says about samples."""

    systems: tuple[SystemSamples, ...]
    pairs: tuple[PairSamples, ...]
