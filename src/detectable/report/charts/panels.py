"""Several small charts in one picture: side by side, or below each other where it is narrow."""

from collections.abc import Sequence
from typing import Any

from detectable.report.charts.lettering import wrapped
from detectable.report.charts.theme import TEXT, Spec, spec

LABELS = 40  # pixels that the numbers of an upright axis take
GUTTER = 24  # pixels between panels
END = 8  # pixels to the right of a panel, for half of its last tick


def panel(
    layers: Sequence[Spec],
    *,
    width: float,
    height: Any,
    title: str,
    about: str = "",
    room: float | None = None,
) -> Spec:
    """Return one panel with its own title, and below it what is drawn there.

    Parameters
    ----------
    room : float, optional
        Pixels that the title may take; by default the width of the panel.
    """
    widest = width if room is None else room
    heading: Spec = {
        "text": wrapped(title, widest, 13, bold=True),
        "anchor": "start",
        "offset": 8,
    }
    if about:
        heading["subtitle"] = wrapped(about, widest, TEXT)
        heading["subtitleFontSize"] = TEXT
        heading["subtitleLineHeight"] = 15
    return {"width": width, "height": height, "title": heading, "layer": list(layers)}


def arranged(panels: Sequence[Spec], *, narrow: bool, **parts: Any) -> Spec:
    """Return panels with scales of their own."""
    return spec(
        **{"vconcat" if narrow else "hconcat": list(panels)},
        resolve={"scale": {"x": "independent", "y": "independent"}},
        spacing=GUTTER,
        **parts,
    )


def upright_axis(**axis: Any) -> Spec:
    """Return an upright axis that always takes `LABELS` pixels, so that panels keep in line."""
    return {"minExtent": LABELS - 6, "title": None, **axis}
