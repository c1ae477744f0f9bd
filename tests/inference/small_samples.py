"""The numbers of the page about small samples."""

import functools
import json
from typing import Any

from tests.helpers import reference_data


@functools.lru_cache(maxsize=1)
def _content() -> dict[str, Any]:
    path = reference_data("gold", "small_samples.json")
    content: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return content


def gold(block: str) -> dict[str, Any]:
    """Return one block of the gold file, skipping the test where there are no reference data."""
    found: dict[str, Any] = _content()[block]
    return found
