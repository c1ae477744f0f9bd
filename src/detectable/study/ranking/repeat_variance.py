"""How much of a study is its documents, its raters and the rest: cells, and their variances."""

import math
from dataclasses import dataclass

import numpy as np

from detectable.core.errors import DataError, InputError
from detectable.core.types import FloatArray, IntArray
from detectable.core.wording import count
from detectable.data.human.judgments import Judgments

ACROSS = 4  # systems, from which on stretching can be taken out


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """The judgments of a ranking as they were tested, for whoever asks about a repeat.

    Attributes
    ----------
    judgments : Judgments or None
        None where there are none at hand: scores of segments, or a table that was scanned.
    values : array or None
        The score of each judgment that was tested; None for raw ones.
    same_raters : bool
        Whether systems were judged by the same raters on at least half of the items.
    domains : bool
        Whether means of domains were averaged.
    """

    judgments: Judgments | None
    values: FloatArray | None = None
    same_raters: bool = False
    domains: bool = False
    scanned: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class RepeatCells:
    """Mean scores of all systems in a cell: by one rater in one document.

    Attributes
    ----------
    scores : array of shape (cells, systems)
    document, rater : array of int
        Of each cell.
    n : array
        Items of each cell.
    n_known : int
        Documents, also those without a cell that has all systems.
    own_raters : bool
        Whether a cell has a rater for each system, and shares none with another cell.
    """

    scores: FloatArray
    document: IntArray
    rater: IntArray
    n: FloatArray
    systems: tuple[str, ...]
    n_known: int
    by_document: bool
    own_raters: bool = False

    @property
    def n_documents(self) -> int:
        """How many documents have cells."""
        return int(self.document.max()) + 1

    @property
    def n_raters(self) -> int:
        """How many raters have cells."""
        return int(self.rater.max()) + 1

    @property
    def uneven(self) -> FloatArray:
        """The variance of each cell's rest beside that of a cell of average size."""
        return np.asarray(self.n.mean() / self.n, np.float64)

    def weights(self) -> FloatArray:
        """Return the share of each cell in a mean: items count alike, and raters of a document."""
        items = np.zeros(self.n_documents)
        np.maximum.at(items, self.document, self.n)
        share: FloatArray = items / items.sum() / np.bincount(self.document)
        return share[self.document]

    def severity(self) -> float:
        """Return the variance between raters of one document in how they score all systems."""
        means = self.scores.mean(axis=1)
        sizes = np.bincount(self.document)
        centre = (np.bincount(self.document, means) / sizes)[self.document]
        squares = np.bincount(self.document, (means - centre) ** 2)
        several = sizes > 1
        if not several.any():
            return math.nan
        return float((squares[several] / (sizes[several] - 1)).mean())


def repeat_cells(judged: Judged) -> RepeatCells:
    """Gather the cells of a ranking that have all systems, and refuse where most have not."""
    judgments = judged.judgments
    if judgments is None:
        raise InputError(
            "A scanned table is not held: `repeat` needs all judgments. Read them with "
            "read_judgments."
            if judged.scanned
            else "Segment scores do not say who judged: `repeat` needs judgments."
        )
    if judgments.rater is None:
        raise InputError(
            "`repeat` needs to know who judged what: no column for the rater was found."
        )
    cells = judgments.cells(values=judged.values)
    by_document = cells.document is not None
    of_item = np.arange(len(cells.items)) if cells.document is None else cells.document
    of_rater = np.zeros_like(cells.item) if cells.rater is None else cells.rater
    k, document = len(cells.systems), of_item[cells.item]
    if judged.same_raters:
        # Items that the rater judged for all systems.
        whole = (np.bincount(cells.group)[cells.group] == k).nonzero()[0]
        place = document[whole] * (int(of_rater.max()) + 1) + of_rater[whole]
    else:
        whole = np.arange(cells.item.size)
        place = document * (1 + cells.item.size) + _turns(document, cells.system, of_rater)
    keys, cell = np.unique(place, return_inverse=True)
    at = cell * k + cells.system[whole]
    n = np.bincount(at, minlength=keys.size * k).reshape(-1, k)
    sums = np.bincount(at, cells.mean[whole], minlength=keys.size * k).reshape(-1, k)
    full = (n > 0).all(axis=1)
    first = np.zeros(keys.size, np.int64)
    first[cell] = whole
    documents, own = np.unique(document[first[full]], return_inverse=True)
    _, raters = np.unique(of_rater[first[full]], return_inverse=True)
    n_known = int(np.unique(document).size)
    if 2 * documents.size < n_known:
        unit = "document" if by_document else "item"
        raise DataError(
            f"Only {documents.size:,} of {count(n_known, unit)} have all systems by one rater: "
            "`repeat` needs a common set. Name systems with `systems`."
        )
    return RepeatCells(
        scores=sums[full] / n[full],
        document=own,
        rater=raters if judged.same_raters else np.arange(own.size),
        n=n[full].min(axis=1).astype(np.float64),
        systems=cells.systems,
        n_known=n_known,
        by_document=by_document,
        own_raters=not judged.same_raters,
    )


