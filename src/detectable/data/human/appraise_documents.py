"""What Appraise writes behind the name of a document."""

import re

_MARK = re.compile(r"(bad|dup|duplicate|incomplete)\d*")
_DROPPED = {
    "dup": "copies of documents (#dup)",
    "duplicate": "copies of documents (#duplicate)",
    "incomplete": "incomplete documents (#incomplete)",
}


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


def copy_mark(name: str) -> str:
    """Return the marks behind the name of a document that make it a copy; else nothing.

    Examples
    --------
    >>> copy_mark("news.12#Online-A#bad3"), copy_mark("news.12#Online-A")
    ('bad3', '')
    """
    return "#".join(part for part in name.split("#")[1:] if _MARK.fullmatch(part))


def _names(system: str, part: str) -> bool:
    return bool(part) and (system == part or system.endswith(f".{part}"))
