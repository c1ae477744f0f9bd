"""All ways to swap a few units, for tests that count them instead of drawing."""

from collections.abc import Iterator

import numpy as np

from detectable.core.rng import BLOCK
from detectable.core.types import IntArray


def sign_patterns(n_units: int) -> Iterator[IntArray]:
    """Yield blocks of rows of 0 and 1, which say what is swapped: 2^(G−1) − 1 rows in all.

    The last unit stays where it is, because swapping all the others instead is the same; the row
    of zeros, which are the data, is left out.

    Examples
    --------
    >>> [block.tolist() for block in sign_patterns(3)]
    [[[1, 0, 0], [0, 1, 0], [1, 1, 0]]]
    """
    bits = np.arange(n_units)
    patterns = 2 ** (n_units - 1)
    if n_units == 1:
        yield np.empty((0, 1), dtype=np.int64)  # the data are the only pattern
    for start in range(1, patterns, BLOCK):
        codes = np.arange(start, min(start + BLOCK, patterns))
        yield (codes[:, None] >> bits) & 1
