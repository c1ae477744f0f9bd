"""The documents are complete, and generated where they can be. tests/docs runs what they say."""

import re
from pathlib import Path

import pytest

import detectable
from detectable.cli import main
from detectable.metrics.registry import METRICS
from scripts.make_cli_docs import page
from tests.docs.blocks import pages

ROOT = Path(__file__).parent.parent
PAGES = [*pages(), ROOT / "docs" / "cli.md"]
EVERYTHING = "\n".join(path.read_text() for path in PAGES)


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
def test_links_lead_somewhere(path: Path) -> None:
    for target in re.findall(r"\]\(([^)#]+)[^)]*\)", path.read_text()):
        assert (path.parent / target).exists(), target


def test_the_readme_stays_short() -> None:
    assert len((ROOT / "README.md").read_text().splitlines()) <= 100
