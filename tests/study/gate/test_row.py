"""One row of a gate: why it did not pass, in words."""

import pytest

from detectable.study.gate.gate import gate
from detectable.study.gate.result import GateRow
from tests.report.results import gate_row
from tests.study.gate.data import answers


def test_too_few_groups_are_told_only_where_they_are_the_reason() -> None:
    def row(n: int, broken: int = 0, margin: float = 0.5) -> GateRow:
        return gate(answers(n, broken), "old", margin=margin).rows[0]

    assert row(9).too_few  # it would pass
    assert row(9).reason("non-inferiority", power=0.8) == (
        "9 questions are too few to pass; 10 are the least"
    )
    assert not row(9, 4).too_few  # nor with ten
    assert not row(10).too_few
    assert row(10).outcome == "pass"


@pytest.mark.parametrize(
    ("p", "said"), [(0.0123, ".0123"), (0.0001, ".0001"), (0.00009, "<.0001"), (1.0, "1.0000")]
)
def test_the_p_value_of_a_loss_has_four_decimals(p: float, said: str) -> None:
    row = gate_row(outcome="fail", p_worse_adjusted=p)
    assert row.reason("superiority", power=0.8) == f"there surely is a loss (p = {said})"
