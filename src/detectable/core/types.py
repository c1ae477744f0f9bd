"""Names for the types that cross module borders."""

from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

FloatArray: TypeAlias = NDArray[np.float64]
IntArray: TypeAlias = NDArray[np.int64]
Seed: TypeAlias = np.random.Generator | int | None

__all__ = ["ArrayLike", "FloatArray", "IntArray", "Seed"]
