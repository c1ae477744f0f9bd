"""Accuracy: two systems answer the same items (McNemar), or different ones; and how often they agree."""

import functools
import math
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, ClassVar, TypeAlias

import numpy as np

from detectable.core import check
from detectable.core.choices import AccuracyMethod
from detectable.core.errors import InputError
from detectable.core.options import check_settings
from detectable.core.types import ArrayLike, FloatArray, IntArray
from detectable.inference.classic_tests import sign_test_p
from detectable.kernels.distributions import normal_quantile
from detectable.planning.closed_forms import normal_power, sign_power
from detectable.planning.options import PRIORS, AccuracyOptions
from detectable.planning.scenario import (
    INDEPENDENT,
    Closed,
    EffectRange,
    Scenario,
    Settings,
    Trials,
)

if TYPE_CHECKING:
    from detectable.data.files.table import Table
    from detectable.planning.documents import AssumedDocuments, DocumentSpread

Counts: TypeAlias = tuple[IntArray, IntArray, int]  # wins, losses, items

_SMOOTH = 0.5  # with at least this share of agreement the saw-tooth is averaged out
_SMOOTH_SPREAD = 3.0  # and with at least this spread of the number of disagreements


@dataclass(frozen=True, slots=True)
class Accuracy(AccuracyOptions, Scenario):
    r"""Paired accuracy of two systems on the same items, by McNemar's exact test.

    Each item is answered correctly by the new system only with chance :math:`(p_d + D)/2`, by
    the baseline only with chance :math:`(p_d - D)/2`, where D is the difference in accuracy and
    :math:`p_d = 1 -` agreement the share of items on which exactly one of them is right [1]_.
    Power depends on D, :math:`p_d` and n alone; the baseline's accuracy limits what D can be.

    ``method="exact"`` enumerates the exact test; ``"normal"`` is the formula behind Table 2 of
    card2020, too optimistic by 1 to 3 % in the detectable effect:

    .. math:: \Phi\left(\frac{\sqrt n D - z_{1-\alpha/2} \sqrt{p_d}}{\sqrt{p_d - D^2}}\right).

    Parameters
    ----------
    agreement : float, optional
        Share of items on which both systems are right or both are wrong.
    baseline_accuracy : float, optional
        Accuracy of the system to beat. Needed with `prior`.
    prior : {'glue', 'squad', 'lachenbruch'}, file or table, optional
        Instead of `agreement`: what other systems did, or the middle of what is possible. A
        file or table of pairs of systems gives a regression of its own (`fit_agreement`).
    method : {'exact', 'normal'}
        The exact test, or the formula above.
    documents : DocumentSpread or AssumedDocuments, optional
        How documents differ: then `n_items` counts documents, and the test is t with documents as
        clusters.

    References
    ----------
    .. [1] Card et al. (2020), "With little power comes great responsibility", section 3 and
       appendix E.

    Examples
    --------
    >>> closed = Accuracy(agreement=0.975).closed_form(500, 0.02, alpha=0.05)
    >>> round(closed.power, 4), closed.method
    (0.7976, 'exact')
    """

    documents: "DocumentSpread | AssumedDocuments | None" = field(default=None, repr=False)
    # Of the prior: known by its name, fitted to its pairs; none of the middle of the possible.
    regression: "AgreementRegression | None" = field(default=None, repr=False)

    unit: ClassVar[str] = "item"
    scale: ClassVar[str] = "difference in accuracy"

    def __post_init__(self) -> None:
        check_settings(self)
        middle = isinstance(self.prior, str) and self.prior == "lachenbruch"
        if self.prior is not None and self.regression is None and not middle:
            name, found = agreement_prior(self.prior)
            object.__setattr__(self, "prior", name)
            object.__setattr__(self, "regression", found)
        _check_knowledge(self)

    @classmethod
    def from_predictions(
        cls,
        system: ArrayLike,
        baseline: ArrayLike,
        *,
        documents: Sequence[str] | None = None,
        method: AccuracyMethod = "exact",
    ) -> "Accuracy":
        """Take agreement and baseline accuracy from correctness (0 or 1) on validation items.

        With the document of each item, documents are planned: items of a document
        are right or wrong together, so that the exact test of items would promise too much.

        Examples
        --------
        >>> Accuracy.from_predictions([1, 1, 0, 1], [1, 0, 0, 1])
        Accuracy(agreement=0.75, baseline_accuracy=0.5, prior=None, method='exact')
        """
        ours, theirs = _correctness(system, "system"), _correctness(baseline, "baseline")
        if ours.size != theirs.size:
            raise InputError(
                f"`system` and `baseline` must hold the same items; got {ours.size} and "
                f"{theirs.size}."
            )
        if not (ours != theirs).any():
            raise InputError(
                "`system` and `baseline` must differ somewhere; got identical correctness on all "
                f"{ours.size} items, which says nothing about how often they will disagree."
            )
        made = cls(
            agreement=float((ours == theirs).mean()),
            baseline_accuracy=float(theirs.mean()),
            method=method,
        )
        if documents is None:
            return made
        from detectable.planning.documents import DocumentSpread, document_codes

        codes = document_codes(documents, ours.size)
        return replace(made, documents=DocumentSpread.of_pilot(ours - theirs, codes))

    def disagreement(self, effect: float) -> float:
        """Return the share of items on which exactly one system is right, for an effect."""
        if self.agreement is not None:
            return 1.0 - self.agreement
        baseline = self.baseline_accuracy or 0.0
        if self.regression is None:
            return lachenbruch_disagreement(baseline, effect)
        weaker = baseline + min(effect, 0.0)
        return self.regression.disagreement(weaker, effect)

    def effect_range(self, n_items: int) -> EffectRange:  # noqa: ARG002 (holds for any size)
        """Return the differences for which all four shares of items are proper."""
        return _effect_range(self)

    def effects_of_pilot(self, n_items: int) -> EffectRange:
        """Return what the baseline leaves to gain."""
        base = self.baseline_accuracy
        if base is None:
            return self.effect_range(n_items)
        reason = f"a baseline accuracy of {base:g} leaves {1.0 - base:.4g} to gain"
        return EffectRange(-base, 1.0 - base, reason)

    def typical_effect(self, n_items: int) -> float:
        """Return a little more than the standard error of the difference."""
        high = _effect_range(self).high
        return min(0.5 * high, math.sqrt(max(self.disagreement(0.5 * high), 1e-6) / n_items))

    def largest_n(self) -> int:
        """Return a hundred million items."""
        return 100_000_000

    def saw_tooth(self, n_items: int, effect: float) -> int:
        """Return the window of the saw-tooth, which random disagreement mostly smooths away."""
        if self.method == "normal":
            return 0
        decided = self.disagreement(effect)
        spread = math.sqrt(n_items * decided * (1.0 - decided))
        if decided < _SMOOTH and spread > _SMOOTH_SPREAD:
            return 5
        return math.ceil(4.0 * math.sqrt(n_items / decided)) + 20

    def closed_form(self, n_items: int, effect: float, *, alpha: float) -> Closed:
        """Enumerate the exact test, or apply the normal formula."""
        decided, distance = self.disagreement(effect), abs(effect)
        if self.method == "normal":
            critical = normal_quantile(1.0 - alpha / 2.0) * math.sqrt(decided / n_items)
            spread = math.sqrt(max(decided - distance**2, 0.0) / n_items)
            return normal_power(distance, spread, critical)
        win, loss = 0.5 * (decided + distance), max(0.5 * (decided - distance), 0.0)
        found = sign_power(n_items, win, loss, alpha=alpha)
        significant = found.right + found.wrong
        if significant == 0.0:
            return Closed(0.0, math.nan, math.nan, "exact")
        return Closed(
            found.right,
            found.per_item / significant / distance,
            found.wrong / significant,
            "exact",
        )

    def item_variance(self, effect: float) -> float:
        """Return the variance of one item's difference: right alone, wrong alone, or neither."""
        return self.disagreement(effect) - effect**2

    def assumptions(self, effect: float) -> tuple[str, ...]:
        """Return the agreement, and that items stand alone."""
        known = f"an agreement of {1.0 - self.disagreement(effect):.4g}"
        if self.prior is not None:
            middle = self.prior == "lachenbruch"
            known += " (the middle of what is possible)" if middle else f" ({_as_on(self)})"
        return known, f"{INDEPENDENT}items"

    def details(self, n_items: int, effect: float, *, alpha: float) -> Settings:  # noqa: ARG002
        """Return the agreement that the answer rests on."""
        return {"agreement": 1.0 - self.disagreement(effect)}

    def draw(
        self, n_items: int, effect: float, *, trials: int, rng: np.random.Generator
    ) -> Counts:
        """Return the items that only one system answers correctly, for every trial."""
        decided = self.disagreement(effect)
        win, loss = 0.5 * (decided + effect), 0.5 * (decided - effect)
        shares = np.clip([win, loss, 1.0 - decided], 0.0, 1.0)
        counts = rng.multinomial(n_items, shares / shares.sum(), size=trials)
        return counts[:, 0], counts[:, 1], n_items

    def analyse(self, data: Counts, *, alpha: float) -> Trials:  # noqa: ARG002 (exact p-values)
        """Apply McNemar's exact test, or with ``method="normal"`` its large-sample form."""
        wins, losses, n_items = data
        estimates = (wins - losses) / n_items
        if self.method == "exact":
            return Trials(estimates, sign_test_p(wins, losses))
        from scipy.special import ndtr

        z = np.abs(wins - losses) / np.sqrt(np.maximum(wins + losses, 1))
        return Trials(estimates, 2.0 * ndtr(-z))


