"""Which frozen texts every change compares: all answers, and of the variants made by hand one in three.

`make test-slow` compares all, and so does ``--update``, which writes them.
"""

import os
from pathlib import Path

import pytest

from detectable.report.render import drawing

HERE = f"{Path(__file__).parent}{os.sep}"
SLOW = (
    "test_frozen.py::test_the_answer_is_what_it_was[demo]"  # `tests/study/demo` tells it, too
)


@pytest.fixture(autouse=True)
def _no_picture_is_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave pictures blank: frozen is what they are drawn from, and `tests/report/charts` draws."""
    blank = b'<svg width="1" height="1"></svg>'
    monkeypatch.setattr(drawing._Child, "ask", lambda *_: (b"o", blank))


@pytest.hookimpl(tryfirst=True)  # before -m chooses
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark the others slow."""
    if config.getoption("--update"):
        return
    here = [item for item in items if str(item.path).startswith(HERE)]
    variants = [
        item for item in here if item.name.startswith("test_a_variant_says_what_it_said")
    ]
    demo = [item for item in here if f"{item.path.name}::{item.name}" == SLOW]
    for item in [*variants[1::3], *variants[2::3], *demo]:
        item.add_marker(pytest.mark.slow)
