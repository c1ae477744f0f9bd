r"""Where and when a judge errs: again on the same answers, later, in parts of the data, by length.

Four questions about one judge, each answered beside its agreement with people. *Does it repeat itself?* Of
its several scores of one output, the share of pairs that are the same, and how far they spread. *Has it
drifted?* Its scores of the same outputs now and earlier (an anchor set, which need not be labelled). *Does it
err more in a part of the data?* With the error :math:`e = \text{judge} - \text{people}` and a slice s, the
difference of the mean errors inside and outside of s; p-values of all slices are corrected by Holm. *Does it
favour long outputs?* The slope of e on the length, within systems, so that a system with long outputs does
not pass for one.

Errors of means and slopes are CR2 over documents, or over items where several systems answered them, with the
degrees of freedom of Bell and McCaffrey: a unit counts by its labels in a mean, by its squared lengths in a
slope, and of two means the smaller one counts.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from detectable.contrasts.contrast import Alias, Contrast, Family
from detectable.core.errors import DataError, InputError
from detectable.core.interval import Interval
from detectable.core.types import FloatArray, IntArray
from detectable.core.verdict import Verdict
from detectable.core.wording import listing
from detectable.data.files.numbers import number_in
from detectable.data.files.place import is_missing
from detectable.data.files.table import find_column, is_path, read_table
from detectable.data.names import file_stem
from detectable.data.scores.read_score_table import ROLES
from detectable.data.scores.scores import Scores
from detectable.inference.standard_errors import (
    Estimate,
    cluster_mean,
    cluster_sums,
    robust_variance,
)

FEWEST = 10  # labels in a slice, and outside of it
_WORDS = 100  # words that a slope is stated for
_WHOLE = 1.0 - 1e-9  # the share of a unit that is alone


@dataclass(frozen=True, slots=True)
class JudgeErrors:
    """The errors of a judge by system (rows) and item (columns), NaN where nobody labelled.

    Attributes
    ----------
    units : array of int or None
        What of the items is independent: their documents, or each by itself.
    """

    systems: tuple[str, ...]
    items: tuple[str, ...]
    errors: FloatArray
    units: IntArray | None

    @property
    def known(self) -> tuple[IntArray, IntArray]:
        """Systems and items of the errors, one after the other."""
        s, i = np.nonzero(np.isfinite(self.errors))
        return s, i

    @property
    def clusters(self) -> IntArray | None:
        """The unit of each error; None where each stands alone."""
        _, i = self.known
        if self.units is not None:
            return self.units[i]
        return i if len(self.systems) > 1 else None


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeRepeats:
    """A judge that scored outputs several times.

    Attributes
    ----------
    n_items, n_scores : int
        Outputs with two scores or more, and their scores.
    share_same, interval
        How often two scores of one output are the same.
    spread : float
        Standard deviation of scores of one output.
    noise : float
        Its share in the variance of a single score.
    """

    system: str
    n_items: int
    n_scores: int
    share_same: float
    interval: Interval
    spread: float
    noise: float


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeDrift(Contrast):
    """A judge now and earlier on the same outputs of one system."""

    LAYOUT = "system baseline difference interval p_value p_adjusted verdict n_items share_same"
    n_items = Alias[int]("n")

    verdict: Verdict
    share_same: float


@dataclass(frozen=True, slots=True, kw_only=True)
class SliceError(Contrast):
    """The error of a judge in a slice against that in all others.

    Attributes
    ----------
    error, absolute : float
        Mean of judge − people in the slice, and of its size.
    """

    LAYOUT = (
        "system baseline error absolute difference interval p_value p_adjusted verdict n_items"
    )
    n_items = Alias[int]("n")

    verdict: Verdict
    error: float
    absolute: float


@dataclass(frozen=True, slots=True, kw_only=True)
class LengthError:
    """How the error of a judge goes with the length of an output, within systems.

    Attributes
    ----------
    slope, interval
        Change of judge − people for every `per` of length.
    unit : {'words', 'units'}
        Words, where the column holds texts.
    shorter, longer : float
        Mean errors of the outputs below and above the median length of their system.
    """

    column: str
    per: float
    unit: str
    slope: float
    interval: Interval
    p_value: float
    shorter: float
    longer: float
    n_items: int


def judge_repeats(scores: Scores, level: float) -> tuple[JudgeRepeats, ...]:
    """Return how far a judge repeats itself, for every system that it scored several times."""
    found = []
    units = None if scores.documents is None else np.array(scores.documents)
    for system, table in scores.of_one_task().systems.items():
        several = np.isfinite(table).sum(axis=0) > 1
        if not several.any():
            continue
        own = table[:, several]
        same = np.array([_share_same(column) for column in own.T])
        codes = None if units is None else np.unique(units[several], return_inverse=True)[1]
        estimate = cluster_mean(same, codes)
        within = float(np.nanmean(np.nanvar(own, axis=0, ddof=1)))
        between = float(np.nanvar(np.nanmean(own, axis=0), ddof=1)) if own.shape[1] > 1 else 0.0
        n = np.isfinite(own).sum(axis=0)
        total = max(between - within * float(np.mean(1.0 / n)), 0.0) + within
        found.append(
            JudgeRepeats(
                system=system,
                n_items=int(several.sum()),
                n_scores=int(np.isfinite(own).sum()),
                share_same=estimate.value,
                interval=_within_one(estimate.interval(level)),
                spread=math.sqrt(within),
                noise=within / total if total > 0.0 else math.nan,
            )
        )
    return tuple(found)


def _share_same(scores: FloatArray) -> float:
    """Return how many of all pairs of scores of an output are the same."""
    known = scores[np.isfinite(scores)]
    counts = np.unique(known, return_counts=True)[1]
    return float((counts * (counts - 1)).sum() / (known.size * (known.size - 1)))


def _within_one(interval: Interval) -> Interval:
    return Interval(max(interval.low, 0.0), min(interval.high, 1.0), interval.level)


def judge_drift(now: Scores, earlier: Scores, alpha: float) -> tuple[JudgeDrift, ...]:
    """Return how the scores of a judge have changed on the outputs that it scored both times."""
    then = earlier.of_one_task().averaged()
    new = now.of_one_task().averaged()
    place = {item: i for i, item in enumerate(then.items)}
    shared = [(i, place[item]) for i, item in enumerate(new.items) if item in place]
    tests: list[Estimate] = []
    about = []
    for system in (name for name in new.systems if name in then.systems):
        pairs = np.array(shared, dtype=np.int64).reshape(-1, 2)
        change = new.systems[system][0][pairs[:, 0]] - then.systems[system][0][pairs[:, 1]]
        known = np.isfinite(change)
        if known.sum() < FEWEST:
            continue
        labels = None if new.documents is None else np.array(new.documents)[pairs[:, 0]]
        codes = None if labels is None else np.unique(labels[known], return_inverse=True)[1]
        tests.append(cluster_mean(change[known], codes))
        same = float((change[known] == 0.0).mean())
        about.append(
            {"system": system, "baseline": "earlier", "n": int(known.sum()), "share_same": same}
        )
    if not tests:
        raise DataError(
            f"no system has {FEWEST} outputs that the judge scored both now and earlier. Give its "
            "scores of the same systems and items."
        )
    family = Family(alpha=alpha)
    return family.contrasts(JudgeDrift, tests, about, higher_is_better=None)


# --- Errors by a column of the judge's table ---


def _column_of(judge: object, name: str, option: str) -> Mapping[tuple[str, str], object]:
    """Return the cells of a column of the judge's table by system and item.

    Where the table has no column of systems, its file is one, or every system has the same
    items: then the name of the system is empty.
    """
    named = isinstance(judge, Mapping) and bool({*judge} & {*ROLES["item"]})
    if isinstance(judge, Scores) or not (is_path(judge) or hasattr(judge, "columns") or named):
        raise InputError(
            f"`{option}` names a column of the judge's table; give the judge as a file or a frame."
        )
    table = read_table(judge)
    if name not in table.columns:
        raise DataError(
            f"{table.subject}: there is no column {name!r} for `{option}`. Found: "
            f"{listing(list(table.columns), most=20)}."
        )
    item = find_column(table, "item", ROLES["item"], {})
    if item is None:
        raise DataError(f"{table.subject}: `{option}` needs a column of items. Name it 'item'.")
    system = find_column(table, "system", ROLES["system"], {})
    systems = (
        table.cells(system)
        if system is not None
        else [file_stem(table.path) if table.path and _is_long(table.columns) else ""]
        * table.n_rows
    )
    rows = zip(systems, table.cells(item), table.cells(name), strict=True)
    return {(str(who), str(what)): cell for who, what, cell in rows}


def _is_long(columns: Mapping[str, object]) -> bool:
    """Return whether a table without systems has scores of its file alone."""
    return bool({name.strip().casefold() for name in columns} & {*ROLES["score"]})


def _cells(found: JudgeErrors, judge: object, name: str, option: str) -> list[object]:
    """Return the cell of each error."""
    column = _column_of(judge, name, option)
    s, i = found.known
    return [
        column.get((found.systems[a], found.items[b]), column.get(("", found.items[b])))
        for a, b in zip(s.tolist(), i.tolist(), strict=True)
    ]


def errors_by(
    found: JudgeErrors, judge: object, name: str, alpha: float
) -> tuple[SliceError, ...]:
    """Return the error in every slice with enough labels, against that in all others.

    Parameters
    ----------
    judge : file or frame
        The judge's table.
    name : str
        Of its column.
    """
    cells = _cells(found, judge, name, "by")
    known = np.array([not is_missing(cell) for cell in cells])
    errors = found.errors[found.known]
    labels = np.array([str(cell).strip() for cell in cells])
    clusters = found.clusters
    tests: list[Estimate] = []
    about = []
    for label in dict.fromkeys(labels[known].tolist()):
        inside = known & (labels == label)
        outside = known & ~inside
        if min(inside.sum(), outside.sum()) < FEWEST:
            continue
        tests.append(_difference(errors, inside, outside, clusters))
        about.append(
            {
                "system": label,
                "baseline": "all others",
                "n": int(inside.sum()),
                "error": float(errors[inside].mean()),
                "absolute": float(np.abs(errors[inside]).mean()),
            }
        )
    if not tests:
        raise DataError(
            f"no value of {name} has {FEWEST} labels, with as many elsewhere. Choose a coarser column."
        )
    family = Family(alpha=alpha)
    return family.contrasts(SliceError, tests, about, higher_is_better=None)


def _difference(
    values: FloatArray, inside: np.ndarray, outside: np.ndarray, clusters: IntArray | None
) -> Estimate:
    """Return the difference of two means whose units may be in both."""
    of = (
        np.arange(values.size)
        if clusters is None
        else np.unique(clusters, return_inverse=True)[1]
    )
    total = np.zeros(int(of.max()) + 1)
    sides = []
    for part, sign in ((inside, 1.0), (outside, -1.0)):
        own = values[part]
        sums = np.bincount(of[part], own - own.mean(), total.size) / own.size
        shares = np.bincount(of[part], minlength=total.size) / own.size
        total += sign * sums / np.sqrt(1.0 - np.minimum(shares, _WHOLE))
        sides.append(robust_variance(sums[shares > 0.0], shares[shares > 0.0]))
    variances, dfs = np.array(sides).T
    value = float(values[inside].mean() - values[outside].mean())
    # One unit says nothing of a spread: its variance is not known, and neither is the error.
    spread = (
        float(np.sqrt(np.square(total).sum())) if np.isfinite(variances).all() else math.nan
    )
    # Welch's degrees of freedom are too many where one side has few units.
    return Estimate(value, spread, float(dfs.min()))


def error_by_length(found: JudgeErrors, judge: object, name: str, level: float) -> LengthError:
    """Return the slope of the error on the length of an output, within systems; see `errors_by`."""
    cells = _cells(found, judge, name, "length")
    known = np.array([not is_missing(cell) for cell in cells])
    numbers = [number_in(cell) for cell, has in zip(cells, known, strict=True) if has]
    are_words = any(one is None for one in numbers)
    lengths = np.full(len(cells), np.nan)
    lengths[known] = [
        float(len(str(cell).split())) if are_words else float(number or 0.0)
        for cell, number in zip(
            (cell for cell, has in zip(cells, known, strict=True) if has), numbers, strict=True
        )
    ]
    s, _ = found.known
    errors, lengths, system = found.errors[found.known][known], lengths[known], s[known]
    x, e = lengths.copy(), errors.copy()
    long = np.zeros(x.size, dtype=bool)
    for one in np.unique(system).tolist():
        own = system == one
        x[own] -= lengths[own].mean()
        e[own] -= errors[own].mean()
        long[own] = lengths[own] > np.median(lengths[own])
    square = float(np.square(x).sum())
    if x.size < 2 * FEWEST or square == 0.0:
        raise DataError(
            f"{name} must differ between outputs, and {2 * FEWEST} labels must have it; got "
            f"{x.size}. Give the outputs, or how long they are."
        )
    slope = float((x * e).sum()) / square
    clusters = found.clusters
    of = np.arange(x.size) if clusters is None else clusters[known]
    # A slope is a mean of slopes, to which a unit adds by its squares.
    leverage = cluster_sums(np.square(x), of) / square
    variance, df = robust_variance(cluster_sums(x * (e - slope * x), of) / square, leverage)
    per = float(_WORDS) if are_words else _round_size(float(lengths.std()))
    estimate = Estimate(slope * per, math.sqrt(float(variance)) * per, float(df))
    return LengthError(
        column=name,
        per=per,
        unit="words" if are_words else "units",
        slope=estimate.value,
        interval=estimate.interval(level),
        p_value=estimate.p_value(),
        shorter=float(errors[~long].mean()),
        longer=float(errors[long].mean()),
        n_items=x.size,
    )


def _round_size(value: float) -> float:
    """Return 1, 10, 100 … : the power of ten next to a spread.

    Examples
    --------
    >>> _round_size(87.0), _round_size(0.4)
    (100.0, 1.0)
    """
    return 10.0 ** round(math.log10(value)) if value > 0.0 else 1.0
