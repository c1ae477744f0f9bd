"""The random order of the questions of a task, which is the same on every machine."""

import hashlib
import json
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from detectable.core import check
from detectable.core.choices import SubsampleFormat
from detectable.core.errors import InputError
from detectable.core.result import Result, Signature

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
        Questions of two tasks stand in different orders, even where they have the same names.
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


# --- The questions of logs, drawn for another run ---


@dataclass(frozen=True, slots=True, kw_only=True)
class Subsample(Result):
    """The first questions of every task, in the random order of a seed.

    Attributes
    ----------
    tasks : mapping of str to tuple of str
        The questions of every task that were drawn, in their order.
    of : mapping of str to int
        How many there are.
    seed, n : int
        What drew them; None draws all.
    block : (int, int) or None
        Which of how many parts they are.
    format : {'ids', 'inspect', 'lm-eval', 'json'}
        How they are printed.
    """

    tasks: Mapping[str, tuple[str, ...]]
    of: Mapping[str, int]
    seed: int
    n: int | None
    block: tuple[int, int] | None
    format: SubsampleFormat
    notes: tuple[str, ...] = ()

    @property
    def printed(self) -> str:
        """The ids as a harness takes them: one per line, by commas, or as the JSON of ``--samples``."""
        names = list(self.tasks)
        if self.format == "inspect":
            return "\n".join(
                f"{'' if len(names) == 1 else f'{name}: '}{','.join(self.tasks[name])}"
                for name in names
            )
        if self.format == "ids":
            return "\n".join(item for name in names for item in self.tasks[name])
        values: dict[str, list[Any]] = {name: list(self.tasks[name]) for name in names}
        if self.format == "lm-eval":
            wrong = [item for of in values.values() for item in of if not item.isdecimal()]
            if wrong:
                raise InputError(
                    f"`format` lm-eval needs questions that are numbers (doc_id); got {wrong[0]!r}. "
                    "Use ids."
                )
            values = {name: [int(item) for item in of] for name, of in values.items()}
        return json.dumps(values, ensure_ascii=False)


def drawn(
    tasks: Mapping[str, Sequence[str]],
    *,
    seed: int = 0,
    n: int | None = None,
    block: tuple[int, int] | None = None,
    format: SubsampleFormat = "ids",
    same_across_tasks: bool = False,
    groups: Mapping[str, Mapping[str, object]] | None = None,
) -> Subsample:
    """Draw questions of every task, the same on every machine.

    Parameters
    ----------
    tasks : mapping of str to sequence of str
        The questions of every task, in any order.
    seed : int
        Of the order.
    n : int, optional
        Questions of every task; by default all.
    block : (int, int), optional
        ``(2, 5)`` is the second fifth of them.
    format : {'ids', 'inspect', 'lm-eval', 'json'}
        For whom it is printed.
    same_across_tasks : bool
        Leave the task out of the order, so that tasks of the same questions draw the same ones.
    groups : mapping of task to mapping of question to group, optional
        Groups are drawn whole.
    """
    check.positive_int(seed, "seed", minimum=0, maximum=None)
    check.literal(format, SubsampleFormat, "format")
    found = {}
    for task, items in tasks.items():
        ordered = subsample(
            items,
            seed=seed,
            task="" if same_across_tasks else task,
            n=n,
            groups=None if groups is None else groups[task],
        )
        found[task] = tuple(ordered if block is None else block_of(ordered, *block))
    settings: dict[str, str | int | float] = {"tasks": len(found)}
    settings |= {} if n is None else {"n": n}
    return Subsample(
        tasks=found,
        of={task: len(items) for task, items in tasks.items()},
        seed=seed,
        n=n,
        block=block,
        format=format,
        signature=Signature("subsample", settings, str(seed)),
    )
