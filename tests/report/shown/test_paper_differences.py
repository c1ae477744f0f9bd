"""Differences for a paper: of mixed models, and of metrics judged by people."""

import re
from dataclasses import replace

import pytest

from detectable.core.interval import Interval
from detectable.core.result import Result
from detectable.core.verdict import Verdict
from detectable.mixed.result import MixedFit
from detectable.report.blocks_of import blocks_of
from detectable.report.paper_table import PaperTable
from detectable.report.render.latex import render_latex
from detectable.report.shown.paper_tables import (
    MOST_PAIRS,
    difference_cells,
    meta_tables,
    mixed_tables,
)
from detectable.study.meta.result import NAMES, Meta
from tests.report import results


def texts(table: PaperTable) -> list[str]:
    return [
        " | ".join(f"{c.text}{f' ±{c.beside}' if c.beside else ''}{c.mark}" for c in row)
        for row in table.rows
    ]


def fitted(*names: str, every_pair: bool = False) -> MixedFit:
    """Return a fit of systems that are each .4 apart, with a half interval of .58."""
    old = results.mixed_fit().systems[0]
    means = [
        replace(old, system=name, mean=3.8 + 0.4 * i, interval=Interval(3.2, 4.36, 0.95))
        for i, name in enumerate(names)
    ]
    pairs = [
        results.mixed_contrast(names[j], baseline=names[i], p_adjusted=0.0032)
        for i in range(len(names) if every_pair else 1)
        for j in range(i + 1, len(names))
    ]
    return results.mixed_fit(systems=tuple(means), contrasts=tuple(pairs))


def test_a_baseline_stands_first_and_every_difference_has_interval_and_mark() -> None:
    means, spreads = mixed_tables(fitted("old", "new", "human"))
    assert (means.id, means.breaks) == ("mixed", (1,))
    assert [column.title for column in means.columns] == [
        "System",
        "Mean",
        "Diff.",
        "95% interval",
    ]
    assert texts(means) == [
        "old | 3.80 ±0.58 |  | ",
        "human | 4.60 ±0.58 | +0.39† | [+0.07, +0.71]",
        "new | 4.20 ±0.58 | +0.39† | [+0.07, +0.71]",
    ]
    assert means.caption == (
        "Mean ratings ± half the width of their 95% intervals, and differences from old with their "
        "joint 95% intervals (linear mixed model with crossed raters and items, t test with "
        "Satterthwaite's degrees of freedom, Holm for 2 pairs, α = .05; 144 ratings, 4 raters, 12 "
        "items). ⋆ p ≤ .05, † p ≤ .01, ‡ p ≤ .001, corrected; unmarked: undecided, which is not "
        "equality."
    )
    assert texts(spreads) == ["rater intercept | 0.200 | 16.0%", "residual | 0.458 | 84.0%"]
    assert spreads.caption.startswith("Standard deviations (SD) of the random effects")
    assert spreads.caption.endswith("; 144 ratings, 4 raters, 12 items).")


def test_two_systems_are_one_test_without_correction() -> None:
    means, _ = mixed_tables(fitted("old", "new"))
    assert "with their 95% intervals (" in means.caption
    assert "freedom, α = .05; 144 ratings" in means.caption
    assert "corrected" not in means.caption


def test_all_pairs_have_a_table_of_their_own_while_it_fits_a_page() -> None:
    means, pairs, _ = mixed_tables(fitted("a", "b", "c", every_pair=True))
    assert texts(means)[0] == "c | 4.60 ±0.58"
    assert means.caption.endswith(
        "(linear mixed model with crossed raters and items; 144 ratings, 4 raters, 12 items)."
    )
    assert [row.split(" | ")[:2] for row in texts(pairs)] == [
        ["b", "a"],
        ["c", "a"],
        ["c", "b"],
    ]
    assert "Holm for 3 pairs, α = .05; 144 ratings" in pairs.caption
    many = fitted(*(f"s{i}" for i in range(10)), every_pair=True)
    assert len(many.contrasts) > MOST_PAIRS
    assert [table.id for table in mixed_tables(many)] == ["mixed", "mixed-spread"]
    assert "Only with --all: Means (10 rows), Differences (45 rows)" in render_latex(
        blocks_of(many)
    )


def test_the_effect_of_a_number_is_told_in_the_caption() -> None:
    change = results.mixed_contrast("1 unit", baseline=None, p_value=0.0116)
    means, _ = mixed_tables(results.mixed_fit(contrasts=(change,)))
    assert len(means.columns) == 2
    assert "The rating changes by +0.39 [+0.12, +0.66] per unit, p = .0116 (" in means.caption


