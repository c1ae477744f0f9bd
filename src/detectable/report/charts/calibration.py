"""How often tests of a true null reject it, beside how often they say they do."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from detectable.report.blocks import Chart
from detectable.report.charts.lettering import wrapped
from detectable.report.charts.marks import Rows, layer, vertical_line
from detectable.report.charts.theme import COLOUR, Spec, is_narrow, spec

_PERCENT = "format(100 * datum.value, '~r') + '\N{NO-BREAK SPACE}%'"
_STEP = 22  # pixels of a row
_END = 18  # pixels to the right, for half of the last tick
_BAND = 2.0  # standard errors
_OURS, _OTHERS = "ours", "others"
_SIGN = "\N{NO-BREAK SPACE}%"
_TICKS = (0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0)


@dataclass(frozen=True, slots=True)
class Rates:
    """A row: one test, and how often it rejected, once for each metric."""

    name: str
    values: tuple[float, ...]
    ours: bool


@dataclass(frozen=True, slots=True)
class Group:
    """Tests of one kind of null.

    Attributes
    ----------
    standard_error : float
        Of a rate that is as it should be.
    """

    title: str
    rows: tuple[Rates, ...]
    nominal: float
    standard_error: float


def calibration_chart(groups: Sequence[Group], *, twin: str) -> Chart:
    """Return the block: rates with the line they should keep to, and the worst in words."""
    rows = [row for group in groups for row in group.rows]
    ours = [value for row in rows if row.ours for value in row.values]
    others = [value for row in rows if not row.ours for value in row.values]
    level = groups[0].nominal
    return Chart(
        id="calibration",
        title=(
            f"Ours reject a true null in {_range(ours)} of all cases, the others in {_range(others)}"
        ),
        caption=(
            "● ours, ▲ other tools and shortcuts; a mark per metric. "
            f"Grey: {_percent(level)} ± {_BAND:g} standard errors."
        ),
        alt=" ".join(_said(group) for group in groups),
        make=partial(calibration, tuple(groups)),
        twin=twin,
    )


def calibration(groups: Sequence[Group], width: int) -> Spec:
    """Return a panel per group, one below the other, on one logarithmic axis."""
    names = [row.name for group in groups for row in group.rows]
    room = width * (0.48 if is_narrow(width) else 0.4)
    left = Rows(names, room).width
    values = [value for group in groups for row in group.rows for value in row.values]
    bands = [
        group.nominal + side * _BAND * group.standard_error
        for group in groups
        for side in (-1, 1)
    ]
    low, high = min(*values, *bands) / 1.15, max(*values, *bands) * 1.15
    ticks = [tick for tick in _TICKS if low <= tick <= high]
    if is_narrow(width):
        ticks = [tick for tick in ticks if tick in (0.01, 0.05, 0.2, 0.5)]
    panels = []
    for place, group in enumerate(groups):
        last = place == len(groups) - 1
        rows = Rows([row.name for row in group.rows], room)
        rows.y["axis"]["minExtent"] = left - 6
        x = {
            "field": "rate",
            "type": "quantitative",
            "scale": {"type": "log", "domain": [low, high], "nice": False},
            "title": "rejected true nulls (log scale)" if last else None,
            "axis": {"values": ticks, "labelExpr": _PERCENT, "labelFlush": False},
        }
        panels.append(
            {
                "width": width - left - _END,
                "height": {"step": _STEP},
                "title": {
                    "text": wrapped(group.title, width - _END, 13, bold=True),
                    "anchor": "start",
                    "frame": "bounds",
                },
                "layer": _layers(group, rows, x),
            }
        )
    return spec(vconcat=panels, resolve={"scale": {"x": "shared", "y": "independent"}})


def _layers(group: Group, rows: Rows, x: Spec) -> list[Spec]:
    points = [
        {"row": place, "rate": value, "who": _OURS if row.ours else _OTHERS}
        for place, row in enumerate(group.rows)
        for value in row.values
    ]
    half = _BAND * group.standard_error
    who = {"field": "who", "type": "nominal", "legend": None}
    band = {"x": {"datum": group.nominal - half}, "x2": {"datum": group.nominal + half}}
    return [
        layer([{}], {"type": "rect", "color": COLOUR["blind"]}, **band),
        vertical_line(group.nominal, "ink"),
        layer(
            points,
            {"type": "point", "filled": True, "size": 55},
            x=x,
            y=rows.y,
            color={**who, "scale": _scale(COLOUR["better"], COLOUR["worse"])},
            shape={**who, "scale": _scale("circle", "triangle-up")},
        ),
    ]


def _scale(ours: str, others: str) -> Spec:
    return {"domain": [_OURS, _OTHERS], "range": [ours, others]}


def _said(group: Group) -> str:
    rows = ", ".join(f"{row.name} {_range(row.values)}" for row in group.rows)
    return f"{group.title}: {rows}."


def _range(values: Sequence[float]) -> str:
    """Return the lowest and the highest rate in percent; one where they are the same."""
    low, high = _percent(min(values)), _percent(max(values))
    return high if low == high else f"{low.removesuffix(_SIGN)} to {high}"


def _percent(rate: float) -> str:
    return f"{100 * rate:.1f}".removesuffix(".0") + _SIGN
