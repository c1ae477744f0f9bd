"""What a survey of studies shows about size and effect, and what significant results exaggerate."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

import numpy as np

from detectable.core import check
from detectable.core.choices import LikertPreset
from detectable.core.errors import DataError, InputError
from detectable.core.result import ADDED, Result, Signature
from detectable.core.types import FloatArray, IntArray
from detectable.core.wording import count, listing, visible
from detectable.data.factor import Factor, factor
from detectable.data.files.numbers import number_column
from detectable.data.files.place import Problems
from detectable.data.files.table import Table
from detectable.planning.ask import power
from detectable.planning.closed_forms import beyond, error_factors
from detectable.planning.likert import Likert
from detectable.study.audit.tables import (
    MOST_ITEMS,
    Reporting,
    Studies,
    choose_columns,
    require,
)

USUAL_RATERS = 3  # of most evaluations that card2020 surveyed
_USUAL_PRESET: LikertPreset = "card-high"


@dataclass(frozen=True, slots=True, kw_only=True)
class Noise:
    """What is assumed about the noise of a study: the spread of an item, or a rating design.

    Attributes
    ----------
    item_sd : float or None
        Standard deviation of the difference that one item shows, over all its ratings.
    preset : str or None
        A setting of card2020 on a scale from 0 to 1, with `n_raters` raters of every item.
    """

    item_sd: float | None
    preset: LikertPreset | None
    n_raters: int

    def __str__(self) -> str:
        if self.item_sd is not None:
            return f"an SD of {self.item_sd:g} of an item's difference"
        return f"{self.preset} of card2020 with {self.n_raters} raters"

    def chances(self, n: int, effect: float, *, alpha: float) -> tuple[float, float, float]:
        """Return power, Type-M and Type-S of a study of n items, for a true effect."""
        if self.item_sd is None:
            plan = Likert(n_raters=self.n_raters, preset=self.preset)
            answer = power(plan, n_items=n, effect=effect, alpha=alpha, drawn=0)
            return answer.power, answer.type_m, answer.type_s
        from scipy.special import stdtrit

        error = self.item_sd / math.sqrt(n)
        factors, weights = error_factors(n - 1.0)
        critical = -float(stdtrit(n - 1.0, 0.5 * alpha))
        found = beyond(effect, error, critical * error * factors, weights)
        return found.power, found.type_m, found.type_s


def choose_noise(
    largest: float,
    *,
    item_sd: float | None,
    preset: LikertPreset | None,
    n_raters: int | None,
) -> Noise | None:
    """Return what to assume; None where nothing was said and effects leave the scale 0 to 1."""
    if item_sd is not None:
        if preset is not None or n_raters is not None:
            raise InputError(
                "`item_sd` says all about the noise of an item: give it, or `preset` and "
                "`n_raters`."
            )
        return Noise(item_sd=check.positive(item_sd, "item_sd"), preset=None, n_raters=0)
    raters = USUAL_RATERS if n_raters is None else n_raters
    raters = check.positive_int(raters, "n_raters", minimum=2)
    if preset is None and largest > 1.0:
        return None
    chosen = _USUAL_PRESET if preset is None else preset
    check.literal(chosen, LikertPreset, "preset")
    return Noise(item_sd=None, preset=chosen, n_raters=raters)


# --- What a survey of studies shows about size and effect: the result, and how it is made ---

DIGITS = 9  # of effects: what remains is rounding of floats, and makes or breaks ties


@dataclass(frozen=True, slots=True, kw_only=True)
class SizeBand:
    """The studies of about one size.

    Attributes
    ----------
    low, high : int
        Smallest and largest n of the band.
    n_studies : int
        Studies in it.
    n : float
        Their median size.
    median_effect, effect_sd : float
        Middle and spread of their effects; the spread of one study is nan.
    share_positive : float
        Share with an effect above 0.
    power, type_m, type_s : float
        Of a study of median size if the true effect is the assumed one: chance to show it, how
        many times as large as the truth a significant result is on average, and how often its
        sign is wrong. nan where nothing is known about noise.
    """

    low: int
    high: int
    n_studies: int
    n: float
    median_effect: float
    effect_sd: float
    share_positive: float
    power: float
    type_m: float
    type_s: float


@dataclass(frozen=True, slots=True, kw_only=True)
class SurveyAudit(Result):
    """Whether larger studies see larger effects, and what small ones exaggerate.

    Attributes
    ----------
    tau, p_value : float
        Kendall's τ-b of size and effect, effects rounded, and its two-sided p-value.
    tau_unrounded, p_unrounded : float
        The same with effects as they stand, whose ties rounding of floats may break.
    effect_sd : float
        Standard deviation of the effects.
    bands : tuple of SizeBand
        Studies by size, the smallest first.
    assumed_effect : float
        The true effect that power and Type-M are about.
    effect_given : bool
        Whether it was given; otherwise it is the median size of an effect.
    noise : str
        What is assumed about the noise of a study; empty where nothing is.
    at_least : float or None
        Smaller effects were left out of all but `reporting`.
    reporting : Reporting or None
        What the studies say of themselves; None in files of earlier versions.
    sizes, effects : array
        Of every study; not in `to_dict`.
    """

    n_studies: int
    tau: float
    p_value: float
    tau_unrounded: float
    p_unrounded: float
    effect_sd: float
    median_n: float
    bands: tuple[SizeBand, ...]
    assumed_effect: float
    effect_given: bool
    noise: str
    alpha: float
    notes: tuple[str, ...] = ()
    at_least: float | None = field(default=None, metadata=ADDED)
    reporting: Reporting | None = field(default=None, metadata=ADDED)
    sizes: FloatArray = field(repr=False, compare=False, metadata={"bulk": "array"})
    effects: FloatArray = field(repr=False, compare=False, metadata={"bulk": "array"})

    @property
    def digits(self) -> int:
        """Decimals with which effects are written."""
        return visible(self.assumed_effect, 3 if self.effect_sd < 1.0 else 2)


def audit_survey(
    studies: Studies,
    *,
    target_difference: float | None = None,
    item_sd: float | None = None,
    preset: LikertPreset | None = None,
    n_raters: int | None = None,
    at_least: float | None = None,
    alpha: float = 0.05,
) -> SurveyAudit:
    """Compare sizes and effects of studies; see `audit`.

    References
    ----------
    Card et al. (2020), "With little power comes great responsibility", section 5 and figure 5.
    Gelman and Carlin (2014), "Beyond power calculations: assessing Type S and Type M errors",
    Perspectives on Psychological Science 9(6), 641–651.
    """
    from scipy.stats import kendalltau

    alpha = check.probability(alpha, "alpha")
    all_studies = studies.n.size
    if at_least is not None:
        at_least = float(at_least)
        studies = studies.at_least(at_least)
    sizes = np.abs(studies.effect)
    given = target_difference is not None
    assumed = float(np.median(sizes))
    if target_difference is not None:
        assumed = check.positive(target_difference, "target_difference")
    noise = choose_noise(float(sizes.max()), item_sd=item_sd, preset=preset, n_raters=n_raters)
    rounded = kendalltau(studies.n, np.round(studies.effect, DIGITS))
    stored = kendalltau(studies.n, studies.effect)
    usable = noise if assumed > 0.0 else None
    return SurveyAudit(
        n_studies=int(studies.n.size),
        tau=float(rounded.statistic),
        p_value=float(rounded.pvalue),
        tau_unrounded=float(stored.statistic),
        p_unrounded=float(stored.pvalue),
        effect_sd=float(np.std(studies.effect, ddof=1)),
        median_n=float(np.median(studies.n)),
        bands=_bands(studies, usable, assumed, alpha),
        assumed_effect=assumed,
        effect_given=given,
        noise="" if usable is None else str(usable),
        alpha=alpha,
        notes=(
            *studies.notes,
            *_left_out(all_studies - studies.n.size, at_least),
            *_notes(noise, given=given, assumed=assumed, said=preset is not None),
        ),
        at_least=at_least,
        reporting=studies.reporting,
        sizes=studies.n,
        effects=studies.effect,
        signature=Signature(
            "audit-survey",
            {
                **({} if at_least is None else {"at-least": at_least}),
                "studies": int(studies.n.size),
                "digits": DIGITS,
                "effect": assumed if given else "median",
                "noise": "none" if usable is None else str(usable).replace(" ", "-"),
                "alpha": alpha,
            },
        ),
    )


def _bands(
    studies: Studies, noise: Noise | None, assumed: float, alpha: float
) -> tuple[SizeBand, ...]:
    """Return the bands that have a study; they end at 1, 2, 5, 10, 20, 50 and so on."""
    ends = _ends(float(studies.n.max()))
    place = np.searchsorted(ends, studies.n)
    made = []
    for k in np.unique(place).tolist():
        chosen = place == k
        made.append(
            _band(studies.n[chosen], studies.effect[chosen], noise, assumed, alpha=alpha)
        )
    return tuple(made)


def _band(
    n: FloatArray, effect: FloatArray, noise: Noise | None, assumed: float, *, alpha: float
) -> SizeBand:
    middle = float(np.median(n))
    power = type_m = type_s = math.nan
    if noise is not None:
        power, type_m, type_s = noise.chances(max(round(middle), 2), assumed, alpha=alpha)
    return SizeBand(
        low=math.floor(float(n.min())),
        high=math.ceil(float(n.max())),
        n_studies=int(n.size),
        n=middle,
        median_effect=float(np.median(effect)),
        effect_sd=float(np.std(effect, ddof=1)) if n.size > 1 else math.nan,
        share_positive=float((effect > 0.0).mean()),
        power=power,
        type_m=type_m,
        type_s=type_s,
    )


def _ends(largest: float) -> FloatArray:
    ends = [1.0]
    for step in range(len(str(int(largest))) + 1):
        ends += [2.0 * 10.0**step, 5.0 * 10.0**step, 10.0 * 10.0**step]
    return np.array(ends)


def _left_out(n: int, at_least: float | None) -> list[str]:
    if at_least is None:
        return []
    return [
        f"{count(n, 'study', 'studies')} with an effect below {at_least:g} left out, as asked."
    ]


def _notes(noise: Noise | None, *, given: bool, assumed: float, said: bool) -> list[str]:
    notes = []
    if noise is None:
        notes.append(
            "Effects leave the scale from 0 to 1: without `item_sd` nothing is known about "
            "noise, and there is no Type-M."
        )
    elif assumed == 0.0:
        notes.append("The median effect is 0: give a `target_difference` for Type-M.")
    elif noise.preset is not None and not said:
        notes.append(
            f"Power and Type-M rest on {noise}, taken because nothing else was said; "
            "`item_sd` is better where it is known."
        )
    if noise is not None and not given and assumed > 0.0:
        notes.append(
            "The assumed effect is the median of the reported ones, which selection makes too "
            "large: true Type-M is higher."
        )
    return notes


# --- Claims of higher accuracy on the tasks of a benchmark ---

AccuracyUnit: TypeAlias = Literal["fraction", "percent"]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class AccuracyClaims:
    """Claimed improvements, one entry each, and what is to beat next; accuracies are fractions.

    Attributes
    ----------
    tasks : tuple of str
        In the order of the table.
    n_items : tuple of int
        Size of each task's test set.
    best : tuple of float
        The accuracy to beat on each task.
    task : array of int
        The task of each claim.
    before, gain : array
        The accuracy that was to beat, and by how much it was beaten.
    unit : {'fraction', 'percent'}
        How the table writes accuracies.
    """

    tasks: tuple[str, ...]
    n_items: tuple[int, ...]
    best: tuple[float, ...]
    task: IntArray = field(repr=False)
    before: FloatArray = field(repr=False)
    gain: FloatArray = field(repr=False)
    unit: AccuracyUnit = "fraction"
    notes: tuple[str, ...] = ()

    @property
    def n_claims(self) -> int:
        """The number of claims."""
        return int(self.gain.size)

    @property
    def sizes(self) -> FloatArray:
        """The size of the test set behind each claim."""
        return np.array(self.n_items, dtype=np.float64)[self.task]


def claim_table(
    table: Table,
    columns: Mapping[str, str] | None = None,
    *,
    tasks: Table | None = None,
    n_items: int | None = None,
    best: Mapping[str, float] | None = None,
) -> AccuracyClaims:
    """Read claims of higher accuracy from a table.

    Each row has a task, the size n of its test set, and

    - ``baseline`` with ``accuracy`` or ``improvement``: a claim of more than the baseline; a row
      that lacks one of them makes no claim;
    - or ``accuracy`` alone: a leaderboard in the order of time, on which every system that beats
      all before it on its task makes a claim.

    ``best`` is the accuracy to beat next, by default the highest of the task. Accuracies are
    fractions where all are at most 1, percent where all are above 1.

    Parameters
    ----------
    tasks : Table, optional
        Where the sizes stand in a table of their own: task and n, one row each.
    n_items : int, optional
        One size for all tasks.
    best : mapping of task to accuracy, optional
        The accuracy to beat next, in the unit of the table, where the table does not say it.
    """
    chosen = choose_columns(table, columns)
    sized = tasks is not None or n_items is not None
    n = np.full(table.n_rows, np.nan) if sized else _items(table, chosen)
    problems = Problems(table.path)
    numbers: dict[str, FloatArray] = {
        role: number_column(table, chosen[role], problems)
        for role in ("baseline", "accuracy", "improvement", "best")
        if role in chosen
    }
    problems.stop()
    task = _tasks(table, chosen)
    if tasks is not None:
        sizes = _sizes_of(tasks, columns, task)
    elif n_items is not None:
        sizes = (n_items,) * len(task.levels)
    else:
        sizes = _sizes(table, chosen["n"], task, n)
    unit = _unit(table, chosen, numbers)
    scale = 0.01 if unit == "percent" else 1.0
    numbers = {role: scale * values for role, values in numbers.items()}
    rows, before, gain, notes = _claims(table, numbers, task)
    return AccuracyClaims(
        tasks=task.levels,
        n_items=sizes,
        best=_best(table, numbers, task, _known_best(best or {}, task, unit)),
        task=task.codes[rows],
        before=before,
        gain=gain,
        unit=unit,
        notes=(f"Accuracies were read as {'percent' if scale < 1.0 else 'fractions'}.", *notes),
    )


def _items(table: Table, chosen: Mapping[str, str]) -> FloatArray:
    """Return the column of sizes."""
    problems = Problems(table.path)
    found = number_column(
        table,
        require(table, chosen, "n", "how many items the test set of the task has"),
        problems,
        must="a whole number above 0, and at most 1e12",
        allowed=lambda values: (
            (values > 0.0) & (values == np.floor(values)) & (values <= MOST_ITEMS)
        ),
        remedy="It counts the items of the test set.",
    )
    problems.stop()
    return found


def _sizes_of(table: Table, columns: Mapping[str, str] | None, task: Factor) -> tuple[int, ...]:
    """Return the sizes of the tasks from a table of their own, which may hold more tasks."""
    known = {role: name for role, name in (columns or {}).items() if name in table.columns}
    chosen = choose_columns(table, known)
    name = require(table, chosen, "task", "the tasks whose sizes these are")
    n = _items(table, chosen)
    sizes = dict(
        zip((str(cell).strip() for cell in table.cells(name)), n.tolist(), strict=True)
    )
    absent = [level for level in task.levels if not sizes.get(level, math.nan) > 0]
    if absent:
        raise DataError(
            f"{table.subject}: there is no size of the task {absent[0]!r}. Found: "
            f"{listing(list(sizes), most=20)}."
        )
    return tuple(int(sizes[level]) for level in task.levels)


def _known_best(
    best: Mapping[str, float], task: Factor, unit: AccuracyUnit
) -> dict[int, float]:
    """Return the accuracies to beat that were given, as fractions, by the code of their task."""
    found = {}
    scale, most = (1.0, 1.0) if unit == "fraction" else (0.01, 100.0)
    for name, value in best.items():
        if name not in task.levels:
            raise InputError(
                f"`best` must name tasks of the table, {listing(list(task.levels), most=20)}; got "
                f"{name!r}."
            )
        if not 0.0 < value <= most or (unit == "percent" and value <= 1.0):
            raise InputError(
                f"`best` must be in the unit of the table ({unit}); got {value!r} for {name!r}."
            )
        found[task.levels.index(name)] = scale * value
    return found


def _tasks(table: Table, chosen: Mapping[str, str]) -> Factor:
    if "task" not in chosen:
        return Factor(
            name="task", levels=("all",), codes=np.zeros(table.n_rows, dtype=np.int64)
        )
    return factor("task", [str(cell).strip() for cell in table.cells(chosen["task"])])


def _sizes(table: Table, name: str, task: Factor, n: FloatArray) -> tuple[int, ...]:
    sizes = []
    for code, level in enumerate(task.levels):
        rows = np.flatnonzero(task.codes == code)
        known = np.unique(n[rows][~np.isnan(n[rows])])
        if known.size != 1:
            found = "none" if not known.size else ", ".join(f"{size:,.0f}" for size in known)
            raise DataError(
                f"{table.place(int(rows[0]), name)}: expected one n, the size of the test set, "
                f"for the task {level!r}; found {found}."
            )
        sizes.append(int(known[0]))
    return tuple(sizes)


def _unit(
    table: Table, chosen: Mapping[str, str], numbers: Mapping[str, FloatArray]
) -> AccuracyUnit:
    """Tell fractions from percent, and refuse a mixture."""
    roles = [role for role in ("baseline", "accuracy", "best") if role in numbers]
    if not roles:
        require(table, chosen, "baseline", "the accuracy that was to beat")
    highest = 0.0
    for role in roles:
        values = numbers[role]
        bad = np.flatnonzero((values < 0.0) | (values > 100.0))
        if bad.size:
            raise DataError(
                f"{table.place(int(bad[0]), chosen[role])}: expected an accuracy, a fraction from "
                f"0 to 1 or percent from 0 to 100, found {values[bad[0]]:g}."
            )
        highest = max(highest, float(np.nanmax(values, initial=0.0)))
    if highest <= 1.0:
        _refuse_beyond(table, chosen, numbers, 1.0, ": percent among fractions")
        return "fraction"
    _refuse_beyond(table, chosen, numbers, 100.0, "")
    for role in roles:
        values = numbers[role]
        small = np.flatnonzero((values > 0.0) & (values <= 1.0))
        if small.size:
            raise DataError(
                f"{table.place(int(small[0]), chosen[role])}: found {values[small[0]]:g} among "
                f"accuracies up to {highest:g}, fractions among percent. Write all as one of them."
            )
    return "percent"


def _refuse_beyond(
    table: Table,
    chosen: Mapping[str, str],
    numbers: Mapping[str, FloatArray],
    most: float,
    guess: str,
) -> None:
    """Refuse improvements that lead beyond all that is possible."""
    if "improvement" not in numbers or "baseline" not in numbers:
        return
    after = numbers["baseline"] + numbers["improvement"]
    bad = np.flatnonzero((after > most * (1.0 + 1e-9)) | (after < 0.0))
    if bad.size:
        raise DataError(
            f"{table.place(int(bad[0]), chosen['improvement'])}: an improvement of "
            f"{numbers['improvement'][bad[0]]:g} over {numbers['baseline'][bad[0]]:g} leaves the "
            f"range from 0 to {most:g}{guess}. Write all in one unit."
        )


def _claims(
    table: Table, numbers: Mapping[str, FloatArray], task: Factor
) -> tuple[IntArray, FloatArray, FloatArray, list[str]]:
    """Return the rows that make a claim, what was to beat, the gains, and notes."""
    before = numbers.get("baseline")
    if before is None:
        if "accuracy" not in numbers:
            return (
                np.zeros(0, np.int64),
                np.zeros(0),
                np.zeros(0),
                ["No improvement is claimed."],
            )
        return _running(numbers["accuracy"], task)
    if "improvement" in numbers:
        gain = numbers["improvement"]
    elif "accuracy" in numbers:
        gain = numbers["accuracy"] - before
    else:
        gain = np.full(before.shape, np.nan)
    rows = np.flatnonzero(~np.isnan(before) & ~np.isnan(gain))
    silent = table.n_rows - rows.size
    notes = [f"{count(silent, 'row')} without a claimed improvement."] if silent else []
    return rows, before[rows], gain[rows], notes


def _running(
    accuracy: FloatArray, task: Factor
) -> tuple[IntArray, FloatArray, FloatArray, list[str]]:
    """Return the systems of a leaderboard that beat all before them."""
    best: dict[int, float] = {}
    rows, before = [], []
    for row, (code, value) in enumerate(
        zip(task.codes.tolist(), accuracy.tolist(), strict=True)
    ):
        if value != value:
            continue
        if code in best and value > best[code]:
            rows.append(row)
            before.append(best[code])
        best[code] = max(value, best.get(code, value))
    chosen, old = np.array(rows, dtype=np.int64), np.array(before, dtype=np.float64)
    note = (
        f"No column says what was to beat: {count(len(rows), 'system')} better than all before on "
        "the task, in the order of the table, count as claims."
    )
    return chosen, old, accuracy[chosen] - old, [note]


def _best(
    table: Table, numbers: Mapping[str, FloatArray], task: Factor, given: Mapping[int, float]
) -> tuple[float, ...]:
    """Return the accuracy to beat next on each task: as said, or the highest there is."""
    if "best" in numbers:
        candidates = [numbers["best"]]
    else:
        candidates = [numbers[role] for role in ("baseline", "accuracy") if role in numbers]
        if {"baseline", "improvement"} <= numbers.keys():
            candidates.append(numbers["baseline"] + numbers["improvement"])
    highest = np.fmax.reduce(candidates)
    found = []
    for code, level in enumerate(task.levels):
        if code in given:
            found.append(given[code])
            continue
        own = highest[task.codes == code]
        own = own[~np.isnan(own)]
        if not own.size:
            raise DataError(f"{table.subject}: the task {level!r} has no accuracy.")
        found.append(float(own.max()))
    return tuple(found)
