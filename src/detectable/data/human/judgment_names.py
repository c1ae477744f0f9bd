"""Names and kinds of judgments, as columns of whole numbers."""

from collections.abc import Mapping
from typing import Any, Literal, TypeAlias

import numpy as np

from detectable.core.types import IntArray
from detectable.data.factor import Factor, factor
from detectable.data.files.missing import is_missing, missing_names
from detectable.data.files.place import quote
from detectable.data.files.problems import Problems
from detectable.data.texts.language_code import UNKNOWN

Kind: TypeAlias = Literal["system", "repeat", "degraded", "reference"]
KINDS: tuple[Kind, ...] = ("system", "repeat", "degraded", "reference")
# What campaigns call the kinds: Direct Assessment on Mechanical Turk, Appraise, this package.
_KIND_WORDS: Mapping[str, Kind] = {
    **{kind: kind for kind in KINDS},
    **dict.fromkeys(("tgt", "target", "sys"), "system"),
    **dict.fromkeys(("chk", "dup", "duplicate"), "repeat"),
    **dict.fromkeys(("bad", "bad_ref", "bad-ref", "cal"), "degraded"),
    "ref": "reference",
}


def names_of(role: str, values: Any, problems: Problems, where: Any) -> Factor:
    """Return a column of names; a missing one is a problem."""
    column = factor(role, values)
    empty = missing_names(column.levels)
    if empty and role == "original_language":
        # Only one study asks for it; a gap there must not stop all others.
        return _with_unknown(column, set(empty))
    if empty:
        rows = np.flatnonzero(np.isin(column.codes, empty))
        problems.add_rows(
            rows.tolist(),
            lambda row: where(row, role),
            f"the {role} is missing",
            "Fill it in, or drop the row: it belongs to nothing.",
        )
    return column


def _with_unknown(column: Factor, missing: set[int]) -> Factor:
    """Return the column with one word for all levels that say nothing."""
    labels = [
        UNKNOWN if code in missing else column.levels[code] for code in column.codes.tolist()
    ]
    return factor(column.name, labels)


def kinds_of(values: Any, n: int, problems: Problems, where: Any) -> IntArray:
    """Return the kind of every row, a position in `KINDS`; an unknown word is a problem."""
    if values is None:
        return np.zeros(n, dtype=np.int64)
    column = factor("kind", values)
    # Where nothing is said, an item is an ordinary one.
    words = [
        "system" if is_missing(level) else level.strip().lower() for level in column.levels
    ]
    for code, word in enumerate(words):
        if word not in _KIND_WORDS:
            problems.add_rows(
                np.flatnonzero(column.codes == code).tolist(),
                lambda row: where(row, "kind"),
                f"unknown kind {quote(column.levels[code])}",
                f"Known are {', '.join(KINDS)} (and TGT, BAD, REF, CHK, BAD_REF, REPEAT).",
            )
    known = np.array([KINDS.index(_KIND_WORDS.get(word, "system")) for word in words])
    codes: IntArray = known[column.codes]
    return codes