def test_an_end_that_decides_is_not_printed_as_zero() -> None:
    cells = difference_cells(0.5, Interval(0.0004, 1.0, 0.95), 0.049, 0.05, 1)
    assert [cell.text for cell in cells] == ["+0.5000", "[+0.0004, +1.0000]"]
    cells = difference_cells(0.5, Interval(-0.0004, 1.0, 0.95), 0.051, 0.05, 1)
    assert [cell.text + cell.mark for cell in cells] == ["+0.5", "[0.0, +1.0]"]
    cells = difference_cells(0.5, Interval(5e-324, 1.0, 0.95), 0.04, 0.05, 1)  # cut by Holm
    assert [cell.text + cell.mark for cell in cells] == ["+0.5⋆", "[+0.0, +1.0]"]
    assert difference_cells(0.5, None, 0.051, 0.05, 1)[1].text == "–"


@pytest.mark.parametrize("every_pair", [False, True])
def test_tables_of_short_names_fit_a_column(every_pair: bool) -> None:
    fit = fitted("aspen", "birch", "cedar", every_pair=every_pair)
    for result in (fit, results.meta()):
        latex = render_latex(blocks_of(result))
        assert latex.count(r"\toprule") == latex.count(r"\begin{table}[t]") > 1
        assert "table*" not in latex


def judged(*verdicts: Verdict) -> Meta:
    pair, names = results.meta().pairs[0], ("comet", "bleu", "ter")
    pairs = [
        replace(pair, system=names[i], baseline=names[j], verdict=verdict)
        for (i, j), verdict in zip(((0, 1), (0, 2), (1, 2)), verdicts, strict=False)
    ]
    low = results.meta_row("ter", value=0.479, above_floor="no")
    rows = (results.meta_row(), results.meta_row("bleu", value=0.6), low)
    return results.meta(rows=rows, pairs=tuple(pairs))


def bold(found: Meta) -> list[str]:
    table = next(meta_tables(found, NAMES))
    return [row[0].text for row in table.rows if row[1].bold]


def test_metrics_have_intervals_the_floor_below_and_a_mark_where_they_are_not_above() -> None:
    metrics, pairs = meta_tables(judged("undecided", "better", "better"), NAMES)
    assert texts(metrics) == [
        "comet | 0.612 | [0.581, 0.643]",
        "bleu | 0.600 | [0.581, 0.643]",
        "ter | 0.479° | [0.581, 0.643]",
        "uninformative metric | 0.480 | ",
    ]
    assert metrics.breaks == (3,)
    assert metrics.caption == (
        "Agreement of metrics with human scores by accuracy with calibrated ties, averaged over "
        "segments, on 13 systems, 530 segments, 5 documents, with 95% intervals (bootstrap over "
        "segments). °: not shown to be above an uninformative metric. Bold: no other metric is "
        "better (2,000 random swaps of whole segments, Holm for 3 pairs, α = .05), which does not "
        "make these equal."
    )
    assert texts(pairs)[0] == "comet | bleu | +0.133† | [+0.101, +0.165]"
    assert "Holm for 3 pairs, α = .05; 13 systems, 530 segments" in pairs.caption


def test_bold_is_what_no_other_beats_and_only_where_every_two_were_compared() -> None:
    assert bold(judged("undecided", "better", "better")) == ["comet", "bleu"]
    assert bold(judged("better", "better", "better")) == ["comet"]
    assert bold(judged("worse", "undecided", "better")) == ["bleu"]
    against_one = judged("better", "better")
    assert bold(against_one) == []
    assert "Bold" not in next(meta_tables(against_one, NAMES)).caption


def test_several_statistics_stand_beside_each_other() -> None:
    one = judged("better", "better", "better")
    rows = tuple(replace(row, statistic="kendall", floor=0.0) for row in one.rows)
    pairs = tuple(replace(pair, measure="kendall") for pair in one.pairs)
    both = replace(
        one,
        statistics=("acc-eq", "kendall"),
        rows=one.rows + rows,
        pairs=one.pairs + pairs,
    )
    metrics, differences = meta_tables(both, NAMES)
    assert [column.over for column in metrics.columns] == [
        "",
        *("Accuracy",) * 2,
        *("Kendall τ-b",) * 2,
    ]
    assert texts(metrics)[-1] == "uninformative metric | 0.480 |  | 0.000 | "
    assert differences.breaks == (3,)
    assert "Holm for 3 pairs per statistic" in differences.caption
    assert r"Kendall $\tau$-b" in render_latex(blocks_of(both))


@pytest.mark.parametrize("result", [fitted("a", "b", "c", every_pair=True), results.meta()])
def test_no_label_is_given_twice_where_all_tables_are_shown(result: Result) -> None:
    labels = re.findall(r"\\label\{(.*)\}", render_latex(blocks_of(result), everything=True))
    assert len(set(labels)) == len(labels) > 3
