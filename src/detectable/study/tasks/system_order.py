"""In which order a rater sees the systems of an item: by chance, and balanced over places."""

from collections.abc import Sequence
from typing import Generic, TypeVar

import numpy as np

T = TypeVar("T")


class SystemOrder(Generic[T]):
    """Deals the orders of systems, or of pairs of them, to one rater, item after item.

    The systems are put into a random order, and the next items get its rotations, themselves in
    random order, until each was used once; then a new order is drawn. So within a rater every
    system stands in every place once in as many items as there are systems: however many items
    are judged, its times in a place differ from those of any other system by one at most.

    References
    ----------
    Fisher (1935), *The Design of Experiments*, chapter V: Latin squares.

    Examples
    --------
    >>> orders = SystemOrder(["A", "B"], np.random.default_rng(1))
    >>> [orders.next() for _ in range(4)]
    [('B', 'A'), ('A', 'B'), ('A', 'B'), ('B', 'A')]
    """

    def __init__(self, systems: Sequence[T], rng: np.random.Generator) -> None:
        self._systems, self._rng = list(systems), rng
        self._waiting: list[tuple[T, ...]] = []

    def next(self) -> tuple[T, ...]:
        """Return the order of the systems of the next item."""
        if not self._waiting:
            n = len(self._systems)
            names = [self._systems[i] for i in self._rng.permutation(n).tolist()]
            self._waiting = [
                tuple(names[(start + place) % n] for place in range(n))
                for start in self._rng.permutation(n).tolist()
            ]
        return self._waiting.pop()
