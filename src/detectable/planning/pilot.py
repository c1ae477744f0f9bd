"""Pilot: draw the user's own scores again, at another size and with another effect."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol, TypeAlias

import numpy as np

from detectable.core import check
from detectable.core.choices import PilotUnit, Plant, Repeated, UnpairedTest
from detectable.core.errors import DataError, InputError
from detectable.core.types import ArrayLike, FloatArray, IntArray
from detectable.core.wording import count, listing
from detectable.data.human.judgments import Judgments, one_evaluation
from detectable.data.scores.scores import Scores
from detectable.kernels.crossed import mean_squares, reml_error
from detectable.kernels.pairing import rank_sum_z, sample_counts
from detectable.planning.documents import (
    DocumentSpread,
    chosen_documents,
    document_codes,
    document_details,
    judged_spread,
)
from detectable.planning.likert import UnbalancedRatings, crossed_design, fit_all
from detectable.planning.scenario import (
    INDEPENDENT,
    Closed,
    EffectRange,
    Scenario,
    Settings,
    Trials,
)

_CELLS = 4_000_000  # numbers that a block of trials may hold


class Units(Protocol):
    """The rows of a pilot that are drawn independently."""

    @property
    def name(self) -> str:
        """What they are: item, document, judgment."""

    @property
    def size(self) -> int:
        """How many there are."""

    @property
    def observed(self) -> float:
        """The difference that the pilot shows."""

    @property
    def limits(self) -> tuple[float, float]:
        """The differences that can be planted."""

    def cells(self, n: int) -> int:
        """Return how many numbers one trial holds."""

    def trials(self, n: int, effect: float, trials: int, rng: np.random.Generator) -> Trials:
        """Draw and test."""


@dataclass(frozen=True, slots=True)
class Clusters:
    """Sums and sizes of independent units: single items, or documents of several items."""

    sums: FloatArray
    sizes: FloatArray

    @classmethod
    def of(cls, values: FloatArray, documents: IntArray | None) -> "Clusters":
        """Gather values by document; each stands alone without documents."""
        if documents is None:
            return cls(values, np.ones(values.size))
        sums = np.bincount(documents, values).astype(np.float64)
        return cls(sums, np.bincount(documents).astype(np.float64))

    @property
    def mean(self) -> float:
        """Mean over items."""
        return float(self.sums.sum() / self.sizes.sum())

    @property
    def cv2(self) -> float:
        """Squared coefficient of variation of the sizes."""
        return float(self.sizes.var() / self.sizes.mean() ** 2)

    @property
    def variance(self) -> float:
        """What n drawn units have times n: the variance of their mean."""
        residuals = self.sums - self.mean * self.sizes
        return float(np.square(residuals).mean() / self.sizes.mean() ** 2)

    def stretched(self, factor: float) -> "Clusters":
        """Return units whose distance from the mean is `factor` times as large."""
        expected = self.mean * self.sizes
        return Clusters(expected + factor * (self.sums - expected), self.sizes)

    @property
    def ratios(self) -> FloatArray:
        """Mean of each unit."""
        return self.sums / self.sizes

    def planted(self, mean: float, plant: Plant) -> tuple["Clusters", FloatArray]:
        """Return units and chances under which the mean is `mean`.

        A shift adds the same to every item. A tilt leaves the values alone and changes how often
        each unit is drawn, :math:`w ∝ e^{λ x}`, so that scores stay on their scale.
        """
        even = np.full(self.sums.size, 1.0 / self.sums.size)
        if plant == "shift":
            shifted = self.sums + (mean - self.mean) * self.sizes
            return Clusters(shifted, self.sizes), even
        return self, _tilt(self, mean)

    def draw(
        self, chances: FloatArray, n: int, trials: int, rng: np.random.Generator
    ) -> tuple[FloatArray, FloatArray]:
        r"""Return means of resampled units and the squared standard errors of these means.

        :math:`s^2 = \frac{n}{n-1} \sum_g (S_g - \bar x m_g)^2 / M^2`, which for single items
        is the classical one.
        """
        counts = sample_counts(chances, n, trials, rng)
        s, m = self.sums - self.mean * self.sizes, self.sizes
        table = np.column_stack([s, m, s * s, s * m, m * m])
        total, items, ss, sm, mm = (counts @ table).T
        mean = total / items
        squares = np.maximum(ss - 2.0 * mean * sm + mean * mean * mm, 0.0)
        return mean + self.mean, squares / items**2 * (n / (n - 1.0))


@dataclass(frozen=True, slots=True)
class PairedUnits:
    """Differences of two systems on the same items; t-test over units."""

    units: Clusters
    plant: Plant
    name: str
    spread: DocumentSpread | None = None  # of documents that are moved, not tilted

    @property
    def size(self) -> int:
        """Number of units."""
        return self.units.sums.size

    @property
    def observed(self) -> float:
        """Mean difference."""
        return self.units.mean

    @property
    def limits(self) -> tuple[float, float]:
        """A tilt cannot leave the range of what was seen."""
        if self.plant == "shift":
            return -math.inf, math.inf
        return float(self.units.ratios.min()), float(self.units.ratios.max())

    def cells(self, n: int) -> int:
        """Return the draws and the counts."""
        return max(n, self.size)

    def trials(self, n: int, effect: float, trials: int, rng: np.random.Generator) -> Trials:
        """Draw units and test their mean difference."""
        from scipy.special import stdtr

        units, chances = self.units.planted(effect, self.plant)
        mean, variance = units.draw(chances, n, trials, rng)
        t = np.abs(mean) / np.sqrt(np.maximum(variance, 1e-300))
        df = max(n / (1.0 + self.units.cv2) - 1.0, 1.0)
        return Trials(mean, 2.0 * stdtr(df, -t))


@dataclass(frozen=True, slots=True)
class UnpairedUnits:
    """Scores of two systems on items of their own; Welch or Mann-Whitney."""

    first: Clusters
    second: Clusters
    plant: Plant
    ranks: bool
    name: str

    @property
    def size(self) -> int:
        """Units of the smaller sample."""
        return min(self.first.sums.size, self.second.sums.size)

    @property
    def observed(self) -> float:
        """Difference of means."""
        return self.first.mean - self.second.mean

    @property
    def limits(self) -> tuple[float, float]:
        """A tilt cannot leave the range of what was seen."""
        if self.plant == "shift":
            return -math.inf, math.inf
        ratios = self.first.ratios - self.second.mean
        return float(ratios.min()), float(ratios.max())

    def cells(self, n: int) -> int:
        """Return the draws and the counts."""
        return max(n, self.first.sums.size + self.second.sums.size)

    def trials(self, n: int, effect: float, trials: int, rng: np.random.Generator) -> Trials:
        """Draw both samples and compare them."""
        from scipy.special import ndtr, stdtr

        first, chances = self.first.planted(self.second.mean + effect, self.plant)
        even = np.full(self.second.sums.size, 1.0 / self.second.sums.size)
        if self.ranks:
            values, cells = np.unique(
                np.concatenate([first.sums, self.second.sums]), return_inverse=True
            )
            split = first.sums.size
            p = np.bincount(cells[:split], chances, values.size).astype(np.float64)
            q = np.bincount(cells[split:], even, values.size).astype(np.float64)
            a, b = (sample_counts(chance, n, trials, rng) for chance in (p, q))
            z = rank_sum_z(a, b)
            sizes = np.abs((a - b) @ values) / n
            return Trials(np.copysign(sizes, z), 2.0 * ndtr(-np.abs(z)))
        m1, v1 = first.draw(chances, n, trials, rng)
        m2, v2 = self.second.draw(even, n, trials, rng)
        t = np.abs(m1 - m2) / np.sqrt(np.maximum(v1 + v2, 1e-300))
        df = (n - 1.0) * (v1 + v2) ** 2 / np.maximum(v1**2 + v2**2, 1e-300)
        return Trials(m1 - m2, 2.0 * stdtr(df, -t))


@dataclass(frozen=True, slots=True)
class CrossedUnits:
    """Judgments by raters of items of two systems; raters and items are both drawn.

    `table` has shape (raters, items, 2), nan where there is no judgment. The test is REML with
    Satterthwaite's degrees of freedom: in closed form without gaps, else fitted one by one.
    `observed` is the difference within raters: what rankings and looks would report.
    """

    table: FloatArray
    observed: float
    n_raters: int
    name: str = "item"

    @property
    def size(self) -> int:
        """Items of the pilot."""
        return int(self.table.shape[1])

    @property
    def limits(self) -> tuple[float, float]:
        """Any shift can be planted."""
        return -math.inf, math.inf

    def cells(self, n: int) -> int:
        """Return the judgments of a trial."""
        return 2 * self.n_raters * n

    def trials(self, n: int, effect: float, trials: int, rng: np.random.Generator) -> Trials:
        """Draw raters and items, and fit every trial."""
        from scipy.special import stdtr

        shift = 0.5 * (effect - self.observed) * np.array([-1.0, 1.0])
        raters = rng.integers(0, self.table.shape[0], (trials, self.n_raters))
        items = rng.integers(0, self.table.shape[1], (trials, n))
        drawn = self.table[raters[:, :, None], items[:, None, :]] + shift
        if np.isnan(self.table).any():
            means, variance, df = _fit_gaps(drawn)
        else:
            means, squares, errors = mean_squares(drawn)
            variance, df = reml_error(squares, errors, self.n_raters, n)
        t = np.abs(means) / np.sqrt(np.maximum(variance, 1e-300))
        return Trials(2.0 * means, 2.0 * stdtr(df, -t))


def block_size(units: Units, n: int) -> int:
    """Return how many trials fit into a block."""
    return max(16, min(1024, _CELLS // units.cells(n)))


def _fit_gaps(drawn: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    found = []
    for table in drawn:
        rater, item, system = np.nonzero(~np.isnan(table))
        data = UnbalancedRatings(
            crossed_design(rater, item, system), table[rater, item, system][None]
        )
        found.append([part[0] for part in fit_all(data, reml=True)])
    means, variance, df = np.array(found).T
    failed = int(np.isnan(means).sum())
    if failed > 0.1 * means.size:
        raise InputError(
            f"the pilot has too many gaps for its test: {failed} of {means.size} samples could "
            "not be fitted. Give more items or raters, or plan with Likert.from_ratings."
        )
    return means, variance, df


def _tilt(units: Clusters, mean: float) -> FloatArray:
    """Return chances, proportional to exp(λ · unit mean), under which the items have this mean."""
    from scipy.optimize import brentq

    ratios = units.ratios
    spread = float(ratios.std())
    if spread == 0.0 or not ratios.min() < mean < ratios.max():
        raise InputError(
            f"`effect` must leave the mean between {ratios.min():g} and {ratios.max():g}, the "
            f"range of the pilot, for plant='tilt'; got a mean of {mean:g}. Use plant='shift'."
        )
    x = (ratios - units.mean) / spread

    def chances(tilt: float) -> FloatArray:
        weights: FloatArray = np.exp(tilt * x - (tilt * x).max())
        shares: FloatArray = weights / weights.sum()
        return shares

    def excess(tilt: float) -> float:
        w = chances(tilt)
        return float(w @ units.sums / (w @ units.sizes)) - mean

    reach = 1.0
    while excess(-reach) * excess(reach) > 0.0 and reach < 1e6:
        reach *= 2.0
    return chances(float(brentq(excess, -reach, reach, xtol=1e-12)))


# --- Pilot: draw the user's own scores again, at another size and with another effect ---

Drawn: TypeAlias = tuple[int, float, int, np.random.Generator]

_FEW = 30  # units of a pilot below which its spread is itself hardly known
_FEW_RATERS = 8
_ANY = (-math.inf, math.inf)  # power needs no bounds of the scale
_SAME = 0.02  # an effect this close to the observed one, relatively, is the observed one


@dataclass(frozen=True, slots=True, eq=False)
class Pilot(Scenario):
    r"""The scores of a pilot, drawn again: for any data, and for your own above all.

    Units (items, documents, or raters and items) are drawn with replacement, as many as the new
    evaluation will have, after an effect was *planted*: ``plant="shift"`` moves all scores of one
    system so that the means differ by the effect; ``"tilt"`` leaves the scores as they are and
    draws the higher ones more often [2]_, which keeps them on their scale. Then the test is applied.

    Do not plant the difference that the pilot itself showed: it holds the pilot's luck. On
    ShipData, power computed so is .451 where .386 of the comparisons were significant [1]_. Plant
    the smallest difference that would matter.

    Make one with `paired`, `unpaired`, `judgments` or `from_scores`. `n_items` counts units:
    documents, where documents are given; for unpaired scores, units per system.

    References
    ----------
    .. [1] Wei, Kocmi and Federmann (2022), "Searching for a higher power in the human evaluation
       of MT", WMT; our resampling of its data.
    .. [2] Davison and Hinkley (1997), Bootstrap Methods and their Application, sections 3.9 and
       4.4 (exponential tilting).

    Examples
    --------
    >>> from detectable.planning.ask import power
    >>> rng = np.random.default_rng(1)
    >>> new, old = rng.normal(70, 20, 200), rng.normal(70, 20, 200)
    >>> answer = power(Pilot.paired(new, old), n_items=400, effect=4, rng=1)
    >>> 0.6 < answer.power < 0.95
    True
    """

    units: Units
    documents: DocumentSpread | None = None  # how they differ, where judgments name them

    def __repr__(self) -> str:
        apart = ", unpaired" if isinstance(self.units, UnpairedUnits) else ""
        return f"<Pilot: {count(self.units.size, self.units.name)}{apart}>"

    @property
    def unit(self) -> str:  # type: ignore[override]  # that of the pilot
        """What `n_items` counts."""
        apart = isinstance(self.units, UnpairedUnits)
        return f"{self.units.name} per system" if apart else self.units.name

    @classmethod
    def paired(
        cls,
        system: ArrayLike,
        baseline: ArrayLike,
        *,
        documents: Sequence[str] | None = None,
        plant: Plant = "shift",
    ) -> "Pilot":
        """Take scores of two systems on the same items; t-test over items or documents."""
        check.literal(plant, Plant, "plant")
        a, b = (
            check.vector(system, "system", min_size=2),
            check.vector(baseline, "baseline", min_size=2),
        )
        if a.size != b.size:
            raise InputError(
                f"`system` and `baseline` must hold the same items; got {a.size} and {b.size}. "
                "Use Pilot.unpaired for items of their own."
            )
        if documents is None or plant == "tilt":
            codes = None if documents is None else document_codes(documents, a.size)
            clusters = _varied(Clusters.of(a - b, codes))
            return cls(PairedUnits(clusters, plant, _name(documents)))
        codes = document_codes(documents, a.size)
        spread = DocumentSpread.of_pilot(a - b, codes)
        # Drawn again, documents vary as much as the formula says.
        clusters = Clusters.of(a - b, codes)
        factor = math.sqrt(spread.variance / clusters.variance)
        return cls(PairedUnits(clusters.stretched(factor), plant, "document", spread))

    @classmethod
    def unpaired(
        cls,
        system: ArrayLike,
        baseline: ArrayLike,
        *,
        documents: Sequence[str] | None = None,
        baseline_documents: Sequence[str] | None = None,
        test: UnpairedTest = "two-means",
        plant: Plant = "shift",
    ) -> "Pilot":
        """Take scores of two systems on items of their own; Welch or Mann-Whitney."""
        check.literal(plant, Plant, "plant")
        check.literal(test, UnpairedTest, "test")
        a, b = (
            check.vector(system, "system", min_size=2),
            check.vector(baseline, "baseline", min_size=2),
        )
        if (documents is None) != (baseline_documents is None):
            raise InputError("`documents` and `baseline_documents` must be given together.")
        if documents is not None and test == "rank-sum":
            raise InputError(
                "`test` must be 'two-means' with documents: the rank test takes every score as "
                "independent; got 'rank-sum'."
            )
        codes = [
            None if names is None else document_codes(names, n, argument)
            for names, n, argument in (
                (documents, a.size, "documents"),
                (baseline_documents, b.size, "baseline_documents"),
            )
        ]
        first, second = Clusters.of(a, codes[0]), Clusters.of(b, codes[1])
        ranks = test == "rank-sum"
        return cls(
            UnpairedUnits(_varied(first), _varied(second), plant, ranks, _name(documents))
        )

    @classmethod
    def from_scores(
        cls,
        scores: Scores,
        system: str,
        baseline: str,
        *,
        unit: PilotUnit = "auto",
        plant: Plant = "shift",
    ) -> "Pilot":
        """Take two systems of a table of segment scores; several runs or samples are averaged.

        The unit that is drawn is the document where documents are known, or the item.
        """
        for name in (system, baseline):
            if name not in scores.systems:
                known = listing(list(scores.systems))
                raise InputError(f"there is no system {name!r} in the scores. Found: {known}.")
        table = scores.of_one_task().complete().averaged()
        documents = chosen_documents(table.documents, unit)
        means = [table.systems[name].mean(axis=0) for name in (system, baseline)]
        return cls.paired(means[0], means[1], documents=documents, plant=plant)

    @classmethod
    def judgments(  # noqa: PLR0913 (how to read, and what to plan)
        cls,
        judgments: Any,
        system: str,
        baseline: str,
        *,
        columns: Mapping[str, str] | None = None,
        repeated: Repeated | None = None,
        campaign: str | None = None,
        language: str | None = None,
        n_raters: int | None = None,
        unit: PilotUnit = "auto",
    ) -> "Pilot":
        """Take judgments with raters crossed with items; raters and items are both drawn.

        Where documents are known, documents are planned. Degraded copies and references are left out; a rater's repeats are averaged.

        Parameters
        ----------
        judgments : Judgments, path, mapping of columns, or data frame
            One row per judgment; anything that `read_judgments` takes. References and degraded
            copies are left out; what a rater gave an item several times is averaged.
        system, baseline : str
            The two systems.
        columns, repeated, campaign, language
            As for `fit_mixed`: how to read, and what to use.
        n_raters : int, optional
            Raters of the new evaluation; by default those of the pilot.
        unit : {'auto', 'item', 'document'}
            What is planned; auto: documents where they are known.
        """
        from detectable.mixed.identify import read_for_model

        read, _ = read_for_model(judgments, columns=columns, repeated=repeated)
        chosen_one = one_evaluation(read, campaign=campaign, language=language)
        table, observed = _crossed(chosen_one, (system, baseline))
        chosen = table.shape[0] if n_raters is None else n_raters
        n_raters = check.positive_int(chosen, "n_raters", minimum=2)
        made = cls(CrossedUnits(table, observed, n_raters))
        names = None if chosen_one.document is None else chosen_one.document.levels
        if chosen_documents(names, unit) is None:
            return made
        return replace(made, documents=_judged(chosen_one, (system, baseline), n_raters))

    def closed_form(self, n_items: int, effect: float, *, alpha: float) -> Closed | None:
        """Return the power of a t test over documents, where they are planned."""
        spread = self._spread
        return None if spread is None else spread.closed_form(n_items, effect, alpha=alpha)

    @property
    def _spread(self) -> DocumentSpread | None:
        return self.units.spread if isinstance(self.units, PairedUnits) else None

    def draw(
        self, n_items: int, effect: float, *, trials: int, rng: np.random.Generator
    ) -> Drawn:
        """Return what `analyse` needs: drawing and summing up are one step, to save memory."""
        return n_items, effect, trials, rng

    def analyse(self, data: Drawn, *, alpha: float) -> Trials:  # noqa: ARG002 (p-values serve any level)
        """Draw the units of every trial and test them."""
        return self.units.trials(*data)

    def effect_range(self, n_items: int) -> EffectRange:  # noqa: ARG002 (for any size)
        """Return the effects that can be planted."""
        low, high = self.units.limits
        inside = 1e-9 * (high - low) if math.isfinite(high - low) else 0.0
        return EffectRange(
            low + inside, high - inside, "a tilt cannot leave the range of the pilot's scores"
        )

    def typical_effect(self, n_items: int) -> float:
        """Return about what a test of the pilot's spread would show."""
        rng = np.random.default_rng(0)  # only a place to start the search from
        found = self.units.trials(n_items, 0.0, 64, rng).estimates
        return 2.8 * max(float(np.std(found)), 1e-12)

    def first_n(self, effect: float) -> int:
        """Return about the number of documents for 80 % power, or a hundred units."""
        if self._spread is None:
            return max(self.smallest_n, 100)
        about = math.ceil(7.85 * self._spread.variance / effect**2)
        return max(self.smallest_n, min(about, self.largest_n()))

    def largest_n(self) -> int:
        """Return a million units, or what crossed judgments can be drawn for."""
        return 4096 if isinstance(self.units, CrossedUnits) else 1_000_000

    def block_trials(self, n_items: int) -> int:
        """Return blocks that fit into memory."""
        return block_size(self.units, n_items)

    def settings(self) -> Settings:
        """Return what the signature can say about data: their kind, size and difference."""
        kind = type(self.units).__name__.removesuffix("Units").lower()
        known: dict[str, str | int | float] = {
            "design": kind,
            "unit": self.units.name,
            "pilot": self.units.size,
            "observed": round(self.units.observed, 6),
        }
        if not isinstance(self.units, CrossedUnits):
            return known
        return {**known, "raters": self.units.n_raters}

    def details(self, n_items: int, effect: float, *, alpha: float) -> Settings:
        """Return the size of the pilot and the difference that it showed."""
        known: dict[str, str | int | float] = {
            "counted_unit": self.units.name,
            "pilot_size": self.units.size,
            "pilot_difference": self.units.observed,
        }
        spread = self._spread
        if spread is None:
            return known
        return {**known, **document_details(spread, n_items, effect, alpha=alpha)}

    def assumptions(self, effect: float) -> tuple[str, ...]:  # noqa: ARG002 (for any effect)
        """Return that items stand alone, where nobody named their documents."""
        if self.units.name != "item":
            return ()
        return (f"{INDEPENDENT}items",)

    def pilot_notes(self, effect: float) -> tuple[str, ...]:
        """Warn of an effect taken from the pilot."""
        observed = self.units.observed
        if abs(effect - observed) > _SAME * abs(observed):
            return ()
        return (
            f"The effect is the difference that the pilot showed ({observed:.4g}). Taken as "
            "true, it is optimistic: it holds the pilot's luck, and a pilot is followed up "
            "because its difference was large. Plant the smallest one that would matter.",
        )

    def notes(self, n_items: int, effect: float, *, alpha: float) -> tuple[str, ...]:  # noqa: ARG002 (for any size)
        """Warn of an effect taken from the pilot, and of a small pilot."""
        notes = [*self.pilot_notes(effect)]
        if self.units.size < _FEW:
            notes.append(
                f"The pilot has {count(self.units.size, self.units.name)}: its spread is itself "
                "hardly known, and so is this power."
            )
        if isinstance(self.units, CrossedUnits) and len(self.units.table) < _FEW_RATERS:
            few = len(self.units.table)
            notes.append(
                f"The pilot has {count(few, 'rater')}; drawn again they differ less than new "
                f"raters would (by {1.0 / few:.0%} in variance). Likert.from_ratings makes "
                "up for that."
            )
        return tuple(notes)


