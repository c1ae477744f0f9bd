"""A design as inner products: blocks of the factor to be eliminated, groups of them, the rest."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from detectable.core.errors import InputError
from detectable.core.types import FloatArray, IntArray
from detectable.kernels.crossed import BlockArrays, Parts
from detectable.mixed.design import Design
from detectable.mixed.documents import DOCUMENT_BY_SYSTEM
from detectable.mixed.moments import Moments

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
