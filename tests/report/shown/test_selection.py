"""What a selection shows: its chart, its honest words about savings, and the sheet."""

from dataclasses import replace

import numpy as np
import pytest

import detectable as dt
from detectable.core.choices import SelectBy
from detectable.report.blocks import Chart, Text
from detectable.report.blocks_of import blocks_of
from detectable.report.shown.selection import label_sheet
from detectable.study.selection.returned import earlier_draws
from detectable.study.selection.selection import Selection
from tests.report import results
from tests.study.selection.test_select import first_of, judge, people, toy


def chart_of(found: Selection) -> Chart:
    [chart] = [block for block in blocks_of(found) if isinstance(block, Chart)]
    return chart


def test_the_chart_says_which_part_of_the_pool_is_drawn() -> None:
    found = dt.select(toy(documents=100), n_items=60, by="metric")
    order = np.argsort(found.size, kind="stable")
    drawn = found.batch_of > 0
    easy, hard = drawn[order[:20]].mean(), drawn[order[-20:]].mean()
    title = f"{hard:.0%} of the hardest fifth drawn, and {easy:.0%} of the easiest fifth"
    assert chart_of(found).title == title
    made = chart_of(found).make(380)
    assert "share drawn" in str(made)


def test_the_chart_of_groups_says_how_much_of_each_is_labelled() -> None:
    found = dt.select(judge(), take={0: "all", 1: "20%"})
    title = "20% of those with score 1 labelled, and 100% of those with score 0"
    assert chart_of(found).title == title


def test_a_random_draw_has_no_chart() -> None:
    found = dt.select(toy(), n_items=20)
    assert not [block for block in blocks_of(found) if isinstance(block, Chart)]


@pytest.mark.parametrize("by", ["metric", "random"])
def test_savings_are_stated_as_they_were_measured(by: SelectBy) -> None:
    found = dt.select(toy(), n_items=30, by=by)
    [limits] = [b for b in blocks_of(found) if isinstance(b, Text) and b.role == "limits"]
    assert (
        "saved 2 to 7% for whole documents, 5 to 13% for single lines, beyond what"
        in limits.text
    )
    assert "worse metrics saved less or nothing" in limits.text
    assert ("Without the weights" in limits.text) == (by == "metric")


def test_a_choice_without_evidence_says_what_it_risks() -> None:
    said = dt.select(toy(), n_items=30, by="metric").summary()
    assert "a useless metric cost up to 6% more variance than a random draw" in said
    assert (
        "75% for lines and 42% for documents, and with a floor of 0.5 never more than 100%."
        in said
    )
    assert (
        "never more than 11%" in dt.select(toy(), n_items=30, by="metric", floor=0.9).summary()
    )


def test_earlier_draws_are_counted() -> None:
    assert earlier_draws(0) == ()
    assert earlier_draws(1)[0].startswith(
        "Before this draw there was one other draw from the same"
    )
    assert earlier_draws(3)[0].startswith(
        "Before this draw there were 3 others from the same pool"
    )
    shown = blocks_of(replace(results.selection(), earlier=1))
    assert any("Before this draw there was one other" in str(block) for block in shown)


def test_a_sheet_keeps_documents_together_in_random_order() -> None:
    found = dt.select(toy(), n_items=40, by="metric")
    rows = [line.split(",") for line in label_sheet(found).splitlines()[1:]]
    documents = [row[2] for row in rows]
    runs = [name for k, name in enumerate(documents) if k == 0 or documents[k - 1] != name]
    assert len(runs) == len(set(runs)) == len(found.documents)
    assert runs != sorted(runs, key=list(dict.fromkeys(found.pool_documents)).index)
    assert label_sheet(found) == label_sheet(found)
    first = [row[0] for row in rows[:: len(found.systems)]]
    assert len(set(first)) == len(found.systems)  # not always the same system first


def test_the_second_sheet_holds_the_first_batch_with_its_scores() -> None:
    scores, first = first_of()
    judged = people(scores, first.items)
    more = dt.select_more(first, judged)
    head, *rows = [line.split(",") for line in label_sheet(more, judged=judged).splitlines()]
    given = [row for row in rows if row[head.index("score")]]
    assert {row[head.index("item")] for row in given} == set(first.items)
    assert {row[head.index("item")] for row in rows} == set(more.items)
    weight = dict(zip(more.items, more.drawn_weight.tolist(), strict=True))
    for row in rows:
        assert float(row[head.index("sampling_weight")]) == weight[row[head.index("item")]]
