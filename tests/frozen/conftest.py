"""What frozen texts are compared without: pictures, and for every change the story of `demo`.

`make test-slow` compares that one, too, and so does ``--update``, which writes it.
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
    """Mark the story slow."""
    if config.getoption("--update"):
        return
    for item in items:
        if str(item.path).startswith(HERE) and f"{item.path.name}::{item.name}" == SLOW:
            item.add_marker(pytest.mark.slow)
