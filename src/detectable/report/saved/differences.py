"""Where two files of a result hold different values."""

import math
from collections.abc import Iterator, Mapping
from typing import Any

from detectable.report.saved.receipt import Difference

_PARTS = (
    "kind",
    "signature",
    "result",
    "arrays",
)  # when, by which version and how is beside it
_LONGEST = 60  # characters of a value that are shown
_NOTHING = "nothing"


def compared(kept: Mapping[str, Any], again: Mapping[str, Any]) -> tuple[int, list[Difference]]:
    """Return how many values two contents of files hold, and those that differ.

    The version of detectable is no part of the answer: what it gives is compared, and not what
    it is called.

    Examples
    --------
    >>> compared({"kind": "A", "result": {"p": 0.5}}, {"kind": "A", "result": {"p": 0.25}})
    (2, [Difference(where='p', kept='0.5', again='0.25', relative=0.5)])
    """
    values = 0
    found = []
    for part in (name for name in _PARTS if name in kept or name in again):
        pairs = _walk(_answer(kept.get(part), part), _answer(again.get(part), part), part)
        for where, first, second in pairs:
            values += 1
            if not _same(first, second):
                name = where.removeprefix("result.")
                found.append(
                    Difference(name, _shown(first), _shown(second), _apart(first, second))
                )
    return values, found


def _answer(content: Any, part: str) -> Any:
    if part == "signature" and isinstance(content, Mapping):
        return {key: value for key, value in content.items() if key != "version"}
    return content


def _walk(first: Any, second: Any, where: str) -> Iterator[tuple[str, Any, Any]]:
    """Go through the single values of both, side by side."""
    if isinstance(first, Mapping) and isinstance(second, Mapping):
        for key in dict.fromkeys((*first, *second)):
            yield from _walk(
                first.get(key, _NOTHING), second.get(key, _NOTHING), f"{where}.{key}"
            )
    elif isinstance(first, list) and isinstance(second, list):
        for place in range(max(len(first), len(second))):
            one, other = (x[place] if place < len(x) else _NOTHING for x in (first, second))
            yield from _walk(one, other, f"{where}.{place}")
    else:
        yield where, first, second


def _same(first: Any, second: Any) -> bool:
    return type(first) is type(second) and bool(first == second)


def _shown(value: Any) -> str:
    text = value if isinstance(value, str) else repr(value)
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"


def _apart(first: Any, second: Any) -> float | None:
    numbers = (int, float)
    if isinstance(first, bool) or isinstance(second, bool):
        return None
    if not (isinstance(first, numbers) and isinstance(second, numbers)):
        return None
    largest = max(abs(first), abs(second))
    return abs(first - second) / largest if math.isfinite(largest) and largest else None
