"""Write src/detectable/__init__.pyi, the types of the public names: python scripts/make_stub.py."""

from pathlib import Path

import detectable

STUB = Path(detectable.__file__).with_suffix(".pyi")


def stub() -> str:
    """Return the stub: type checkers do not follow names that are imported on first use."""
    lines = [
        "# Made by scripts/make_stub.py from the names in __init__.py.",
        "from detectable.core.version import VERSION as __version__",
    ]
    for name, module in sorted(detectable.WHERE.items(), key=lambda pair: (pair[1], pair[0])):
        parent, _, last = module.rpartition(".")
        if last == name and name in detectable.MODULES:
            lines.append(f"from {parent} import {name} as {name}")
        else:
            lines.append(f"from {module} import {name} as {name}")
    listed = ", ".join(f'"{name}"' for name in detectable.__all__)
    more = ["WHERE: dict[str, str]", "MODULES: tuple[str, ...]", f"__all__ = [{listed}]"]
    return "\n".join([*lines, "", *more, ""])


if __name__ == "__main__":
    STUB.write_text(stub(), encoding="utf-8")
