"""A result with what its file says about it."""

from dataclasses import dataclass

from detectable.core.result import Result
from detectable.data.files.inputs import InputFile


@dataclass(frozen=True, slots=True, kw_only=True)
class SavedResult:
    """A result with what its file says about it.

    Attributes
    ----------
    result : Result
        As it was.
    path : str
        The file.
    version : str
        Of detectable, when it was written.
    created : str
        When, in UTC.
    command : tuple of str
        What was typed; nothing where it was saved by a program.
    inputs : tuple of InputFile
        What was read.
    edited : bool
        Whether the content does not fit the fingerprint.
    notes : tuple of str
        What to know about the file: edited, or without its draws.
    """

    result: Result
    path: str
    version: str
    created: str
    command: tuple[str, ...]
    inputs: tuple[InputFile, ...]
    edited: bool
    notes: tuple[str, ...]
