"""Ask a server whether it runs: for ``detectable serve --check`` and containers."""

import json
import urllib.error
import urllib.request
from typing import Any

from detectable.core.errors import DataError

_SECONDS = 5.0


def ask_health(host: str, port: int) -> str:
    """Return what a server says of itself; raise where none answers."""
    shown = f"[{host}]" if ":" in host else host
    url = f"http://{shown}:{port}/healthz"
    try:
        with urllib.request.urlopen(url, timeout=_SECONDS) as answer:
            said: Any = json.load(answer)
        return f"detectable {said['version']} answers at {url}"
    except (urllib.error.URLError, OSError, ValueError, KeyError, TypeError):
        raise DataError(
            f"no detectable server answers at {url}. Start one: detectable serve."
        ) from None
