"""A design as inner products: blocks to be eliminated, nested documents, and where to begin."""

import functools
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from detectable.core.errors import InputError
from detectable.core.types import FloatArray, IntArray
from detectable.kernels.crossed import BlockArrays, Parts
from detectable.mixed.design import DOCUMENT_BY_SYSTEM, Design, Term


@dataclass(frozen=True, slots=True)
class Nested:
    """The columns of documents at given relative variances."""

    variance: FloatArray  # (c,), S²
    keep: FloatArray  # (groups, c, c), U
    kept: FloatArray  # (groups, c, c), UA
    across: FloatArray  # (groups, c, d), H₂

    @property
    def cover(self) -> FloatArray:
        """What the documents' own effects cover, S²U."""
        return self.variance[:, None] * self.keep

    def flat(self, width: int) -> FloatArray:
        """Return H₂ with the first `width` columns, one row per column of a document."""
        return stacked(self.across[:, :, :width])

    def shift(self, width: int) -> FloatArray:
        """Return S²H₂ with the first `width` columns: how the rest moves the documents."""
        shift: FloatArray = self.variance[:, None] * self.across[:, :, :width]
        return shift

    def weighted(self, inverse: FloatArray) -> FloatArray:
        """Return H₂M, of shape (groups, c, m)."""
        width = inverse.shape[0]
        weighted: FloatArray = (self.flat(width) @ inverse).reshape(
            *self.across.shape[:2], width
        )
        return weighted

    def lost(self, weighted: FloatArray) -> FloatArray:
        """Return H₂MH₂' within documents: what the rest takes of them."""
        return weighted @ self.across[:, :, : weighted.shape[2]].swapaxes(1, 2)

    def inverse(self, weighted: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the inverse within documents, and between documents and the rest."""
        twice = np.outer(self.variance, self.variance)
        return self.cover + twice * self.lost(weighted), -self.variance[:, None] * weighted


def stacked(rows: FloatArray) -> FloatArray:
    """Return the rows of all documents below each other; there may be none."""
    return rows.reshape(rows.shape[0] * rows.shape[1], rows.shape[2])


def eliminate_groups(products: Parts, variance: FloatArray) -> tuple[Nested, float]:
    """Subtract from the dense products what documents explain; return them, and log det."""
    rest, near, across = products
    if variance.size == 0:  # no documents; most designs have none, and are fitted often
        return Nested(variance, near, near, across), 0.0
    scale = np.sqrt(variance)
    scaled = near * scale * scale[:, None]
    scaled[:, np.arange(scale.size), np.arange(scale.size)] += 1.0
    # From the symmetric matrix, which loses no digits where documents explain nearly all.
    keep = np.linalg.inv(scaled) * scale / scale[:, None]
    log_det = float(np.linalg.slogdet(scaled)[1].sum())
    nested = Nested(variance, keep, keep @ near, keep @ across)
    d = rest.shape[0]
    rest -= stacked(variance[:, None] * across).T @ nested.flat(d)
    return nested, log_det


# --- Variances from sums of squares: where to begin the descent ---
#
# Without any random effect in the model, :math:`P = I - X(X'X)^{-1}X'`, and with
# :math:`q_t = y'PZ_tZ_t'Py`
#
# .. math:: E\,q_t = \sum_u \sigma_u^2 |Z_t'PZ_u|^2 + \sigma^2\,\mathrm{tr}(Z_t'PZ_t), \qquad
# E\,y'Py = \sum_u \sigma_u^2\,\mathrm{tr}(Z_u'PZ_u) + \sigma^2 (n - p).
#
# These linear equations have unbiased variances as their solution, MINQUE(0) [1]_: consistent, but not
# as sure as restricted likelihood, which begins there.
#
# References
# ----------
# .. [1] Rao (1971), "Minimum variance quadratic unbiased estimation of variance components", Journal of
# Multivariate Analysis 1(4), 445-456.

_LEAST, _MOST = (
    1e-3,
    100.0,
)  # of a relative variance to begin with: 0 and ∞ are far from anywhere
_SURE = 1e-10  # smallest eigenvalue, of a matrix with unit diagonal, that can be divided by


@dataclass(frozen=True)  # without slots: what is computed once is kept
class Moments:
    """What a design says of sums of squares, shared by all ratings of it."""

    design: Design

    @functools.cached_property
    def fixed(self) -> FloatArray:
        """The fixed effects of every rating, of shape (n, p)."""
        rows: FloatArray = self.design.fixed_rows()[self.design.system]
        return rows

    @functools.cached_property
    def random(self) -> tuple[Any, ...]:
        """The columns of every term, sparse matrices with a row for each rating."""
        return tuple(self._columns(term) for term in self.design.terms)

    def _columns(self, term: Term) -> Any:
        from scipy.sparse import csr_array

        n, factor = self.design.n, self.design.factors[term.factor]
        values = np.ones((n, 1)) if term.kind == "intercept" else self.fixed[:, 1:]
        width = values.shape[1]
        columns = factor.codes[:, None] * width + np.arange(width)
        entries = values.ravel(), columns.ravel(), np.arange(n + 1) * width
        return csr_array(entries, shape=(n, factor.n_levels * width))

    @functools.cached_property
    def expected(self) -> FloatArray:
        """The squares by variance, of shape (terms + 1, terms + 1); that of the residual is last."""
        n, p = self.fixed.shape
        half = np.linalg.inv(np.linalg.cholesky(self.fixed.T @ self.fixed))
        onto = [(z.T @ self.fixed) @ half.T for z in self.random]  # Z'X, of an orthonormal X
        back = [z @ w for z, w in zip(self.random, onto, strict=True)]
        m = len(self.random)
        found = np.zeros((m + 1, m + 1))
        for t in range(m):
            whole = float((self.random[t].data ** 2).sum())
            found[t, m] = found[m, t] = whole - float((onto[t] ** 2).sum())
            for u in range(t, m):
                plain = float(((self.random[t].T @ self.random[u]).data ** 2).sum())
                crossed = float(np.einsum("ij,ij->", back[t], back[u]))
                taken = float(np.sum((onto[t].T @ onto[t]) * (onto[u].T @ onto[u])))
                found[t, u] = found[u, t] = plain - 2.0 * crossed + taken
        found[m, m] = n - p
        return found

    def start(self, response: FloatArray) -> FloatArray | None:
        """Return relative variances to begin with, of shape (terms,); None if there are none."""
        coefficients = np.linalg.solve(self.fixed.T @ self.fixed, self.fixed.T @ response)
        left = response - self.fixed @ coefficients
        seen = [float(np.sum((z.T @ left) ** 2)) for z in self.random]
        size = np.sqrt(np.diagonal(self.expected))
        if size.min() == 0.0:  # a term that fixed effects explain
            return None
        scaled = self.expected / size / size[:, None]
        if np.linalg.eigvalsh(scaled)[0] < _SURE:
            return None
        found = np.linalg.solve(scaled, np.array([*seen, float(left @ left)]) / size) / size
        if found[-1] <= 0.0:
            return None
        start: FloatArray = np.clip(found[:-1] / found[-1], _LEAST, _MOST)
        return start


# --- A design as inner products: blocks of the factor to be eliminated, groups of them, the rest ---

_LARGEST = 12_000  # dense columns: three matrices of this order fill 3.5 GB
_NEAR = ("document", DOCUMENT_BY_SYSTEM)  # what lies within documents, as items do


@dataclass(frozen=True, slots=True, kw_only=True)
class Blocks:
    """All that the likelihood needs to know; see `detectable.kernels.crossed` for the layout.

    Blocks are the levels of one factor, mostly items. Where items lie in documents, documents
    are the groups of blocks: their own effects, and those for every system, are *near* columns,
    the same `c` numbers in every document. All other random effects and the fixed effects are
    *dense* columns, in this order. A factor with slopes has the intercept and the slopes of a
    level next to each other. Without documents there is one group without columns.
    """

    design: Design
    eliminated: str  # role of the factor whose levels are the blocks
    arrays: BlockArrays
    block_terms: IntArray  # (k,), position in design.terms of each effect of a block
    term_of_block: tuple[int, ...]  # position in design.terms of the intercept and the slope
    term_of_column: IntArray  # (q,), position in design.terms
    term_of_near: IntArray  # (c,), position in design.terms
    products: Parts  # inner products of the columns
    sparse: Any  # (n, d) dense columns, as a sparse matrix
    near_sparse: Any  # (n, groups * c) near columns, as a sparse matrix
    effects: FloatArray  # (n, k), the regressors of the block effects
    moments: Moments  # sums of squares of the terms, for a place to begin
    response: FloatArray
    # Inner products of the response: with itself, the effects of blocks, and the columns.
    square: float
    block_response: FloatArray  # (blocks, k)
    near_response: FloatArray  # (groups, c)
    dense_response: FloatArray  # (d,)

    @property
    def q(self) -> int:
        """The number of random effects among the dense columns."""
        return int(self.term_of_column.size)

    @property
    def n_terms(self) -> int:
        """The number of variances besides that of the residual."""
        return len(self.design.factors) + len(self.design.slopes)

    @property
    def d(self) -> int:
        """The number of dense columns."""
        return self.arrays.d

    @property
    def inside(self) -> tuple[str, ...]:
        """Roles of the factors whose effects are near columns."""
        return _NEAR if self.term_of_near.size else ()

    def with_response(self, response: FloatArray) -> "Blocks":
        """Return the same design with other ratings; everything else is shared."""
        from dataclasses import replace

        codes = self.design.factors[self.eliminated].codes
        n, k = self.arrays.gram.shape[:2]
        block_response = np.empty((n, k))
        for a in range(k):
            block_response[:, a] = np.bincount(
                codes, self.effects[:, a] * response, minlength=n
            )
        near = self.near_sparse.T @ response if self.arrays.c else np.zeros(0)
        return replace(
            self,
            response=response,
            square=float(response @ response),
            block_response=block_response,
            near_response=near.reshape(self.products.near.shape[:2]),
            dense_response=self.sparse.T @ response,
        )


def build_blocks(design: Design, response: FloatArray) -> Blocks:
    """Sort the design for elimination of the factor with the most random effects."""
    from scipy.sparse import csr_array

    rows = design.fixed_rows()[design.system]
    widths = {role: design.p if role in design.slopes else 1 for role in design.factors}
    sizes = {role: len(f.levels) * widths[role] for role, f in design.factors.items()}
    eliminated = max(("rater", "item"), key=lambda role: sizes.get(role, 0))
    codes = design.factors[eliminated].codes
    groups = _groups(design, eliminated)
    inside = [role for role in _NEAR if role in design.factors] if groups is not None else []
    others = [role for role in design.factors if role not in (eliminated, *inside)]
    near, term_of_near = _near_columns(design, inside, rows)
    _check_size(
        {role: sizes[role] for role in others},
        {role: sizes[role] for role in inside},
    )
    dense, term_of_column = _dense_columns(design, others, widths, rows)
    effects = np.ascontiguousarray(rows[:, : widths[eliminated]])
    n_blocks = len(design.factors[eliminated].levels)
    group_of = np.zeros(n_blocks, np.int64) if groups is None else groups
    touched = _side_by_side(near, dense)
    size = touched.shape[1]
    columns, starts, pattern = _pattern(codes, n_blocks, touched)
    values = np.zeros((effects.shape[1], columns.size))
    for a in range(effects.shape[1]):
        weights = csr_array(
            (effects[:, a], (codes, np.arange(design.n))), shape=(n_blocks, design.n)
        )
        products = (weights @ touched).tocoo()
        keys = products.coords[0].astype(np.int64) * size + products.coords[1]
        values[a, np.searchsorted(pattern, keys)] = products.data
    gram = np.zeros((n_blocks, effects.shape[1], effects.shape[1]))
    for a, b in np.ndindex(gram.shape[1:]):
        gram[:, a, b] = np.bincount(codes, effects[:, a] * effects[:, b], minlength=n_blocks)
    d, c = dense.shape[1], near.shape[1]
    n_groups = int(group_of.max()) + 1
    spread = _spread(near, group_of[codes], n_groups)
    position = {term: index for index, term in enumerate(design.terms)}
    term_of_block = tuple(i for term, i in position.items() if term.factor == eliminated)
    kinds = np.minimum(np.arange(effects.shape[1]), 1)  # an intercept, and slopes
    shell = Blocks(
        design=design,
        eliminated=eliminated,
        arrays=BlockArrays(gram, values, columns, starts, group_of, c, d),
        block_terms=np.array(term_of_block)[kinds],
        term_of_block=term_of_block,
        term_of_column=term_of_column,
        term_of_near=term_of_near,
        products=Parts(
            rest=(dense.T @ dense).toarray(order="C"),
            near=(spread.T @ near).toarray(order="C").reshape(n_groups, c, c),
            across=(spread.T @ dense).toarray(order="C").reshape(n_groups, c, d),
        ),
        sparse=dense,
        near_sparse=spread,
        effects=effects,
        moments=Moments(design),
        response=response,
        square=0.0,
        block_response=np.zeros((n_blocks, effects.shape[1])),
        near_response=np.zeros((n_groups, c)),
        dense_response=np.zeros(d),
    )
    return shell.with_response(response)


def near_place(design: Design, role: str) -> tuple[IntArray, IntArray]:
    """Return the group and the near column, or the first of them, of every level of a factor."""
    if role == "document":
        groups = np.arange(design.factors[role].n_levels)
        return groups, np.zeros_like(groups)
    _, first = np.unique(design.factors[role].codes, return_index=True)
    width = design.p if "document" in design.slopes else 1
    return design.factors["document"].codes[first], width + design.system[first]


def _groups(design: Design, eliminated: str) -> IntArray | None:
    """Return the document of each block; None if blocks do not lie within documents."""
    if eliminated != "item" or "document" not in design.factors:
        return None
    codes, document = design.factors["item"].codes, design.factors["document"].codes
    groups = np.zeros(design.factors["item"].n_levels, np.int64)
    groups[codes] = document
    return groups if bool((groups[codes] == document).all()) else None


def _check_size(dense: dict[str, int], near: dict[str, int]) -> None:
    """Refuse what does not fit: dense columns among themselves, and near ones beside them."""
    total = sum(dense.values())
    if max(total**2, total * sum(near.values())) > _LARGEST**2:
        sizes = {**dense, **near}
        listed = " and ".join(f"{size:,} by {role}" for role, size in sizes.items())
        raise InputError(
            f"the model has too many random effects for its method: {listed}, where "
            f"{_LARGEST:,} fit into memory. Use fewer systems or raters at a time, or "
            "slopes='none'."
        )


def _dense_columns(
    design: Design, others: list[str], widths: dict[str, int], rows: FloatArray
) -> tuple[Any, IntArray]:
    """Return the dense columns of all ratings as a sparse matrix, and their terms."""
    position = {(term.factor, term.kind): i for i, term in enumerate(design.terms)}
    indices, data, terms, offset = [], [], [np.zeros(0, np.int64)], 0
    for role in others:
        width, factor = widths[role], design.factors[role]
        indices.append(offset + factor.codes[:, None] * width + np.arange(width))
        data.append(rows[:, :width])
        slope = position.get((role, "slope"), 0)
        level = np.array([position[role, "intercept"], *[slope] * (width - 1)])
        terms.append(np.tile(level, len(factor.levels)))
        offset += width * len(factor.levels)
    indices.append(np.broadcast_to(offset + np.arange(design.p), (design.n, design.p)))
    data.append(rows)
    return _rows_of(indices, data, offset + design.p), np.concatenate(terms)


def _near_columns(design: Design, inside: list[str], rows: FloatArray) -> tuple[Any, IntArray]:
    """Return the columns that every document has, as a sparse matrix, and their terms."""
    position = {(term.factor, term.kind): i for i, term in enumerate(design.terms)}
    indices, data, terms, offset = [], [], [], 0
    if "document" in inside:
        width = design.p if "document" in design.slopes else 1
        indices.append(np.broadcast_to(np.arange(width), (design.n, width)))
        data.append(rows[:, :width])
        slope = position.get(("document", "slope"), 0)
        terms += [position["document", "intercept"], *[slope] * (width - 1)]
        offset = width
    if DOCUMENT_BY_SYSTEM in inside:
        indices.append(offset + design.system[:, None])
        data.append(np.ones((design.n, 1)))
        terms += [position[DOCUMENT_BY_SYSTEM, "intercept"]] * len(design.systems)
        offset += len(design.systems)
    if not indices:
        indices, data = [np.zeros((design.n, 0), np.int64)], [np.zeros((design.n, 0))]
    return _rows_of(indices, data, offset), np.array(terms, np.int64)


def _rows_of(indices: list[IntArray], data: list[FloatArray], width: int) -> Any:
    """Return a sparse matrix of ratings that all have as many entries."""
    from scipy.sparse import csr_array

    flat = np.concatenate(indices, axis=1)
    n, per_row = flat.shape
    entries = np.concatenate(data, axis=1).ravel(), flat.ravel(), np.arange(n + 1) * per_row
    return csr_array(entries, shape=(n, width))


def _side_by_side(near: Any, dense: Any) -> Any:
    """Return all columns that a block may touch, those of its group first."""
    n, c = near.shape
    parts = [matrix.indices.reshape(n, -1) for matrix in (near, dense)]
    values = [matrix.data.reshape(n, -1) for matrix in (near, dense)]
    return _rows_of([parts[0], c + parts[1]], values, c + dense.shape[1])


def _spread(near: Any, group: IntArray, n_groups: int) -> Any:
    """Return the near columns with numbers of their own for each group."""
    n, c = near.shape
    indices = near.indices.reshape(n, -1) + c * group[:, None]
    return _rows_of([indices], [near.data.reshape(n, -1)], c * n_groups)


def _pattern(
    codes: IntArray, n_blocks: int, dense: Any
) -> tuple[NDArray[np.int32], IntArray, IntArray]:
    """Return which columns each block touches, where its entries start, and the sorted keys.

    From indicators and not from the values: products that cancel are touched all the same.
    """
    size = dense.shape[1]
    per_row = dense.indptr[1]
    keys = np.unique(np.repeat(codes, per_row) * size + dense.indices)
    blocks, columns = np.divmod(keys, size)
    starts = np.zeros(n_blocks + 1, np.int64)
    np.cumsum(np.bincount(blocks, minlength=n_blocks), out=starts[1:])
    return columns.astype(np.int32), starts, keys


# --- One Newton step for variances, none of which may become negative ---


def bounded_step(
    x: FloatArray, gradient: FloatArray, curvature: FloatArray
) -> tuple[FloatArray, float]:
    r"""Return the step to the minimum of a quadratic model over `x + d ≥ 0`, and its gain.

    The minimum of :math:`g'd + d'Hd/2` is found with all bounds at once, as non-negative least
    squares. To cut an unbounded step at zero instead can lead uphill, and to a false minimum.
    Directions of negative curvature count as positive; where there is none, the step of a
    variable is limited to a hundred times what it is. So the step always leads down.

    Examples
    --------
    >>> step, gain = bounded_step(np.array([1.0, 1.0]), np.array([3.0, -1.0]), np.eye(2))
    >>> step.round(6).tolist(), round(gain, 6)
    ([-1.0, 1.0], 3.0)
    """
    from scipy.optimize import nnls

    own = np.abs(np.diagonal(curvature))
    least = np.maximum(np.abs(gradient) / (100.0 * (x + 1.0)), np.finfo(float).tiny)
    size = np.sqrt(np.maximum(own, least))
    scaled = curvature / size / size[:, None]
    scaled.flat[:: x.size + 1] += np.maximum(1.0 - own / size**2, 0.0)
    values, vectors = np.linalg.eigh(scaled)
    values = np.maximum(np.abs(values), 1e-8)
    root = np.sqrt(values)[:, None] * vectors.T
    target = root @ (x * size) - (vectors.T @ (gradient / size)) / np.sqrt(values)
    found, _ = nnls(root, target)
    step = found / size - x
    moved = root @ (step * size)
    return step, -float(gradient @ step + 0.5 * moved @ moved)
