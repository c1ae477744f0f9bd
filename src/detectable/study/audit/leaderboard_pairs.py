"""A leaderboard beside its pairs of systems on development data: what one set tells of the other.

Leaderboards publish accuracies on a private test set. Where it is also known how often each pair of
systems disagrees on development data, three things follow (card2020, section 3.2): how well
differences on one set tell those on the other, the chain of systems that beat the best one so far,
and how the agreement of two systems follows from accuracy and difference.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

import numpy as np

from detectable.core.errors import DataError, InputError
from detectable.core.types import FloatArray, IntArray
from detectable.core.wording import count
from detectable.data.files.numbers import number_column
from detectable.data.files.place import Problems
from detectable.data.files.table import Table, find_column
from detectable.inference.classic_tests import sign_test_p
from detectable.inference.correlation import pearson
from detectable.planning.accuracy import Accuracy, AgreementRegression, fit_agreement
from detectable.study.audit.survey_audit import AccuracyClaims
from detectable.study.audit.tables import choose_columns, require

PAIR_NAMES: Mapping[str, Sequence[str]] = {
    "first": ("first", "i", "system_a", "a"),
    "second": ("second", "j", "system_b", "b"),
    "difference": ("difference", "delta", "dev_delta", "dev_difference"),
    "disagreement": ("disagreement", "disagree", "dev_disagree", "dev_disagreement"),
    "test_disagreement": ("test_disagreement", "test_disagree"),
}
_CELLS = 40  # on a side of the grid of pairs
_FEWEST = 4  # best systems, from which on there is a regression


@dataclass(frozen=True, slots=True, kw_only=True)
class BestSystem:
    """A system that beat the best one so far; accuracies on the test set, as fractions.

    Attributes
    ----------
    baseline : float
        Accuracy of the system that was best before.
    improvement : float
        By how much it was beaten.
    agreement : float
        Share of items that both get right or both get wrong: on development data, where the test
        set's is not known.
    """

    system: str
    baseline: float
    improvement: float
    agreement: float


@dataclass(frozen=True, slots=True, kw_only=True)
class PairsAlike:
    """Pairs of systems with nearly the same values on development data and on the test set.

    Attributes
    ----------
    development, test : float
        The middle of a cell, as fractions.
    n_pairs : int
        How many pairs lie in it.
    """

    what: Literal["difference", "agreement"]
    development: float
    test: float
    n_pairs: int


@dataclass(frozen=True, slots=True, kw_only=True)
class TwoSets:
    """What pairs of systems show on development data and on the test set.

    Attributes
    ----------
    r_difference, r_agreement : float
        Correlation of both sets over all pairs; nan where the test set's agreement is not known.
    agreement_r_squared : float
        Of the regression of the best systems' agreement on accuracy and improvement; nan where
        they are too few. `intercept`, `accuracy` and `difference` are its coefficients.
    best : tuple of BestSystem
        The chain of best systems, in the order of time; not in `to_dict`.
    alike : tuple of PairsAlike
        All pairs in the cells of a grid, for a chart; not in `to_dict`.
    """

    n_pairs: int
    r_difference: float
    r_agreement: float
    n_best: int
    agreement_r_squared: float
    intercept: float
    accuracy: float
    difference: float
    best: tuple[BestSystem, ...] = field(
        default=(), repr=False, compare=False, metadata={"bulk": "rows"}
    )
    alike: tuple[PairsAlike, ...] = field(
        default=(), repr=False, compare=False, metadata={"bulk": "rows"}
    )


class _Pairs(NamedTuple):
    """Pairs of systems by their row in the leaderboard; `ahead` is the second system's lead."""

    first: IntArray
    second: IntArray
    ahead: FloatArray
    disagreement: FloatArray
    on_test: FloatArray
    n_items: int | None  # of development data, where counts were given


