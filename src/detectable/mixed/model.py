"""A design made ready for fitting, so that many sets of ratings can share the set-up."""

import functools
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from threadpoolctl import ThreadpoolController

from detectable.core.types import FloatArray
from detectable.mixed.balanced import Layout, find_layout, solve_balanced
from detectable.mixed.blocks import Blocks, build_blocks
from detectable.mixed.design import Design
from detectable.mixed.equations import Solution
from detectable.mixed.general import solve_general

_SMALL = 3000  # below this order of the dense matrix, threads cost more CPU than they save time


@dataclass(slots=True)
class Model:
    """A design, the ratings it was made for, and what can be computed before fitting."""

    design: Design
    response: FloatArray
    layout: Layout | None
    _blocks: Blocks | None = field(default=None, repr=False)

    @property
    def blocks(self) -> Blocks:
        """The inner products of a general design, made when first needed."""
        if self._blocks is None:
            self._blocks = build_blocks(self.design, self.response)
        return self._blocks

    def blocks_for(self, response: FloatArray) -> Blocks:
        """Return the inner products with centred ratings, which round less."""
        return self.blocks.with_response(response - response.mean())

    def residuals(self, solution: Solution, response: FloatArray) -> FloatArray:
        """Return what is left of the ratings after fixed effects and predictions."""
        rows = self.design.fixed_rows()[self.design.system]
        left = response - rows @ solution.coefficients
        for role, factor in self.design.factors.items():
            effects = solution.effects[role][factor.codes]
            left -= np.einsum("ij,ij->i", rows[:, : effects.shape[1]], effects)
        return left


def prepare(design: Design, response: FloatArray) -> Model:
    """Return a model ready for `solve`."""
    return Model(design, response, find_layout(design))


def solve(
    model: Model, response: FloatArray, *, reml: bool, held: Sequence[int] = ()
) -> Solution:
    """Fit the model to ratings in the order of its design; terms `held` have no variance."""
    if model.layout is not None:
        return solve_balanced(model.design, model.layout, response, reml=reml, held=held)
    blocks = model.blocks_for(response)
    with few_threads(blocks):
        solution = solve_general(blocks, reml=reml, held=held)
    shift = np.zeros(model.design.p)
    shift[0] = response.mean()
    return replace(solution, coefficients=solution.coefficients + shift)


@contextmanager
def few_threads(blocks: Blocks) -> Iterator[None]:
    """Hold linear algebra to one thread unless its matrices are large."""
    if blocks.d > _SMALL:
        yield
        return
    with _controller().limit(limits=1):
        yield


@functools.cache
def _controller() -> Any:
    """Return the switch of all thread pools; finding them takes longer than a small fit."""
    import scipy.linalg  # noqa: F401 (its pool must be loaded before it can be found)

    return ThreadpoolController()
