"""Vega, Vega-Lite and the interpreter of its expressions, as one script.

They come from the package that draws pictures, so that a page, a server and a file draw with the
same version, and nothing is fetched.
"""

import subprocess
import sys
from functools import cache
from threading import Lock

from detectable.core.errors import MissingExtraError
from detectable.report.render.picture import HOW_TO_GET, can_draw

# With the interpreter (``ast: true`` of vegaEmbed) a page's policy need not allow eval.
_NAMES = "window.vegaEmbed = vegaEmbed;"
_MAKE = "import sys, vl_convert; sys.stdout.write(vl_convert.javascript_bundle(sys.argv[1]))"


_MADE_ONCE = Lock()


def vega_script() -> str:
    """Return the script, which sets ``window.vegaEmbed``.

    It is made in a process of its own: the engine that bundles it would stay in memory, with a
    hundred times the size of the script.
    """
    if not can_draw():
        raise MissingExtraError(f"charts need vl-convert: {HOW_TO_GET}.")
    with _MADE_ONCE:
        return _made()


@cache
def _made() -> str:
    made = subprocess.run(
        [sys.executable, "-c", _MAKE, _NAMES],
        capture_output=True,
        encoding="utf-8",
        check=True,
        timeout=120,
    )
    return made.stdout
