"""The picture of the README shows what the demo finds."""

import html
import re
from pathlib import Path

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
