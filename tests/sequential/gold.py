"""The table of group-sequential numbers that were computed and checked elsewhere."""

import functools
import json
from typing import Any

from detectable.sequential.families import Family
from tests.helpers import reference_data


@functools.lru_cache(maxsize=1)
def _read(path: str) -> dict[str, Any]:
    with open(path, encoding="utf-8") as file:
        content: dict[str, Any] = json.load(file)
    return content


def gold(section: str) -> Any:
    """Return one section, skipping the test where there is no reference data."""
    return _read(str(reference_data("gold", "sequential.json")))[section]


def equal_looks(n: int) -> tuple[float, ...]:
    return tuple((k + 1) / n for k in range(n))


def setting(part: str) -> float:
    """Return the number of ``alpha=0.05``."""
    return float(part.partition("=")[2])


def spending(name: str) -> Family:
    """Return the function that the table calls ``hsd_-4`` or ``ld_obf``."""
    if name in ("ld_obf", "obf"):
        return Family("ld-obf")
    if name in ("ld_pocock", "pocock"):
        return Family("ld-pocock")
    if name == "hsd-2":
        return Family("hsd", -2.0)
    family, _, parameter = name.partition("_")
    return Family("hsd" if family == "hsd" else "kim-demets", float(parameter))
