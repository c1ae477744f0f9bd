"""Answers of blocks as bytes: equal to the bit, and never a program."""

import dataclasses
import math
import pickle
from typing import Any

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from detectable.core.checkpoint_file import decoded, encoded
from detectable.core.errors import DataError
from detectable.core.interval import Interval
from detectable.planning.search import Tally


def _same(a: Any, b: Any) -> bool:
    if type(a) is not type(b):
        return False
    if isinstance(a, np.ndarray):
        same = (a.dtype, a.shape, a.strides) == (b.dtype, b.shape, b.strides)
        return same and a.tobytes() == b.tobytes()
    if isinstance(a, list | tuple):
        return len(a) == len(b) and all(map(_same, a, b))
    if isinstance(a, dict):
        return _same(list(a.items()), list(b.items()))
    if dataclasses.is_dataclass(a):
        return all(_same(getattr(a, f.name), getattr(b, f.name)) for f in dataclasses.fields(a))
    return pickle.dumps(a) == pickle.dumps(b)


ANSWERS: list[Any] = [
    None,
    True,
    0,
    -(2**63),
    2**64,
    -(2**100),
    1.5,
    -0.0,
    math.inf,
    "wörd",
    b"bytes",
    [],
    (),
    [1, [2.0, (3, "x")]],
    {"a": 1, 2: [3]},
    np.float64(0.1),
    np.int32(7),
    np.bool_(True),
    np.array(3.0),
    np.arange(6.0).reshape(2, 3),
    np.asfortranarray(np.arange(6.0).reshape(2, 3)),
    np.empty((0, 3)),
    np.array(["a", "bcd"]),
    np.array([1 + 2j]),
    np.array([True, False]),
    np.array([1, 2], dtype=">i4"),
    Tally(10, 3, 1, 2.5),
    (np.arange(3), Tally(1, 0, 0, math.inf)),
]


@pytest.mark.parametrize("answer", ANSWERS, ids=repr)
def test_an_answer_comes_back_as_it_was(answer: object) -> None:
    assert _same(decoded(encoded(answer)), answer)


@given(
    arrays.arrays(
        arrays.scalar_dtypes().filter(lambda d: d.kind in "biufc"),
        arrays.array_shapes(min_dims=0, min_side=0),
    )
)
def test_any_array_comes_back(values: "np.ndarray[Any, Any]") -> None:
    assert _same(decoded(encoded(values)), values)


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
        lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    )
)
def test_any_plain_answer_comes_back(answer: Any) -> None:
    assert _same(decoded(encoded(answer)), answer)


def test_an_array_that_comes_back_can_be_written_to() -> None:
    found = decoded(encoded(np.zeros(3)))
    found += 1.0
    assert found.tolist() == [1.0, 1.0, 1.0]


@dataclasses.dataclass
class _Foreign:
    x: int


@pytest.mark.parametrize(
    "answer",
    [_Foreign(1), {1, 2}, np.array([None]), object(), np.zeros(2, "i4,f8")],
    ids=lambda answer: type(answer).__name__,
)
def test_what_would_not_come_back_is_not_kept(answer: object) -> None:
    with pytest.raises(TypeError, match="cannot be kept"):
        encoded(answer)


@pytest.mark.parametrize(
    "written",
    [
        ["class", "subprocess", "Popen", [["list", ["touch", "x"]]]],
        ["class", "os", "system", ["true"]],
        ["class", "detectable.core.execute", "run_blocks", []],
        ["class", "detectable.core.execute", "subprocess", []],
        ["class", "detectable.planning.nowhere", "Tally", []],
        ["class", "detectable.core.interval", "Interval", [1.0]],
        ["array", "|O", [1], "C", b"12345678"],
        ["array", "<f8", [3], "C", b"12345678"],
        ["pickle", b"cos\nsystem\n"],
        [],
        [["list", []]],
    ],
    ids=repr,
)
def test_a_forged_answer_is_refused(written: Any) -> None:
    assert Interval.__module__ == "detectable.core.interval"  # loaded, so that it is found
    with pytest.raises(DataError, match="cannot be read"):
        decoded(msgspec.msgpack.encode(written))


def test_bytes_that_are_no_answer_are_refused() -> None:
    with pytest.raises(DataError, match="cannot be read"):
        decoded(b"\xc1garbage")
