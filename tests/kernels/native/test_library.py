"""The border to C: arrays are checked, a missing library is no error."""

import ctypes
import importlib.util
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from detectable.core.errors import InputError
from detectable.kernels.native import library
from detectable.kernels.native.library import (
    Ints,
    LongWords,
    OutInts,
    Size,
    Words,
    check_offsets,
    check_places,
    check_shape,
    native,
)
from tests.helpers import require
from tests.kernels.engines import engine

COUNT = (Words, Size, Size, Size, LongWords, Ints, Size, OutInts, Size)


def test_a_function_that_is_not_there_is_none() -> None:
    with engine("native"):
        assert native("count_draws", *COUNT) is not None
        assert native("nothing_of_this_name") is None


def test_without_the_library_every_function_is_none() -> None:
    with engine("numpy"):
        assert native("count_draws", *COUNT) is None


@pytest.mark.parametrize(
    "words",
    [
        np.zeros((2, 4), np.int64),
        np.zeros((4, 2), np.uint32).T,
        np.zeros((2, 8), np.uint32)[:, ::2],
        [[1, 2]],
    ],
    ids=["type", "transposed", "strided", "list"],
)
def test_arrays_that_c_would_misread_are_refused(words: object) -> None:
    with engine("native"):
        count = native("count_draws", *COUNT)
        assert count is not None
        steps = np.array([1 << 32], np.uint64)
        guide = np.zeros(2, np.int64)
        counts = np.zeros((2, 1), np.int64)
        with pytest.raises((TypeError, ctypes.ArgumentError)):
            count(words, 2, 4, 4, steps, guide, 1, counts, 1)


def test_an_answer_cannot_go_into_a_constant() -> None:
    with engine("native"):
        count = native("count_draws", *COUNT)
        assert count is not None
        counts = np.zeros((1, 1), np.int64)
        counts.flags.writeable = False
        steps = np.array([1 << 32], np.uint64)
        with pytest.raises((TypeError, ctypes.ArgumentError)):
            count(
                np.zeros((1, 1), np.uint32), 1, 1, 1, steps, np.zeros(2, np.int64), 1, counts, 1
            )


def test_no_memory_is_an_error() -> None:
    def kernel() -> int:
        return -1

    with pytest.raises(MemoryError, match="no memory left for kernel"):
        library._check(-1, kernel, ())
    library._check(0, kernel, ())


def test_constants_and_empty_arrays_can_be_read() -> None:
    with engine("native"):
        count = native("count_draws", *COUNT)
        assert count is not None
        words, steps = np.array([[7, 1 << 31]], np.uint32), np.array([8, 1 << 32], np.uint64)
        words.flags.writeable = False
        guide = np.array([0, 1], np.int64)
        counts = np.zeros((1, 2), np.int64)
        count(words, 1, 2, 2, steps, guide, 1, counts, 2)
        assert counts.tolist() == [[1, 1]]
        count(words[:0], 0, 2, 2, steps, guide, 1, counts[:0], 2)
        assert counts.tolist() == [[1, 1]]


# --- What C is never given: indices that are not there, offsets that fall, arrays of other shapes ---


@given(st.lists(st.integers(-3, 8), max_size=6), st.integers(0, 6))
def test_places_are_those_of_the_array(places: list[int], size: int) -> None:
    given = np.array(places, np.int64)
    if all(0 <= place < size for place in places):
        check_places(given, size, "unit")
        np.zeros(size)[given]
        return
    with pytest.raises(InputError, match=rf"`unit` must lie in 0 to {size - 1}; got -?\d+"):
        check_places(given, size, "unit")


@given(st.lists(st.integers(-2, 7), min_size=1, max_size=5), st.integers(0, 6))
def test_offsets_rise_and_stay_inside(offsets: list[int], size: int) -> None:
    given = np.array(offsets, np.int64)
    if offsets == sorted(offsets) and offsets[0] >= 0 and offsets[-1] <= size:
        check_offsets(given, size, "starts")
        return
    with pytest.raises(InputError, match=r"`starts` must (rise|lie in 0 to \d); got"):
        check_offsets(given, size, "starts")


@pytest.mark.parametrize("offsets", [np.zeros(0, np.int64), np.zeros((1, 2), np.int64)])
def test_offsets_are_a_row_of_at_least_one(offsets: np.ndarray) -> None:
    with pytest.raises(InputError, match="`starts` must hold at least one offset"):
        check_offsets(offsets, 3, "starts")


