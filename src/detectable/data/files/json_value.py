"""The value of a JSON text, whatever somebody put into it."""

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


def json_value(text: str, start: int | None = None) -> Any:
    r"""Return the JSON value of a text, or of what begins at `start`.

    NaN and infinite numbers are taken, since the logs of evaluations hold them. Numbers of
    thousands of digits, values nested a thousand deep and halves of characters (``"\ud800"``,
    which no file and no terminal can hold) are refused as what they are: no usable JSON.

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
        value = (
            json.loads(text) if start is None else json.JSONDecoder().raw_decode(text, start)[0]
        )
        if _HALF.search(text):
            json.dumps(value, ensure_ascii=False).encode()
    except json.JSONDecodeError as error:
        raise NotJson(error.msg, error.lineno, error.colno) from error
    except UnicodeEncodeError as error:
        half = f"\\u{ord(error.object[error.start]):04x}"
        raise NotJson(f"half a character (a surrogate): {half}") from error
    except RecursionError as error:
        raise NotJson("it is nested too deeply") from error
    except ValueError as error:
        raise NotJson("a number with too many digits") from error
    return value
