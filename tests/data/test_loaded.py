"""What a reader returned, given where its table belongs."""

from collections.abc import Callable
from typing import Any

import pytest

import detectable as dt
from detectable.core.errors import InputError
from detectable.data.loaded import Loaded


@pytest.mark.parametrize(
    ("function", "name"),
    [
        (lambda given: dt.compare(given), "data"),
        (lambda given: dt.reliability(given), "data"),
        (lambda given: dt.translationese(given), "data"),
        (lambda given: dt.gate(given, "old", margin=0.1), "new"),
        (lambda given: dt.gate([], given, margin=0.1), "baseline"),
    ],
)
def test_its_table_is_asked_for(function: Callable[[Any], object], name: str) -> None:
    with pytest.raises(InputError, match=rf"^`{name}` must be a table; .* Give its `\.table`"):
        function(Loaded("a table", ("One line was left out.",)))
