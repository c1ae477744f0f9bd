"""Short names: of systems from their files, of items from their texts."""

import hashlib
import json
import os
import warnings
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeAlias, TypeGuard

from detectable.core.errors import DataError
from detectable.data.files.place import FilePath

Runs: TypeAlias = FilePath | Sequence[FilePath]
SystemFiles: TypeAlias = Mapping[str, Runs] | Iterable[tuple[str, Runs]]

# Only endings that say how a file is stored. The rest of a name may well be the system:
# the last part of “newstest.hyps.online-B” is not a file type.
_STORAGE = {".txt", ".gz", ".xz", ".bz2", ".zst", ".json", ".jsonl", ".tsv", ".csv", ".parquet",
            ".sgm", ".xml", ".eval", ".score", ".seg"}  # fmt: skip


def file_stem(path: FilePath) -> str:
    """Return the name of a file without folder and without endings that say how it is stored.

    Examples
    --------
    >>> file_stem("out/online-B.en.txt.gz")
    'online-B.en'
    """
    from pathlib import PurePath

    name = PurePath(path)
    while name.suffix.lower() in _STORAGE and name.stem:
        name = name.with_suffix("")
    return name.name


def name_systems(paths: Iterable[FilePath]) -> dict[str, FilePath]:
    """Return the files by the name of their system: the file name, without folder and ending.

    Examples
    --------
    >>> name_systems(["out/A.txt", "out/B.txt.gz"])
    {'A': 'out/A.txt', 'B': 'out/B.txt.gz'}
    """
    named: dict[str, FilePath] = {}
    for path in paths:
        name = file_stem(path)
        if name in named:
            raise DataError(
                f"{named[name]} and {path} would both be called {name!r}. Name the systems "
                "yourself."
            )
        named[name] = path
    return named


def are_files(source: object) -> TypeGuard[Mapping[str, Runs]]:
    """Say whether a source is a file, or the files of its runs, for every system.

    Examples
    --------
    >>> are_files({"A": "a.txt", "B": ["b1.txt", "b2.txt"]}), are_files({"A": [0, 1]})
    (True, False)
    """
    return isinstance(source, Mapping) and all(
        _is_file(runs)
        or (isinstance(runs, list | tuple) and all(_is_file(one) for one in runs))
        for runs in source.values()
    )


def _is_file(value: object) -> bool:
    return isinstance(value, str | os.PathLike)


def system_files(systems: SystemFiles) -> dict[str, tuple[FilePath, ...]]:
    """Return the run files of every system; a single file is one run."""
    pairs = systems.items() if isinstance(systems, Mapping) else systems
    named: dict[str, tuple[FilePath, ...]] = {}
    for name, runs in pairs:
        if not name.strip():
            raise DataError(f"a system has no name; its file is {runs!r}. Give it one.")
        if name in named:
            raise DataError(
                f"the system name {name!r} is used twice. Give each system a name of its own, "
                "or all run files of a system under one name."
            )
        files = (runs,) if isinstance(runs, str | os.PathLike) else tuple(runs)
        if not files:
            raise DataError(f"system {name!r} has no file. Give at least one.")
        named[name] = files
    if not named:
        raise DataError("there is no system to evaluate. Give at least one output file.")
    return named


# --- Names for items that are known by a text only ---

_LONGEST = 48
_SHOWN = 36


def short_name(text: str) -> str:
    """Return a text as a name: itself, or its beginning and a hash that tells it from others.

    Examples
    --------
    >>> short_name("What is 2 + 2?")
    'What is 2 + 2?'
    >>> len(short_name("What is " * 20)), short_name("a" * 50) == short_name("a" * 51)
    (45, False)
    """
    plain = " ".join(text.split())
    if len(plain) <= _LONGEST and plain == text.strip():
        return plain
    digest = hashlib.sha256(text.encode(errors="surrogatepass")).hexdigest()[:8]
    return f"{plain[:_SHOWN]}…{digest}"


def value_name(value: Any) -> str:
    """Return a name for any JSON value; the order of keys does not matter.

    Examples
    --------
    >>> value_name({"b": 1, "a": 2}) == value_name({"a": 2, "b": 1})
    True
    """
    if isinstance(value, str):
        return short_name(value)
    return short_name(json.dumps(value, sort_keys=True, ensure_ascii=False))


def unwrapped(table: Any) -> Any:
    """Return the table itself; readers had it in an envelope once. Goes with version 0.2."""
    warnings.warn(
        "readers return the table itself: leave out `.table`.", DeprecationWarning, stacklevel=2
    )
    return table
