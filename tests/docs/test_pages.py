"""Everything that README and docs ask people to type is run, or says that it is not."""

import shutil
from pathlib import Path

import pytest

from tests.docs import prepared
from tests.docs.blocks import pages, steps
from tests.docs.running import run

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
    "audit": 3,
    "campaign": 4,
    "judgments": 1,
    "live": 1,
    "long-jobs": 3,
    "reliability": 1,
    "serve": 3,
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
