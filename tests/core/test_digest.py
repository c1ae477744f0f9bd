"""Equal work has an equal number, whatever objects it is made of."""

import functools
import importlib.util
import math
import os
import subprocess
import sys
import threading
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from detectable.core.checkpoint_file import digest
from detectable.core.errors import InputError
from detectable.core.same import same


@dataclass(frozen=True, slots=True)
class _Thing:
    name: str
    values: tuple[float, ...] = ()


class _Plain:
    def __init__(self, x: int) -> None:
        self.x = x


def _task(payload: int, block: int) -> int:
    return payload + block


DIFFERENT: list[Any] = [
    None,
    0,
    1,
    True,
    1.0,
    -0.0,
    0.0,
    1j,
    "1",
    b"1",
    [],
    (),
    {},
    set(),
    [1, 2],
    (1, 2),
    [[1], 2],
    [1, [2]],
    ["ab", "c"],
    ["a", "bc"],
    {"a": 1},
    {"a": 2},
    {1, 2},
    {1, 3},
    np.array([1, 2]),
    np.array([1.0, 2.0]),
    np.array([[1.0, 2.0]]),
    np.array([1.0, 2.0], dtype=np.float32),
    np.array([1, "a", None], dtype=object),
    np.float64(1.0),
    np.random.default_rng(1),
    np.random.default_rng(2),
    np.random.default_rng(1).spawn(1)[0],
    np.random.default_rng(1).spawn(2)[1],
    _Thing("a"),
    _Thing("b"),
    _Thing("a", (1.0,)),
    _Plain(1),
    _Plain(2),
    _task,
    functools.partial(_task, 1),
    functools.partial(_task, 2),
    _Thing,
    _Plain,
    np.add,
    np.sin,
    len,
    sys,
    _Plain(1).__init__,  # type: ignore[misc]
]


def test_what_differs_has_different_digests() -> None:
    assert len({digest(thing) for thing in DIFFERENT}) == len(DIFFERENT)


def test_equal_things_need_not_be_the_same_objects() -> None:
    word = "".join(["na", "me"])
    assert digest(["name", word]) == digest([word, "".join(["n", "ame"])])
    one, other = [1.0], [1.0]
    assert digest([one, one]) == digest([one, other])
    assert digest(np.arange(4.0)) == digest(np.arange(8.0)[::2] / 2.0)
    assert digest(_Thing("a", (1.0,))) == digest(_Thing("a", (1.0,)))


class _Thoughtful(_Plain):
    @functools.cached_property
    def twice(self) -> int:
        return 2 * self.x


def test_what_was_computed_on_the_way_does_not_count() -> None:
    fresh, asked = _Thoughtful(1), _Thoughtful(1)
    assert asked.twice == 2
    assert digest(fresh) == digest(asked) != digest(_Thoughtful(2))


def test_a_generator_that_has_drawn_or_spawned_is_another() -> None:
    fresh, drawn, parent = (np.random.default_rng(4) for _ in range(3))
    drawn.random()
    parent.spawn(1)
    assert len({digest(rng) for rng in (fresh, drawn, parent)}) == 3


def test_what_a_function_closes_over_and_its_defaults_count() -> None:
    def made(x: int) -> Any:
        return lambda y: x + y

    def by(x: int) -> Any:
        return lambda y, x=x: x + y

    assert digest(made(1)) == digest(made(1))
    assert digest(made(1)) != digest(made(2))
    assert digest(by(1)) != digest(by(2))


def test_a_thing_that_holds_itself_has_a_digest() -> None:
    loop: list[Any] = [1]
    loop.append(loop)
    other: list[Any] = [2]
    other.append(other)
    assert digest(loop) != digest(other)


def test_sets_have_no_order_and_hashes_of_words_no_say() -> None:
    code = (
        "from detectable.core.checkpoint_file import digest; "
        "print(digest({'a', 'b', 'c', 'd'}, {'x': frozenset('efgh')}).hex())"
    )
    found = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2", "3")
    }
    assert len(found) == 1


def _module(path: Path, name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    made = importlib.util.module_from_spec(spec)
    sys.modules[name] = made
    spec.loader.exec_module(made)
    return made


def test_a_changed_program_is_another_one_and_its_start_does_not_matter(tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    path.write_text("def draw(x): return x\n")
    first = digest(_module(path, "mine").draw)
    as_main = digest(_module(path, "folder.mine").draw)
    path.write_text("def draw(x): return x + 1\n")
    os.utime(path, ns=(1, 1))
    changed = digest(_module(path, "mine").draw)
    del sys.modules["mine"], sys.modules["folder.mine"]
    assert first == as_main != changed


def test_a_function_without_a_file_counts_with_its_code() -> None:
    made: list[Any] = []
    for text in ("x + 1", "x + 1", "x + 2"):
        names: dict[str, Any] = {"__name__": "nowhere"}
        exec(f"def draw(x): return {text}", names)
        made.append(digest(names["draw"]))
    assert made[0] == made[1] != made[2]


def test_what_cannot_be_told_apart_is_refused() -> None:
    with pytest.raises(InputError, match=r"`checkpoint` cannot tell one lock from another"):
        digest(threading.Lock())


# --- Two values are the same only if all that they hold is ---


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
