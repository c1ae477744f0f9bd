"""What stopping procedures cost and find: the result of `simulate_procedures`."""

import itertools
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from detectable.core import check
from detectable.core.errors import InputError
from detectable.core.result import Result
from detectable.core.types import FloatArray, IntArray

_SATURATED = 0.99  # power beyond which budgets differ by luck only
_SAME = math.log(1.1)  # of costs, on the scale of ratios
_LEEWAY = 1.02  # relative: .0221 as printed instead of .022052 makes .0501 of .05


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Tallies:
    """The simulated paths, counted: arrays of shape (batches, comparisons, plans).

    A batch is a block of repetitions; plans are ordered by procedure, then by budget. The sums over
    batches, of shape (comparisons, plans), stay where a file leaves the batches out.
    """

    hits: IntArray = field(metadata={"draws": True})
    steps: IntArray = field(metadata={"draws": True})
    repeats: IntArray  # of each batch
    differences: FloatArray  # mean difference of each comparison
    all_hits: IntArray = field(default_factory=lambda: np.zeros((0, 0), np.int64))
    all_steps: IntArray = field(default_factory=lambda: np.zeros((0, 0), np.int64))

    def __post_init__(self) -> None:
        if self.hits.ndim == 3 and not self.all_hits.size:
            for name, parts in (("all_hits", self.hits), ("all_steps", self.steps)):
                object.__setattr__(self, name, parts.sum(axis=0, dtype=np.int64))

    def powers(self, plan: int) -> FloatArray:
        """Return the power of each comparison under a plan."""
        found: FloatArray = self.all_hits[:, plan] / self.repeats.sum()
        return found

    def spent(self, plan: int, step: int) -> FloatArray:
        """Return the judgments that each comparison took on average under a plan."""
        found: FloatArray = step * self.all_steps[:, plan] / self.repeats.sum()
        return found


@dataclass(frozen=True, slots=True, kw_only=True)
class ProcedureRow:
    """One procedure at one budget, averaged over comparisons and repetitions.

    Attributes
    ----------
    power : float
        Share of evaluations that end with a significant difference, of either sign.
    judgments : float
        Judgments spent on average, of both systems together.
    """

    procedure: str
    budget: int
    power: float
    power_error: float
    judgments: float
    judgments_error: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Saving:
    """How many judgments a procedure needs for the power of the fixed test at a budget.

    `judgments` is None where no simulated budget reaches that power, or all do; its error is None
    where that is in doubt. `saving` is the share of the budget that is not needed, negative where
    more is needed.
    """

    procedure: str
    budget: int
    power: float
    judgments: float | None
    judgments_error: float | None
    saving: float | None
    saving_error: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class SizeRow:
    """One procedure at one budget, averaged over the comparisons with differences of one size.

    Attributes
    ----------
    low, high : float or None
        Sizes of the differences: from `low` on, below `high`; None: no end.
    saving : float or None
        As in `Saving`, among these comparisons.
    """

    low: float
    high: float | None
    comparisons: int
    procedure: str
    budget: int
    power: float
    judgments: float
    saving: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class SameCost:
    """Two plans that spend about as much: a fixed test, and a procedure with a larger budget."""

    fixed: int  # budget of the fixed test
    procedure: str
    budget: int  # planned
    judgments: float  # spent on average


