"""One score per translation and rater: what noise and agreement are computed from."""

from dataclasses import dataclass

import numpy as np

from detectable.core.choices import CellRepeats
from detectable.core.errors import DataError
from detectable.core.types import FloatArray, IntArray
from detectable.core.wording import count
from detectable.data.factor import Factor, cross_codes
from detectable.data.human.judgments import KINDS, Judgments


@dataclass(frozen=True, slots=True, kw_only=True)
class RaterCells:
    """Scores sorted by translation, one per rater; a translation is a system's item.

    Attributes
    ----------
    score : array
        The rater's score; the mean, or the first, where a rater scored a translation again.
    translation, rater : array of int
        Codes. Translations are numbered in the order in which they are sorted here.
    start : array of int
        Where each translation begins.
    size : array of int
        How many raters scored it.
    row : array of int
        The first row of the table of judgments that belongs to the cell.
    cell : array of int
        The cell of every row.
    """

    score: FloatArray
    translation: IntArray
    rater: IntArray
    start: IntArray
    size: IntArray
    row: IntArray
    cell: IntArray

    @property
    def n_translations(self) -> int:
        """The number of different translations."""
        return int(self.size.size)

    def pairs(self) -> tuple[IntArray, IntArray]:
        """Return the cells of every two raters of one translation, first and second."""
        first, second = [], []
        for lag in range(1, int(self.size.max())):
            here = np.flatnonzero(self.translation[lag:] == self.translation[:-lag])
            first.append(here)
            second.append(here + lag)
        if not first:
            return np.zeros(0, np.int64), np.zeros(0, np.int64)
        return np.concatenate(first), np.concatenate(second)


def ordinary(judgments: Judgments) -> tuple[Judgments, tuple[str, ...]]:
    """Return the judgments of systems' own output, repeats among them, and what was left out."""
    keep = judgments.is_kind("system", "repeat")
    if keep.all():
        return judgments, ()
    if not keep.any():
        raise DataError(
            f"{judgments.path or 'the judgments'}: no judgment is of a system's own output, all "
            "are of degraded copies or references. Check the column of the kind."
        )
    lost = np.bincount(judgments.kind[~keep], minlength=len(KINDS))
    named = [f"{int(n):,} {kind}" for kind, n in zip(KINDS, lost, strict=True) if n]
    note = (
        f"{count(int((~keep).sum()), 'judgment')} left out, not of systems' own output: "
        f"{', '.join(named)}."
    )
    return judgments.take(keep), (note,)


def translation_codes(judgments: Judgments) -> IntArray:
    """Return the number of the translation (campaign, language, system, item) of each row."""
    given = (judgments.campaign, judgments.language, judgments.system, judgments.item)
    return combined_codes(*(column for column in given if column is not None))


def system_codes(judgments: Judgments) -> IntArray:
    """Return the number of the system within its campaign and language of each row."""
    given = (judgments.campaign, judgments.language, judgments.system)
    return combined_codes(*(column for column in given if column is not None))


def combined_codes(*columns: Factor) -> IntArray:
    """Return the number of the combination in each row, in no particular order.

    One sort of one key. `cross_codes` sorts once per column; it is the way out where the key
    would not fit into 64 bits.
    """
    sizes = [column.n_levels for column in columns]
    if float(np.prod(np.array(sizes, dtype=np.float64))) >= 2.0**62:
        return cross_codes(*columns)[0]
    key = columns[0].codes
    for column in columns[1:]:
        key = key * column.n_levels + column.codes
    return np.unique(key, return_inverse=True)[1]


def rater_cells(judgments: Judgments, *, repeats: CellRepeats) -> RaterCells:
    """Return one score per translation and rater."""
    translation = translation_codes(judgments)
    rater = judgments.column("rater")
    key = translation * rater.n_levels + rater.codes
    different, first, cell = np.unique(key, return_index=True, return_inverse=True)
    if repeats == "mean":
        score = np.bincount(cell, judgments.score) / np.bincount(cell)
    else:
        score = judgments.score[first]
    of = different // rater.n_levels
    start = np.flatnonzero(np.diff(of, prepend=-1))
    return RaterCells(
        score=score,
        translation=of,
        rater=different % rater.n_levels,
        start=start,
        size=np.diff(start, append=of.size),
        row=first,
        cell=cell,
    )
