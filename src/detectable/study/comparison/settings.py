"""The choices of a comparison: completed by the design, and written into its signature."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

import numpy as np

from detectable.contrasts.analysis import Cells, Pairs, families, family_sizes
from detectable.core import check
from detectable.core.errors import InputError
from detectable.core.result import Signature
from detectable.core.types import FloatArray, IntArray
from detectable.core.wording import count
from detectable.inference.few_units import choose_test, enumerable, resample_count
from detectable.inference.randomization import MetricParts, SwapParts
from detectable.study.comparison.measure import Measured
from detectable.study.comparison.options import OF_DRAWS, CompareSettings

if TYPE_CHECKING:
    from detectable.contrasts.margins import KnownRange
    from detectable.inference.document_size import SizeTrend


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


# --- How a comparison is tested: what the settings leave open follows from the design ---

UnitTest: TypeAlias = Literal["swap", "mcnemar", "score", "t", "bootstrap", "compat"]
Correction: TypeAlias = Literal["max-t", "holm", "none"]

_OF_OTHER_TOOLS = 10_000
_FEWEST_TO_RESAMPLE = 20  # below, bootstrap intervals miss 8 to 16 % of cases instead of 5


class Chosen(NamedTuple):
    """What is done, after the data are known; it does not depend on their scores.

    Attributes
    ----------
    test : {'swap', 'mcnemar', 'score', 't', 'bootstrap', 'compat'}
        Of the runs at hand. McNemar's exact test is that by all swaps, of right and wrong answers
        to independent items: it is counted and never drawn. Claims about a margin go by the score
        rule, unless swaps or t were asked for.
    runs : {'random', 'fixed'}
        What the verdict is about: systems, or the runs at hand.
    correction : {'max-t', 'holm', 'none'}
        Of the test of the runs at hand; that of new runs is Holm's wherever it is max-T.
    family_size : int
        Tests that are corrected together.
    n_resamples : int
        Swaps or resamples, where they are drawn.
    """

    test: UnitTest
    runs: Literal["random", "fixed"]
    correction: Correction
    family_size: int
    n_resamples: int
    exact: bool
    n_units: int

    @property
    def draws(self) -> bool:
        """Whether the test draws random numbers."""
        return self.test in ("swap", "bootstrap", "compat")

    @property
    def n_patterns(self) -> int:
        """Swaps other than the data themselves."""
        return 2 ** (self.n_units - 1) - 1 if self.exact else self.n_resamples

    @property
    def stepwise(self) -> Correction:
        """The correction of p-values that have no joint null."""
        return "holm" if self.correction == "max-t" else self.correction


def choose(
    measured: Measured, n_pairs: int, settings: CompareSettings, *, margins: bool
) -> Chosen:
    """Resolve what was left open, or say what does not fit the data."""
    sample = measured.units[0]
    n_units = sample.n_units
    by_task = measured.tasks is not None
    size = n_pairs * (len(measured.units) if settings.family == "systems-and-metrics" else 1)
    runs: Literal["random", "fixed"] = "fixed"
    if not by_task:
        repeated = measured.n_samples is not None
        runs = _runs(sample.systems, sample.runs, settings, samples=repeated)
    test: UnitTest = "t" if by_task else _test(n_units, settings, measured.unit_word)
    # Only by request are 0/1 scores of several pairs swapped: max-T has no exact form.
    joint = settings.correction == "max-t" and size > 1
    swapped = settings.compat is None and settings.test in ("auto", "randomization")
    if settings.claim != "better" and settings.test == "auto" and runs == "fixed":
        test = test if test == "compat" else "score"
    elif swapped and not joint and all(measured.counted):
        test = "mcnemar"
    counted = any(measured.counted) and size > 1
    correction = _correction(test, settings, n_units, measured.unit_word, counted=counted)
    exact = test == "swap" and enumerable(n_units)
    stepwise = size if correction == "holm" else 1
    if margins and correction == "max-t":
        # Equivalence is corrected by Holm beside max-T. Its p-values are one-sided, half as large.
        stepwise = math.ceil(size / 2)
    return Chosen(
        test=test,
        runs=runs,
        correction=correction,
        family_size=size,
        n_resamples=_resamples(
            test,
            stepwise,
            settings,
            any_number=exact or test in ("t", "mcnemar", "score") or correction == "max-t",
        ),
        exact=exact or test == "mcnemar",
        n_units=n_units,
    )


def _test(n_units: int, settings: CompareSettings, unit: str) -> UnitTest:
    tested = settings.test == "bootstrap" and settings.compat is None
    if (tested or settings.interval in OF_DRAWS) and n_units < _FEWEST_TO_RESAMPLE:
        name = "test" if tested else "interval"
        raise InputError(
            f"`{name}={getattr(settings, name)!r}` resamples {unit}s, and {count(n_units, unit)} "
            f"are too few: below {_FEWEST_TO_RESAMPLE} such intervals miss far more often than "
            f"they say. Drop it: the default fits any number."
        )
    if settings.compat is not None:
        return "compat"
    if settings.test == "auto":
        return choose_test(n_units, settings.alpha)
    return "swap" if settings.test == "randomization" else settings.test


def _correction(
    test: UnitTest, settings: CompareSettings, n_units: int, unit: str, *, counted: bool
) -> Correction:
    """Return the correction: max-T of resampled differences, unless another was asked for.

    Claims about a margin have no joint null, as t tests and exact tests of answers have none; where
    some metrics of several pairs are counted, all are corrected alike.
    """
    joint = test in ("swap", "bootstrap") and settings.claim == "better"
    if settings.correction == "auto":
        return "max-t" if joint and not (test == "swap" and counted) else "holm"
    if test == "mcnemar" and settings.correction == "max-t":
        return "holm"  # of one test, which needs neither
    if settings.correction == "max-t" and not joint:
        why = f"{count(n_units, unit)} are tested by t"
        if settings.claim != "better":
            why = f"a margin has none for `claim={settings.claim!r}`"
        raise InputError(
            f"`correction='max-t'` needs swapped differences, and {why}. Use "
            "`correction='holm'`."
        )
    return settings.correction


def _runs(
    systems: tuple[str, ...],
    runs: tuple[int, ...],
    settings: CompareSettings,
    *,
    samples: bool,
) -> Literal["random", "fixed"]:
    if samples and settings.runs == "random":
        raise InputError(
            "`runs='random'` is about runs, and the scores hold samples of items: the second "
            "sample of one item has nothing in common with the second of another. Drop it; the "
            "spread of item means holds the noise of sampling already."
        )
    single = [name for name, n in zip(systems, runs, strict=True) if n < 2]
    if settings.runs == "random":
        if len(single) == len(systems):
            raise InputError(
                "`runs='random'` needs at least two runs of some system; all have one. Give more "
                "runs or use `runs='fixed'`."
            )
        return "random"
    if settings.only_these_runs or single:
        return "fixed"
    return "random"


def _resamples(
    test: UnitTest, n_stepwise: int, settings: CompareSettings, *, any_number: bool
) -> int:
    if test == "compat":
        return settings.n_resamples or _OF_OTHER_TOOLS
    return resample_count(
        settings.n_resamples, n_stepwise=n_stepwise, alpha=settings.alpha, exact=any_number
    )


# --- What is tested: the same for every way to test it ---


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """Systems, pairs and metrics, what is claimed of them, and how it is tested."""

    measured: Measured
    pairs: Pairs
    parts: MetricParts
    margins: FloatArray  # per metric; NaN where there is none
    settings: CompareSettings
    chosen: Chosen
    task_parts: list[list[list[SwapParts]]] = field(
        default_factory=list
    )  # [pair][metric][task]
    ranges: "tuple[KnownRange, ...]" = ()  # per metric

    @property
    def shape(self) -> tuple[int, int]:
        """Pairs and metrics."""
        return len(self.pairs), len(self.measured.units)

    @property
    def by_score(self) -> bool:
        """Whether margins go by the score rule: unless swaps or t were asked for."""
        return self.settings.test in ("auto", "bootstrap")

    @property
    def cells(self) -> Cells:
        """Every difference with its standard error; of tasks the weighted mean."""
        tasks = self.measured.tasks
        if tasks is None:
            return [[part.estimate() for part in row] for row in self.parts]
        return [[tasks.difference(parts) for parts in row] for row in self.task_parts]

    @property
    def groups(self) -> tuple[IntArray, ...]:
        """Columns that are corrected together."""
        return families(self.shape, self.settings.family)

    @property
    def growing(self) -> "dict[tuple[int, int], SizeTrend]":
        """Pairs whose difference changes with document size, where documents are swapped.

        Claims about a margin go by a statistic that does not ask documents to be alike.
        """
        swapped = self.chosen.test == "swap" and self.chosen.runs == "fixed"
        by_document = self.measured.unit == "document" and self.settings.claim == "better"
        if not (swapped and by_document):
            return {}
        from detectable.inference.document_size import size_trend

        trends = {
            (p, m): size_trend(part.parts, part.shares)
            for p, row in enumerate(self.parts)
            for m, part in enumerate(row)
        }
        return {cell: trend for cell, trend in trends.items() if trend.decides}

    @property
    def tests(self) -> FloatArray:
        """The number of tests that each cell is corrected for."""
        if self.chosen.correction == "none":
            return np.ones(self.shape)
        return family_sizes(self.shape, self.groups)


# --- What a comparison was made of, on one line that repeats it ---


def signature_of(question: Question, seed: str) -> Signature:
    """Return metrics, unit, test, runs, samples, tasks, correction and levels."""
    measured, settings, chosen = question.measured, question.settings, question.chosen
    metrics = "+".join(f"{s.metric.name}[{s.metric.signature()}]" for s in measured.units)
    test: str = settings.compat_test if settings.compat else chosen.test
    these_runs: dict[str, str] = {}
    correction: str = chosen.correction
    if chosen.runs == "random":  # the verdict is by t; the runs at hand are tested beside it
        test, these_runs, correction = "t-two-way", {"these-runs": test}, chosen.stepwise
    resampled: dict[str, str | int | float] = {}
    if chosen.draws:
        resampled = {"R": "all" if chosen.exact else chosen.n_resamples}
    facts: dict[str, str | int | float] = {
        "metrics": metrics,
        "systems": len(measured.systems),
        "unit": measured.unit,
        "n": measured.units[0].n_units,
        "claim": settings.claim,
        "test": test,
        **({"margin-test": "score"} if _equivalence_by_score(question) else {}),
        **these_runs,
        **resampled,
        "runs": chosen.runs,
        **_designs(question),
        **({"run-variance": "pooled"} if settings.run_variance == "pooled" else {}),
        "interval": settings.interval,
        "correction": correction,
        "family": settings.family,
        "alpha": settings.alpha,
        "power": settings.power,
    }
    # What is counted needs no seed, unless intervals are drawn beside it.
    drawn = chosen.test not in ("mcnemar", "score") or settings.interval in OF_DRAWS
    return Signature("compare", facts, seed if drawn else None)


def _equivalence_by_score(question: Question) -> bool:
    """Whether beside a test of “no difference” the margin has one of its own."""
    fixed = question.chosen.runs == "fixed" and question.measured.tasks is None
    asked = question.settings.claim == "better" and not bool(np.isnan(question.margins).all())
    return fixed and asked and question.by_score


def _designs(question: Question) -> dict[str, str | int | float]:
    """Return how many samples an item has, and how tasks are taken together."""
    found: dict[str, str | int | float] = {}
    measured, settings = question.measured, question.settings
    if measured.n_samples is not None:
        low, high = int(measured.n_samples.min()), int(measured.n_samples.max())
        found["samples"] = low if low == high else f"{low}-{high}"
    if measured.tasks is not None:
        given = settings.weights
        found["tasks"] = f"{len(measured.tasks.strata.names)} {settings.tasks}"
        found["weights"] = given if isinstance(given, str) else "given"
        found["task-correction"] = settings.task_correction
    return found
