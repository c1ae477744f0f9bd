"""Deal degraded copies evenly over systems, to all tasks of one rater."""

from collections import Counter, deque
from collections.abc import Mapping, Sequence

import numpy as np


def deal_evenly(
    available: Sequence[Mapping[str, int]],
    wanted: Sequence[int],
    so_far: Counter[str],
    rng: np.random.Generator,
) -> list[Counter[str]]:
    """Return for every task how many copies of each system are to be degraded.

    Systems take turns; where two have equally many with this rater, the one with fewer over all
    raters comes first, and else chance decides. Where a task has nothing left of a system, copies
    move between tasks afterwards: no other deal of the same numbers would be more even.

    Parameters
    ----------
    available : sequence of mapping
        Per task, how many texts of each system can be chosen.
    wanted : sequence of int
        Per task, how many are to be chosen; not more than are available.
    so_far : counter
        How many the raters before have of each system; what is dealt here is added.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> dealt = deal_evenly([{"A": 7, "B": 1}, {"B": 7}], [4, 3], Counter(), rng)
    >>> [dict(task) for task in dealt]
    [{'A': 3, 'B': 1}, {'B': 3}]
    """
    names = sorted({name for task in available for name in task})
    order = [names[i] for i in rng.permutation(len(names)).tolist()]
    total: Counter[str] = Counter()
    dealt: list[Counter[str]] = []
    for most, n in zip(available, wanted, strict=True):
        task: Counter[str] = Counter()
        for _ in range(n):
            left = [one for one in order if task[one] < most.get(one, 0)]
            name = min(left, key=lambda one: (total[one], so_far[one]))
            task[name] += 1
            total[name] += 1
        dealt.append(task)
    while _move_one(available, dealt, total, order):
        pass
    so_far.update(total)
    return dealt


def _move_one(
    available: Sequence[Mapping[str, int]],
    dealt: list[Counter[str]],
    total: Counter[str],
    order: Sequence[str],
) -> bool:
    """Take a copy from a system with two more than another, by way of others if need be."""
    for rich in sorted(order, key=lambda name: -total[name]):
        came: dict[str, tuple[str, int]] = {}  # from which system, in which task
        queue = deque([rich])
        while queue:
            giver = queue.popleft()
            if total[giver] <= total[rich] - 2:
                total[rich] -= 1
                total[giver] += 1
                while giver != rich:
                    before, task = came[giver]
                    dealt[task][before] -= 1
                    dealt[task][giver] += 1
                    giver = before
                return True
            for task, most in enumerate(available):
                for taker in order if dealt[task][giver] else ():
                    free = dealt[task][taker] < most.get(taker, 0)
                    if free and taker != rich and taker not in came:
                        came[taker] = (giver, task)
                        queue.append(taker)
    return False
