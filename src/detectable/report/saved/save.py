"""A result into a file, with what a browser needs to show it."""

import base64
import datetime
import json
import re
import shlex
import warnings
import zlib
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from detectable.core.errors import DetectableWarning, InputError
from detectable.core.result import Result
from detectable.core.version import VERSION
from detectable.core.write import refuse_existing, write_whole
from detectable.data.files.inputs import InputFile, shareable_word
from detectable.data.files.ledger_file import fingerprint
from detectable.data.files.place import FilePath
from detectable.report.blocks_of import blocks_of, class_of
from detectable.report.render.block_values import block_values
from detectable.report.saved.codec import ReadArrays, Record, WrittenArrays
from detectable.report.saved.load import SCHEMA

_REMEDY = "Choose another name, or allow overwriting."
_CALLER = (None, "caller")  # seeds that repeat nothing
# Commands to a terminal and turns of the direction of writing, which JSON need not escape.
_HARMFUL = re.compile("[\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


@dataclass(frozen=True, slots=True)
class WrittenResult:
    """The text of a file, and what to say about it."""

    text: str
    notes: tuple[str, ...]


def save(
    result: Result, path: FilePath, *, overwrite: bool = False, keep_draws: bool = False
) -> None:
    """Write a result to a file, from which `load` gives it back as it was.

    The file is JSON, described in docs/results.md. It holds all of the result, with its arrays, its
    signature and a fingerprint; ``to_dict`` and ``--json`` are shorter. It is written whole or not
    at all.

    Parameters
    ----------
    result : Result
        Of any analysis.
    path : path
        The file, for example ``result.json``.
    overwrite : bool
        Whether a file that exists may be replaced.
    keep_draws : bool
        Also keep arrays of more than a million random draws. They are left out otherwise, with a
        warning, where the seed repeats them.

    Examples
    --------
    >>> import detectable as dt
    >>> from tempfile import TemporaryDirectory
    >>> found = dt.power(dt.scenarios.Preference(), n_items=200, effect=0.1)
    >>> with TemporaryDirectory() as folder:
    ...     dt.save(found, f"{folder}/power.json")
    ...     dt.load(f"{folder}/power.json") == found
    True
    """
    if not isinstance(result, Result):
        raise InputError(
            f"`result` must be a result of this package; got a {type(result).__name__}."
        )
    if not overwrite:
        refuse_existing(path, remedy=_REMEDY)
    made = written_result(result, keep_draws=keep_draws)
    write_whole(path, made.text, new=not overwrite, remedy=_REMEDY)
    for text in made.notes:
        warnings.warn(text, DetectableWarning, stacklevel=2)


def written_result(
    result: Result,
    *,
    command: Sequence[str] = (),
    inputs: Iterable[InputFile] = (),
    keep_draws: bool = False,
) -> WrittenResult:
    """Return the text of a file that holds a result.

    Parameters
    ----------
    command : sequence of str
        What was typed to get it.
    inputs : iterable of InputFile
        What was read.
    keep_draws : bool
        See `save`.
    """
    kind = type(result)
    if class_of(kind.__name__) is not kind:
        raise InputError(f"a {kind.__name__} cannot be saved: nothing could load it.")
    repeatable = result.signature.seed not in _CALLER
    arrays = WrittenArrays(leave_out_draws=repeatable and not keep_draws)
    plain = Record(kind).encode(result, "result", arrays)
    typed = [shareable_word(word) for word in command]
    content = {
        "detectable": VERSION,
        "schema": SCHEMA,
        "kind": kind.__name__,
        "created": datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        "command": typed,
        "inputs": [asdict(file) for file in inputs],
        "signature": plain["signature"],
        "result": {key: value for key, value in plain.items() if key != "signature"},
        "arrays": arrays.entries,
        # As the file tells it: without the places of the one who saves it.
        "shown": packed_blocks(_told(kind, plain, arrays), typed),
    }
    content["fingerprint"] = fingerprint(content)
    return WrittenResult(_text(content), tuple(_note(*left) for left in arrays.left_out))


def _told(kind: type[Result], plain: dict[str, Any], arrays: WrittenArrays) -> Result:
    told: Result = Record(kind).decode(plain, "result", ReadArrays(arrays.entries))
    return told


def _text(content: dict[str, Any]) -> str:
    """Return JSON with a line for each part, so that a look at the head shows what it is."""
    lines = [f"{json.dumps(key)}: {_json(value)}" for key, value in content.items()]
    return "{" + ",\n ".join(lines) + "}\n"


def _json(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return _HARMFUL.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def _note(where: str, size: int) -> str:
    return (
        f"`{where}` is not in the file: {size:,} draws, which the seed repeats. `keep_draws` "
        "keeps them."
    )


# --- What a result shows, in its file: a browser that opens the file needs no Python to show it ---
#
# The blocks are packed as long arrays are, so that they cost a few kilobytes and nobody takes them
# for the values of the result, which stand under ``result``.


def packed_blocks(result: Result, command: Sequence[str]) -> dict[str, str] | None:
    """Return the blocks of a result as JSON, compressed with zlib and written in base64.

    None for a result whose values do not go together: it is kept as it is, after hours of work
    perhaps, and whoever loads it is told.
    """
    try:
        made = block_values(blocks_of(result, command=shlex.join(command)))
        text = json.dumps(made, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    except Exception:  # noqa: BLE001 (whatever it is, the result must not be lost by it)
        return None
    return {"zlib64": base64.b64encode(zlib.compress(text.encode(), 9)).decode("ascii")}