def _as_on(scenario: Accuracy) -> str:
    """Say which pairs of systems the agreement follows, and how well a line fits their own."""
    fit = scenario.regression
    if fit is None or not fit.n_pairs:
        return f"as on {scenario.prior}"
    return f"as of the {fit.n_pairs:,} pairs in {scenario.prior}, R² = {fit.r_squared:.3f}"


def _check_knowledge(scenario: Accuracy) -> None:
    """Refuse what says too little, too much, or something impossible about agreement."""
    agreement, baseline = scenario.agreement, scenario.baseline_accuracy
    if baseline is not None:
        check.probability(baseline, "baseline_accuracy")
    if (agreement is None) == (scenario.prior is None):
        raise InputError(
            "`agreement` or `prior` must say how often the systems agree, one of the two; got "
            f"agreement={agreement!r} and prior={scenario.prior!r}."
        )
    if agreement is not None:
        if not 0.0 <= agreement < 1.0:
            raise InputError(
                f"`agreement` must lie between 0 and 1, below 1; got {agreement!r}: systems that "
                "always agree do not differ."
            )
        most = 1.0 if baseline is None else 2.0 * min(baseline, 1.0 - baseline)
        if baseline is not None and _first_possible(scenario) is None:
            raise InputError(
                f"`agreement` must be at least {1.0 - most:.4g} with a baseline accuracy of "
                f"{baseline:g}; got {agreement!r}: a system of nearly that accuracy cannot "
                "disagree more often."
            )
        return
    if baseline is None:
        raise InputError(
            f"`baseline_accuracy` must be given with prior={scenario.prior!r}; got None. The "
            "prior predicts agreement from it."
        )
    if _first_possible(scenario) is None:
        raise InputError(
            f"`baseline_accuracy` must suit prior={scenario.prior!r}; got {baseline!r}, for "
            "which it predicts an agreement that is impossible. Give `agreement` instead."
        )


