"""What a notebook shows of a result."""

import pytest
from markupsafe import escape

from detectable.core.result import Result
from detectable.report.blocks import Chart, Table, Verdict
from detectable.report.blocks_of import blocks_of
from detectable.report.several import report
from tests.report import results
from tests.report.results import RESULTS


@pytest.mark.parametrize("name", sorted(RESULTS))
def test_a_notebook_shows_verdict_key_chart_and_first_table(name: str) -> None:
    made = RESULTS[name]._repr_html_()
    blocks = blocks_of(RESULTS[name])
    (verdict,) = (block for block in blocks if isinstance(block, Verdict))
    assert made.count('class="headline"') == 1
    assert made.count("<svg") == 2 * any(isinstance(b, Chart) and b.key for b in blocks)
    tables = [block for block in blocks if isinstance(block, Table)]
    assert made.count("<table") == min(1, len(tables))
    assert "<script" not in made
    assert "http" not in made.replace("http://www.w3.org/2000/svg", "")
    assert str(escape(verdict.headline.split()[0])) in made


def test_rules_and_ids_of_one_output_do_not_reach_another() -> None:
    first, second = results.comparison()._repr_html_(), results.comparison()._repr_html_()
    assert first != second
    id = first.partition('class="detectable ')[2].partition('"')[0]
    assert id.startswith("detectable-")
    # Three times: Jupyter turns all cells of tables to the right with a rule of two classes.
    assert f".detectable.{id}.{id}.{id} {{" in first
    assert f'id="{id}-chart-differences"' in first
    assert id not in second


def test_a_result_without_blocks_shows_its_summary_escaped() -> None:
    class Odd(Result):
        def summary(self) -> str:
            return "a < b"

    assert "a &lt; b" in Odd(signature=results.SIGNATURE)._repr_html_()


def test_several_results_follow_each_other() -> None:
    made = report(results.comparison(), results.ranking())._repr_html_()
    assert made.count('class="headline"') == 2
