"""Two values are the same only if all that they hold is."""

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest

from detectable.core.same import same


@dataclass(frozen=True)
class Toy:
    value: float
    path: Any = field(default=None, compare=False)
    model: Any = field(default=None, metadata={"saved": False})


@dataclass(frozen=True)
class Other:
    value: float
    path: Any = None
    model: Any = None


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        (1, 1, True),
        (1, 2, False),
        (1, 1.0, False),
        (True, 1, False),
        (math.nan, float("nan"), True),
        (math.nan, 1.0, False),
        (1.0, math.nan, False),
        (np.float64(1.5), 1.5, True),
        (np.float64(1.5), np.float32(1.25), False),
        ((1, math.nan), (1, math.nan), True),
        ((1, 2), (1,), False),
        ((1,), [1], False),
        ([(1,)], [(2,)], False),
        ({"a": 1}, {"a": 1}, True),
        ({"a": 1}, {"a": 2}, False),
        ({"a": 1}, {"b": 1}, False),
        ({"a": 1, "b": 2}, {"b": 2, "a": 1}, False),  # the order is that of rows
        ({"a": 1}, [1], False),
        (Toy(1.0), Toy(1.0), True),
        (Toy(1.0), Toy(2.0), False),
        (Toy(1.0), Other(1.0), False),
        (Toy(1.0, np.zeros(2)), Toy(1.0, np.zeros(2)), True),
        (Toy(1.0, np.zeros(2)), Toy(1.0, np.ones(2)), False),
        (Toy(1.0, None, 1), Toy(1.0, None, 2), True),  # no file holds it
        (np.zeros(2), np.zeros(3), False),
        (np.zeros(2), np.zeros((1, 2)), False),
        (np.zeros(2), np.zeros(2, dtype=np.int64), False),
        (np.array([math.nan]), np.array([math.nan]), True),
        (np.array([1, 2]), np.array([1, 3]), False),
        (np.array([True]), np.array([True]), True),
        (None, None, True),
        ("a", None, False),
    ],
)
def test_same(first: Any, second: Any, expected: bool) -> None:
    assert same(first, second) is expected
