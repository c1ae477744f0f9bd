"""Colours of a terminal: of the verdict word only, which is there without them too."""

_CODES = {"▲": 32, "▼": 31, "◆": 34}  # green, red, blue; what is undecided has none


def painted(verdict: str) -> str:
    r"""Return a verdict as a terminal with colours shows it.

    Examples
    --------
    >>> painted("▲ better")
    '\x1b[32m▲ better\x1b[0m'
    >>> painted("○ undecided")
    '○ undecided'
    """
    code = _CODES.get(verdict[:1])
    return verdict if code is None else f"\x1b[{code}m{verdict}\x1b[0m"
