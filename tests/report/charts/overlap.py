"""Find text of a drawn chart that covers other text or leaves the picture."""

import re
import xml.etree.ElementTree as ET
from typing import NamedTuple

from detectable.report.charts.theme import text_width

_MOVED = re.compile(r"translate\(([-\d.e]+),\s*([-\d.e]+)\)")
_TURNED = re.compile(r"rotate\(([-\d.]+)")
_SLACK = 1.0  # pixels


class Box(NamedTuple):
    left: float
    top: float
    right: float
    bottom: float
    text: str


def boxes(svg: str) -> list[Box]:
    """Return where every text of a picture stands."""
    found: list[Box] = []
    _walk(ET.fromstring(svg), 0.0, 0.0, found)
    return found


def _walk(node: ET.Element, x: float, y: float, found: list[Box]) -> None:
    transform = node.get("transform", "")
    moved = _MOVED.search(transform)
    if moved:
        x, y = x + float(moved[1]), y + float(moved[2])
    if node.tag.endswith("}text") and node.get("opacity") != "0":
        found += _boxes_of(node, x, y, turned=_TURNED.search(transform) is not None)
    for child in node:
        _walk(child, x, y, found)


def _boxes_of(node: ET.Element, x: float, y: float, *, turned: bool) -> list[Box]:
    size = float(node.get("font-size", "12px").removesuffix("px"))
    bold = node.get("font-weight") == "bold"
    spans = [child.text or "" for child in node if child.tag.endswith("tspan")]
    made = []
    for line, text in enumerate(spans or [node.text or ""]):
        if not text.strip():
            continue
        width = text_width(text, size, bold=bold)
        start = x + {"end": -width, "middle": -width / 2}.get(node.get("text-anchor", ""), 0.0)
        base = y + line * size * 1.25
        if turned:
            made.append(Box(x - 0.7 * size, y - width / 2, x + 0.2 * size, y + width / 2, text))
        else:
            made.append(Box(start, base - 0.76 * size, start + width, base + 0.12 * size, text))
    return made


def problems(svg: str) -> list[str]:
    """Return a sentence for each text that cannot be read."""
    view = re.search(r'viewBox="([^"]+)"', svg)
    assert view is not None
    _, _, width, height = map(float, view[1].split())
    placed = boxes(svg)
    bad = [
        f"«{box.text}» leaves the picture"
        for box in placed
        if box.left < -_SLACK
        or box.top < -_SLACK
        or box.right > width + _SLACK
        or box.bottom > height + _SLACK
    ]
    for place, a in enumerate(placed):
        bad += [f"«{a.text}» covers «{b.text}»" for b in placed[place + 1 :] if _overlap(a, b)]
    return bad


def _overlap(a: Box, b: Box) -> bool:
    across = a.left < b.right - _SLACK and b.left < a.right - _SLACK
    down = a.top < b.bottom - _SLACK and b.top < a.bottom - _SLACK
    return across and down
