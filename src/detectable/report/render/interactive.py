"""Charts that answer to the pointer: the specifications and Vega inside the page.

The static pictures stay where they are. A script replaces them once Vega has drawn the same
charts, so that a page without scripts (mail, print, an artefact viewer) loses nothing. The page
still asks for nothing from elsewhere, and its policy lets only these very scripts run.
"""

import base64
import hashlib
import json
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from threading import Lock
from typing import Any

from detectable.core.errors import MissingExtraError
from detectable.report.blocks import Chart
from detectable.report.charts.theme import COLOUR, NARROW, WIDE
from detectable.report.render.picture import HOW_TO_GET, can_draw


@dataclass(frozen=True, slots=True)
class Scripts:
    """What an interactive page needs besides its pictures."""

    data: str  # JSON: specifications by the id of their figure, and the tokens of colours
    code: str  # Vega, and the few lines that put its charts in place

    @property
    def policy(self) -> str:
        """The source of scripts that the page's policy allows: this code alone."""
        digest = hashlib.sha256(self.code.encode()).digest()
        return f"'sha256-{base64.b64encode(digest).decode()}'"


def interactive_scripts(charts: Sequence[tuple[str, Chart]]) -> Scripts:
    """Return the scripts of a page.

    Parameters
    ----------
    charts : sequence of (id, chart)
        With the id of the figure on the page.
    """
    specs = {
        id: {"wide": _pointed(chart.make(WIDE)), "narrow": _pointed(chart.make(NARROW))}
        for id, chart in charts
    }
    tokens = {colour: name for name, colour in COLOUR.items()}
    data = json.dumps({"charts": specs, "tokens": tokens}, ensure_ascii=True, sort_keys=True)
    return Scripts(data.replace("</", "<\\/"), _code())


def _pointed(spec: dict[str, Any]) -> dict[str, Any]:
    """Return a specification whose marks tell their numbers."""
    config = {**spec["config"], "mark": {"tooltip": {"content": "data"}}}
    return {**spec, "config": config}


@cache
def _code() -> str:
    own = (files("detectable.report") / "templates" / "interactive.js").read_text("utf-8")
    return _bundled(own).replace("</script", "<\\/script")


# --- Vega, Vega-Lite and the interpreter of its expressions, as one script ---
#
# They come from the package that draws pictures, so that a page, a server and a file draw with the
# same version, and nothing is fetched.

# With the interpreter (``ast: true`` of vegaEmbed) a page's policy need not allow eval.
_NAMES = "window.vegaEmbed = vegaEmbed;"
_MAKE = "import sys, vl_convert; sys.stdout.write(vl_convert.javascript_bundle(sys.argv[1]))"


_MADE_ONCE = Lock()


def vega_script() -> str:
    """Return the script, which sets ``window.vegaEmbed``.

    It is made in a process of its own: the engine that bundles it would stay in memory, with a
    hundred times the size of the script.
    """
    return _bundled(_NAMES)


def _bundled(code: str) -> str:
    if not can_draw():
        raise MissingExtraError(f"charts need vl-convert: {HOW_TO_GET}.")
    with _MADE_ONCE:
        return _made(code)


@cache
def _made(code: str) -> str:
    made = subprocess.run(
        [sys.executable, "-P", "-c", _MAKE, code],
        capture_output=True,
        encoding="utf-8",
        check=True,
        timeout=120,
    )
    return made.stdout
