"""The random order of the questions of a task, which is the same on every machine."""

import hashlib
import json
from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import TypeVar

from detectable.core import check
from detectable.core.errors import InputError

T = TypeVar("T", bound=Hashable)


def place(seed: int, task: str, item: object) -> int:
    """Return where a question stands in the order of a seed.

    The first 8 bytes, the highest first, of the SHA-256 of the JSON array ``[seed, task, item]``,
    in ASCII and without spaces. It hangs on nothing else, so no question moves when another is
    added to the file.

    Examples
    --------
    >>> place(7, "arith", "arith-0000")
    11788616755385095383
    """
    said = json.dumps([seed, str(task), str(item)], ensure_ascii=True, separators=(",", ":"))
    return int.from_bytes(hashlib.sha256(said.encode()).digest()[:8], "big")


def subsample(
    items: Iterable[T],
    *,
    seed: int,
    task: str = "",
    n: int | None = None,
    groups: Mapping[T, object] | None = None,
) -> list[T]:
    """Return the first n questions of the random order; 100 of them are part of 200.

    Parameters
    ----------
    items : iterable
        Numbers or names of questions, each once.
    seed : int
        Of the order.
    task : str
        Questions of two tasks stand in different orders, also where they have the same names.
    n : int, optional
        By default all.
    groups : mapping, optional
        What questions belong to, such as a passage: groups are drawn whole, in the order of their
        own places, until there are n questions or more.

    Examples
    --------
    >>> subsample(range(60), seed=7, task="addmc", n=5)
    [42, 51, 56, 25, 50]
    """
    known = list(items)
    if len({str(item) for item in known}) < len(known):
        twice = next(item for item in known if sum(str(o) == str(item) for o in known) > 1)
        raise InputError(f"`items` must name every question once; {twice!r} comes twice.")
    if n is not None:
        check.positive_int(n, "n", maximum=None)
    ordered = sorted(known, key=lambda item: (place(seed, task, item), str(item)))
    if groups is None:
        return ordered if n is None else ordered[:n]
    whole: dict[object, list[T]] = {}
    for item in ordered:
        whole.setdefault(groups[item], []).append(item)
    drawn = sorted(whole, key=lambda group: (place(seed, task, group), str(group)))
    found: list[T] = []
    for group in drawn:
        if n is not None and len(found) >= n:
            break
        found += whole[group]
    return found


def block_of(ordered: Sequence[T], number: int, of: int) -> list[T]:
    """Return one of several blocks of an order, whose sizes differ by one at most.

    Examples
    --------
    >>> block_of(list("abcde"), 2, 2)
    ['d', 'e']
    """
    if not 1 <= number <= of:
        raise InputError(f"`block` must be one of {of}; got {number}.")
    # As blocks one after the other: the first ones are the larger ones.
    base, more = divmod(len(ordered), of)
    start = (number - 1) * base + min(number - 1, more)
    return list(ordered[start : start + base + (number <= more)])


def order_hash(items: Iterable[object]) -> str:
    """Return the SHA-256 of an order, by which a log is known again."""
    said = json.dumps([str(item) for item in items], ensure_ascii=True, separators=(",", ":"))
    return hashlib.sha256(said.encode()).hexdigest()