def _correctness(values: ArrayLike, name: str) -> FloatArray:
    array = check.vector(values, name)
    wrong = np.flatnonzero((array != 0.0) & (array != 1.0))
    if wrong.size:
        raise InputError(
            f"`{name}` must hold 0 (wrong) or 1 (right) for every item; got "
            f"{array[wrong[0]]:g} at position {wrong[0]}."
        )
    return array


def _possible(scenario: Accuracy, effect: float) -> bool:
    """Say whether the four shares of items (both, one, other, none right) are all proper."""
    decided, baseline = scenario.disagreement(effect), scenario.baseline_accuracy
    win, loss = 0.5 * (decided + effect), 0.5 * (decided - effect)
    proper = decided <= 1.0 and min(win, loss) >= 0.0
    if baseline is None:
        return proper
    return proper and win <= 1.0 - baseline and loss <= baseline


def _first_possible(scenario: Accuracy) -> float | None:
    """Return an effect of positive size that is possible, the smaller the better, or None."""
    for effect in (1e-9, 1e-6, 1e-4, 1e-3, 0.003, 0.01, 0.03, 0.1):
        if _possible(scenario, effect):
            return effect
    return None


@functools.lru_cache(maxsize=256)
def _effect_range(scenario: Accuracy) -> EffectRange:
    start = _first_possible(scenario) or 0.0
    high = _edge(lambda x: _possible(scenario, x), start)
    low = -_edge(lambda x: _possible(scenario, -x), 0.0)
    if scenario.agreement is not None and math.isclose(high, 1.0 - scenario.agreement):
        high, low = 1.0 - scenario.agreement, max(low, scenario.agreement - 1.0)
        reason = f"the systems disagree on {high:.4g} of the items"
    else:
        reason = (
            f"a baseline that is right on {scenario.baseline_accuracy:g} of the items leaves "
            f"{1.0 - (scenario.baseline_accuracy or 0.0):.4g} to gain, and the expected "
            "disagreement must fit into that"
        )
    return EffectRange(low, high, reason)