def _turns(document: IntArray, system: IntArray, rater: IntArray) -> IntArray:
    """Return which of the raters of a system in a document each is: the first, the second, …."""
    order = np.lexsort([rater, system, document])
    keys = np.stack([document[order], system[order]])
    new = np.append(True, (keys[:, 1:] != keys[:, :-1]).any(axis=0))
    other = new | np.append(True, rater[order][1:] != rater[order][:-1])
    steps = np.cumsum(other)
    turn = np.empty_like(document)
    turn[order] = steps - np.maximum.accumulate(np.where(new, steps, 0))
    return turn


# --- Variances, by restricted maximum likelihood ---


@dataclass(frozen=True, slots=True, kw_only=True)
class RepeatVariance:
    """Variances of how well a system suits a document, or a rater, and of the rest of a cell."""

    document: float  # nan where no document has two raters: it is part of the rest
    rater: float
    rest: float


def repeat_variance(cells: RepeatCells, *, across: bool = True) -> RepeatVariance:
    r"""Return the variances of documents, raters and the rest in centred scores.

    .. math:: c = \alpha + D_{document} + T_{rater} + e, \qquad var(e) = \sigma_e^2 \bar n / n,

    independent over systems. A strict rater, or a hard document, stretches all differences; that
    moves no order and would pass for disagreement. With four systems or more, scores are therefore
    projected off the direction of the systems' means (`across`). The variances are those of
    restricted maximum likelihood [1]_: the deviance of the dimensions that are left, profiled over
    :math:`\sigma_e^2`. (`detectable.mixed` has no rest of unequal variance.)

    References
    ----------
    .. [1] Patterson and Thompson (1971), "Recovery of inter-block information when block sizes
       are unequal", Biometrika 58(3), 545-554.
    """
    from scipy.optimize import minimize

    centred = cells.scores - cells.scores.mean(axis=1, keepdims=True)
    dimensions = centred.shape[1] - 1
    if across and centred.shape[1] >= ACROSS:
        line = cells.weights() @ centred
        line /= max(float(np.sqrt(line @ line)), 1e-300)
        centred -= np.outer(centred @ line, line)
        dimensions -= 1
    n = len(centred)
    total = float(((centred - centred.mean(axis=0)) ** 2).sum())
    by_document = bool(np.bincount(cells.document).max() > 1)
    by_rater = 1 < cells.n_raters < n
    if n < 2 or total <= 1e-24 * max(1.0, float(np.abs(cells.scores).max()) ** 2):
        return RepeatVariance(document=0.0 if by_document else math.nan, rater=0.0, rest=0.0)
    model = _Crossed(cells, centred / math.sqrt(total), dimensions)
    ends = [(0.0, 1e4 if used else 0.0) for used in (by_document, by_rater)]
    starts = [np.array([a * by_document, b * by_rater]) for a, b in _STARTS]
    found = [
        minimize(model.deviance, x, jac=True, method="L-BFGS-B", bounds=ends, options=_CLOSE)
        for x in starts
    ]
    best = min(found, key=lambda one: float(one.fun)).x
    rest = model.rest(best) * total
    return RepeatVariance(
        document=float(best[0] * rest) if by_document else math.nan,
        rater=float(best[1] * rest),
        rest=rest,
    )


_STARTS = ((0.3, 0.03), (3.0, 0.3), (0.03, 1.0))
_CLOSE = {"ftol": 1e-13, "gtol": 1e-9, "maxiter": 500}


