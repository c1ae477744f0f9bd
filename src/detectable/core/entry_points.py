"""What installed packages offer, without a slow import where none offers anything."""

import os
import sys
from collections.abc import Iterable, Iterator
from importlib.machinery import PathFinder
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

_METADATA = (".dist-info", ".egg-info")


def entry_points(*, group: str, name: str | None = None) -> "Iterable[EntryPoint]":
    """Return the entry points of a group, all of them or those of one name.

    importlib.metadata finds them, and takes longer to import than to ask. So the files that it
    would read are searched for the name of the group first, which nearly always is in none.

    Examples
    --------
    >>> list(entry_points(group="detectable.no-such-group"))
    []
    """
    if not _may_offer(group):
        return ()
    from importlib import metadata

    found = metadata.entry_points(group=group)
    return found if name is None else found.select(name=name)


def _may_offer(group: str) -> bool:
    """Say whether any installed package may have entry points of this group."""
    if any(map(_finds_packages, sys.meta_path)) or any(map(os.path.isfile, sys.path)):
        return True  # a finder, or an archive, into which only importlib can look
    wanted = group.encode()
    return any(wanted in text for folder in sys.path for text in _declared(folder or "."))


def _finds_packages(finder: object) -> bool:
    """Say whether a finder knows packages that stand in no folder of the path."""
    return finder is not PathFinder and hasattr(finder, "find_distributions")


def _declared(folder: str) -> Iterator[bytes]:
    """Yield what the packages of a folder declare."""
    try:
        entries = [entry.path for entry in os.scandir(folder) if entry.name.endswith(_METADATA)]
    except OSError:  # a folder of the path need not exist
        return
    for path in entries:
        try:
            with open(os.path.join(path, "entry_points.txt"), "rb") as file:
                yield file.read()
        except OSError:  # most packages declare nothing
            continue
