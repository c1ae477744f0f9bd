"""What a look saw, so that the next look can tell whether the past was rewritten.

Every judgment has two short hashes: of who judged what (system, item, document, rater) and of its
score. The ledger keeps those of all rows that each look was the first to see. Rows may come in
any order and in any file; a row that is gone, or whose score is another, is found and named.

Scores have a hundred values, so whoever knows the names could find a score by trying. The hashes of
a campaign are therefore made with a key that only its store has.
"""

import base64
import hashlib
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from detectable.core.errors import DataError
from detectable.core.wording import count, listing
from detectable.data.human.columns import KINDS
from detectable.data.human.judgments import Judgments

_KEY_BYTES, _SCORE_BYTES = 8, 4
_PACKED = np.dtype([("key", ">u8"), ("score", ">u4")])


@dataclass(frozen=True, slots=True)
class RowHashes:
    """One key hash and one score hash per row.

    Rows without rater names, and repeats, may share a key. They are then distinguished by their
    scores; rows that share both are the same to every test.
    """

    keys: NDArray[np.uint64]
    scores: NDArray[np.uint32]

    def pack(self, rows: NDArray[np.bool_]) -> str:
        """Return the hashes of some rows as text for the ledger."""
        packed = np.empty(int(rows.sum()), dtype=_PACKED)
        packed["key"], packed["score"] = self.keys[rows], self.scores[rows]
        return base64.b64encode(packed.tobytes()).decode()


def hash_rows(judgments: Judgments, *, kinds: bool = False, key: str = "") -> RowHashes:
    """Return the hashes of all rows: of who judged what, and of the score.

    With `kinds` a degraded copy is distinguished from its original. With a `key` nobody without it
    can try out which score has a hash; BLAKE2 takes it as its own [1]_.

    References
    ----------
    .. [1] Aumasson, Neves, Wilcox-O'Hearn and Winnerlein (2013), "BLAKE2: simpler, smaller, fast
       as MD5", ACNS 2013, 119–135, section 2.5; RFC 7693, section 2.5.
    """
    given = (judgments.system, judgments.item, judgments.document, judgments.rater)
    labels = [column.labels() for column in given if column is not None]
    if kinds:
        labels.append([KINDS[code] for code in judgments.kind.tolist()])
    known = "".join("-" if column is None else "+" for column in given)
    keys = [
        _hash("\x1f".join((known, *parts)), _KEY_BYTES, key)
        for parts in zip(*labels, strict=True)
    ]
    scores = [_hash(repr(score + 0.0), _SCORE_BYTES, key) for score in judgments.score.tolist()]
    return RowHashes(np.array(keys, dtype=np.uint64), np.array(scores, dtype=np.uint32))


def first_seen(
    judgments: Judgments,
    hashes: RowHashes,
    entries: Sequence[Mapping[str, Any]],
    *,
    gone: Sequence[str] = (),
) -> NDArray[np.int64]:
    """Return for every row the look (from 1) that saw it first, 0 for new rows.

    Parameters
    ----------
    gone : sequence of str
        The packed hashes of rows that were deleted on request: these, and no others, may be gone.

    Raises
    ------
    DataError
        If a row that an earlier look saw is gone or has another score.
    """
    present: dict[tuple[int, int], list[int]] = defaultdict(list)
    pairs = zip(hashes.keys.tolist(), hashes.scores.tolist(), strict=True)
    for row, pair in enumerate(pairs):
        present[pair].append(row)
    looks = np.zeros(hashes.keys.size, dtype=np.int64)
    missing: list[int] = []
    deleted = Counter(pair for text in gone for pair in _unpack(text))
    for look, entry in enumerate(entries, start=1):
        for key, score in _unpack(entry["seen"]):
            rows = present.get((key, score))
            if rows:
                looks[rows.pop(0)] = look
            elif deleted[key, score]:
                deleted[key, score] -= 1
            else:
                missing.append(key)
    if missing:
        raise DataError(_rewritten(judgments, hashes, looks, missing))
    return looks


def _rewritten(
    judgments: Judgments, hashes: RowHashes, looks: NDArray[np.int64], missing: list[int]
) -> str:
    """Tell rows whose score is another from rows that are gone."""
    new: dict[int, list[int]] = defaultdict(list)
    for row in np.flatnonzero(looks == 0).tolist():
        new[int(hashes.keys[row])].append(row)
    changed, gone = [], 0
    for key in missing:
        if new[key]:
            changed.append(new[key].pop(0))
        else:
            gone += 1
    parts = []
    if changed:
        named = listing([_name(judgments, row) for row in changed], most=3)
        parts.append(f"{count(len(changed), 'judgment')} changed ({named})")
    if gone:
        parts.append(f"{count(gone, 'judgment')} gone")
    columns = ""
    if gone == len(missing) and not (looks > 0).any():
        columns = (
            " Not one is left: also the columns rater and document must stay as they were."
        )
    return (
        f"{judgments.path or 'the data'}: earlier looks saw other data: {' and '.join(parts)}. A "
        f"look builds on all that was seen before.{columns} Put the old rows back; if they were "
        "wrong, this plan cannot go on, and a new plan needs new judgments."
    )


def _name(judgments: Judgments, row: int) -> str:
    parts = [f"system {judgments.system.label(row)!r}", f"item {judgments.item.label(row)!r}"]
    if judgments.rater is not None:
        parts.append(f"rater {judgments.rater.label(row)!r}")
    return ", ".join(parts)


def n_hashes(text: str) -> int:
    """Return how many rows were packed."""
    return len(_unpack(text))


def _unpack(text: str) -> list[tuple[int, int]]:
    packed = np.frombuffer(base64.b64decode(text), dtype=_PACKED)
    return list(zip(packed["key"].tolist(), packed["score"].tolist(), strict=True))


def _hash(text: str, size: int, key: str) -> int:
    made = hashlib.blake2b(text.encode(), digest_size=size, key=key.encode())
    return int.from_bytes(made.digest(), "big")


# --- Judgments that were deleted on request: the ledger lists their hashes, and no others may be gone ---

Line = Mapping[str, Any]


def deleted(lines: Sequence[Line], part: Literal["rows", "work"]) -> list[str]:
    """Return the packed hashes of what was deleted.

    Parameters
    ----------
    part : {'rows', 'work'}
        As looks hash it; or with the kind of each row, as admissions do.
    """
    return [str(line["detail"][part]) for line in lines if line.get("event") == "erasure"]


def erasure_notes(lines: Sequence[Line]) -> list[str]:
    """Say how many judgments were deleted, and after which look."""
    found, looks = [], 0
    for line in lines:
        looks += line.get("event", "look") == "look"
        if line.get("event") == "erasure":
            detail = line["detail"]
            found.append(
                f"{count(int(detail['judgments']), 'judgment')} of {detail['rater']} deleted on "
                f"request, after {count(looks, 'look')}. Looks that saw them stand as they are, and "
                "later ones are without them."
            )
    return found
