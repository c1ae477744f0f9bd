"""Names for the types that cross module borders."""

from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

FloatArray: TypeAlias = NDArray[np.float64]
IntArray: TypeAlias = NDArray[np.int64]
Alternative: TypeAlias = Literal["two-sided", "greater", "less"]
Seed: TypeAlias = np.random.Generator | int | None

__all__ = ["Alternative", "ArrayLike", "FloatArray", "IntArray", "Seed"]
