"""Figures of clark2011: the runs that MultEval prints, and every choice of them."""

from types import SimpleNamespace
from typing import Any

import pytest

from replications.clark2011 import figures, replicate
from replications.listed import listed
from replications.page import figure
from tests.report.charts.drawn import check_readable


@pytest.fixture
def comparison() -> Any:
    """A comparison that knows nothing but the runs, as MultEval prints them."""
    said = {row["name"]: row["published"] for row in listed(replicate.LIST)}
    systems = [
        SimpleNamespace(
            system=system,
            metric=metric,
            runs=tuple(said[f"{system}, {metric}, run {i}"] for i in range(replicate.RUNS)),
        )
        for system in ("baseline", "sys1")
        for metric in figures.METRICS
    ]
    return SimpleNamespace(systems=systems)


def test_differences_of_one_two_and_three_runs(comparison: Any) -> None:
    one, two, three = (figures.possible(comparison, "bleu", n) for n in (1, 2, 3))
    assert [len(found) for found in (one, two, three)] == [9, 9, 1]
    assert min(one) == pytest.approx(18.474014 - 18.577084)
    assert max(one) == pytest.approx(18.986909 - 18.464451)
    assert three[0] == pytest.approx(18.813470 - 18.526808, abs=1e-6)
    best = (18.986909 + 18.979487 - 18.538889 - 18.464451) / 2
    assert max(two) == pytest.approx(best)


def test_titles_say_the_range_of_what_is_drawn(comparison: Any) -> None:
    runs, differences = figures.drawings(comparison)
    assert runs.title == (
        "Three runs of the same system lie up to 0.51 BLEU apart; the two systems differ by 0.29 on "
        "average"
    )
    assert differences.title == (
        "With one run each, the difference lies between −0.10 and +0.52 BLEU, with two between "
        "+0.17 and +0.48; all three say +0.29"
    )
    [dots] = differences.panels[0].series
    assert len(dots.points) == 19
    assert {n for n, _ in dots.points} == {1.0, 2.0, 3.0}
    means = [one for one in runs.panels[0].series if not one.dots]
    assert [round(one.points[0][1], 3) for one in means] == [18.527, 18.813]
    for drawing in (runs, differences):
        check_readable(figure(drawing).chart)