def test_the_first_wrong_number_is_named() -> None:
    with pytest.raises(InputError, match="got 9"):
        check_places(np.array([1, 9]), 3, "value")
    with pytest.raises(InputError, match="got -1"):
        check_places(np.array([-1, 9]), 3, "value")
    with pytest.raises(InputError, match="got 1 after 2"):
        check_offsets(np.array([0, 2, 1, 0]), 3, "starts")
    with pytest.raises(InputError, match="lie in 0 to 3; got -1"):
        check_offsets(np.array([-1, 4]), 3, "starts")
    with pytest.raises(InputError, match="lie in 0 to 3; got 4"):
        check_offsets(np.array([0, 4]), 3, "starts")


def test_shapes_must_agree() -> None:
    check_shape(np.zeros((2, 3)), (2, 3), "scale")
    with pytest.raises(InputError, match=r"`scale` must have the shape \(3, 2\); got \(2, 3\)"):
        check_shape(np.zeros((2, 3)), (3, 2), "scale")


# --- The build: compiled where there is a compiler, pure where there is none, and never stale ---

ROOT = Path(__file__).parents[3]


@pytest.fixture
def hook(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    # hatchling is there while a wheel is built, and need not be here.
    for name in ("", ".builders", ".builders.hooks", ".builders.hooks.plugin"):
        monkeypatch.setitem(sys.modules, f"hatchling{name}", ModuleType("package"))
    interface = ModuleType("interface")
    interface.BuildHookInterface = object  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "hatchling.builders.hooks.plugin.interface", interface)
    spec = importlib.util.spec_from_file_location("hatch_build", ROOT / "hatch_build.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class App:
    def __init__(self) -> None:
        self.said: list[str] = []

    def display_info(self, text: str) -> None:
        self.said.append(text)

    display_warning = display_info


def initialized(hook: ModuleType, root: Path) -> tuple[dict[str, Any], list[str]]:
    built = hook.CustomBuildHook()
    built.root, built.app = str(root), App()
    data: dict[str, Any] = {"artifacts": []}
    built.initialize("standard", data)
    return data, built.app.said


@pytest.fixture
def tree(tmp_path: Path, hook: ModuleType) -> Path:
    folder = tmp_path / hook.NATIVE
    folder.mkdir(parents=True)
    (folder / "one.c").write_text("int one(void) { return 1; }\n")
    (folder / hook.LIBRARY).write_text("of an older source")
    return tmp_path


def test_with_a_compiler_the_wheel_is_for_this_platform_and_every_python(
    hook: ModuleType, tree: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("DETECTABLE_NATIVE", raising=False)
    data, said = initialized(hook, tree)
    if said:
        require("native", said[0])
    assert data["tag"].startswith("py3-none-")
    assert data["pure_python"] is False
    assert data["artifacts"] == [str(hook.NATIVE / hook.LIBRARY)]
    assert (tree / hook.NATIVE / hook.LIBRARY).stat().st_size > 1000
    assert sorted(path.name for path in (tree / hook.NATIVE).iterdir()) == sorted(
        [hook.LIBRARY, "one.c"]
    )


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("CC", "no-such-compiler", "there is no compiler 'no-such-compiler'"),
        ("DETECTABLE_NATIVE", "0", "DETECTABLE_NATIVE is 0"),
    ],
)
def test_without_one_the_wheel_is_pure_and_nothing_old_stays(
    hook: ModuleType,
    tree: Path,
    monkeypatch: pytest.MonkeyPatch,
    name: str,
    text: str,
    said: str,
) -> None:
    monkeypatch.delenv("DETECTABLE_NATIVE", raising=False)
    monkeypatch.setenv(name, text)
    data, heard = initialized(hook, tree)
    assert data == {"artifacts": []}
    assert not (tree / hook.NATIVE / hook.LIBRARY).exists()
    assert said in heard[0]


def test_what_the_compiler_says_is_passed_on(
    hook: ModuleType, tree: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("DETECTABLE_NATIVE", raising=False)
    (tree / hook.NATIVE / "two.c").write_text("this is not C\n")
    _, heard = initialized(hook, tree)
    if "there is no compiler" in heard[0]:
        require("native", heard[0])
    assert "two.c" in heard[0]


def test_a_release_is_never_pure_by_mistake(
    hook: ModuleType, tree: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DETECTABLE_NATIVE", "1")
    monkeypatch.setenv("CC", "no-such-compiler")
    with pytest.raises(RuntimeError, match="DETECTABLE_NATIVE is 1, but there is no compiler"):
        initialized(hook, tree)


def test_the_processor_is_the_one_that_is_asked_for(
    hook: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CC", "cc")
    monkeypatch.setenv("ARCHFLAGS", "-arch arm64")
    monkeypatch.setattr(sys, "platform", "darwin")
    assert "-arch arm64" in " ".join(hook._command([Path("one.c")], Path("one.dylib")))
    monkeypatch.setattr(sys, "platform", "linux")
    assert "-arch" not in hook._command([Path("one.c")], Path("one.so"))
