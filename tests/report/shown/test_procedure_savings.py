"""The picture of savings says what the result says."""

from typing import Any

import numpy as np
import pytest

from detectable.report.blocks import Chart
from detectable.report.charts.savings import Spending, savings
from detectable.report.charts.theme import COLOUR, NARROW, WIDE
from detectable.report.shown.procedure_savings import (
    savings_charts,
    show_procedure_savings,
    size_charts,
)
from detectable.study.archive.comparison_archive import ComparisonArchive
from detectable.study.archive.procedure_savings import ProcedureSavings
from detectable.study.archive.procedures import Procedure, simulate_procedures
from tests.report import results
from tests.report.charts.drawn import JAPANESE, LONG, check, check_readable


def chart(**changes: Any) -> Chart:
    return next(savings_charts(results.procedure_savings(**changes)))


def test_both_panels_draw_their_numbers() -> None:
    first, second = chart().make(WIDE)["hconcat"]
    lines = [layer for layer in first["layer"] if layer["mark"]["type"] == "line"]
    assert [[(r["x"], r["y"]) for r in line["data"]["values"]] for line in lines] == [
        [(1000, 1000), (2000, 2000)],
        [(1000, 750), (2000, 1500)],
        [(1000, 650), (2000, 1250)],
    ]
    powers = [layer for layer in second["layer"] if layer["mark"]["type"] == "line"]
    assert [(r["x"], r["y"]) for r in powers[1]["data"]["values"]] == [
        (750, 0.475),
        (1500, 0.675),
    ]
    colours = [line["mark"]["color"] for line in powers]
    assert colours[2] == COLOUR["undecided"]
    assert len(set(colours)) == 3
    assert len({str(line["mark"]["strokeDash"]) for line in powers}) == 3


@pytest.mark.parametrize(
    "names", [("fixed", "looks", "peeking", "futile"), (LONG, JAPANESE, LONG, "x")]
)
@pytest.mark.parametrize("apart", [0.0, 0.004, 0.1])
def test_no_text_covers_another(names: tuple[str, ...], apart: float) -> None:
    procedures = [
        Spending(
            name,
            tuple(
                (n, n * (1 - 0.5 * apart * k), 0.3 + n / 20_000 - apart * k)
                for n in (600.0, 4800.0)
            ),
            fair=k < 3,
        )
        for k, name in enumerate(names)
    ]
    check_readable(
        Chart(
            "g",
            "A title",
            "A caption.",
            "1",
            lambda width: savings(procedures, width=width),
            "t",
        )
    )


def test_one_power_everywhere_has_an_axis() -> None:
    flat = [Spending("a", ((100.0, 100.0, 1.0), (200.0, 200.0, 1.0)))]
    domain = savings(flat, width=NARROW)["vconcat"][1]["layer"][0]["encoding"]["y"]["scale"]
    assert domain["domain"] == [0.9, 1.0]


# --- Power and judgments by the size of the difference: figures 4 to 6 of wei2022 ---


def replayed(**more: Any) -> ProcedureSavings:
    """Return a replay of eight comparisons with differences from none to large."""
    rng = np.random.default_rng(3)
    samples = [
        (rng.normal(80, 20, 200).round(), rng.normal(80 - 1.5 * k, 20, 200).round())
        for k in range(8)
    ]
    procedures = [Procedure.fixed(), Procedure.interim(), Procedure.interim(futility=True)]
    options: dict[str, Any] = {"n_repeats": 30, "step": 60, "rng": 1, **more}
    archive = ComparisonArchive.from_samples(samples)
    return simulate_procedures(archive, procedures, [240, 480, 960, 1920], **options)


def test_figures_by_size_draw_their_numbers() -> None:
    found = replayed()
    charts = {one.id: one for one in size_charts(found)}
    assert list(charts) == ["powers", "spent", "sizes"]
    cost = found.same_cost()
    assert cost is not None
    fixed, _ = found.each("fixed", cost.fixed)
    other, _ = found.each(cost.procedure, cost.budget)
    dots = charts["powers"].make(WIDE)["layer"][0]["data"]["values"]
    assert {(one["x"], one["y"]) for one in dots} == {
        (round(x, 3), round(y, 3)) for x, y in zip(fixed, other, strict=True)
    }
    more, less = int((other > fixed).sum()), int((other < fixed).sum())
    assert charts["powers"].title.endswith(
        f"more power in {more} comparisons and less in {less}"
    )
    lines = [
        [row["y"] for row in layer["data"]["values"]]
        for layer in charts["spent"].make(WIDE)["layer"]
        if layer["mark"]["type"] == "line"
    ]
    order = np.argsort(np.abs(found.tallies.differences), kind="stable")
    assert lines[2] == found.each("interim-futility", found.sizes[0].budget)[1][order].tolist()
    panels = charts["sizes"].make(WIDE)["hconcat"]
    for panel, high in zip(panels, (None, None, found.large), strict=True):
        bars = panel["vconcat"][1]["layer"][0]["data"]["values"]
        assert sum(bar["n"] for bar in bars) == (8 if panel is panels[0] else 4), high


def test_figures_by_size_are_readable_and_have_tables() -> None:
    check(list(show_procedure_savings(replayed())))
    check(list(show_procedure_savings(replayed(large=3.0))))


def test_equal_systems_have_no_large_differences() -> None:
    same = [(np.arange(20.0), np.arange(20.0))] * 3
    found = simulate_procedures(
        ComparisonArchive.from_samples(same),
        [Procedure.fixed(), Procedure.interim()],
        [120, 240],
        n_repeats=4,
        step=20,
        rng=1,
    )
    assert found.large is None
    assert "sizes" not in {one.id for one in size_charts(found)}
    check(list(show_procedure_savings(found)))
