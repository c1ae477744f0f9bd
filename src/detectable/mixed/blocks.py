"""A design as inner products: blocks of the factor to be eliminated, and the rest, dense."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from detectable.core.errors import InputError
from detectable.core.types import FloatArray, IntArray
from detectable.mixed.design import Design

_LARGEST = 12_000  # dense columns: three matrices of this order fill 3.5 GB


@dataclass(frozen=True, slots=True, kw_only=True)
class Blocks:
    """All that the likelihood needs to know; see `detectable.kernels.crossed` for the layout.

    Dense columns are, in this order, the random effects of the other factors, the fixed effects
    and the response. A factor with slopes has the intercept and the slopes of a level next to
    each other.
    """

    design: Design
    eliminated: str  # role of the factor whose levels are the blocks
    gram: FloatArray  # (blocks, k, k)
    values: FloatArray  # (k, entries)
    columns: NDArray[np.int32]  # (entries,)
    starts: IntArray  # (blocks + 1,)
    block_terms: IntArray  # (k,), 0 for intercept and 1 for slope
    term_of_block: tuple[int, ...]  # position in design.terms of the intercept and the slope
    term_of_column: IntArray  # (q,), position in design.terms
    rest: FloatArray  # (d, d), inner products of the dense columns
    sparse: Any  # (n, d - 1) dense columns without the response, as a sparse matrix
    effects: FloatArray  # (n, k), the regressors of the block effects
    response: FloatArray

    @property
    def q(self) -> int:
        """The number of random effects among the dense columns."""
        return int(self.term_of_column.size)

    @property
    def arrays(self) -> tuple[FloatArray, FloatArray, NDArray[np.int32], IntArray]:
        """The first arguments of every kernel."""
        return self.gram, self.values, self.columns, self.starts

    def with_response(self, response: FloatArray) -> "Blocks":
        """Return the same design with other ratings; everything else is shared."""
        from dataclasses import replace

        rest, values = self.rest.copy(), self.values.copy()
        products = self.sparse.T @ response
        rest[-1, :-1] = rest[:-1, -1] = products
        rest[-1, -1] = response @ response
        codes = self.design.factors[self.eliminated].codes
        for a in range(self.effects.shape[1]):
            values[a, self.starts[1:] - 1] = np.bincount(
                codes, self.effects[:, a] * response, minlength=self.starts.size - 1
            )
        return replace(self, rest=rest, values=values, response=response)


def build_blocks(design: Design, response: FloatArray) -> Blocks:
    """Sort the design for elimination of the factor with the most random effects."""
    from scipy.sparse import csr_array

    rows = design.fixed_rows()[design.system]
    widths = {role: design.p if role in design.slopes else 1 for role in design.factors}
    sizes = {role: len(f.levels) * widths[role] for role, f in design.factors.items()}
    eliminated = max(("rater", "item"), key=lambda role: sizes.get(role, 0))
    others = [role for role in design.factors if role != eliminated]
    _check_size(sizes, others)
    dense, term_of_column = _dense_columns(design, others, widths, rows)
    effects = np.ascontiguousarray(rows[:, : widths[eliminated]])
    codes = design.factors[eliminated].codes
    n_blocks, size = len(design.factors[eliminated].levels), dense.shape[1] + 1
    columns, starts, pattern = _pattern(codes, n_blocks, dense)
    values = np.zeros((effects.shape[1], columns.size))
    for a in range(effects.shape[1]):
        weights = csr_array(
            (effects[:, a], (codes, np.arange(design.n))), shape=(n_blocks, design.n)
        )
        products = (weights @ dense).tocoo()
        keys = products.coords[0].astype(np.int64) * size + products.coords[1]
        values[a, np.searchsorted(pattern, keys)] = products.data
    gram = np.zeros((n_blocks, effects.shape[1], effects.shape[1]))
    for a, b in np.ndindex(gram.shape[1:]):
        gram[:, a, b] = np.bincount(codes, effects[:, a] * effects[:, b], minlength=n_blocks)
    rest = np.zeros((size, size))
    rest[:-1, :-1] = (dense.T @ dense).toarray()
    position = {term: index for index, term in enumerate(design.terms)}
    shell = Blocks(
        design=design,
        eliminated=eliminated,
        gram=gram,
        values=values,
        columns=columns,
        starts=starts,
        block_terms=np.minimum(np.arange(effects.shape[1]), 1),
        term_of_block=tuple(i for term, i in position.items() if term.factor == eliminated),
        term_of_column=term_of_column,
        rest=rest,
        sparse=dense,
        effects=effects,
        response=response,
    )
    return shell.with_response(response)


def _check_size(sizes: dict[str, int], others: list[str]) -> None:
    total = sum(sizes[role] for role in others)
    if total > _LARGEST:
        listed = " and ".join(f"{sizes[role]:,} by {role}" for role in others)
        raise InputError(
            f"the model has too many random effects for its method: {listed}, where "
            f"{_LARGEST:,} fit into memory. Use fewer systems or raters at a time, or "
            "slopes='none'."
        )


def _dense_columns(
    design: Design, others: list[str], widths: dict[str, int], rows: FloatArray
) -> tuple[Any, IntArray]:
    """Return the dense columns of all ratings as a sparse matrix, and their terms."""
    from scipy.sparse import csr_array

    position = {(term.factor, term.kind): i for i, term in enumerate(design.terms)}
    indices, data, terms, offset = [], [], [], 0
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
    flat = np.concatenate(indices, axis=1)
    starts = np.arange(design.n + 1) * flat.shape[1]
    matrix = csr_array(
        (np.concatenate(data, axis=1).ravel(), flat.ravel(), starts),
        shape=(design.n, offset + design.p),
    )
    return matrix, np.concatenate(terms)


def _pattern(
    codes: IntArray, n_blocks: int, dense: Any
) -> tuple[NDArray[np.int32], IntArray, IntArray]:
    """Return which dense columns each block touches, the response last, and the sorted keys.

    From indicators and not from the values: products that cancel are touched all the same.
    """
    size = dense.shape[1] + 1
    per_row = dense.indptr[1]
    keys = np.repeat(codes, per_row) * size + dense.indices
    keys = np.unique(np.concatenate([keys, np.arange(n_blocks) * size + size - 1]))
    blocks, columns = np.divmod(keys, size)
    starts = np.zeros(n_blocks + 1, np.int64)
    np.cumsum(np.bincount(blocks, minlength=n_blocks), out=starts[1:])
    return columns.astype(np.int32), starts, keys