@dataclass(frozen=True, slots=True, kw_only=True)
class ProcedureSavings(Result):
    """Power and cost of stopping procedures over an archive of comparisons.

    Standard errors are of the simulation only: they say nothing of how well the archive stands
    for other comparisons.

    Attributes
    ----------
    sizes : tuple of SizeRow
        At the budget of `same_cost`, by the size of the true difference.
    parts : tuple of SizeRow
        All comparisons, those with a difference of `large` or more, and those below it.
    """

    rows: tuple[ProcedureRow, ...]
    savings: tuple[Saving, ...]
    procedures: tuple[str, ...]
    type_one_errors: tuple[float, ...]  # of the procedures, by normal theory
    budgets: tuple[int, ...]
    reference: str | None  # the fixed test
    n_comparisons: int
    n_repeats: int
    step: int
    paired: bool
    notes: tuple[str, ...] = ()
    large: float | None = None
    sizes: tuple[SizeRow, ...] = ()
    parts: tuple[SizeRow, ...] = ()
    tallies: Tallies = field(repr=False, compare=False, metadata={"bulk": "array"})

    def row(self, procedure: str, budget: int) -> ProcedureRow:
        """Return one procedure at one budget."""
        for row in self.rows:
            if (row.procedure, row.budget) == (procedure, budget):
                return row
        raise InputError(
            f"`procedure` and `budget` must be simulated ones ({', '.join(self.procedures)} at "
            f"{', '.join(map(str, self.budgets))}); got {procedure!r} and {budget!r}."
        )

    def saving(self, procedure: str, budget: int) -> Saving:
        """Return what `procedure` needs to equal the fixed test at `budget`."""
        for one in self.savings:
            if (one.procedure, one.budget) == (procedure, budget):
                return one
        raise InputError(
            f"`procedure` and `budget` must be of a simulated saving; got {procedure!r} and "
            f"{budget!r}. The fixed test itself has none."
        )

    def needed(self, procedure: str, row: ProcedureRow) -> Saving:
        r"""Return what `procedure` needs to equal a row of another simulation.

        The error adds that of the other's power :math:`P`, which is independent, through the
        slope of the curve: :math:`s^2 = s_J^2 + (dJ/dP)^2 s_P^2`.
        """
        curve = _Curves.of(self._counted(), self.step)
        place = self.procedures.index(self.row(procedure, self.budgets[0]).procedure)
        own = slice(place * len(self.budgets), (place + 1) * len(self.budgets))
        powers, spent = curve.power[:, own], curve.spent[:, own]
        found = np.array([_reach(row.power, p, s) for p, s in zip(powers, spent, strict=True)])
        nudge = max(row.power_error, 1e-6)
        ends = [_reach(row.power + sign * nudge, powers[0], spent[0]) for sign in (-1.0, 1.0)]
        error = math.hypot(_jackknife(found), 0.5 * (ends[1] - ends[0]))
        return _saving(procedure, row.budget, row.power, float(found[0]), error)

    def subset(self, *, at_least: float = 0.0, below: float = math.inf) -> "ProcedureSavings":
        """Return the same for comparisons with an observed difference of such a size."""
        check_sizes(at_least, below)
        counted = self._counted()
        sizes = np.abs(counted.differences)
        chosen = np.flatnonzero((sizes >= at_least) & (sizes < below))
        if chosen.size == 0:
            raise InputError(
                f"`at_least` and `below` must leave a comparison; none of {sizes.size} has a "
                f"difference from {at_least:g} to {below:g}."
            )
        tallies = Tallies(
            hits=counted.hits[:, chosen],
            steps=counted.steps[:, chosen],
            repeats=counted.repeats,
            differences=counted.differences[chosen],
        )
        rows, savings = evaluate(
            tallies, self.procedures, self.budgets, self.step, self.reference
        )
        bounds = f"observed differences of at least {at_least:g}" + (
            f" and below {below:g}" if math.isfinite(below) else ""
        )
        note = f"{chosen.size} of {sizes.size} comparisons: {bounds}."
        return replace(
            self,
            rows=rows,
            savings=savings,
            n_comparisons=int(chosen.size),
            notes=(*self.notes, note),
            tallies=tallies,
        ).by_size()

    def by_size(self, large: float | None = None) -> "ProcedureSavings":
        """Return the same with what each procedure does for differences of each size.

        Parameters
        ----------
        large : float, optional
            From which difference on one is large; by default the median.
        """
        sizes = np.abs(self.tallies.differences)
        if large is not None:
            large = check.positive(large, "large")
        elif float(np.median(sizes)) > 0.0:
            large = float(np.median(sizes))
        parts = [] if large is None else [(large, math.inf), (0.0, large)]
        cost = self.same_cost()
        shown = self.budgets[:1] if cost is None else (cost.fixed,)
        return replace(
            self,
            large=large,
            sizes=self._of_sizes(itertools.pairwise(_edges(sizes)), shown),
            parts=self._of_sizes([(0.0, math.inf), *parts], self.budgets),
        )

    def _of_sizes(
        self, ranges: Iterable[tuple[float, float]], budgets: Sequence[int]
    ) -> tuple[SizeRow, ...]:
        tallies, wide = self.tallies, len(self.budgets)
        sizes = np.abs(tallies.differences)
        fixed = None if self.reference is None else self.procedures.index(self.reference) * wide
        rows = []
        for low, high in ranges:
            chosen = (sizes >= low) & (sizes < high)
            paths = int(chosen.sum()) * int(tallies.repeats.sum())
            if not paths:
                continue
            power = tallies.all_hits[chosen].sum(axis=0) / paths
            spent = self.step * tallies.all_steps[chosen].sum(axis=0) / paths
            for budget, (p, name) in itertools.product(budgets, enumerate(self.procedures)):
                at = self.budgets.index(budget)
                own = slice(p * wide, (p + 1) * wide)
                saving = None
                if fixed is not None and name != self.reference:
                    needed = _reach(float(power[fixed + at]), power[own], spent[own])
                    saving = 1.0 - needed / budget if math.isfinite(needed) else None
                rows.append(
                    SizeRow(
                        low=low,
                        high=high if math.isfinite(high) else None,
                        comparisons=int(chosen.sum()),
                        procedure=name,
                        budget=budget,
                        power=float(power[own][at]),
                        judgments=float(spent[own][at]),
                        saving=saving,
                    )
                )
        return tuple(rows)

    def same_cost(self) -> SameCost | None:
        """Return a fixed test and a plan of the best procedure that spend about as much.

        The smallest budgets whose costs are within a tenth, else those that are nearest as a ratio;
        None where there is no fixed test, or nothing to hold against it. It is a fair procedure: the
        one with the largest saving, or the last.
        """
        best, unfair = self.best(), self.unfair()
        rivals = [n for n in self.procedures if n != self.reference and n not in unfair]
        if self.reference is None or not rivals:
            return None
        name = rivals[-1] if best is None else best.procedure
        pairs = [
            SameCost(fixed=fixed, procedure=name, budget=row.budget, judgments=row.judgments)
            for fixed in self.budgets
            for row in self.rows
            if row.procedure == name
        ]
        apart = [abs(math.log(pair.judgments / pair.fixed)) for pair in pairs]
        near = next((k for k, gap in enumerate(apart) if gap <= _SAME), None)
        return pairs[int(np.argmin(apart)) if near is None else near]

    def each(self, procedure: str, budget: int) -> tuple[FloatArray, FloatArray]:
        """Return power and judgments spent of every comparison under a procedure at a budget."""
        self.row(procedure, budget)
        plan = self.procedures.index(procedure) * len(self.budgets) + self.budgets.index(budget)
        return self.tallies.powers(plan), self.tallies.spent(plan, self.step)

    def _counted(self) -> Tallies:
        """Return the tallies, unless the file that this was loaded from is without them."""
        if len(self.tallies.hits) != len(self.tallies.repeats):
            raise InputError(
                "the simulated paths were left out of the file that this was loaded from. Save it "
                "with `keep_draws`, or simulate again."
            )
        return self.tallies

    def unfair(self) -> dict[str, float]:
        """Return procedures that err more often than the fixed test, with their error rates.

        What they save is bought with false findings.
        """
        errors = dict(zip(self.procedures, self.type_one_errors, strict=True))
        allowed = _LEEWAY * (
            min(errors.values()) if self.reference is None else errors[self.reference]
        )
        return {name: error for name, error in errors.items() if error > allowed}

    def best(self) -> Saving | None:
        """Return the largest saving, at the budget that is spoken of; None where none is known.

        Only of procedures that err no more often than the fixed test.
        """
        unfair = self.unfair()
        fair = [
            one
            for one in self.savings
            if one.procedure not in unfair and one.saving is not None
        ]
        if not fair:
            return None
        budget = spoken_budget(fair)
        here = [one for one in fair if one.budget == budget]
        return max(here, key=lambda one: one.saving or 0.0)


