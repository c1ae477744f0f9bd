"""Formats of a table: in their order, and as what they must be."""

from collections.abc import Callable
from typing import Any

import pytest

from detectable.core.errors import InputError
from detectable.data.reader import SCORES as BUILT_IN
from detectable.data.reader import FormatRegistry, ScoreReader


def registry() -> FormatRegistry[ScoreReader]:
    return FormatRegistry("scores", BUILT_IN, ScoreReader)


def _gone() -> Any:
    raise ImportError("gone")


def test_rows_are_named_and_asked_in_their_order() -> None:
    found = registry().in_order()
    assert {"comet-text", "helm", "lines", "lm-eval", "table"} <= {one.name for one in found}
    assert [(one.order, one.name) for one in found] == sorted(
        (one.order, one.name) for one in found
    )
    assert found[-1].name == "table"  # takes what nobody else recognises


@pytest.mark.parametrize(
    ("load", "said"),
    [
        (object, "the format of scores 'odd' must be a ScoreReader of that name; got <object"),
        (
            lambda: registry().get("helm"),
            "the format of scores 'odd' must be a ScoreReader of that name; got ScoreReader",
        ),
        (_gone, r"the format of scores 'odd' cannot be loaded \(gone\)\. Repair or remove"),
    ],
    ids=["another thing", "another name", "broken"],
)
def test_a_package_that_adds_something_else(load: Callable[[], Any], said: str) -> None:
    made = registry()
    made.register("odd", load)
    with pytest.raises(InputError, match=said):
        made.in_order()
