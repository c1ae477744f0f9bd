"""What metrics judged by people show."""

from dataclasses import replace

from detectable.report.blocks import Text, Verdict
from detectable.report.blocks_of import blocks_of
from detectable.study.meta.result import Meta
from tests.report import results
from tests.report.shown.shown import block_of, table_of


def text_of(found: Meta, role: str) -> list[Text]:
    return [
        block for block in blocks_of(found) if isinstance(block, Text) and block.role == role
    ]


def test_many_pairs_are_folded_and_left_out_of_the_verdict() -> None:
    pair = results.meta().pairs[0]
    for n, told, folded in ((3, 4, False), (4, 1, False), (12, 1, False), (13, 1, True)):
        found = results.meta(pairs=(pair,) * n)
        verdict = block_of(found, "Verdict")
        assert isinstance(verdict, Verdict)
        assert len(verdict.detail) == told
        assert table_of(found, "pairs").folded == folded


def test_metrics_at_the_floor_are_named_once() -> None:
    [checks] = text_of(results.meta(), "checks")
    assert checks.points == (("look", "No better than an uninformative metric: ter."),)
    fine = results.meta(rows=(results.meta_row(),), pairs=())
    assert text_of(fine, "checks") == []
    low = results.meta_row("ter", above_floor="no")
    twice = results.meta(rows=(results.meta_row(), low, replace(low, statistic="acc23")))
    assert text_of(twice, "checks")[0].points == checks.points


def test_a_simpler_test_that_says_the_same_is_not_marked() -> None:
    pair = replace(results.meta().pairs[0], p_value=0.01, p_cells=0.05, p_williams=0.02)
    [checks] = text_of(results.meta(pairs=(pair,)), "checks")
    assert checks.points[1][0] == "plain"
    [checks] = text_of(results.meta(pairs=(replace(pair, p_cells=0.0501),)), "checks")
    assert checks.points[1][0] == "look"
