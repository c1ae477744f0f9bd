"""Tables to audit: past comparisons, benchmarks and studies, recognised and read."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, TypeAlias

import numpy as np

from detectable.core.choices import AuditKind, AuditRole, words
from detectable.core.errors import DataError, InputError
from detectable.core.types import FloatArray
from detectable.core.wording import count, listing
from detectable.data.factor import factor
from detectable.data.files.numbers import number_column
from detectable.data.files.place import Problems
from detectable.data.files.table import Table, check_roles, find_column
from detectable.data.human.judgment_table import USUAL_NAMES as JUDGMENT_NAMES
from detectable.data.human.judgments import REQUIRED
from detectable.study.audit.past_comparisons import PastComparisons, SeenDifferences

Told: TypeAlias = Literal["judgments", "archive", "benchmark", "survey"]

# Usual names of columns, the first that is present is taken.
USUAL_NAMES: Mapping[str, Sequence[str]] = {
    "difference": ("difference", "diff", "delta", "effect", "effect_size", "effect size", "d"),
    "n": (
        *("n", "n_items", "items", "n_judgments", "judgments", "examples", "n_examples"),
        *("size", "test_size", "test size", "sample_size", "sample size", "samples"),
    ),
    "p": ("p", "p_value", "p-value", "p value", "pvalue", "p.value"),
    "standard_error": ("standard_error", "standard error", "se", "stderr", "std_error"),
    "task": ("task", "benchmark", "dataset", "test_set", "test set"),
    "baseline": (
        *("baseline", "baseline_accuracy", "baseline accuracy", "previous_best"),
        *("previous best", "before"),
    ),
    "accuracy": ("accuracy", "model_accuracy", "model accuracy", "after", "acc"),
    "improvement": ("improvement", "gain", "claimed_improvement", "claimed improvement"),
    "best": ("best", "current_best", "current best", "sota", "state_of_the_art"),
    "system": ("system", "model", "index"),
    "paper": ("paper", "study", "link", "publication", "doi", "url"),
    "ratings_per_item": (
        *("ratings_per_item", "ratings per item", "annotations_per_item", "ann.per.ex"),
        "judgments_per_item",
    ),
    "raters": ("raters", "n_raters", "workers", "annotators", "n_annotators", "tot.ann"),
}
MOST_ITEMS = 1e12  # of one comparison; more is a slip
_BENCHMARK = ("baseline", "accuracy", "improvement", "best")
_NEEDS = (
    "Judgments have system, item and score; an archive of comparisons difference, n and p or "
    "standard_error; a benchmark task, n and baseline or accuracy; a survey n and difference."
)


def choose_columns(table: Table, columns: Mapping[str, str] | None) -> dict[str, str]:
    """Return the column of each role that the table has, as chosen or by its usual name."""
    given = dict(columns or {})
    check_roles(given, words(AuditRole))
    found = {
        role: find_column(table, role, names, given) for role, names in USUAL_NAMES.items()
    }
    return {role: column for role, column in found.items() if column is not None}


def tell_kind(table: Table, columns: Mapping[str, str] | None, kind: AuditKind) -> Told:
    """Return what a table is about, by its columns, or what it was said to be.

    Examples
    --------
    >>> tell_kind(Table(path="", columns={"n": [9], "diff": [1], "p": [0.5]}), None, "auto")
    'archive'
    >>> tell_kind(Table(path="", columns={"n": [9], "diff": [1]}), None, "auto")
    'survey'
    """
    chosen = choose_columns(table, columns)
    judged = all(
        find_column(table, role, JUDGMENT_NAMES[role], columns or {}) is not None
        for role in REQUIRED
    )
    if kind == "archive":
        return "judgments" if judged and "difference" not in chosen else "archive"
    if kind != "auto":
        return kind
    if judged and not {"difference", "p", "standard_error"} & chosen.keys():
        return "judgments"
    if "difference" in chosen:
        _refuse_without_n(table, chosen)
        return "archive" if {"p", "standard_error"} & chosen.keys() else "survey"
    if "n" in chosen and any(role in chosen for role in _BENCHMARK):
        return "benchmark"
    raise DataError(
        f"{table.subject}: the columns do not say what this is. {_NEEDS} Found: "
        f"{listing(list(table.columns), most=20)}. Name them: --column n=NAME, "
        "columns={'n': 'NAME'}."
    )


def require(table: Table, chosen: Mapping[str, str], role: str, why: str) -> str:
    """Return the column of a role that must be there, or say what it is needed for."""
    if role in chosen:
        return chosen[role]
    raise DataError(
        f"{table.subject}: there is no column for {role}: {why}. Found: "
        f"{listing(list(table.columns), most=20)}. Name it: --column {role}=NAME, "
        f"columns={{{role!r}: 'NAME'}}."
    )


def find_label(by: str, labels: Sequence[str]) -> str:
    """Return the label to group by, whatever usual name of it was given, or list what there is.

    Case, space, hyphen and underscore do not matter.

    Examples
    --------
    >>> find_label("language-pair", ["campaign", "language"])
    'language'
    """
    known = {_plain(name): name for name in reversed(labels)}
    names = [_plain(by)]
    for usual in JUDGMENT_NAMES.values():
        plain = [_plain(name) for name in usual]
        names += plain if names[0] in plain else []
    for name in names:
        if name in known:
            return known[name]
    there = (
        f"one of {listing(list(labels), most=20)}" if labels else "left out: nothing is named"
    )
    raise InputError(f"`by` must be {there}; got {by!r}.")


def _plain(name: str) -> str:
    return name.strip().casefold().replace("_", "-").replace(" ", "-")


def _refuse_without_n(table: Table, chosen: Mapping[str, str]) -> None:
    require(table, chosen, "n", "on how many judgments or items per system a difference rests")


# --- A table of past comparisons: a difference, how much it rests on, and how sure it was ---

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


# --- The rows of a table that are asked for ---


def rows_where(table: Table, wanted: Mapping[str, str]) -> Table:
    """Return the rows of a table that have a certain value in each column named.

    Examples
    --------
    >>> rows_where(Table(path="", columns={"a": ["x", "y"], "n": [1, 2]}), {"a": "y"}).cells("n")
    [2]
    """
    rows = range(table.n_rows)
    for name, value in wanted.items():
        if name not in table.columns:
            raise DataError(
                f"{table.subject}: there is no column {name!r} to choose rows by. Found: "
                f"{listing(list(table.columns), most=20)}."
            )
        cells = table.cells(name)
        kept = [row for row in rows if str(cells[row]).strip() == value.strip()]
        if not kept:
            there = list(dict.fromkeys(str(cells[row]).strip() for row in rows))
            raise DataError(
                f"{table.subject}: no row has {value!r} in the column {name!r}. Found: "
                f"{listing(there, most=20)}."
            )
        rows = kept  # type: ignore[assignment]  # a list of rows in place of all of them
    return table.take(rows)


# --- A table of studies: how large each was, and what effect it reports ---

SMALL, LARGE = 100, 200  # items: what card2020 calls few and many


@dataclass(frozen=True, slots=True, kw_only=True)
class Reporting:
    """What studies say of themselves. Shares of sizes and numbers are of those that are stated.

    Attributes
    ----------
    n_studies : int
        Rows, also those without a size or an effect.
    n_papers : int or None
        Papers that they stand in; None where no column says.
    effect_sd : float
        Standard deviation of all effects.
    small, large : float
        Share with at most 100 items, and with more than 200.
    items_missing, ratings_missing, raters_missing : float or None
        Share that does not say how many items, ratings of an item, raters; None without the column.
    usual_ratings, usual_raters : int or None
        The most frequent number.
    usual_ratings_share, usual_raters_share : float or None
        How frequent it is.
    """

    n_studies: int
    n_papers: int | None
    effect_sd: float
    small: float
    large: float
    items_missing: float
    ratings_missing: float | None
    usual_ratings: int | None
    usual_ratings_share: float | None
    raters_missing: float | None
    usual_raters: int | None
    usual_raters_share: float | None


def _reporting(
    table: Table, chosen: Mapping[str, str], n: FloatArray, effect: FloatArray
) -> Reporting:
    sizes = n[~np.isnan(n)]
    stated: dict[str, tuple[float | None, int | None, float | None]] = {}
    for role in ("ratings_per_item", "raters"):
        stated[role] = (None, None, None)
        if role in chosen:
            problems = Problems(table.path)
            numbers = number_column(table, chosen[role], problems)
            problems.stop()
            known = numbers[~np.isnan(numbers)]
            missing = 1.0 - known.size / numbers.size
            values, times = np.unique(known, return_counts=True)
            stated[role] = (missing, None, None)
            if known.size:
                top = int(np.argmax(times))
                stated[role] = (
                    missing,
                    round(float(values[top])),
                    float(times[top] / known.size),
                )
    papers = None
    if "paper" in chosen:
        papers = len({str(cell).strip() for cell in table.cells(chosen["paper"])})
    return Reporting(
        n_studies=table.n_rows,
        n_papers=papers,
        effect_sd=float(np.nanstd(effect, ddof=1)),
        small=float((sizes <= SMALL).mean()),
        large=float((sizes > LARGE).mean()),
        items_missing=float(np.isnan(n).mean()),
        ratings_missing=stated["ratings_per_item"][0],
        usual_ratings=stated["ratings_per_item"][1],
        usual_ratings_share=stated["ratings_per_item"][2],
        raters_missing=stated["raters"][0],
        usual_raters=stated["raters"][1],
        usual_raters_share=stated["raters"][2],
    )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Studies:
    """Size and effect of each study that says both; how many do not."""

    n: FloatArray = field(repr=False)
    effect: FloatArray = field(repr=False)
    n_without_size: int
    n_without_effect: int
    reporting: Reporting | None = field(default=None, repr=False)

    def at_least(self, effect: float) -> "Studies":
        """Return the studies with no smaller effect; what all of them report stays."""
        use = self.effect >= effect
        if int(use.sum()) < 2:
            raise InputError(
                f"`at_least` must leave two studies; got {effect!r}, and the largest effect is "
                f"{self.effect.max():g}."
            )
        return replace(self, n=self.n[use], effect=self.effect[use])

    @property
    def notes(self) -> tuple[str, ...]:
        """What was left out."""
        made = []
        if self.n_without_size:
            made.append(f"{count(self.n_without_size, 'study', 'studies')} without n left out.")
        if self.n_without_effect:
            made.append(
                f"{count(self.n_without_effect, 'study', 'studies')} without an effect left out."
            )
        return tuple(made)


def study_table(table: Table, columns: Mapping[str, str] | None = None) -> Studies:
    """Return n and effect of each study; rows without one of them are counted and left out.

    Examples
    --------
    >>> study_table(Table(path="", columns={"n": [50, 100, ""], "effect": [0.3, 0.1, 0.2]}))
    Studies(n_without_size=1, n_without_effect=0)
    """
    chosen = choose_columns(table, columns)
    problems = Problems(table.path)
    n = number_column(
        table,
        require(table, chosen, "n", "how many items a study looked at"),
        problems,
        must="a number above 0, and at most 1e12",
        allowed=lambda values: (values > 0.0) & (values <= MOST_ITEMS),
        remedy="It counts the items of the study.",
    )
    effect = number_column(
        table, require(table, chosen, "difference", "the effect of each study"), problems
    )
    problems.stop()
    use = ~np.isnan(n) & ~np.isnan(effect)
    if int(use.sum()) < 2:
        raise DataError(
            f"{table.subject}: a survey needs two studies with n and effect; found "
            f"{int(use.sum())}."
        )
    return Studies(
        n=n[use],
        effect=effect[use],
        n_without_size=int(np.isnan(n).sum()),
        n_without_effect=int((np.isnan(effect) & ~np.isnan(n)).sum()),
        reporting=_reporting(table, chosen, n, effect),
    )
