"""Documents in random order: scores on the first k of them, their spread, and what is left."""

from dataclasses import dataclass

import numpy as np

from detectable.core.execute import Engine, run_blocks
from detectable.core.rng import Block, blocks
from detectable.core.types import FloatArray, IntArray
from detectable.inference.prefix_delta import prefix_errors, prefix_scores
from detectable.inference.prefixes import Documents, document_grid

_BLOCK = 25  # orders per block; part of every answer, so changing it changes the numbers


@dataclass(frozen=True, slots=True)
class OrderedErrors:
    """What random orders of the documents of one source give.

    Attributes
    ----------
    at : array of int
        Numbers of documents.
    scores, rest : list of arrays of shape (orders, points, systems)
        Per sample: scores on the first documents, and on all others (nan where there is none).
    sd : array of shape (samples, systems, orders, points)
        Standard error over segments, by the delta method.
    """

    at: IntArray
    scores: list[FloatArray]
    rest: list[FloatArray]
    sd: FloatArray


@dataclass(frozen=True, slots=True)
class _Payload:
    source: Documents
    at: IntArray


def random_orders(
    source: Documents, orders: int, engine: Engine, rng: np.random.Generator
) -> OrderedErrors:
    """Put the documents into `orders` random orders and look at the first 1, 2, … of them."""
    at = document_grid(source.n_documents)
    found = run_blocks(
        _look,
        _Payload(source, at),
        blocks(orders, rng, size=_BLOCK),
        n_jobs=engine.n_jobs,
        executor=engine.executor,
        progress=engine.progress,
        step="random orders of documents",
    )
    samples = range(len(source.samples))
    return OrderedErrors(
        at=at,
        scores=[np.concatenate([one[0][m] for one in found]) for m in samples],
        rest=[np.concatenate([one[1][m] for one in found]) for m in samples],
        sd=np.concatenate([one[2] for one in found], axis=2),
    )


def _look(
    payload: _Payload, block: Block
) -> tuple[list[FloatArray], list[FloatArray], FloatArray]:
    source, at = payload.source, payload.at
    start = np.tile(np.arange(source.n_documents), (block.rows, 1))
    orders = block.rng.permuted(start, axis=1)
    both = [prefix_scores(source, m, orders, at) for m in range(len(source.samples))]
    sd = np.array(
        [
            [
                prefix_errors(source, m, s, orders, at).sd_segment
                for s in range(len(source.systems))
            ]
            for m in range(len(source.samples))
        ]
    )
    return [one[0] for one in both], [one[1] for one in both], sd
