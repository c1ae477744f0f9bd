"""What a result shows, in its file: a browser that opens the file needs no Python to show it.

The blocks are packed as long arrays are, so that they cost a few kilobytes and nobody takes them
for the values of the result, which stand under ``result``.
"""

import base64
import json
import shlex
import zlib
from collections.abc import Sequence

from detectable.core.result import Result
from detectable.report.blocks_of import blocks_of
from detectable.report.render.block_values import block_values


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