class _Crossed:
    """The deviance of crossed documents and raters, in time that grows with the cells.

    The factor with more levels is eliminated cell by cell, the other by Woodbury's identity: with
    A = E + ρ_a Z_a Z_a', H⁻¹ = A⁻¹ − A⁻¹ Z_b ρ_b (I + ρ_b Z_b'A⁻¹Z_b)⁻¹ Z_b'A⁻¹.
    """

    def __init__(self, cells: RepeatCells, values: FloatArray, dimensions: int) -> None:
        self.turned = cells.n_raters > cells.n_documents
        pair = (cells.document, cells.rater)
        self.a, self.b = pair[::-1] if self.turned else pair
        self.weight = 1.0 / cells.uneven
        self.columns = np.column_stack([np.ones(len(values)), values])
        self.dimensions, self.df = dimensions, dimensions * (len(values) - 1)
        size = int(self.a.max()) + 1, int(self.b.max()) + 1
        flat = np.bincount(self.a * size[1] + self.b, self.weight, minlength=size[0] * size[1])
        self.both = flat.reshape(size)
        self.of_a, self.of_b = self.both.sum(axis=1), self.both.sum(axis=0)

    def rest(self, rho: FloatArray) -> float:
        """Return the variance of the rest at variances relative to it."""
        return self._solved(rho).square / self.df

    def deviance(self, rho: FloatArray) -> tuple[float, FloatArray]:
        """Return minus twice the restricted log-likelihood, without constants, and its gradient."""
        at = self._solved(rho)
        ra, rb = rho[::-1] if self.turned else rho
        log_det = np.log1p(ra * self.of_a).sum() + np.linalg.slogdet(at.turned)[1]
        value = self.dimensions * (log_det + math.log(at.ones)) + self.df * math.log(at.square)
        inverse = np.linalg.inv(at.turned)
        kept = at.shrink[:, None] * self.both
        traces = (
            float(self.of_a @ at.shrink) - rb * float((inverse * (kept.T @ kept)).sum()),
            float((inverse * at.inner).sum()),
        )
        slopes = [
            self.dimensions
            * (trace - float((_sums(at.one[:, None], codes, size) ** 2).sum()) / at.ones)
            - self.df / at.square * float((_sums(at.left, codes, size) ** 2).sum())
            for trace, codes, size in zip(
                traces, (self.a, self.b), (self.of_a.size, self.of_b.size), strict=True
            )
        ]
        return float(value), np.array(slopes[::-1] if self.turned else slopes)

    def _solved(self, rho: FloatArray) -> "_Solved":
        ra, rb = rho[::-1] if self.turned else rho
        shrink = 1.0 / (1.0 + ra * self.of_a)
        over = (ra * shrink)[:, None]
        inner = np.diag(self.of_b) - self.both.T @ (over * self.both)
        turned = np.eye(self.of_b.size) + rb * inner
        weight = self.weight[:, None]
        first = weight * self.columns
        first -= weight * (over * _sums(first, self.a, self.of_a.size))[self.a]
        pull = np.linalg.solve(turned, _sums(first, self.b, self.of_b.size))
        solved = first - rb * weight * (pull[self.b] - (over * (self.both @ pull))[self.a])
        one, rest = solved[:, 0], solved[:, 1:]
        ones = float(one.sum())
        left = rest - np.outer(one, rest.sum(axis=0) / ones)
        square = float((self.columns[:, 1:] * left).sum())
        return _Solved(shrink, inner, turned, one, ones, left, square)


def _sums(values: FloatArray, codes: IntArray, size: int) -> FloatArray:
    found = np.zeros((size, values.shape[1]))
    np.add.at(found, codes, values)
    return found


@dataclass(frozen=True, slots=True)
class _Solved:
    """With H the covariance over that of the rest, and P what is left of its inverse by the mean."""

    shrink: FloatArray  # of the factor that is eliminated
    inner: FloatArray  # Z_b'A⁻¹Z_b
    turned: FloatArray  # I + ρ_b Z_b'A⁻¹Z_b
    one: FloatArray  # H⁻¹1
    ones: float  # 1'H⁻¹1
    left: FloatArray  # P c
    square: float  # c'P c, over all dimensions
