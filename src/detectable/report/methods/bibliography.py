"""BibTeX of what methods paragraphs cite."""

import re
from collections.abc import Iterable
from functools import cache
from importlib.resources import files

from detectable.core.errors import InputError

_ENTRY = re.compile(r"^@\w+\{([^,]+),.*?^\}", re.MULTILINE | re.DOTALL)


def bibtex(keys: Iterable[str]) -> str:
    """Return the entries of some keys.

    Examples
    --------
    >>> print(bibtex(["holm-1979"]).splitlines()[0])
    @article{holm-1979,
    """
    known = _entries()
    wanted = list(dict.fromkeys(keys))
    unknown = [key for key in wanted if key not in known]
    if unknown:
        raise InputError(f"the bibliography has no entry {unknown[0]!r}.")
    return "\n\n".join(known[key] for key in wanted)


@cache
def _entries() -> dict[str, str]:
    text = (files("detectable.report") / "templates" / "references.bib").read_text("utf-8")
    return {found[1]: found[0] for found in _ENTRY.finditer(text)}
