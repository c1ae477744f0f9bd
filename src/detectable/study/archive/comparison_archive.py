"""An archive of past comparisons: what was observed for each pair of systems, as counts."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from detectable.core.errors import DataError, InputError
from detectable.core.types import ArrayLike, FloatArray, IntArray
from detectable.core.wording import count
from detectable.data.human.cells import Cells, Matched, Slots, unmatched_note
from detectable.data.human.judgments import Judgments
from detectable.data.human.score_histograms import ScoreHistograms
from detectable.kernels.means import exact_histogram_means
from detectable.study.archive.campaign_pairs import SlotRows

_MOST_VALUES = 1 << 16  # cells are stored in 16 bits
_MOST_CELLS = 200_000_000  # of all histograms together: 1.6 GB
_MIXTURE = 10_000  # judgments that stand for a mixture of histograms


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ComparisonArchive:
    """Score histograms of pairs of systems, or histograms of their paired differences.

    Make one with `from_judgments`, `from_score_histograms`, `from_samples`, `from_histograms`,
    `from_differences` or `from_difference_histograms`.

    Attributes
    ----------
    values : ndarray of shape (values,)
        The scores, or the differences a − b, in ascending order.
    first : ndarray of shape (comparisons, values)
        How often the first system of each pair got each score; how often each difference was
        seen, if `second` is None.
    second : ndarray or None
        The same for the second system. None says that the comparisons are paired.
    names : tuple of str
        One name per comparison; may be empty.
    notes : tuple of str
        What was left out of the judgments, with its count.

    Examples
    --------
    >>> archive = ComparisonArchive.from_samples([([90, 80, 80], [70, 80, 60])])
    >>> archive.values.tolist(), archive.first.tolist(), archive.differences.round(2).tolist()
    ([60.0, 70.0, 80.0, 90.0], [[0, 0, 2, 1]], [13.33])
    """

    values: FloatArray = field(repr=False)
    first: IntArray = field(repr=False)
    second: IntArray | None = field(repr=False)
    names: tuple[str, ...] = field(default=(), repr=False)
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        _check_counts(self.first, self.values, "first")
        if self.second is not None:
            _check_counts(self.second, self.values, "second")
            if self.second.shape != self.first.shape:
                raise InputError(
                    f"`second` must have the shape of `first`, {self.first.shape}; "
                    f"got {self.second.shape}."
                )
        if self.names and len(self.names) != len(self.first):
            raise InputError(
                f"`names` must have one entry per comparison, {len(self.first)}; "
                f"got {len(self.names)}."
            )

    def __len__(self) -> int:
        return len(self.first)

    @property
    def paired(self) -> bool:
        """Whether the histograms are of paired differences."""
        return self.second is None

    @property
    def differences(self) -> FloatArray:
        """Mean score of the first system less that of the second, of each comparison."""
        mean = exact_histogram_means(self.first, self.values)
        if self.second is not None:
            mean = mean - exact_histogram_means(self.second, self.values)
        return mean

    @classmethod
    def from_judgments(
        cls, judgments: Judgments, *, paired: bool = True
    ) -> "ComparisonArchive":
        """Take every pair of systems within each campaign (campaign and language pair).

        Parameters
        ----------
        judgments : Judgments
            Systems' own output counts; degraded copies and references are left out.
        paired : bool
            Match what the same rater gave the same item of both systems, a rater's repeats
            averaged first; without raters, the means of an item. A pair needs two matches.
            False takes all judgments of each system, as if they were unrelated.

        Examples
        --------
        >>> judgments = Judgments.build({
        ...     "system": ["A", "B", "A", "B", "A"], "item": [1, 1, 2, 2, 3],
        ...     "rater": ["w"] * 5, "score": [70, 60, 50, 45, 90]})
        >>> ComparisonArchive.from_judgments(judgments).differences.tolist()
        [7.5]
        >>> ComparisonArchive.from_judgments(judgments, paired=False).differences.tolist()
        [17.5]
        """
        cells = judgments.cells()
        matched = cells.matched()
        enough = np.diff(matched.starts) >= 2
        keep = np.flatnonzero(enough) if paired else np.arange(matched.n_pairs)
        if not keep.size:
            raise DataError(
                f"{judgments.path or 'the judgments'}: no two systems of one campaign have "
                "judgments to compare. Check the columns of campaign, system and item; if "
                "nothing is paired, compare all judgments (--unpaired, paired=False)."
            )
        second, notes = None, cells.notes
        if paired:
            values, first = _matched_counts(matched, keep)
            notes = (*notes, *_left_out(matched, keep))
        else:
            values, counts = _slot_counts(cells, matched.slots)
            find = matched.slots.find
            first = counts[find(matched.campaign, matched.first)]
            second = counts[find(matched.campaign, matched.second)]
        return cls(
            values=values,
            first=first,
            second=second,
            names=tuple(_name(matched, pair) for pair in keep.tolist()),
            notes=notes,
        )

    @classmethod
    def from_score_histograms(cls, stored: ScoreHistograms) -> "ComparisonArchive":
        """Take every pair of systems within each campaign of what `read_score_histograms` read."""
        first, second = stored.pairs()
        campaigns, systems = stored.campaign.labels(), stored.system.labels()
        return cls(
            values=stored.values,
            first=stored.counts[first],
            second=stored.counts[second],
            names=tuple(
                f"{campaigns[a]}: {systems[a]} – {systems[b]}"
                for a, b in zip(first.tolist(), second.tolist(), strict=True)
            ),
        )

    @classmethod
    def from_histograms(
        cls,
        values: ArrayLike,
        first: ArrayLike,
        second: ArrayLike,
        *,
        names: Sequence[str] = (),
    ) -> "ComparisonArchive":
        """Take counts of the score `values`: one row per comparison, one column per value."""
        return cls(
            values=np.asarray(values, np.float64),
            first=_counts(first, "first"),
            second=_counts(second, "second"),
            names=tuple(names),
        )

    @classmethod
    def from_difference_histograms(
        cls, values: ArrayLike, counts: ArrayLike, *, names: Sequence[str] = ()
    ) -> "ComparisonArchive":
        """Take counts of paired differences a − b: one row per comparison."""
        return cls(
            values=np.asarray(values, np.float64),
            first=_counts(counts, "counts"),
            second=None,
            names=tuple(names),
        )

    @classmethod
    def from_samples(
        cls, samples: Sequence[tuple[ArrayLike, ArrayLike]], *, names: Sequence[str] = ()
    ) -> "ComparisonArchive":
        """Take the judgments themselves: for each comparison those of both systems."""
        flat = [np.asarray(one, np.float64).ravel() for pair in samples for one in pair]
        values, counts = _count(flat, "samples")
        return cls(values=values, first=counts[::2], second=counts[1::2], names=tuple(names))

    @classmethod
    def from_differences(
        cls, samples: Sequence[ArrayLike], *, names: Sequence[str] = ()
    ) -> "ComparisonArchive":
        """Take, for each comparison, the differences of judgments of the same item and rater."""
        values, counts = _count(
            [np.asarray(one, np.float64).ravel() for one in samples], "samples"
        )
        return cls(values=values, first=counts, second=None, names=tuple(names))

    def null(self) -> "ComparisonArchive":
        """Return an archive without differences, for measuring false alarms.

        Both systems of a pair get the histogram of the first; paired differences are made
        symmetric, as if the systems were swapped at random within each item.
        """
        if self.second is not None:
            return ComparisonArchive(
                values=self.values, first=self.first, second=self.first, names=self.names
            )
        values, ahead, behind = self._mirrored()
        return ComparisonArchive(
            values=values, first=ahead + behind, second=None, names=self.names
        )

    def shrunk(self, factors: ArrayLike) -> "ComparisonArchive":
        r"""Return the archive with every mean difference multiplied by a factor from 0 to 1.

        Observed differences are too large on average, because chance adds to their size. Here
        the systems' labels are swapped in a share :math:`q = (1 - f) / 2` of the judgments: each
        histogram becomes a mixture of both, and paired differences change their sign with
        chance q. Shares are rounded to 1 in 10,000.

        Parameters
        ----------
        factors : array_like of shape (comparisons,)
            The factors f.
        """
        factor = np.asarray(factors, np.float64)
        if factor.shape != (len(self),) or not ((factor >= 0.0) & (factor <= 1.0)).all():
            raise InputError(
                f"`factors` must hold {len(self)} numbers from 0 to 1; got shape {factor.shape}."
            )
        q = 0.5 * (1.0 - factor)[:, None]
        if self.second is None:
            values, ahead, behind = self._mirrored()
            mixed = _whole((1.0 - q) * _shares(ahead) + q * _shares(behind))
            return ComparisonArchive(values=values, first=mixed, second=None, names=self.names)
        a, b = _shares(self.first), _shares(self.second)
        return ComparisonArchive(
            values=self.values,
            first=_whole((1.0 - q) * a + q * b),
            second=_whole((1.0 - q) * b + q * a),
            names=self.names,
        )

    def _mirrored(self) -> tuple[FloatArray, IntArray, IntArray]:
        """Return differences of both signs, and the counts as they are and swapped."""
        values = np.unique(np.concatenate([self.values, -self.values]))
        ahead = np.zeros((len(self.first), values.size), np.int64)
        ahead[:, np.searchsorted(values, self.values)] = self.first
        return values, ahead, ahead[:, ::-1]


def _matched_counts(matched: Matched, pairs: IntArray) -> tuple[FloatArray, IntArray]:
    d = matched.score_first - matched.score_second
    ends = zip(matched.starts[pairs].tolist(), matched.starts[pairs + 1].tolist(), strict=True)
    return _count([d[low:high] for low, high in ends], "judgments")


def _slot_counts(cells: Cells, slots: Slots) -> tuple[FloatArray, IntArray]:
    """Return the different scores, and how often each system of each campaign got them."""
    rows = SlotRows.of(cells, slots)
    samples = np.split(rows.values[rows.value], rows.starts[1:-1])
    return _count(samples, "judgments")


def _left_out(matched: Matched, kept: IntArray) -> tuple[str, ...]:
    apart = matched.n_pairs - kept.size
    few = (f"{count(apart, 'pair')} of systems with fewer than two matches left out.",)
    return (*(few if apart else ()), *unmatched_note(int(matched.unmatched[kept].max())))


def _name(matched: Matched, pair: int) -> str:
    campaign = matched.cells.campaigns[int(matched.campaign[pair])]
    systems = " – ".join(matched.names(pair))
    return f"{campaign}: {systems}" if campaign else systems


def _shares(counts: IntArray) -> FloatArray:
    shares: FloatArray = counts / counts.sum(axis=1, keepdims=True)
    return shares


def _whole(shares: FloatArray) -> IntArray:
    """Return counts in proportion, by rounding the running sums: no total is lost."""
    ends = np.rint(np.cumsum(shares, axis=1) * _MIXTURE)
    return np.ascontiguousarray(np.diff(ends, axis=1, prepend=0.0), dtype=np.int64)


def _counts(table: ArrayLike, name: str) -> IntArray:
    array = np.asarray(table)
    if not (np.issubdtype(array.dtype, np.number) and np.equal(np.mod(array, 1), 0).all()):
        raise InputError(
            f"`{name}` must hold whole numbers, how often each value was seen; "
            "got something else. Give counts, not shares."
        )
    return np.ascontiguousarray(array, dtype=np.int64)


def _count(samples: Sequence[FloatArray], name: str) -> tuple[FloatArray, IntArray]:
    """Return all values that occur, and how often each occurs in each sample."""
    if not samples:
        raise InputError(f"`{name}` must hold at least one comparison; got none.")
    together = np.concatenate(samples)
    if not np.isfinite(together).all():
        raise InputError(
            f"`{name}` must hold finite scores; got nan or infinity. "
            "Drop missing judgments before."
        )
    values = np.unique(together)
    if values.size > _MOST_VALUES or values.size * len(samples) > _MOST_CELLS:
        raise InputError(
            f"`{name}` must hold scores with few different values; got {values.size:,} values "
            f"in {len(samples):,} samples. Round the scores, for example to whole points."
        )
    rows = [np.bincount(np.searchsorted(values, one), minlength=values.size) for one in samples]
    return values, np.stack(rows).astype(np.int64)


def _check_counts(counts: IntArray, values: FloatArray, name: str) -> None:
    if values.ndim != 1 or values.size > _MOST_VALUES or not (np.diff(values) > 0.0).all():
        raise InputError(
            f"`values` must be at most {_MOST_VALUES:,} numbers in ascending order; "
            f"got shape {values.shape}."
        )
    if counts.ndim != 2 or len(counts) == 0 or counts.shape[1] != values.size:
        raise InputError(
            f"`{name}` must have one row per comparison and {values.size} columns, one per "
            f"value; got shape {counts.shape}."
        )
    if (counts < 0).any():
        raise InputError(f"`{name}` must hold counts ≥ 0; got {counts.min()}.")
    empty = np.flatnonzero(counts.sum(axis=1) == 0)
    if empty.size:
        raise InputError(
            f"`{name}` must have a judgment in every comparison; row {empty[0]} has none."
        )
