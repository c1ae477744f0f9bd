"""Hashes of scores and of questions, so that a file can say whether they are the same."""

import hashlib
import json
from collections.abc import Iterable

from detectable.study.gate.tally import Tally


def scores_hash(system: str, tallies: Iterable[Tally]) -> str:
    """Return the SHA-256 of all scores of a system; the order of tasks and questions is nothing."""
    plain = [
        [
            one.metric,
            one.higher_is_better,
            sorted(
                [task.task, item, *numbers]
                for task in one.tasks
                for item, *numbers in zip(
                    task.items,
                    task.sums.tolist(),
                    task.squares.tolist(),
                    task.samples.tolist(),
                    strict=True,
                )
            ),
        ]
        for one in tallies
    ]
    return _sha256([system, sorted(plain)])


def dataset_hash(keys: Iterable[tuple[str, str]]) -> str:
    """Return the SHA-256 of the names of all questions, with their tasks, in order.

    Examples
    --------
    >>> dataset_hash([("math", "q2"), ("math", "q1")]) == dataset_hash([("math", "q1"), ("math", "q2")])
    True
    """
    return _sha256(sorted(map(list, keys)))


def _sha256(plain: object) -> str:
    text = json.dumps(plain, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
