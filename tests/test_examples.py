"""The examples in docstrings give what they say."""

import doctest
import importlib
import io
from pathlib import Path

import pytest

import detectable

SRC = Path(detectable.__file__).parent
FLAGS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS


def _modules(folder: str) -> list[str]:
    """Return the modules of a folder, those of its folders not among them."""
    found = []
    for path in sorted((SRC / folder).glob("*.py")):
        parts = path.relative_to(SRC.parent).with_suffix("").parts
        found.append(".".join(parts[:-1] if parts[-1] == "__init__" else parts))
    return [name for name in found if not name.endswith("__main__")]


# A folder at a time: pytest itself would import every module in each of its processes.
FOLDERS = sorted({str(path.parent.relative_to(SRC)) for path in SRC.rglob("*.py")})


@pytest.mark.parametrize("folder", FOLDERS)
def test_examples(folder: str) -> None:
    said = io.StringIO()
    for name in _modules(folder):
        runner = doctest.DocTestRunner(optionflags=FLAGS)
        module = importlib.import_module(name)
        for test in doctest.DocTestFinder().find(module, name):
            runner.run(test, out=said.write)
    assert said.getvalue() == ""


def test_there_are_examples_and_a_wrong_one_is_noticed() -> None:
    finder = doctest.DocTestFinder()
    module = importlib.import_module("detectable.core.wording")
    assert sum(bool(test.examples) for test in finder.find(module)) > 5
    said: list[str] = []
    wrong = doctest.DocTestParser().get_doctest(">>> 1 + 1\n3\n", {}, "wrong", None, None)
    doctest.DocTestRunner(optionflags=FLAGS).run(wrong, out=said.append)
    assert "Got:\n    2" in "".join(said)