@dataclass(frozen=True, slots=True)
class _Curves:
    """Power and judgments of every plan: row 0 from all batches, row b without batch b − 1."""

    power: FloatArray
    spent: FloatArray

    @staticmethod
    def of(tallies: Tallies, step: int) -> "_Curves":
        hits = tallies.hits.sum(axis=1, dtype=np.int64)
        steps = tallies.steps.sum(axis=1, dtype=np.int64)
        n = tallies.repeats[:, None] * tallies.differences.size
        paths = np.concatenate([n.sum(axis=0, keepdims=True), n.sum(axis=0) - n])
        power = np.concatenate([hits.sum(axis=0, keepdims=True), hits.sum(axis=0) - hits])
        spent = np.concatenate([steps.sum(axis=0, keepdims=True), steps.sum(axis=0) - steps])
        return _Curves(power / paths, step * spent / paths)


def evaluate(
    tallies: Tallies,
    procedures: tuple[str, ...],
    budgets: tuple[int, ...],
    step: int,
    reference: str | None,
) -> tuple[tuple[ProcedureRow, ...], tuple[Saving, ...]]:
    r"""Return averages, and the judgments that equal the reference's power, with errors.

    The judgments needed are read off the line through the points (power, judgments spent) of
    consecutive budgets. Errors are the jackknife's over the :math:`m` batches,

    .. math:: s^2 = \frac{m - 1}{m} \sum_b (\theta_{(b)} - \bar\theta_{(\cdot)})^2,

    which follows the common draws of reference and procedure by itself.
    """
    curves = _Curves.of(tallies, step)
    wide = len(budgets)
    rows, savings = [], []
    fixed = None if reference is None else procedures.index(reference) * wide
    for p, name in enumerate(procedures):
        own = slice(p * wide, (p + 1) * wide)
        power, spent = curves.power[:, own], curves.spent[:, own]
        for j, budget in enumerate(budgets):
            rows.append(
                ProcedureRow(
                    procedure=name,
                    budget=budget,
                    power=float(power[0, j]),
                    power_error=_jackknife(power[:, j]),
                    judgments=float(spent[0, j]),
                    judgments_error=_jackknife(spent[:, j]),
                )
            )
            if fixed is not None and name != reference:
                target = curves.power[:, fixed + j]
                found = np.array(
                    [_reach(*args) for args in zip(target, power, spent, strict=True)]
                )
                savings.append(
                    _saving(name, budget, float(target[0]), float(found[0]), _jackknife(found))
                )
    return tuple(rows), tuple(savings)


