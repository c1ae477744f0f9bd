"""Whether the files that a result was made from are still what they were."""

import hashlib
import os
from collections.abc import Iterable
from pathlib import Path

from detectable.core.errors import DataError
from detectable.data.files.inputs import InputFile
from detectable.data.files.place import FilePath
from detectable.data.files.shareable import place_of
from detectable.report.saved.receipt import InputCheck, InputState


def check_inputs(inputs: Iterable[InputFile], folder: FilePath) -> tuple[InputCheck, ...]:
    """Return for every file whether the one of its name below `folder` has the same bytes."""
    return tuple(
        InputCheck(file.path, _state(place_of(file.path, folder), file.sha256), file.sha256)
        for file in inputs
    )


def _state(path: Path, sha256: str) -> InputState:
    if not os.path.isfile(path):  # no pipe and no device: it was read once, and is gone
        return "missing"
    try:
        with open(path, "rb") as opened:
            found = hashlib.file_digest(opened, "sha256").hexdigest()
    except OSError as error:
        raise DataError(f"{path} cannot be read ({error.strerror}).") from error
    return "same" if found == sha256 else "changed"
