"""Colours of a terminal."""

import pytest

from detectable.report.render.text_table import painted


@pytest.mark.parametrize(
    ("verdict", "code"),
    [
        *(("▲ better", 32), ("▲ higher", 32), ("▼ worse", 31), ("▼ lower", 31)),
        *(("◆ equivalent", 34), ("◆ non-inferior", 34), ("▲", 32), ("▼", 31), ("◆", 34)),
    ],
)
def test_a_decided_verdict_has_a_colour(verdict: str, code: int) -> None:
    assert painted(verdict) == f"\x1b[{code}m{verdict}\x1b[0m"


@pytest.mark.parametrize("text", ["○ undecided", "○", "·", "–", "go on"])
def test_nothing_else_has(text: str) -> None:
    assert painted(text) == text
