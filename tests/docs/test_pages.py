"""The reader of pages finds what people type, and the runner finds what is wrong."""

import ast
import re
import shutil
from functools import cache
from pathlib import Path

import pytest

from tests.docs import prepared
from tests.docs.blocks import Step, pages, steps
from tests.docs.running import run

PAGE = """# A page

    detectable power bleu --n 2000 \\
        --effect 1    # a remark

Words, `detectable compare`, and a formula:

    power = Φ(x)

```sh
detectable audit big.parquet    # not run: needs big.parquet
make demo
```

```python
>>> 1 + 1
2
```

- a list

      detectable inside a list

```text
detectable design
$ detectable is not to be typed here
```

```console
$ detectable mde bleu --n 2000
1.84
…
```
"""


def test_the_steps_of_a_page() -> None:
    found = list(steps(PAGE.replace("      detectable inside a list", "  words")))
    assert [(s.kind, s.line, s.reason) for s in found] == [
        ("command", 3, ""),
        ("command", 11, "needs big.parquet"),
        ("session", 16, ""),
        ("command", 30, ""),
    ]
    assert found[0].words == ["detectable", "power", "bleu", "--n", "2000", "--effect", "1"]
    assert found[-1].expected == "1.84\n…"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("    detectable power bleu --n many\n", "exit code 2"),
        ("    $ detectable mde bleu --n 2000\n    something else\n", "the page shows"),
        ("```python\n>>> 1 + 1\n3\n```\n", "Expected"),
        ("    detectable no-such-command x\n", "exit code 2"),
    ],
)
def test_a_step_that_fails_is_found(text: str, message: str, tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(text, encoding="utf-8")
    wrong = run(page, tmp_path, {})
    assert len(wrong) == 1
    assert message in wrong[0]


def test_a_program_sees_what_came_before_it(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("```python\nx = 2\n```\n\n```python\n>>> x + 1\n3\n```\n", encoding="utf-8")
    assert run(page, tmp_path, {}) == []


def test_a_step_with_a_reason_is_left_out(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("    detectable audit x.csv  # not run: needs x.csv\n", encoding="utf-8")
    assert run(page, tmp_path, {}) == []
    assert Step("command", "detectable x # y", 1).words == ["detectable", "x"]


# --- Everything that README and docs ask people to type is run, or says that it is not ---

PAGES = pages()
# Seconds each; their commands have tests of their own, and other tutorials run every time.
SIMULATES = {"power-ratings", "demo", "power", "researcher", "organiser"}


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("prepared")
    prepared.prepare(folder)
    return folder


@pytest.mark.parametrize(
    "page",
    [
        pytest.param(page, marks=[pytest.mark.slow] * (page.stem in SIMULATES), id=page.stem)
        for page in PAGES
    ],
)
@pytest.mark.filterwarnings("default")  # a user sees warnings and goes on
def test_what_a_page_says_runs(page: Path, files: Path, tmp_path: Path) -> None:
    folder = tmp_path / "work"
    shutil.copytree(files, folder)
    if page.stem in prepared.SPECIAL:
        prepared.SPECIAL[page.stem](folder)
    wrong = run(page, folder, {"__name__": "page", **prepared.names(page)})
    assert not wrong, "\n\n".join(wrong)


# Steps that the tests cannot run, each marked with its reason on the page itself.
NOT_RUN = {
    "agreement": 1,
    "audit": 3,
    "campaign": 5,
    "judgments": 1,
    "live": 1,
    "long-jobs": 3,
    "reliability": 1,
    "serve": 4,
    "translationese": 1,
}


def test_what_is_not_run_is_known_and_rare() -> None:
    marked = {page.stem: [s for s in steps(page.read_text()) if s.reason] for page in PAGES}
    assert {stem: len(found) for stem, found in marked.items() if found} == NOT_RUN
    total = sum(len(list(steps(page.read_text()))) for page in PAGES)
    assert sum(NOT_RUN.values()) <= 0.05 * total


def test_the_table_of_contents_lists_every_page() -> None:
    index = next(page for page in PAGES if page.stem == "index")
    text = index.read_text()
    for page in PAGES:
        if page != index and page.name != "README.md":
            assert f"({page.relative_to(index.parent).as_posix()})" in text


# --- Every promise about files names the tests that hold it, and these exist ---

ROOT = Path(__file__).parents[2]
NAMED = re.compile(r"`(tests/[\w/]+\.py)(?:::(\w+))?`")


@cache
def _tests_of(path: str) -> set[str]:
    tree = ast.parse((ROOT / path).read_text(encoding="utf-8"))
    return {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}


@pytest.mark.parametrize("page", pages(), ids=lambda page: page.stem)
def test_every_test_that_a_page_names_exists(page: Path) -> None:
    for path, name in NAMED.findall(page.read_text(encoding="utf-8")):
        assert (ROOT / path).is_file(), path
        assert not name or name in _tests_of(path), f"{path}::{name}"


def test_every_promise_is_held_by_a_test() -> None:
    text = (ROOT / "docs/security.md").read_text(encoding="utf-8")
    tables = re.findall(r"^\|.*\| held by \|\n\|[-|]+\n((?:\|.*\n)+)", text, re.MULTILINE)
    rows = [row for table in tables for row in table.splitlines()]
    assert len(tables) == 5
    # No other table is there: whoever adds a promise says what holds it.
    assert len(rows) == len(re.findall(r"^\|", text, re.MULTILINE)) - 2 * len(tables)
    served = (ROOT / "docs/serve.md").read_text(encoding="utf-8").partition("\n| promised |")[2]
    promised = served.partition("\n\n")[0].splitlines()[2:]
    assert len(promised) > 10
    public = (
        (ROOT / "docs/versions.md").read_text(encoding="utf-8").partition("\n| public |")[2]
    )
    stays = public.partition("\n\n")[0].splitlines()[2:]
    assert len(stays) == 7
    agents = (
        (ROOT / "docs/agents.md").read_text(encoding="utf-8").partition("\n| promised |")[2]
    )
    tools = agents.partition("\n\n")[0].splitlines()[2:]
    assert len(tools) == 4
    for row in (*rows, *promised, *stays, *tools):
        held = NAMED.findall(row.rstrip(" |").rpartition(" | ")[2])
        assert held, row
        assert all(name for _, name in held), row