def leaderboard_claims(
    table: Table,
    pairs: Table,
    columns: Mapping[str, str] | None = None,
    *,
    n_items: int | None,
    pairs_n: int | None,
    alpha: float,
    power: float,
) -> tuple[AccuracyClaims, TwoSets, AgreementRegression | None]:
    r"""Return the chain of best systems as claims, what both sets show, and a prior of agreement.

    The chain begins with the first system. A later one joins it where it is ahead of the best so far
    on both sets, where development data find their difference with the power asked for (McNemar's
    exact test), and where the difference is significant on the test set at the disagreement
    :math:`p_d` of the development data: :math:`n_{10} + n_{01} = n p_d` [1]_.

    References
    ----------
    .. [1] Card et al. (2020), section 3.2 and appendix E.2.1.
    """
    chosen = choose_columns(table, columns)
    accuracy = _accuracies(table, chosen)
    if n_items is None:
        raise InputError(
            "`n_items` must say how many items the test set has, to know which gains are "
            "significant; got None."
        )
    known = _read_pairs(pairs, columns, _names(table, chosen), pairs_n)
    best = _chain(accuracy, known, n_items, _names(table, chosen), alpha, power)
    before = np.array([one.baseline for one in best])
    gain = np.array([one.improvement for one in best])
    fit = None
    if len(best) >= _FEWEST:
        fit = fit_agreement(before, gain, np.array([one.agreement for one in best]))
    test = accuracy[known.second] - accuracy[known.first]
    known_test = ~np.isnan(known.on_test)
    both = TwoSets(
        n_pairs=int(known.ahead.size),
        r_difference=float(pearson(known.ahead, test)),
        r_agreement=(
            float(pearson(known.disagreement[known_test], known.on_test[known_test]))
            if known_test.sum() > 2
            else math.nan
        ),
        n_best=len(best),
        agreement_r_squared=math.nan if fit is None else fit.r_squared,
        intercept=math.nan if fit is None else fit.intercept,
        accuracy=math.nan if fit is None else fit.accuracy,
        difference=math.nan if fit is None else fit.difference,
        best=best,
        alike=(
            *_alike("difference", known.ahead, test),
            *_alike("agreement", 1.0 - known.disagreement, 1.0 - known.on_test),
        ),
    )
    claims = AccuracyClaims(
        tasks=("all",),
        n_items=(n_items,),
        best=(float(np.nanmax(accuracy)),),
        task=np.zeros(len(best), dtype=np.int64),
        before=before,
        gain=gain,
        unit="percent" if _scale(table, chosen) < 1.0 else "fraction",
    )
    return claims, both, fit


def _alike(
    what: Literal["difference", "agreement"], development: FloatArray, test: FloatArray
) -> tuple[PairsAlike, ...]:
    """Count pairs in the cells of a grid with the same scale on both sides."""
    known = np.isfinite(development) & np.isfinite(test)
    if not known.any():
        return ()
    both = np.concatenate([development[known], test[known]])
    low, high = float(both.min()), float(both.max())
    edges = np.linspace(low, high if high > low else low + 1.0, _CELLS + 1)
    counts, _, _ = np.histogram2d(development[known], test[known], bins=[edges, edges])
    middle = (edges[1:] + edges[:-1]) / 2.0
    return tuple(
        PairsAlike(
            what=what,
            development=float(middle[i]),
            test=float(middle[j]),
            n_pairs=int(counts[i, j]),
        )
        for i, j in np.argwhere(counts > 0.0).tolist()
    )


def _accuracies(table: Table, chosen: Mapping[str, str]) -> FloatArray:
    name = require(
        table, chosen, "accuracy", "how many of the test items each system gets right"
    )
    problems = Problems(table.path)
    found = number_column(
        table,
        name,
        problems,
        must="an accuracy, a fraction or percent",
        allowed=lambda x: (x >= 0.0) & (x <= 100.0),
    )
    problems.stop()
    return found * _scale(table, chosen)


def _scale(table: Table, chosen: Mapping[str, str]) -> float:
    values = number_column(table, chosen["accuracy"], Problems(table.path))
    return 0.01 if float(np.nanmax(values, initial=0.0)) > 1.0 else 1.0


def _names(table: Table, chosen: Mapping[str, str]) -> list[str]:
    """Return the names of the systems: of their column, or their number from 0."""
    if "system" not in chosen:
        return [str(row) for row in range(table.n_rows)]
    return [str(cell).strip() for cell in table.cells(chosen["system"])]


