"""Figures of graham2020: the aggregates, and titles that count what is drawn."""

import json
from typing import Any

import pytest

from replications.graham2020 import figures
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
    human, bleu, changes, agreement = figures.figures()
    assert (
        human.chart.title == "9 of 9 systems score higher on reverse data in human scores (z)"
    )
    assert bleu.chart.title == "5 of 5 systems score higher on reverse data in BLEU"
    # Every translation scores higher on reverse data, so no two change in opposite directions.
    pairs = [*figures.changed("bleu"), *figures.changed("z")]
    opposite = sum(row.effect_first * row.effect_second < 0 for row in pairs)
    assert (len(pairs), opposite) == (46, 0)
    assert changes.chart.title.startswith("In 0 of 46 pairs")
    assert "r = 0.849, ρ = 0.783, τ = 0.611" in agreement.chart.alt
    assert [one.chart.id for one in figures.figures()] == [f"figure-{n}" for n in "1234"]


def test_all_can_be_read() -> None:
    for one in figures.figures():
        check_readable(one.chart)
