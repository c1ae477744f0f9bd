"""Numbers of gold/repairs.json, which stay outside the repository: tolerance 1e-6."""

import json
from functools import cache
from typing import Any

from tests.helpers import reference_data


@cache
def _cases() -> dict[str, Any]:
    text = reference_data("gold", "repairs.json").read_text(encoding="utf-8")
    cases: dict[str, Any] = json.loads(text)["cases"]
    return cases


def repairs(name: str) -> Any:
    """Return one case by its whole name."""
    return _cases()[name]
