"""The scripts of the explorer: as files for a server, or as one script for a page that stands alone."""

import re
from functools import cache
from importlib.resources import files

from detectable.core.errors import InputError

ENTRY = "main.js"
_IMPORT = re.compile(r'^import \{[^}]*\} from "\./([a-z]+\.js)";\n', re.MULTILINE)
_EXPORT = re.compile(r"^export ", re.MULTILINE)


def source(name: str) -> str:
    """Return a file of ``static`` as it is."""
    return (files("detectable.report.explore") / "static" / name).read_text("utf-8")


def module_names() -> tuple[str, ...]:
    """Return the modules that the entry needs, itself included, each after those that it needs."""
    found: list[str] = []

    def visit(name: str, above: tuple[str, ...]) -> None:
        if name in above:
            raise InputError(f"modules need each other: {' → '.join((*above, name))}.")
        if name in found:
            return
        for needed in _IMPORT.findall(source(name)):
            visit(needed, (*above, name))
        found.append(name)

    visit(ENTRY, ())
    return tuple(found)


@cache
def one_script() -> str:
    """Return all modules as one: a page that stands alone has nowhere to import from.

    Every name is declared once in all of them (a test holds that), so the lines that import and
    the word that exports can go.
    """
    parts = [_EXPORT.sub("", _IMPORT.sub("", source(name))) for name in module_names()]
    return "\n".join(parts)