def _varied(units: Clusters) -> Clusters:
    if float(np.ptp(units.ratios)) == 0.0:
        raise DataError(
            "all units of the pilot are equal: it shows no spread, and power would be 1 for any "
            "effect. Check the scores."
        )
    return units


def _name(documents: Sequence[str] | None) -> str:
    return "item" if documents is None else "document"


def _judged(
    judgments: Judgments, systems: tuple[str, str], n_raters: int
) -> DocumentSpread | None:
    """Return how documents differ, with the noise of raters from the mixed model of both systems."""
    from detectable.mixed.fit import fit_mixed

    levels = [judgments.system.levels.index(name) for name in systems]
    both = judgments.take(np.isin(judgments.system.codes, levels))
    fit = fit_mixed(both, unit="item")
    found = {component.name: component.sd for component in fit.components}
    return judged_spread(
        both,
        [systems],
        n_raters=n_raters,
        residual_variance=found["residual"] ** 2,
        slope_variance=found.get("rater slope", 0.0) ** 2,
    )


def _crossed(judgments: Judgments, systems: tuple[str, str]) -> tuple[FloatArray, float]:
    """Return judgments as (raters, items, baseline and system), and the difference they show."""
    for name in systems:
        if name not in judgments.system.levels:
            known = listing(list(judgments.system.levels))
            raise InputError(f"there is no system {name!r} in the judgments. Found: {known}.")
    judgments.column("rater")  # says so if there are none
    cells = judgments.cells()
    matched = cells.matched([systems])
    if not matched.item.size:
        raise DataError(
            f"no rater judged {systems[0]!r} and {systems[1]!r} on the same item, so the pilot "
            "shows no difference within raters. Use Pilot.unpaired."
        )
    shape = len(cells.raters or ()), len(cells.items), 2
    filled = np.full(shape, np.nan)
    for side, name in enumerate(reversed(systems)):
        own = cells.system == cells.systems.index(name)
        rater = np.zeros_like(cells.item) if cells.rater is None else cells.rater
        filled[rater[own], cells.item[own], side] = cells.mean[own]
    seen = ~np.isnan(filled)
    table: FloatArray = filled[seen.any(axis=(1, 2))][:, seen.any(axis=(0, 2))]
    if table.shape[0] < 2 or table.shape[1] < 2:
        raise DataError(
            f"a pilot with crossed raters needs at least 2 raters and 2 items; got "
            f"{table.shape[0]} and {table.shape[1]}."
        )
    return table, matched.units("item").mean()
