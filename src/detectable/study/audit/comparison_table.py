"""A table of past comparisons: a difference, how much it rests on, and how sure it was."""

from collections.abc import Mapping

import numpy as np

from detectable.core.errors import DataError
from detectable.core.types import FloatArray
from detectable.core.wording import count
from detectable.data.factor import factor
from detectable.data.files.number_column import number_column
from detectable.data.files.problems import Problems
from detectable.data.files.table import Table
from detectable.study.audit.audit_table import MOST_ITEMS, choose_columns, require
from detectable.study.audit.past_comparisons import PastComparisons, SeenDifferences

REPORTED = "reported"


def comparison_table(table: Table, columns: Mapping[str, str] | None = None) -> PastComparisons:
    r"""Return the comparisons of a table with one row each.

    Needed are the difference, n (judgments or items per system) and p or the standard error. A
    standard error that is not given follows from difference and p, :math:`s = |d| / z_{1-p/2}`,
    if the test was one of means; one of p follows likewise from the standard error.

    Rows without a difference, or with neither p nor a standard error, are left out and counted.
    """
    chosen = choose_columns(table, columns)
    difference_name = require(table, chosen, "difference", "what each comparison saw")
    n_name = require(
        table, chosen, "n", "on how many judgments or items per system a difference rests"
    )
    if not {"p", "standard_error"} & chosen.keys():
        require(
            table, chosen, "p", "without p or standard_error nothing says what was significant"
        )
    problems = Problems(table.path)
    difference = number_column(table, difference_name, problems)
    n = number_column(
        table,
        n_name,
        problems,
        must="a number above 0, and at most 1e12",
        allowed=lambda values: (values > 0.0) & (values <= MOST_ITEMS),
        remedy="It counts judgments or items per system.",
    )
    p = np.full(n.shape, np.nan)
    if "p" in chosen:
        p = number_column(
            table,
            chosen["p"],
            problems,
            must="a p-value between 0 and 1",
            allowed=lambda values: (values >= 0.0) & (values <= 1.0),
        )
    error = np.full(n.shape, np.nan)
    if "standard_error" in chosen:
        error = number_column(
            table,
            chosen["standard_error"],
            problems,
            must="a standard error above 0",
            allowed=lambda values: values > 0.0,
        )
    problems.stop()
    _refuse_missing_n(table, n_name, n, difference)
    use = ~np.isnan(difference) & ~(np.isnan(p) & np.isnan(error))
    if not use.any():
        raise DataError(
            f"{table.subject}: no row has a difference and a p-value or standard error."
        )
    notes = _notes(int((~use).sum()), p[use], error[use], difference[use])
    p, error = _complete(difference, p, error)
    labels = {name: factor(name, table.columns[name]) for name in table.columns}
    rows = np.flatnonzero(use)
    return PastComparisons(
        tested=SeenDifferences(
            test=REPORTED,
            difference=difference[rows],
            p_value=p[rows],
            standard_error=error[rows],
            df=np.full(rows.size, np.inf),
            n=n[rows],
        ),
        paired=None,
        labels={
            name: tuple(column.levels[code] for code in column.codes[rows].tolist())
            for name, column in labels.items()
        },
        notes=notes,
    )


def _refuse_missing_n(table: Table, name: str, n: FloatArray, difference: FloatArray) -> None:
    missing = np.flatnonzero(np.isnan(n) & ~np.isnan(difference))
    if missing.size:
        raise DataError(
            f"{table.place(int(missing[0]), name)}: the difference has no n "
            f"({count(int(missing.size), 'row')} in all). Fill it in, or drop the row: what a "
            "comparison could detect depends on it."
        )


def _complete(
    difference: FloatArray, p: FloatArray, error: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return p-values and standard errors, each from the other where it is missing."""
    from scipy.special import ndtr, ndtri

    p_known = np.where(np.isnan(p), 2.0 * ndtr(-np.abs(difference) / error), p)
    with np.errstate(divide="ignore", invalid="ignore"):
        implied = np.abs(difference) / -ndtri(0.5 * p)
    # p = 0 was rounded, p = 1 and a difference of 0 leave the standard error open.
    implied[~((p > 0.0) & (p < 1.0) & (difference != 0.0))] = np.nan
    return p_known, np.where(np.isnan(error), implied, error)


def _notes(
    left_out: int, p: FloatArray, error: FloatArray, difference: FloatArray
) -> tuple[str, ...]:
    notes = []
    if left_out:
        notes.append(
            f"{count(left_out, 'row')} without a difference, or with neither p nor standard "
            "error, left out."
        )
    implied = np.isnan(error)
    if implied.any():
        notes.append(
            f"Standard errors of {count(int(implied.sum()), 'comparison')} follow from difference "
            "and p, as if the test was one of means."
        )
        open_ = implied & ((p <= 0.0) | (p >= 1.0) | (difference == 0.0))
        if open_.any():
            notes.append(
                f"{count(int(open_.sum()), 'comparison')} with p = 0, p = 1 or no difference say "
                "nothing about their standard error: they count as decided or not, and are left "
                "out of what could be detected."
            )
    return tuple(notes)