def _edge(possible: Callable[[float], bool], start: float) -> float:
    """Return the largest effect that is possible, by bisection."""
    inside, outside = start, 1.0
    for _ in range(60):
        middle = 0.5 * (inside + outside)
        inside, outside = (middle, outside) if possible(middle) else (inside, middle)
    return inside


# --- UnpairedAccuracy: two systems answer different items, and two proportions are compared ---

UnpairedCounts: TypeAlias = tuple[
    IntArray, IntArray, int
]  # right answers of both, items of each


@dataclass(frozen=True, slots=True)
class UnpairedAccuracy(Scenario):
    r"""Accuracy of two systems on different items, by the test of two proportions.

    With n items per system, accuracies :math:`p_1` and :math:`p_2 = p_1 + D`, and
    :math:`\bar p = (p_1 + p_2)/2`, the pooled z test has power [1]_

    .. math:: \Phi\left(\frac{\sqrt n |D| - z_{1-\alpha/2} \sqrt{2 \bar p (1 - \bar p)}}
       {\sqrt{p_1 (1 - p_1) + p_2 (1 - p_2)}}\right),

    which is R's ``power.prop.test``. If both systems answered the same items, use `Accuracy`:
    pairing is worth a multiple of the data.

    Parameters
    ----------
    baseline_accuracy : float
        Accuracy of the system to beat.

    References
    ----------
    .. [1] Fleiss, Levin and Paik (2003), Statistical Methods for Rates and Proportions, 3rd
       ed., Wiley, section 4.2.

    Examples
    --------
    >>> round(UnpairedAccuracy(0.92).closed_form(1725, 0.024006, alpha=0.05).power, 3)
    0.8
    """

    baseline_accuracy: float

    unit: ClassVar[str] = "item per system"
    scale: ClassVar[str] = "difference in accuracy"

    def __post_init__(self) -> None:
        check.probability(self.baseline_accuracy, "baseline_accuracy")

    def effect_range(self, n_items: int) -> EffectRange:  # noqa: ARG002 (holds for any size)
        """Return what keeps the accuracy of the other system between 0 and 1."""
        base = self.baseline_accuracy
        return EffectRange(
            -base,
            1.0 - base,
            f"a baseline accuracy of {base:g} leaves {1.0 - base:.4g} to gain",
        )

    def typical_effect(self, n_items: int) -> float:
        """Return a little more than the standard error of the difference."""
        base = self.baseline_accuracy
        return min(0.5 * (1.0 - base), math.sqrt(2.0 * base * (1.0 - base) / n_items))

    def largest_n(self) -> int:
        """Return a hundred million items."""
        return 100_000_000

    def assumptions(self, effect: float) -> tuple[str, ...]:  # noqa: ARG002 (for any effect)
        """Return the accuracy, and that items stand alone."""
        return f"a baseline accuracy of {self.baseline_accuracy:g}", f"{INDEPENDENT}items"

    def closed_form(self, n_items: int, effect: float, *, alpha: float) -> Closed:
        """Return the normal approximation."""
        first, second = self.baseline_accuracy, self.baseline_accuracy + effect
        pooled = 0.5 * (first + second)
        variance = first * (1.0 - first) + second * (1.0 - second)
        critical = normal_quantile(1.0 - alpha / 2.0) * math.sqrt(
            2.0 * pooled * (1.0 - pooled) / n_items
        )
        return normal_power(abs(effect), math.sqrt(max(variance, 0.0) / n_items), critical)

    def draw(
        self, n_items: int, effect: float, *, trials: int, rng: np.random.Generator
    ) -> UnpairedCounts:
        """Return the right answers of both systems in every trial."""
        second = min(max(self.baseline_accuracy + effect, 0.0), 1.0)
        ours = rng.binomial(n_items, second, size=trials)
        theirs = rng.binomial(n_items, self.baseline_accuracy, size=trials)
        return ours, theirs, n_items

    def analyse(self, data: UnpairedCounts, *, alpha: float) -> Trials:  # noqa: ARG002 (p-values suffice)
        """Apply the pooled z test."""
        from scipy.special import ndtr  # scipy.stats would triple the start-up time

        ours, theirs, n = data
        pooled = (ours + theirs) / (2.0 * n)
        error = np.sqrt(2.0 * pooled * (1.0 - pooled) / n)
        difference = (ours - theirs) / n
        z = np.abs(difference) / np.where(error > 0.0, error, np.inf)
        return Trials(difference, 2.0 * ndtr(-z))


