"""Names for the types that cross module borders, and how long work tells where it stands."""

from typing import TYPE_CHECKING, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from numpy.typing import ArrayLike
else:

    class ArrayLike:
        """Numbers in any form that NumPy takes; ``help`` would spell out NumPy's own type."""


FloatArray: TypeAlias = NDArray[np.float64]
IntArray: TypeAlias = NDArray[np.int64]
Seed: TypeAlias = np.random.Generator | int | None

__all__ = ["ArrayLike", "FloatArray", "IntArray", "Progress", "Seed", "silent"]


class Progress(Protocol):
    """Called with what is being done, how much is done and how much there is.

    The library itself never prints. A `total` of None means that the length is not known (a compilation, say); a call with
    ``done == total`` ends the step.
    """

    def __call__(self, step: str, done: int, total: int | None) -> None:
        """Take note."""


class _Silent:
    """Take no note: the default. ``help`` shows its name, where that of a function has an address."""

    def __call__(self, step: str, done: int, total: int | None) -> None:
        """Take no note."""

    def __repr__(self) -> str:
        return "silent"

    def __reduce__(self) -> str:
        return "silent"


silent = _Silent()
