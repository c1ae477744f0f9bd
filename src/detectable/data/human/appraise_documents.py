"""What Appraise writes behind the name of a document, and which segment an item is."""

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import TypeAlias

_MARK = re.compile(r"(bad|dup|duplicate|incomplete)\d*")
_DROPPED = {
    "dup": "copies of documents (#dup)",
    "duplicate": "copies of documents (#duplicate)",
    "incomplete": "incomplete documents (#incomplete)",
}
# Who judged which system's translation of which document, the latter as written and bare.
Shown: TypeAlias = tuple[str, str, str, str]


def document_name(name: str, kind: str, system: str = "") -> tuple[str, str | None]:
    """Return the bare name of a document, and why its judgments are left out, if they are.

    A task is filled up with copies of documents (``#dup``, ``#duplicate``) and parts of them
    (``#incomplete``), and holds degraded copies (``#bad``); the marks may be numbered. Degraded
    items get the bare name, so that they can be compared with the originals; other items of
    a degraded copy are left out, as WMT does. Some campaigns add the system, which goes too;
    an excerpt (``name#1-10``) keeps its name.

    Examples
    --------
    >>> document_name("news.12#bad", "BAD"), document_name("news.12#dup", "TGT")
    (('news.12', None), ('news.12', 'copies of documents (#dup)'))
    >>> document_name("news.12#Online-A#bad3", "BAD", "wmt23.Online-A")
    ('news.12', None)
    """
    bare, *parts = name.split("#")
    marks = [found.group(1) for part in parts if (found := _MARK.fullmatch(part))]
    kept = "#".join(
        [bare, *(p for p in parts if not _MARK.fullmatch(p) and not _names(system, p))]
    )
    reason = next((_DROPPED[mark] for mark in marks if mark in _DROPPED), None)
    if reason is None and marks and kind.strip().lower() not in ("bad", "bad_ref", "degraded"):
        reason = "unchanged items of degraded documents (#bad)"
    return kept, reason


def _names(system: str, part: str) -> bool:
    return bool(part) and (system == part or system.endswith(f".{part}"))


def segments_in_documents(
    items: Iterable[tuple[Shown, str]],
) -> Mapping[tuple[Shown, str], str] | None:
    """Return the segment of each item, if items are numbered by their place in a task.

    Some campaigns number items by line of the test set, others by place in the task. In the
    latter case a number means nothing beyond the task: the same document has other numbers
    for every user and system. This is how they are told apart, and segments are then counted
    within each document, in the order of the items.

    Parameters
    ----------
    items : iterable of (shown, item)
        Where each item was shown, and its number.

    Returns
    -------
    mapping or None
        The segment of each (shown, item); None if the numbers are good as they are.
    """
    shown: dict[Shown, set[str]] = defaultdict(set)
    for where, item in items:
        if not item.isdecimal():
            return None
        shown[where].add(item)
    documents: dict[str, list[set[str]]] = defaultdict(list)
    for where, numbers in shown.items():
        documents[where[3]].append(numbers)
    if not _by_place(documents.values()):
        return None
    return {
        (where, item): str(rank)
        for where, numbers in shown.items()
        for rank, item in enumerate(sorted(numbers, key=int), start=1)
    }


def _by_place(documents: Iterable[Sequence[set[str]]]) -> bool:
    """Return whether most showings of a document have no number in common with its first."""
    same = different = 0
    for first, *others in documents:
        for other in others:
            different += first.isdisjoint(other)
            same += not first.isdisjoint(other)
    return different > same