# --- What is known about how often two systems are both right or both wrong ---
#
# The power of McNemar's test depends on the agreement of the two systems, which nobody knows
# before the data. card2020 regressed it on the accuracy of the weaker system and the difference.


@dataclass(frozen=True, slots=True)
class AgreementRegression:
    """Agreement = intercept + accuracy · (accuracy of the weaker system) + difference · D."""

    intercept: float
    accuracy: float
    difference: float
    provenance: str = ""
    r_squared: float = math.nan
    n_pairs: int = 0  # that it was fitted to here; 0 where it was published

    def disagreement(self, weaker: float, difference: float) -> float:
        """Return the expected share of items on which exactly one system is right."""
        agreement = self.intercept + self.accuracy * weaker + self.difference * abs(difference)
        return 1.0 - agreement


REGRESSIONS = {
    "glue": AgreementRegression(
        0.41422307,
        0.58187475,
        -0.46624237,
        "card2020, hard-coded in Analyze_reported_results.ipynb of dallascard/NLP-power-analysis "
        "a3f63b5: test-set predictions of ten GLUE systems, R² = .97; they are not public, so "
        "the fit cannot be repeated",
    ),
    "squad": AgreementRegression(
        0.46491237172731825,
        0.552835705205418,
        -1.0493167036603803,
        "refitted on SQuAD 2.0 development-set disagreements of the 14 successive best systems "
        "(models.tsv and pairs_dev.tsv of the same repository), R² = .931; card2020 used the "
        "private test set, R² = .94",
    ),
}


_PAIR_NAMES = {
    "baseline": ("baseline", "baseline_accuracy", "accuracy", "weaker", "before"),
    "improvement": ("improvement", "gain", "difference", "delta"),
    "agreement": ("agreement",),
    "disagreement": ("disagreement", "disagree"),
}


def agreement_prior(prior: Any) -> tuple[str, AgreementRegression]:
    """Return the name of a prior and its regression: one that is known, or fitted to a file or table."""
    if isinstance(prior, str) and prior in REGRESSIONS:
        return prior, REGRESSIONS[prior]
    from detectable.data.files.table import is_path, read_table

    if isinstance(prior, str) and not os.path.exists(prior):
        raise InputError(
            f"`prior` must be one of {', '.join(PRIORS)}, or a file or table of pairs of systems; got "
            f"{prior!r}, which is no file."
        )
    name = os.path.basename(os.fspath(prior)) if is_path(prior) else "a table"
    return name, agreement_in(read_table(prior))


