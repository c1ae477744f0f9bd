"""Files by a pattern: ``seed*.en``."""

import os
import re

from detectable.core.errors import DataError

_DIGITS = re.compile(r"(\d+)")
_MAGIC = re.compile(r"[*?[]")


def expand(pattern: str) -> list[str]:
    """Return the files that a pattern stands for, numbers in order; a plain name is itself.

    Shells do not expand ``name=seed*.en``, so that we have to. A file that is really called like
    the pattern is meant by it.

    Examples
    --------
    >>> expand("out/seed1.en")
    ['out/seed1.en']
    """
    if not _MAGIC.search(pattern) or os.path.exists(pattern):
        return [pattern]
    import glob

    found = sorted(glob.glob(pattern, recursive=True), key=_natural)
    if not found:
        raise DataError(
            f"{pattern}: no file has such a name. Check the pattern; a relative one starts at "
            f"{os.getcwd()}."
        )
    return found


def _natural(name: str) -> list[tuple[int, str]]:
    """Return a key that puts seed2 before seed10."""
    parts = _DIGITS.split(name)
    return [(int(part), "") if part.isdecimal() else (-1, part) for part in parts]
