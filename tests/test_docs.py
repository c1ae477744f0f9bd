"""The documents are true: complete, generated where they can be, and their examples run."""

import doctest
import re
from pathlib import Path

import pytest

import detectable
from detectable.cli import main
from detectable.metrics.registry import METRICS
from scripts.make_cli_docs import page

ROOT = Path(__file__).parent.parent
PAGES = sorted((ROOT / "docs").glob("*.md"))
EVERYTHING = "\n".join(path.read_text() for path in [*PAGES, ROOT / "README.md"])


def test_the_page_of_commands_is_up_to_date() -> None:
    assert (ROOT / "docs" / "cli.md").read_text() == page()


@pytest.mark.parametrize("name", sorted(main.commands))
def test_every_command_is_described(name: str) -> None:
    assert f"detectable {name}" in EVERYTHING


@pytest.mark.parametrize("name", [n for n in detectable.__all__ if not n.startswith("_")])
def test_every_public_name_is_described(name: str) -> None:
    assert re.search(rf"\b{name}\b", EVERYTHING)


@pytest.mark.parametrize("name", METRICS.names())
def test_every_metric_is_described(name: str) -> None:
    assert f"`{name}`" in (ROOT / "docs" / "metrics.md").read_text()


@pytest.mark.parametrize("path", PAGES, ids=lambda p: p.name)
def test_examples_in_the_pages_run(path: Path) -> None:
    failed, _ = doctest.testfile(
        str(path),
        module_relative=False,
        optionflags=doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS,
    )
    assert failed == 0


@pytest.mark.parametrize("path", [*PAGES, ROOT / "README.md"], ids=lambda p: p.name)
def test_links_lead_somewhere(path: Path) -> None:
    for target in re.findall(r"\]\(([^)#]+)[^)]*\)", path.read_text()):
        assert (path.parent / target).exists(), target


def test_the_readme_stays_short() -> None:
    assert len((ROOT / "README.md").read_text().splitlines()) <= 150