def agreement_in(table: "Table") -> AgreementRegression:
    """Return the regression on the pairs of systems in a table, which `fit_agreement` makes.

    Columns: baseline (accuracy of the weaker system), improvement (of the other) and agreement, or
    disagreement, all as fractions.
    """
    from detectable.data.files.numbers import number_column
    from detectable.data.files.place import Problems

    problems, numbers = Problems(table.path), dict[str, FloatArray]()
    for role, names in _PAIR_NAMES.items():
        if found := table.find(names):
            numbers[role] = number_column(
                table,
                found[0],
                problems,
                must="a fraction from 0 to 1" if role != "improvement" else "a fraction",
                allowed=lambda x: np.abs(x) <= 1.0,
            )
    problems.stop()
    shared = numbers.get("agreement")
    if shared is None and "disagreement" in numbers:
        shared = 1.0 - numbers["disagreement"]
    for role in ("baseline", "improvement"):
        if role not in numbers:
            raise table.missing(f"the {role} of each pair of systems")
    if shared is None:
        raise table.missing("how often the systems of each pair agree (agreement)")
    known = ~np.isnan(numbers["baseline"] + numbers["improvement"] + shared)
    return fit_agreement(
        numbers["baseline"][known], numbers["improvement"][known], shared[known]
    )


def fit_agreement(
    baseline: ArrayLike, improvement: ArrayLike, agreement: ArrayLike
) -> AgreementRegression:
    """Regress the agreement of pairs of systems on the weaker one's accuracy and their difference.

    Ordinary least squares, as in card2020, section 3.2, where R² is .97 on GLUE and .94 on SQuAD 2.0.

    Parameters
    ----------
    baseline : array_like
        Accuracy of the weaker system of each pair, a fraction.
    improvement : array_like
        By how much the other one is better.
    agreement : array_like
        Share of items that both get right or both get wrong.

    Examples
    --------
    >>> fit = fit_agreement([0.6, 0.7, 0.8, 0.9], [0.02, 0.01, 0.03, 0.02], [0.7, 0.78, 0.8, 0.9])
    >>> round(fit.disagreement(0.9, 0.02), 3), round(fit.r_squared, 3)
    (0.105, 0.995)
    """
    before = check.vector(baseline, "baseline")
    gain = np.abs(check.vector(improvement, "improvement"))
    shared = check.vector(agreement, "agreement")
    if not before.size == gain.size == shared.size:
        raise InputError(
            "`baseline`, `improvement` and `agreement` must be of the same pairs of systems; got "
            f"{before.size}, {gain.size} and {shared.size}."
        )
    design = np.column_stack([np.ones_like(before), before, gain])
    if before.size < 4 or np.linalg.matrix_rank(design) < 3:
        raise InputError(
            "`prior` must hold at least 4 pairs of systems whose accuracies and differences vary; "
            f"got {before.size}."
        )
    line = np.linalg.lstsq(design, shared, rcond=None)[0]
    rest = shared - design @ line
    total = float(np.square(shared - shared.mean()).sum())
    return AgreementRegression(
        intercept=float(line[0]),
        accuracy=float(line[1]),
        difference=float(line[2]),
        provenance=f"fitted to {before.size} pairs of systems",
        r_squared=1.0 - float(rest @ rest) / total if total > 0.0 else math.nan,
        n_pairs=int(before.size),
    )


def lachenbruch_disagreement(baseline: float, difference: float) -> float:
    r"""Return the middle of the possible range of disagreement (Lachenbruch's middle road).

    Both systems are right on a share :math:`p_{11}` of the items, somewhere between
    :math:`\max(0, p_1 + p_2 - 1)` and :math:`\min(p_1, p_2)`; its midpoint gives
    :math:`p_d = p_1 + p_2 - 2 p_{11}`.

    References
    ----------
    Lachenbruch (1992), "On the sample size for studies based upon McNemar's test", Statistics
    in Medicine 11(11), 1521–1525.
    """
    other = baseline + difference
    both = 0.5 * (max(0.0, baseline + other - 1.0) + min(baseline, other))
    return baseline + other - 2.0 * both
