"""Which segment of its document an item of Appraise is, where items are numbered by place."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import permutations
from typing import NamedTuple

# Appraise counts tasks, and with them the users, in hexadecimal digits at the end of the name.
_USER = re.compile(r"(.*?)([0-9a-f]+)")


class Shown(NamedTuple):
    """Who judged which system's translation of which document."""

    user: str
    system: str
    document: str  # its bare name
    mark: str = ""  # of a copy; empty for the document itself


class Segments(NamedTuple):
    """What the items of Appraise are called, and the showings of which that cannot be told."""

    names: Mapping[tuple[Shown, str], str]
    unplaced: frozenset[Shown]


class _Run(NamedTuple):
    """The places in the task from the first to the last item of a document."""

    first: int
    length: int


def segments_in_documents(
    items: Iterable[tuple[Shown, str]],
) -> Segments | None:
    """Return the segment of each item, if items are numbered by their place in a task.

    Some campaigns number items by line of the test set, others by place in the task. In the
    latter case a number means nothing beyond the task: the same document has other numbers
    for every user and system. This is how they are told apart, and segments are then counted
    within each document, from the place of its first item.

    Where a document does not fit into what is left of a task, Appraise continues it in the next
    one. So a document that is shorter than elsewhere is a part. Two parts are put together if
    they are of one system, as long as the whole when taken together, and of two users whose
    names follow each other; a degraded copy that is as long as a part in its own task is a copy
    of that part. The place of any other part in its document cannot be told. Its items are named
    by user and place, so that they are paired with nothing but degraded copies of themselves.

    Parameters
    ----------
    items : iterable of (shown, item)
        Where each item was shown, and its number. All items of a document are needed, also
        those that are not used later.

    Returns
    -------
    Segments or None
        None if the numbers are good as they are.
    """
    shown: dict[Shown, set[str]] = defaultdict(set)
    for where, item in items:
        if not item.isdecimal():
            return None
        shown[where].add(item)
    documents: dict[str, list[set[str]]] = defaultdict(list)
    for where, numbers in shown.items():
        documents[where.document].append(numbers)
    if not _by_place(documents.values()):
        return None
    runs = {where: _run(numbers) for where, numbers in shown.items()}
    before = _segments_before(runs)
    names = {
        (where, item): _name(where, int(item) - runs[where].first, runs, before[where])
        for where, numbers in shown.items()
        for item in numbers
    }
    return Segments(names, frozenset(w for w, n in before.items() if n is None))


def _by_place(documents: Iterable[Sequence[set[str]]]) -> bool:
    """Return whether most showings of a document have no number in common with its first."""
    same = different = 0
    for first, *others in documents:
        for other in others:
            different += first.isdisjoint(other)
            same += not first.isdisjoint(other)
    return different > same


def _run(numbers: Iterable[str]) -> _Run:
    places = [int(number) for number in numbers]
    return _Run(min(places), max(places) - min(places) + 1)


def _name(where: Shown, place: int, runs: Mapping[Shown, _Run], before: int | None) -> str:
    if before is not None:
        return str(before + place + 1)
    original = where._replace(mark="")
    if original in runs and runs[original].length == runs[where].length:
        return f"{where.user}#{runs[original].first + place}"
    return f"{where.user}#{runs[where].first + place}"


def _segments_before(runs: Mapping[Shown, _Run]) -> dict[Shown, int | None]:
    """Return how many segments of its document lie before each showing, None if unknown."""
    whole: dict[str, int] = defaultdict(int)
    for where, run in runs.items():
        whole[where.document] = max(whole[where.document], run.length)
    before: dict[Shown, int | None] = {
        where: 0 if run.length == whole[where.document] else None for where, run in runs.items()
    }
    parts: dict[tuple[str, str], list[Shown]] = defaultdict(list)
    for where in runs:
        if before[where] is None and not where.mark:
            parts[where.system, where.document].append(where)
    for (_, document), group in parts.items():
        halves = [
            (left, right)
            for left, right in permutations(group, 2)
            if _follows(left.user, right.user)
            and runs[left].length + runs[right].length == whole[document]
        ]
        fits = Counter(part for pair in halves for part in pair)
        for left, right in halves:
            if fits[left] == fits[right] == 1:  # else it could go with either
                before[left], before[right] = 0, runs[left].length
    for where in runs:
        original = where._replace(mark="")
        if where.mark and original in runs and runs[original].length == runs[where].length:
            before[where] = before[original]
    return before


def _follows(user: str, other: str) -> bool:
    mine, theirs = _USER.fullmatch(user), _USER.fullmatch(other)
    if mine is None or theirs is None or mine[1] != theirs[1]:
        return False
    return int(theirs[2], 16) - int(mine[2], 16) == 1
