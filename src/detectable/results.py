"""The classes of all results, for annotations and `isinstance`: ``dt.results.Comparison``.

A result is made by the function that answers the question, never by its class. Names are imported
on first use.

>>> from detectable import results
>>> results.Comparison.__name__
'Comparison'
"""

from importlib import import_module
from typing import Any

from detectable.report.blocks_of import BASES, KINDS

# Those that a file can hold, and what they derive from. The types are in results.pyi, which
# scripts/make_stub.py writes.
WHERE = {name: f"detectable.{kind.made}" for name, kind in (KINDS | BASES).items()}
__all__ = [*WHERE]


def __getattr__(name: str) -> Any:
    if name not in WHERE:
        message = f"module 'detectable.results' has no attribute {name!r}"
        raise AttributeError(message)
    return getattr(import_module(WHERE[name]), name)


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
