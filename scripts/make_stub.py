"""Write the types of names that are imported on first use: python scripts/make_stub.py."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import detectable
from detectable import results

STUB = Path(detectable.__file__).with_suffix(".pyi")
RESULTS = STUB.with_name("results.pyi")


def stub() -> str:
    """Return the stub: type checkers do not follow names that are imported on first use."""
    more = ["MODULES: tuple[str, ...]"]
    version = "from detectable.core.version import VERSION as __version__"
    return _stub("__init__", detectable.WHERE, detectable.__all__, [version], more)


def results_stub() -> str:
    """Return the same of the classes of results."""
    return _stub("results", results.WHERE, results.__all__)


def _stub(
    made_from: str,
    where: Mapping[str, str],
    names: list[str],
    first: Sequence[str] = (),
    more: Sequence[str] = (),
) -> str:
    lines = [f"# Made by scripts/make_stub.py from the names in {made_from}.py.", *first]
    for name, module in sorted(where.items(), key=lambda pair: (pair[1], pair[0])):
        parent, _, last = module.rpartition(".")
        if last == name and name in detectable.MODULES:
            lines.append(f"from {parent} import {name} as {name}")
        else:
            lines.append(f"from {module} import {name} as {name}")
    listed = ", ".join(f'"{name}"' for name in names)
    ends = ["WHERE: dict[str, str]", *more, f"__all__ = [{listed}]"]
    return "\n".join([*lines, "", *ends, ""])


if __name__ == "__main__":
    STUB.write_text(stub(), encoding="utf-8")
    RESULTS.write_text(results_stub(), encoding="utf-8")
