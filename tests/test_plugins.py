"""Names for other packages stay where they are, and documented modules that moved can be imported."""

import subprocess
import sys
from importlib import import_module

import pytest

import detectable
from detectable import plugins

MOVED: dict[str, str] = vars(detectable)["MOVED"]  # of no type checker

# What each documented module was known for.
KNOWN_FOR = {
    "detectable.core.progress": ("Progress", "silent"),
    "detectable.data.human.judgment_reader": ("JudgmentReader",),
    "detectable.data.human.judgment_rows": ("JudgmentRows",),
    "detectable.data.texts.read_sgm": ("read_sgm",),
    "detectable.sequential.e_process_pairs": ("pair_in_order", "OrderedPairs"),
    "detectable.sequential.repeated": ("repeated_interval",),
    "detectable.study.precision.data_efficiency": ("data_efficiency",),
    "detectable.study.precision.variance_advice": ("Allocation", "allocations", "ceiling"),
}


def test_everything_that_is_promised_is_there() -> None:
    assert all(getattr(plugins, name) is not None for name in plugins.__all__)


@pytest.mark.parametrize("old", KNOWN_FOR)
def test_a_documented_module_that_moved_forwards_and_says_so(old: str) -> None:
    new = MOVED[old]
    sys.modules.pop(old, None)
    with pytest.warns(DeprecationWarning, match=rf"{old} is now part of {new}; what") as said:
        found = import_module(old)
    assert said[0].filename == import_module.__globals__["__file__"]  # whoever imports it
    for name in KNOWN_FOR[old]:
        assert getattr(found, name) is getattr(import_module(new), name)
    assert KNOWN_FOR.keys() == MOVED.keys()


def test_a_module_that_never_was_is_still_not_found() -> None:
    with pytest.raises(ModuleNotFoundError, match=r"detectable\.core\.nothing"):
        import_module("detectable.core.nothing")


def test_version_0_2_forgets_them() -> None:
    assert detectable.__version__.startswith("0.1.")  # else take MOVED away


def test_the_old_name_of_a_plug_in_works_from_a_program() -> None:
    line = (
        "from detectable.data.human.judgment_rows import JudgmentRows as r; print(r.__module__)"
    )
    done = subprocess.run(
        [sys.executable, "-W", "default", "-c", line],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == "detectable.data.human.judgment_table\n"
    assert (
        "<string>:1: DeprecationWarning: detectable.data.human.judgment_rows is" in done.stderr
    )
