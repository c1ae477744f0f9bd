"""Names for items that are known by a text only."""

import hashlib
import json
from typing import Any

_LONGEST = 48
_SHOWN = 36


def short_name(text: str) -> str:
    """Return a text as a name: itself, or its beginning and a hash that tells it from others.

    Examples
    --------
    >>> short_name("What is 2 + 2?")
    'What is 2 + 2?'
    >>> len(short_name("What is " * 20)), short_name("a" * 50) == short_name("a" * 51)
    (45, False)
    """
    plain = " ".join(text.split())
    if len(plain) <= _LONGEST and plain == text.strip():
        return plain
    digest = hashlib.sha256(text.encode(errors="surrogatepass")).hexdigest()[:8]
    return f"{plain[:_SHOWN]}…{digest}"


def value_name(value: Any) -> str:
    """Return a name for any JSON value; the order of keys does not matter.

    Examples
    --------
    >>> value_name({"b": 1, "a": 2}) == value_name({"a": 2, "b": 1})
    True
    """
    if isinstance(value, str):
        return short_name(value)
    return short_name(json.dumps(value, sort_keys=True, ensure_ascii=False))
