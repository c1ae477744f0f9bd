"""The blocks of any result, from the file of ``report/show`` that is named after its class."""

import re
from dataclasses import replace
from importlib import import_module, util

from detectable.core.errors import InputError
from detectable.core.result import Result
from detectable.report.blocks import Block, Repeat, Verdict

_SHOW = "detectable.report.show"
_WORD = re.compile(r"(?<!^)(?=[A-Z])")


def blocks_of(result: Result, *, command: str = "") -> tuple[Block, ...]:
    """Return what a result shows.

    The file is found by the name of the class or of one it derives from: a `MixedFit` is shown
    by ``mixed_fit.py``, and what has no file by ``result.py``. Only that file is imported, so that
    no command pays for the others.

    Parameters
    ----------
    command : str
        What was typed to get the result, for the last block.
    """
    names = (
        f"{_SHOW}.{_WORD.sub('_', kind.__name__).lower()}" for kind in type(result).__mro__
    )
    name = next(name for name in names if util.find_spec(name) is not None)
    made: tuple[Block, ...] = tuple(import_module(name).show(result))
    check_order(made, type(result).__name__)
    return (*made[:-1], replace(made[-1], command=command)) if command else made  # type: ignore[arg-type]


def check_order(blocks: tuple[Block, ...], name: str) -> None:
    """Refuse blocks that do not begin with the verdict and end with how to repeat it."""
    first = [isinstance(block, Verdict) for block in blocks]
    last = [isinstance(block, Repeat) for block in blocks]
    if not (first[:1] == [True] == last[-1:] and sum(first) == sum(last) == 1):
        raise InputError(
            f"{name} must show one verdict first and one repeat last; got "
            f"{', '.join(type(block).__name__ for block in blocks)}."
        )
