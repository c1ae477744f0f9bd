"""What a table is about: judgments, past comparisons, a benchmark, or a survey of studies."""

from collections.abc import Mapping, Sequence
from typing import Literal, TypeAlias

from detectable.core.choices import AuditKind, AuditRole, words
from detectable.core.errors import DataError, InputError
from detectable.core.wording import listing
from detectable.data.files.table import Table, check_roles, find_column
from detectable.data.human.judgment_roles import USUAL_NAMES as JUDGMENT_NAMES
from detectable.data.human.judgments import REQUIRED

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
