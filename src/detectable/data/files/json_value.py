"""The value of a JSON text, whatever somebody put into it."""

import contextlib
import json
import re
from typing import Any

_HALF = re.compile(r"\\u[dD][89a-fA-F]")  # what may be half a character


class NotJson(ValueError):
    """A text that holds no usable JSON value: why, and where."""

    def __init__(self, reason: str, line: int = 1, column: int | None = None) -> None:
        super().__init__(reason)
        self.reason = reason
        self.line = line
        self.column = column


def json_value(text: str, start: int | None = None, *, once: bool = True) -> Any:
    r"""Return the JSON value of a text, or of what begins at `start`.

    NaN and infinite numbers are taken, since the logs of evaluations hold them. Numbers of
    thousands of digits, values nested a thousand deep and halves of characters (``"\ud800"``,
    which no file and no terminal can hold) are refused as what they are: no usable JSON. So is an
    object with a key twice, of which some take the first and others the last, if `once` is asked.

    Examples
    --------
    >>> json_value('{"a": [1, NaN]}')
    {'a': [1, nan]}
    >>> json_value('{"a": "\\ud800"}')
    Traceback (most recent call last):
    ...
    detectable.data.files.json_value.NotJson: half a character (a surrogate): \ud800
    """
    try:
        # The standard library and not msgspec: JSON forbids NaN, which people's logs hold.
        decoder = _STRICT if once else _LENIENT
        value = decoder.decode(text) if start is None else decoder.raw_decode(text, start)[0]
        if _HALF.search(text):
            json.dumps(value, ensure_ascii=False).encode()
    except json.JSONDecodeError as error:
        raise NotJson(error.msg, error.lineno, error.colno) from error
    except UnicodeEncodeError as error:
        half = f"\\u{ord(error.object[error.start]):04x}"
        raise NotJson(f"half a character (a surrogate): {half}") from error
    except RecursionError as error:
        raise NotJson("it is nested too deeply") from error
    except _RepeatedKeyError as error:
        line = text.count("\n", 0, _place_of_repeated(text, start or 0)) + 1
        raise NotJson(
            f"the key {error.key!r} stands twice in one object; keep one", line
        ) from error
    except ValueError as error:
        raise NotJson("a number with too many digits") from error
    return value


# --- Objects with a key twice ---


class _RepeatedKeyError(Exception):
    """An object has a key twice."""

    def __init__(self, key: str) -> None:
        super().__init__(key)
        self.key = key


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return an object whose keys differ; asking costs a quarter of the time of reading JSON."""
    found = dict(pairs)
    if len(found) < len(pairs):
        seen: set[str] = set()
        for key, _ in pairs:
            if key in seen:
                raise _RepeatedKeyError(key)
            seen.add(key)
    return found


_STRICT, _LENIENT = json.JSONDecoder(object_pairs_hook=_once), json.JSONDecoder()


def _place_of_repeated(text: str, start: int) -> int:
    """Return where the first object with a repeated key begins, the innermost of those around it."""
    found, place, end = start, start, len(text)
    while (place := text.find("{", place, end)) >= 0:
        try:
            _, place = _STRICT.raw_decode(text, place)
        except _RepeatedKeyError:
            found = place
            with contextlib.suppress(
                ValueError, RecursionError
            ):  # worse may stand further down
                end = _LENIENT.raw_decode(text, place)[1]
            place += 1
        except (ValueError, RecursionError):  # a brace within a text
            place += 1
    return found
