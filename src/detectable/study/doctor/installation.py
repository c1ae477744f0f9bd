"""What is installed here: the answer of ``detectable doctor --system``, to go with a report of an error.

It holds versions and properties of the machine. It names no file, no folder, no user and no host.
"""

import locale
import os
import platform
import re
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, requires, version
from typing import Literal

from detectable.core.result import Result, Signature
from detectable.core.version import VERSION
from detectable.kernels.word_matches import is_native

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
_EXTRAS = re.compile(r"[^;\[]*\[([^\]]*)\]")
_MARKER = re.compile(r"""extra\s*==\s*["']([^"']+)["']""")
_SUBJECT = "detectable"

Kernels = Literal["native", "numpy"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Installed:
    """A package that is asked for.

    Attributes
    ----------
    version : str
        Empty where it is not installed.
    extra : str
        The optional part that asks for it; empty where it is always needed.
    """

    package: str
    version: str
    extra: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Installation(Result):
    """What is installed, and where it runs.

    Attributes
    ----------
    version, python, platform : str
        Of this package, of Python (with its maker), and the system.
    cores : int
        Processors that this process may use.
    kernels : str
        ``native`` where inner loops are compiled, ``numpy`` where they are not.
    locale, encoding, file_encoding : str
        Of the user's settings, of standard output, and of names of files.
    terminal : str
        What standard output goes to, as the command found it.
    packages : tuple of Installed
        What is always needed, and what optional parts need.
    extras : mapping of str to bool
        Whether all that an optional part needs is installed.
    """

    version: str
    python: str
    platform: str
    cores: int
    kernels: Kernels
    locale: str
    encoding: str
    file_encoding: str
    terminal: str
    packages: tuple[Installed, ...]
    extras: Mapping[str, bool]
    notes: tuple[str, ...] = ()


def installation(*, terminal: str = "") -> Installation:
    """Describe what is installed here, and where it runs.

    Parameters
    ----------
    terminal : str
        What standard output goes to, in a few words.

    Examples
    --------
    >>> found = installation()
    >>> found.kernels in ("native", "numpy"), found.version in found.summary()
    (True, True)
    """
    packages = tuple(_packages())
    extras = dict.fromkeys((one.extra for one in packages if one.extra), True)
    for one in packages:
        if one.extra and not one.version:
            extras[one.extra] = False
    return Installation(
        version=VERSION,
        python=f"{platform.python_implementation()} {platform.python_version()}",
        platform=f"{platform.system()} {platform.release()} {platform.machine()}{_libc()}",
        cores=_cores(),
        kernels="native" if is_native() else "numpy",
        locale=".".join(part for part in locale.getlocale() if part) or "C",
        encoding=getattr(sys.stdout, "encoding", None) or "none",
        file_encoding=sys.getfilesystemencoding(),
        terminal=terminal,
        packages=packages,
        extras=extras,
        notes=() if packages else (_NO_METADATA,),
        signature=Signature("installation", {}),
    )


_NO_METADATA = (
    "The package runs from a folder and not as pip installs it: what it needs is not known."
)


def _packages() -> Iterator[Installed]:
    """Go through what the package asks for: always, then by optional part."""
    asked = _asked(_SUBJECT)
    for extra in sorted({extra for extra, _ in asked}):
        for text in (text for named, text in asked if named == extra):
            for name in (_name(text), *_brought(text)):
                yield Installed(package=name, version=_version(name), extra=extra)


def _asked(name: str) -> list[tuple[str, str]]:
    """Return what a package asks for, each beside the extra that it is asked for by."""
    try:
        texts = requires(name) or []
    except PackageNotFoundError:
        return []
    found = [(_MARKER.search(text), text) for text in texts]
    return [("" if marker is None else marker[1], text) for marker, text in found]


def _brought(text: str) -> Iterator[str]:
    """Yield what ``sacrebleu[ja]`` asks for beyond sacrebleu."""
    named = _EXTRAS.match(text)
    wanted = set(_NAME.findall(named[1])) if named else set()
    for extra, inner in _asked(_name(text)) if wanted else ():
        if extra in wanted:
            yield _name(inner)


def _name(text: str) -> str:
    found = _NAME.match(text)
    return found[0] if found else text


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return ""


def _libc() -> str:
    name, number = platform.libc_ver()
    return f" {name} {number}" if name else ""


def _cores() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
