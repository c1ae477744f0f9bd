"""Pilot: draw the user's own scores again, at another size and with another effect."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, TypeAlias

import numpy as np

from detectable.core import check
from detectable.core.choices import PilotUnit, Plant, Repeated, UnpairedTest
from detectable.core.errors import DataError, InputError
from detectable.core.types import ArrayLike, FloatArray, IntArray
from detectable.core.wording import count, listing
from detectable.data.human.judgments import Judgments
from detectable.data.human.one_evaluation import one_evaluation
from detectable.data.scores.scores import Scores
from detectable.planning.pilot_units import (
    Clusters,
    CrossedUnits,
    PairedUnits,
    Units,
    UnpairedUnits,
    block_size,
)
from detectable.planning.scenario import EffectRange, Scenario, Settings, Trials

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

    unit: ClassVar[str] = "unit"

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
        clusters = Clusters.of(a - b, _codes(documents, a.size, "documents"))
        return cls(PairedUnits(_varied(clusters), plant, _name(documents)))

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
        first = Clusters.of(a, _codes(documents, a.size, "documents"))
        second = Clusters.of(b, _codes(baseline_documents, b.size, "baseline_documents"))
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
        check.literal(unit, PilotUnit, "unit")
        for name in (system, baseline):
            if name not in scores.systems:
                known = listing(list(scores.systems))
                raise InputError(f"there is no system {name!r} in the scores. Found: {known}.")
        table = scores.of_one_task().complete().averaged()
        if unit == "document" and table.documents is None:
            raise InputError(
                "`unit='document'` needs to know the document of each item. Give its column."
            )
        documents = None if unit == "item" else table.documents
        means = [table.systems[name].mean(axis=0) for name in (system, baseline)]
        return cls.paired(means[0], means[1], documents=documents, plant=plant)

    @classmethod
    def judgments(
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
    ) -> "Pilot":
        """Take judgments with raters crossed with items; raters and items are both drawn.

        Degraded copies and references are left out; a rater's repeats are averaged.

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
        """
        from detectable.mixed.usable import read_for_model

        read, _ = read_for_model(judgments, columns=columns, repeated=repeated)
        chosen_one = one_evaluation(read, campaign=campaign, language=language)
        table, observed = _crossed(chosen_one, (system, baseline))
        chosen = table.shape[0] if n_raters is None else n_raters
        n_raters = check.positive_int(chosen, "n_raters", minimum=2)
        return cls(CrossedUnits(table, observed, n_raters))

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

    def details(self, n_items: int, effect: float, *, alpha: float) -> Settings:  # noqa: ARG002 (for any effect)
        """Return the size of the pilot and the difference that it showed."""
        return {
            "counted_unit": self.units.name,
            "pilot_size": self.units.size,
            "pilot_difference": self.units.observed,
        }

    def notes(self, n_items: int, effect: float, *, alpha: float) -> tuple[str, ...]:  # noqa: ARG002 (for any size)
        """Warn of an effect taken from the pilot, and of a small pilot."""
        notes = []
        observed = self.units.observed
        if abs(effect - observed) <= _SAME * abs(observed):
            notes.append(
                f"The effect is the difference that the pilot showed ({observed:.4g}). Taken as "
                "true, it is optimistic: it holds the pilot's luck, and a pilot is followed up "
                "because its difference was large. Plant the smallest one that would matter."
            )
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


def _codes(documents: Sequence[str] | None, n: int, name: str) -> IntArray | None:
    if documents is None:
        return None
    if len(documents) != n:
        raise InputError(
            f"`{name}` must name each of the {count(n, 'item')}; got {len(documents)}."
        )
    codes: IntArray = np.unique(np.asarray(documents, dtype=str), return_inverse=True)[1]
    if codes.max() == 0:
        raise InputError(f"`{name}` must name at least 2 documents; got one.")
    return codes


def _varied(units: Clusters) -> Clusters:
    if float(np.ptp(units.ratios)) == 0.0:
        raise DataError(
            "all units of the pilot are equal: it shows no spread, and power would be 1 for any "
            "effect. Check the scores."
        )
    return units


def _name(documents: Sequence[str] | None) -> str:
    return "item" if documents is None else "document"


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
