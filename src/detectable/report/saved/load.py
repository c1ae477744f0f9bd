"""A result from its file, also from one of an older format."""

import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from detectable.core.errors import DataError, SuspiciousDataWarning
from detectable.core.result import Result
from detectable.data.files.inputs import InputFile
from detectable.data.files.ledger_file import fits
from detectable.data.files.place import FilePath, quote
from detectable.data.files.read_json import read_json
from detectable.report.blocks_of import class_of
from detectable.report.saved.codec import Damaged, ReadArrays, Record, codec_of

_KEYS: dict[str, type] = {
    "detectable": str,
    "kind": str,
    "created": str,
    "command": list,
    "inputs": list,
    "signature": dict,
    "result": dict,
    "arrays": dict,
    "fingerprint": str,
}
_NAMES: dict[type, str] = {str: "a text", list: "a list", dict: "an object"}
_AGAIN = "Was it edited or cut short? Write it again with --out or dt.save."


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


def load(path: FilePath) -> Result:
    """Return the result that `save` or ``--out`` wrote: the same class with the same values.

    Files of older versions are brought up to date; those of newer ones are refused. A file whose
    content does not fit its fingerprint is loaded with a warning that it was edited.

    Parameters
    ----------
    path : path
        The file; it may be compressed (gzip, xz, bzip2, zstd).

    Examples
    --------
    >>> import detectable as dt
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     dt.save(dt.design(looks=3), f"{folder}/design.json")
    ...     dt.load(f"{folder}/design.json").family
    'hsd'
    """
    found = read_saved(path)
    for text in found.notes:
        warnings.warn(text, SuspiciousDataWarning, stacklevel=2)
    return found.result


def read_saved(path: FilePath) -> SavedResult:
    """Return the result of a file, with what the file says about it."""
    content = read_json(path)
    _require_result(content, path)
    _require_known_format(content, path)
    edited = not fits(
        {k: v for k, v in content.items() if k != "fingerprint"}, content.get("fingerprint")
    )
    content = upgraded(content)
    for key, kind in _KEYS.items():
        if not isinstance(content.get(key), kind):
            raise DataError(
                f"{path}: `{key}` must be {_NAMES[kind]}; got {quote(content.get(key))}. {_AGAIN}"
            )
    kind_of_result = class_of(content["kind"])
    if kind_of_result is None:
        raise DataError(
            f"{path}: {quote(content['kind'])} is no kind of result that this version knows. "
            f"It was written by detectable {content['detectable']}; load it with that version."
        )
    arrays = ReadArrays(content["arrays"])
    try:
        plain = {**content["result"], "signature": content["signature"]}
        result: Result = Record(kind_of_result).decode(plain, "result", arrays)
        inputs = codec_of(tuple[InputFile, ...]).read(content["inputs"], "inputs", arrays)
        command = codec_of(tuple[str, ...]).read(content["command"], "command", arrays)
    except Damaged as error:
        said = str(error).replace("`result.signature", "`signature")
        raise DataError(f"{path}: {said}. {_AGAIN}") from error
    except RecursionError as error:
        raise DataError(f"{path}: its values are nested too deeply. {_AGAIN}") from error
    return SavedResult(
        result=result,
        path=str(path),
        version=content["detectable"],
        created=content["created"],
        command=command,
        inputs=inputs,
        edited=edited,
        notes=_notes(path, arrays, edited=edited),
    )


def _require_result(content: Any, path: FilePath) -> None:
    """Refuse what is no result file, and say what it is where that is known."""
    if isinstance(content, dict) and "schema" in content and "kind" in content:
        return
    hint = "Write one with --out or dt.save."
    if isinstance(content, dict) and "detectable_plan" in content:
        hint = "It is a plan: see it with `detectable plan show`."
    elif isinstance(content, dict) and {"kind", "signature"} <= content.keys():
        hint = "It is what --json prints, which leaves things out: write the result with --out."
    raise DataError(f"{path}: this is no file of a result. {hint}")


def _require_known_format(content: dict[str, Any], path: FilePath) -> None:
    schema = content["schema"]
    if type(schema) is not int or schema < 1:
        raise DataError(
            f"{path}: `schema` must be a whole number from 1 on; got {quote(schema)}. {_AGAIN}"
        )
    if schema > SCHEMA:
        raise DataError(
            f"{path} has format {schema}, written by detectable {content.get('detectable')}; this "
            f"version reads up to {SCHEMA}. Update detectable."
        )


def _notes(path: FilePath, arrays: ReadArrays, *, edited: bool) -> tuple[str, ...]:
    said = [
        f"{path} was edited after it was written: its content does not fit its fingerprint."
    ] * edited
    said += [
        f"{path} is without `{where}`: {size:,} draws, which the seed repeats."
        for where, size in arrays.left_out
    ]
    return tuple(said)


# --- Formats of result files, and how a file of an older one becomes one of the next ---

Content: TypeAlias = dict[str, Any]
Upgrade: TypeAlias = Callable[[Content], Content]

SCHEMA = 1
# From each older format the step to the next: {1: upgrade_1_to_2}. A step takes the whole content
# of a file and returns it; results that did not change pass through.
UPGRADES: Mapping[int, Upgrade] = {}


def upgraded(content: Content) -> Content:
    """Return the content of a file in the format of this version, one step after another."""
    for schema in range(content["schema"], SCHEMA):
        content = {**UPGRADES[schema](content), "schema": schema + 1}
    return content
