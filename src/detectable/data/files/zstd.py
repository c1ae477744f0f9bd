"""Zstandard, which the standard library has from Python 3.14 on and backports.zstd before."""

import importlib
import sys
from types import ModuleType
from typing import IO

_NAME = "compression.zstd" if sys.version_info >= (3, 14) else "backports.zstd"


def zstd() -> ModuleType:
    """Return the module; an ImportError where it is not installed."""
    return importlib.import_module(_NAME)


def zip_module() -> ModuleType:
    """Return a module like `zipfile` that reads archives compressed with zstd, too."""
    return importlib.import_module(
        "zipfile" if sys.version_info >= (3, 14) else f"{_NAME}.zipfile"
    )


def opened(file: IO[bytes]) -> IO[bytes]:
    """Return what a zstd file holds, to be read."""
    content: IO[bytes] = zstd().ZstdFile(file)
    return content


def damage() -> type[Exception]:
    """Return what is raised where the data are damaged."""
    found: type[Exception] = zstd().ZstdError
    return found