def _saving(
    procedure: str, budget: int, power: float, judgments: float, error: float
) -> Saving:
    reached, sure = math.isfinite(judgments), math.isfinite(error)
    return Saving(
        procedure=procedure,
        budget=budget,
        power=power,
        judgments=judgments if reached else None,
        judgments_error=error if sure else None,
        saving=1.0 - judgments / budget if reached else None,
        saving_error=error / budget if sure else None,
    )


def check_sizes(at_least: float, below: float) -> None:
    """Refuse sizes of differences that none can have."""
    if not 0.0 <= at_least < below:
        raise InputError(
            f"`at_least` must be 0 or more and less than `below`; got {at_least:g} and {below:g}."
        )


def _edges(sizes: FloatArray) -> list[float]:
    """Return the borders of classes of differences: round numbers around the median.

    Examples
    --------
    >>> _edges(np.array([0.0, 1.4, 9.0]))
    [0.0, 0.5, 1.0, 2.0, 3.0, 5.0, 10.0, inf]
    """
    middle = float(np.median(sizes))
    unit = 10.0 ** round(math.log10(middle)) if middle > 0.0 else 1.0
    return [0.0, *(unit * border for border in (0.5, 1.0, 2.0, 3.0, 5.0, 10.0)), math.inf]


def _reach(target: float, power: FloatArray, spent: FloatArray) -> float:
    """Return the judgments at which a curve first reaches `target`; nan outside of it."""
    # A step down is noise of the simulation: power cannot fall with the budget.
    rising = np.maximum.accumulate(power)
    after = int(np.searchsorted(rising, target))
    if after == rising.size or (after == 0 and rising[0] > target):
        return math.nan
    if after == 0 or rising[after] == target:
        return float(spent[after])
    share = (target - rising[after - 1]) / (rising[after] - rising[after - 1])
    return float(spent[after - 1] + share * (spent[after] - spent[after - 1]))


def _jackknife(estimates: FloatArray) -> float:
    """Return the standard error from the estimates without each batch (all but the first)."""
    left_out = estimates[1:]
    m = left_out.size
    return float(np.sqrt((m - 1) / m * np.square(left_out - left_out.mean()).sum()))


def spoken_budget(fair: list[Saving]) -> int:
    """Return the largest budget at which most procedures have a saving.

    Budgets that leave nothing to find come last: a smaller fixed test would do as well.
    """
    budgets = [one.budget for one in fair if one.power < _SATURATED] or [
        one.budget for one in fair
    ]
    most = max(budgets.count(budget) for budget in budgets)
    return max(budget for budget in budgets if budgets.count(budget) == most)