def _read_pairs(
    table: Table, columns: Mapping[str, str] | None, names: Sequence[str], n_items: int | None
) -> _Pairs:
    given = {role: name for role, name in (columns or {}).items() if role in PAIR_NAMES}
    found = {role: find_column(table, role, usual, given) for role, usual in PAIR_NAMES.items()}
    chosen = {role: name for role, name in found.items() if name is not None}
    why = {
        "first": "one system of each pair",
        "second": "the other one",
        "difference": "by how much the second system is ahead of the first",
        "disagreement": "on how many items exactly one of them is right",
    }
    for role, reason in why.items():
        require(table, chosen, role, reason)
    rows = {name: row for row, name in enumerate(names)}
    ends = [
        np.array([rows.get(str(cell).strip(), -1) for cell in table.cells(chosen[role])])
        for role in ("first", "second")
    ]
    for role, end in zip(("first", "second"), ends, strict=True):
        absent = np.flatnonzero(end < 0)
        if absent.size:
            cell = table.cells(chosen[role])[int(absent[0])]
            raise DataError(
                f"{table.place(int(absent[0]), chosen[role])}: the leaderboard has no system "
                f"{cell!r} ({count(int(absent.size), 'row')} in all). Name its column of systems: "
                "--column system=NAME."
            )
    problems = Problems(table.path)
    ahead, differ = (
        number_column(table, chosen[role], problems) for role in ("difference", "disagreement")
    )
    test = np.full(ahead.shape, np.nan)
    if "test_disagreement" in chosen:
        test = number_column(
            table,
            chosen["test_disagreement"],
            problems,
            must="a share of the test items, from 0 to 1",
            allowed=lambda x: (x >= 0.0) & (x <= 1.0),
        )
    problems.stop()
    counted = bool(np.nanmax(np.abs(differ), initial=0.0) > 1.0)
    if counted and n_items is None:
        raise InputError(
            f"`pairs_n` must say on how many items the pairs were compared, since {table.subject} "
            "counts items; got None."
        )
    if not counted and n_items is not None:
        raise InputError(
            f"`pairs_n` has no effect: {table.subject} has shares of items. Drop it."
        )
    size = float(n_items or 1)
    if counted and float(np.nanmax(differ)) > size:
        raise InputError(
            f"`pairs_n` must be at least {np.nanmax(differ):,.0f}, on which a pair differs; got "
            f"{n_items!r}."
        )
    return _Pairs(ends[0], ends[1], ahead / size, differ / size, test, n_items)


def _chain(
    accuracy: FloatArray,
    pairs: _Pairs,
    n_items: int,
    names: Sequence[str],
    alpha: float,
    power: float,
) -> tuple[BestSystem, ...]:
    """Return the systems that beat the best so far: powered on development data, significant on test."""
    known: dict[tuple[int, int], tuple[float, float, float]] = {}
    for first, second, ahead, differ, test in zip(
        *(part.tolist() for part in pairs[:5]), strict=True
    ):
        known[first, second] = (ahead, differ, test)
        known[second, first] = (-ahead, differ, test)
    size = pairs.n_items or n_items
    best, found = 0, list[BestSystem]()
    for new in range(1, accuracy.size):
        if (best, new) not in known:
            raise DataError(
                f"the pairs hold no comparison of {names[best]!r} and {names[new]!r}, and the chain "
                "of best systems needs it. Give all pairs."
            )
        ahead, differ, test = known[best, new]
        gain = float(accuracy[new] - accuracy[best])
        if not (ahead > 0.0 and gain > 0.0 and _powered(ahead, differ, size, alpha, power)):
            continue
        differ = differ if math.isnan(test) else test
        if _significant(gain, differ, n_items, alpha):
            found.append(
                BestSystem(
                    system=names[new],
                    baseline=float(accuracy[best]),
                    improvement=gain,
                    agreement=1.0 - differ,
                )
            )
            best = new
    return tuple(found)


def _powered(ahead: float, differ: float, n: int, alpha: float, power: float) -> bool:
    plan = Accuracy(agreement=1.0 - differ)
    return plan.closed_form(n, min(ahead, differ), alpha=alpha).power >= power


def _significant(gain: float, differ: float, n: int, alpha: float) -> bool:
    decided = round(differ * n)
    wins = min(round((decided + gain * n) / 2), decided)
    return float(sign_test_p(wins, decided - wins)) <= alpha
