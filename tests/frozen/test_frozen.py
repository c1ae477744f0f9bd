"""What every command says stays what it was, number by number.

A change of a number is a change for users: it belongs into CHANGELOG.md under «Numbers that
change», and ``python -m tests.frozen.run NAME`` stores the new answer.
"""

import json
from pathlib import Path
from typing import Any

import pytest

from detectable.cli import main
from tests.frozen.cases import CASES
from tests.frozen.run import said, stored

# Sums of floats may be added up in another order by another BLAS; nothing else may differ.
ROUNDING = 1e-9


def differences(found: Any, kept: Any, where: str = "") -> list[str]:
    """Return every place at which two JSON values differ."""
    if isinstance(found, dict) and isinstance(kept, dict):
        return [
            line
            for key in sorted(found.keys() | kept.keys())
            for line in differences(
                found.get(key, "absent"), kept.get(key, "absent"), f"{where}.{key}"
            )
        ]
    if isinstance(found, list) and isinstance(kept, list) and len(found) == len(kept):
        pairs = enumerate(zip(found, kept, strict=True))
        return [line for i, (a, b) in pairs for line in differences(a, b, f"{where}[{i}]")]
    if isinstance(found, float | int) and isinstance(kept, float | int):
        same = abs(found - kept) <= ROUNDING * max(1.0, abs(kept))
        return [] if same else [f"{where}: {found!r}, was {kept!r}"]
    return [] if found == kept else [f"{where}: {found!r}, was {kept!r}"]


@pytest.mark.parametrize("name", CASES)
def test_the_answer_is_what_it_was(name: str, tmp_path: Path) -> None:
    kept = json.loads(stored(name).read_text(encoding="utf-8"))
    assert differences(said(name, tmp_path), kept) == []


def test_every_command_is_frozen() -> None:
    frozen = {case[-1].split()[0] for case in CASES.values()}
    assert frozen == set(main.commands)


def test_the_comparison_finds_what_differs() -> None:
    kept = {"a": [1.0, {"b": "x"}], "c": None}
    assert differences({"a": [1.0 + 1e-12, {"b": "x"}], "c": None}, kept) == []
    assert differences({"a": [1.1, {"b": "y"}], "d": 1}, kept) == [
        ".a[0]: 1.1, was 1.0",
        ".a[1].b: 'y', was 'x'",
        ".c: 'absent', was None",
        ".d: 1, was 'absent'",
    ]
