"""What a gate shows, against one made by hand."""

from detectable.report.blocks_of import blocks_of
from tests.report import results
from tests.report.charts.drawn import check
from tests.report.results import gate_row


def test_the_picture_is_readable() -> None:
    check(blocks_of(results.gate()))
    many = tuple(
        gate_row(f"a-task-with-a-rather-long-name-{i}", outcome=outcome)
        for i, outcome in enumerate(("pass", "fail", "inconclusive") * 8)
    )
    check(blocks_of(results.gate(rows=many)))
    two = tuple(gate_row(t, metric=m) for m in ("accuracy", "f1") for t in ("math", "code"))
    check(blocks_of(results.gate(rows=two, margin={"accuracy": 0.05, "f1": 0.05})))
