"""Results: plain JSON, a signature that repeats them."""

import dataclasses
import json
import math
from dataclasses import dataclass, field

import numpy as np
import pytest

from detectable.core.interval import Interval
from detectable.core.result import Result, Signature, to_json
from detectable.core.types import FloatArray
from detectable.core.version import VERSION


@dataclass(frozen=True, slots=True, kw_only=True)
class Example(Result):
    value: float
    interval: Interval
    table: dict[str, tuple[float, ...]]
    draws: FloatArray = field(metadata={"bulk": True})

    def summary(self) -> str:
        return f"value {self.value}"


def _example(value: float = 1.5) -> Example:
    return Example(
        value=value,
        interval=Interval(0.5, 2.5, 0.95),
        table={"a": (1.0, math.inf)},
        draws=np.ones(3),
        signature=Signature("example", {"n": 3, "alt": "two-sided"}, "7", "0.1"),
    )


def test_the_dictionary_is_json_and_leaves_bulk_out() -> None:
    plain = _example(float("nan")).to_dict()
    assert json.loads(json.dumps(plain, allow_nan=False)) == {
        "value": None,
        "interval": [0.5, 2.5],
        "table": {"a": [1.0, None]},
        "signature": "example|n:3|alt:two-sided|seed:7|detectable:0.1",
        "kind": "Example",
    }


def test_numpy_values_become_plain_ones() -> None:
    assert _example(np.float64(2.0)).to_dict()["value"] == 2.0
    assert type(_example(np.float64(2.0)).to_dict()["value"]) is float


def test_notebooks_show_the_summary() -> None:
    assert '<p class="headline">value 1.5</p>' in _example()._repr_html_()


def test_an_interval_knows_what_it_holds() -> None:
    interval = Interval(-0.4, 0.3, 0.9)
    assert 0.0 in interval
    assert 0.4 not in interval


@pytest.mark.parametrize(
    ("value", "holds"), [(-0.4, True), (0.3, True), (-0.41, False), (0.31, False)]
)
def test_the_ends_belong_to_an_interval(value: float, holds: bool) -> None:
    assert (value in Interval(-0.4, 0.3, 0.9)) is holds


@pytest.mark.parametrize(
    ("value", "plain"),
    [
        ((1, 2.5, "x", None, True), [1, 2.5, "x", None, True]),
        ({1: {"a": (math.nan,)}}, {"1": {"a": [None]}}),
        (np.array([[1, 2], [3, 4]]), [[1, 2], [3, 4]]),
        (np.array([1.0, np.inf]), [1.0, None]),
        (np.int64(7), 7),
        (np.bool_(True), True),
        (-math.inf, None),
        (Interval(0.0, math.inf, 0.9), [0.0, None]),
        ([Interval(0.0, 1.0, 0.9)], [[0.0, 1.0]]),
    ],
    ids=str,
)
def test_everything_becomes_plain_json(value: object, plain: object) -> None:
    found = to_json(value)
    assert found == plain
    assert json.loads(json.dumps(found, allow_nan=False)) == plain


def test_a_signature_without_a_seed_says_none() -> None:
    assert str(Signature("t-test", {"n": 3}, version="0.1")) == "t-test|n:3|detectable:0.1"
    assert str(Signature("t-test", {}, "0", "0.1")) == "t-test|seed:0|detectable:0.1"


def test_a_signature_carries_the_version_of_the_package() -> None:
    assert Signature("t-test", {}).version == VERSION


def test_results_are_frozen_and_compare_by_value() -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        _example().value = 2.0  # type: ignore[misc]
    plain = Signature("a", {"n": 1})
    assert plain == Signature("a", {"n": 1})
    assert plain != Signature("a", {"n": 2})


def test_a_result_without_words_says_its_values() -> None:
    @dataclass(frozen=True, slots=True, kw_only=True)
    class Unsaid(Result):
        n_items: int
        draws: tuple[float, ...] = ()

    unsaid = Unsaid(n_items=3, signature=Signature("a", {}))
    assert unsaid.summary() == "Unsaid: n items 3."
    assert Result(signature=Signature("a", {})).summary() == "Result."
