"""Figures of graham2020: the aggregates, and titles that count what is drawn."""

import json
from itertools import combinations
from typing import Any

import pytest

from replications.graham2020 import figures
from replications.page import figure
from tests.helpers import reference_data
from tests.report.charts.drawn import check_readable


@pytest.mark.golden
@pytest.mark.parametrize(("measure", "digits"), [("z", 4), ("bleu", 3)])
def test_the_aggregates_are_those_of_the_release(measure: str, digits: int) -> None:
    gold: dict[str, Any] = json.loads(reference_data("gold", "graham.json").read_text())
    known = gold["hassan2018"]
    rows = figures.aggregates(measure)
    for row in rows:
        for half in ("forward", "reverse"):
            if measure == "z":
                value = known[half]["systems"][row.system]["z"]
            else:
                value = known["bleu_vs_ReferenceHT"][row.system][half]
            assert getattr(row, half) == pytest.approx(value, abs=0.5001 * 10.0**-digits)
    n = len(known["forward"]["systems"] if measure == "z" else known["bleu_vs_ReferenceHT"])
    assert len(rows) == n


def test_titles_count_what_is_drawn() -> None:
    systems, gains, pairs, bleu = figures.drawings()
    rows = figures.aggregates("z")
    assert systems.title.startswith("9 of 9 systems score higher on reverse data")
    assert systems.title.endswith("r = .849")
    assert gains.title == "Reverse data flatter machines by .34 to .51 z, people by .05 to .24"
    turned = sum(
        (a.forward - b.forward) * (a.reverse - b.reverse) < 0 for a, b in combinations(rows, 2)
    )
    assert pairs.title.startswith(f"{turned} of 36 pairs change their order")
    same, opposite = pairs.panels[0].series
    assert (len(same.points), len(opposite.points)) == (36 - turned, turned)
    smaller = sum(y < x for one in (same, opposite) for x, y in one.points)
    assert f"and {smaller} differences are smaller there" in pairs.title
    assert bleu.title == "BLEU is 4.2 to 6.5 points higher on reverse data"


def test_people_have_a_shape_of_their_own() -> None:
    machines, people = next(figures.drawings()).panels[0].series
    assert (len(machines.points), len(people.points)) == (6, 3)
    assert machines.shape != people.shape


def test_all_can_be_read() -> None:
    for drawing in figures.drawings():
        check_readable(figure(drawing).chart)
