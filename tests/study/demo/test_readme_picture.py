"""The picture of the README shows what the demo finds."""

import html
import re
from pathlib import Path

from detectable.core.wording import number
from detectable.report.blocks import Chart
from detectable.report.blocks_of import blocks_of
from detectable.study.demo.story import DemoStory

ROOT = Path(__file__).parents[3]
PICTURE = ROOT / "docs" / "_static" / "planted.svg"


def test_the_picture_shows_what_the_demo_finds(story: DemoStory) -> None:
    (chart,) = (block for block in blocks_of(story) if isinstance(block, Chart))
    drawn = PICTURE.read_text(encoding="utf-8")
    texts = [html.unescape(text) for text in re.findall(r"<text[^>]*>([^<]+)</text>", drawn)]
    assert chart.title in texts
    layers = chart.make(720)["layer"]
    numbers = [row["text"] for one in layers for row in one["data"]["values"] if "text" in row]
    assert len(numbers) == len(story.differences)
    assert set(numbers) <= set(texts), (
        "detectable demo --chart docs/_static/planted.svg --force"
    )
    assert "(docs/_static/planted.svg)" in (ROOT / "README.md").read_text(encoding="utf-8")


def test_the_readme_says_in_words_what_its_picture_shows(story: DemoStory) -> None:
    read = (ROOT / "README.md").read_text(encoding="utf-8")
    (said,) = (line for line in read.splitlines() if line.startswith("> "))
    found = {row.system: row for row in story.differences}
    for name in ("aspen", "dogwood"):
        row = found[name]
        ends = ", ".join(
            number(end, digits=1, sign=True) for end in (row.interval.low, row.interval.high)
        )
        assert f"**{name} is {row.verdict}" in said
        assert f"{number(row.found, digits=1, sign=True)}" in said
        assert f"[{ends}]" in said
    assert f"only {found['dogwood'].mde:.1f} or more" in said
