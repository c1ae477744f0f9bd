"""What every analysis returns: numbers, the words for them, and how to repeat them."""

import dataclasses
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any, Literal

import numpy as np

from detectable.core.same import fields_of
from detectable.core.version import VERSION
from detectable.core.wording import in_one_line

# What marks a field as bulk, which `to_dict` leaves out. In a file of a result it is kept:
#   array    numbers for other programs: paths, tallies, draws;
#   rows     long rows of plain values;
#   private  what only this package uses.
# Two things are kept only under conditions. Draws, which the seed repeats, are left out of a file
# where they are very many. A working object, which is no plain value, is never in a file: whatever
# needs it refuses a result that was loaded.
BULK = ("array", "rows", "private")
DRAWS = {"bulk": "array", "draws": True}
WORKING = {"bulk": "private", "saved": False}
# A field that files of earlier versions lack: it has a default, and a file without it stays as it is
# when it is written again.
ADDED = {"added": True}
# The same of what most results have nothing of: `to_dict` leaves it out where it is None.
ADDED_IF_KNOWN = {"added": True, "if_known": True}
_LONGEST_REPR = 200


@dataclass(frozen=True, slots=True)
class Signature:
    """The recipe behind a number, printable on one line (after sacreBLEU)."""

    method: str
    settings: Mapping[str, str | int | float]
    seed: str | None = None
    version: str = VERSION

    def __str__(self) -> str:
        parts = [self.method, *(f"{k}:{v}" for k, v in self.settings.items())]
        if self.seed is not None:
            parts.append(f"seed:{self.seed}")
        return "|".join([*parts, f"detectable:{self.version}"])


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """Base of all results: immutable, comparable, serialisable, never printing by itself."""

    signature: Signature = field(repr=False)

    def __init_subclass__(cls, **more: Any) -> None:
        super(Result, cls).__init_subclass__(**more)
        if "__repr__" not in cls.__dict__:  # or `dataclass` would write one with all numbers
            cls.__repr__ = Result.__repr__  # type: ignore[method-assign]

    def __repr__(self) -> str:
        """Say what it is in one line; `to_dict` and `to_frame` have the numbers."""
        said = in_one_line(self.summary().partition("\n")[0])
        cut = said if len(said) <= _LONGEST_REPR else f"{said[: _LONGEST_REPR - 1]}…"
        return f"<{type(self).__name__}: {cut}>"

    def summary(self) -> str:
        """Say the result in a few plain sentences."""
        # By name, as in `_repr_html_`: a result holds no words. One of another package has its own.
        said: str = import_module("detectable.report.blocks_of").summary_of(self)
        return said

    def to_dict(self) -> dict[str, Any]:
        """Return JSON-ready values; fields marked ``bulk`` (draws, curves) are left out."""
        plain: dict[str, Any] = to_json(self)
        kind: type = type(self)
        for name, one in fields_of(kind).items():
            if one and one.metadata.get("if_known") and getattr(self, name) is None:
                del plain[name]
        return {**plain, "signature": str(self.signature), "kind": type(self).__name__}

    def to_frame(
        self, table: str | None = None, *, backend: Literal["polars", "pandas"] = "polars"
    ) -> Any:
        """Return a table of the result as a data frame: the first, or the one of that name.

        Columns and names are those of ``--csv``; a value that is missing is null.

        Parameters
        ----------
        table : str, optional
            Which table; an unknown name is refused with those that there are.
        backend : {'polars', 'pandas'}
            The library whose frame it is. pandas must be installed.
        """
        # By name, as in `_repr_html_`.
        blocks = import_module("detectable.report.blocks_of").blocks_of(self)
        return import_module("detectable.report.render.csv").render_frame(
            blocks, table, backend
        )

    def _repr_html_(self) -> str:
        # By name: what a person sees is made by an outer layer, which this one must not import.
        made: str = import_module("detectable.report.several").in_notebook(self)
        return made


def to_json(value: Any) -> Any:
    """Turn dataclasses, arrays and mappings into plain JSON values.

    Numbers that JSON cannot hold (infinite, not a number) become None: a reader in another
    language must not choke on them, and None says what they mean, “no value”.
    """
    if hasattr(value, "to_json"):
        return to_json(value.to_json())
    if dataclasses.is_dataclass(value):
        kind: type = type(value)
        return {
            name: to_json(getattr(value, name))
            for name, one in fields_of(kind).items()
            if not (one and one.metadata.get("bulk")) and name != "signature"
        }
    if isinstance(value, Mapping):
        return {str(key): to_json(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [to_json(item) for item in value]
    if isinstance(value, np.ndarray | np.generic):
        return to_json(value.tolist())
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value
