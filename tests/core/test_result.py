"""Results: plain JSON, a signature that repeats them."""

import json
import math
from dataclasses import dataclass, field

import numpy as np

from detectable.core.interval import Interval
from detectable.core.result import Result, Signature
from detectable.core.types import FloatArray


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
    assert _example()._repr_html_() == "<pre>value 1.5</pre>"


def test_an_interval_knows_what_it_holds() -> None:
    interval = Interval(-0.4, 0.3, 0.9)
    assert 0.0 in interval
    assert 0.4 not in interval
