"""``--json``: the text that it prints, and the file that it may be followed by."""

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from detectable.core.result import Result
    from detectable.report.several import Report

_JSON = "--json"


def json_words(args: list[str]) -> list[str]:
    """Return words in which ``--json`` takes no file unless the next word is called so.

    The next word may be data: ``gate --json scores.csv``.

    Examples
    --------
    >>> json_words(["--json", "new.csv", "--json", "gate.json", "--json"])
    ['--json=-', 'new.csv', '--json', 'gate.json', '--json=-']
    """
    return [
        f"{_JSON}=-" if word == _JSON and not then.endswith(".json") else word
        for word, then in zip(args, [*args[1:], ""], strict=True)
    ]


def printed_or_written(given: object) -> tuple[bool, str | None]:
    """Return whether JSON is printed, and the file that it goes to instead.

    Examples
    --------
    >>> printed_or_written(True), printed_or_written("-"), printed_or_written("gate.json")
    ((True, None), (True, None), (False, 'gate.json'))
    """
    if isinstance(given, str) and given != "-":
        return False, given
    return bool(given), None


def to_json(result: "Result | Report") -> str:
    """Return what ``--json`` prints."""
    import msgspec

    text = msgspec.json.format(msgspec.json.encode(result.to_dict()), indent=2).decode()
    # JSON escapes the commands to a terminal below U+0020, and not these.
    return re.sub("[\x7f-\x9f\u202a-\u202e\u2066-\u2069]", _escaped, text)


def _escaped(found: re.Match[str]) -> str:
    return f"\\u{ord(found[0]):04x}"
