"""What counts as a cell without content, in every table that we read."""

from collections.abc import Collection

MISSING_WORDS = frozenset(("", "nan", "na", "n/a", "none", "null"))
_PANDAS = frozenset(("NAType", "NaTType"))  # told by name, so that pandas need not be there


def is_missing(value: object) -> bool:
    """Return whether a cell says that there is nothing: one rule for scores, names and times.

    An empty cell, ``nan``, ``na``, ``n/a``, ``none`` and ``null`` in any case and with any space
    around them; None, a float that is no number, and what pandas calls missing.

    Examples
    --------
    >>> [is_missing(cell) for cell in (" N/A ", "", None, float("nan"))]
    [True, True, True, True]
    >>> [is_missing(cell) for cell in ("ann", 0, False, "nano")]
    [False, False, False, False]
    """
    if isinstance(value, str):
        return value.strip().lower() in MISSING_WORDS
    if value is None or type(value).__name__ in _PANDAS:
        return True
    try:
        return bool(value != value)  # only what is not a number differs from itself
    except (TypeError, ValueError):  # a list of numbers has no single answer
        return False


def missing_names(names: Collection[str]) -> list[int]:
    """Return the positions of the texts that mean «missing»; there may be millions of them.

    Examples
    --------
    >>> missing_names(["ann", "N/A", "bob", " "])
    [1, 3]
    """
    # Names come again and again: each is looked at once.
    wrong = {name for name in set(names) if name.strip().lower() in MISSING_WORDS}
    return [i for i, name in enumerate(names) if name in wrong] if wrong else []
