"""Every word that the server and its scripts say, in one file: ``en.json``."""

import json
from functools import cache
from importlib.resources import files


@cache
def strings() -> dict[str, str]:
    """Return all strings by their keys."""
    found: dict[str, str] = json.loads(
        (files("detectable.web.strings") / "en.json").read_text(encoding="utf-8")
    )
    return found


def text(key: str, **values: object) -> str:
    """Return a string with its places filled.

    Examples
    --------
    >>> text("refused.not_found")
    'There is nothing at this address.'
    """
    return strings()[key].format(**values)


def for_scripts() -> dict[str, str]:
    """Return the strings that scripts may say."""
    return {key: said for key, said in strings().items() if key.startswith("script.")}
