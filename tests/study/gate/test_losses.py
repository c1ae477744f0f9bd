"""The questions that lost most."""

from detectable.study.gate.matching import MatchedTask
from detectable.study.gate.result import largest_losses
from tests.study.gate.data import tally_of


def _task(name: str, old: list[float], new: list[float]) -> MatchedTask:
    ones = [1] * len(old)
    return MatchedTask(
        task=name, old=tally_of(name, old, ones), new=tally_of(name, new, ones), clusters=None
    )


def test_largest_first_and_no_gains() -> None:
    a = _task("a", [1.0, 0.5, 0.2], [0.5, 0.6, 0.2])
    b = _task("b", [0.9, 0.9], [0.0, 0.8])
    found = largest_losses([("m", 1.0, a), ("m", 1.0, b)])
    assert [(one.task, one.item, one.old, one.new) for one in found] == [
        ("b", "q0", 0.9, 0.0),
        ("a", "q0", 1.0, 0.5),
        ("b", "q1", 0.9, 0.8),
    ]


def test_metrics_on_different_scales_are_compared_by_their_largest() -> None:
    small = _task("a", [1.0, 1.0], [0.0, 0.4])
    large = _task("a", [90.0, 90.0], [60.0, 80.0])
    found = largest_losses([("accuracy", 1.0, small), ("bleu", 1.0, large)])
    assert [(one.metric, one.item) for one in found] == [
        ("accuracy", "q0"),
        ("bleu", "q0"),
        ("accuracy", "q1"),
        ("bleu", "q1"),
    ]


def test_lower_is_better() -> None:
    found = largest_losses([("ter", -1.0, _task("a", [0.1, 0.5], [0.4, 0.2]))])
    assert [(one.item, one.metric) for one in found] == [("q0", "ter")]


def test_at_most_ten() -> None:
    old = [1.0] * 30
    assert len(largest_losses([("m", 1.0, _task("a", old, [0.0] * 30))])) == 10
    assert largest_losses([("m", 1.0, _task("a", old, old))]) == ()


def test_a_tiny_scale_has_its_largest_loss_too() -> None:
    tiny = _task("a", [3e-5, 2e-5], [0.0, 0.0])
    large = _task("a", [1.0, 0.9], [0.0, 0.0])
    found = largest_losses([("loss", 1.0, tiny), ("accuracy", 1.0, large)])
    assert [(one.metric, one.item) for one in found] == [
        ("loss", "q0"),
        ("accuracy", "q0"),
        ("accuracy", "q1"),
        ("loss", "q1"),
    ]
