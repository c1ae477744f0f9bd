"""Boxes with room left: the first with enough of it, without asking every one."""


class FirstFit:
    """The room left in a growing row of boxes, as a tree of maxima.

    Looking at every box for every piece makes packing quadratic; this asks about log n.

    Examples
    --------
    >>> boxes = FirstFit()
    >>> for room in (3, 10, 10):
    ...     boxes.add(room)
    >>> boxes.first(5), boxes.first(5, start=2), boxes.first(11)
    (1, 2, None)
    >>> boxes.take(1, 7)
    >>> boxes.first(5)
    2
    """

    def __init__(self) -> None:
        self._n = 0
        self._width = 1  # leaves, a power of two
        self._most = [-1, -1]  # node i holds the most room below it; leaves from `_width` on

    def __len__(self) -> int:
        return self._n

    def add(self, room: int) -> None:
        """Add a box at the end."""
        if self._n == self._width:
            leaves = self._most[self._width :] + [-1] * self._width
            self._width *= 2
            self._most = [-1] * self._width + leaves
            for node in range(self._width - 1, 0, -1):
                self._most[node] = max(self._most[2 * node], self._most[2 * node + 1])
        self._n += 1
        self._set(self._n - 1, room)

    def room(self, box: int) -> int:
        """Return the room left in a box."""
        return self._most[self._width + box]

    def take(self, box: int, length: int) -> None:
        """Use some of the room of a box; a negative length gives room back."""
        self._set(box, self.room(box) - length)

    def first(self, length: int, *, start: int = 0) -> int | None:
        """Return the first box from `start` on with room for `length`."""
        if start >= self._n:
            return None
        node = self._width + start
        while self._most[node] < length:
            # To the next subtree on the right; above the last there is none.
            while node % 2:
                node //= 2
                if node <= 1:
                    return None
            node += 1
        while node < self._width:
            node = 2 * node if self._most[2 * node] >= length else 2 * node + 1
        return node - self._width

    def _set(self, box: int, room: int) -> None:
        node = self._width + box
        self._most[node] = room
        while node > 1:
            node //= 2
            self._most[node] = max(self._most[2 * node], self._most[2 * node + 1])
