"""Judgments that were deleted on request: the ledger lists their hashes, and no others may be gone."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from detectable.core.wording import count

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
