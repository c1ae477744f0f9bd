"""The picture of what each task of a benchmark can show."""

from detectable.report.charts.benchmark import TaskLimit, task_limits
from detectable.report.charts.theme import NARROW, WIDE


def axis(width: int, *, following: float, claim: float = 4.0) -> dict[str, list[float]]:
    """Return the domain and the ticks of the axis of two tasks."""
    tasks = [
        TaskLimit("QQP", 0.1, 9.0, [(0.2, True)], following),
        TaskLimit("RTE", 1.2, 9.0, [(claim, True)], 2.0),
    ]
    x = task_limits(tasks, width=width)["layer"][0]["encoding"]["x"]
    return {"domain": x["scale"]["domain"], "ticks": x["axis"]["values"]}


def test_what_is_below_zero_stands_off_the_names() -> None:
    assert axis(WIDE, following=-0.25)["domain"][0] == -0.4
    assert axis(WIDE, following=0.25)["domain"][0] == 0.0


def test_ticks_stand_on_both_sides_of_zero_as_far_as_the_axis_goes() -> None:
    assert axis(WIDE, following=-0.25)["ticks"] == [-0.1, 0.0, 0.1, 0.5, 1.0, 2.0]
    assert axis(WIDE, following=0.25)["ticks"] == [0.0, 0.1, 0.5, 1.0, 2.0]


def test_no_tick_stands_beside_zero_on_a_phone() -> None:
    assert axis(NARROW, following=-0.25)["ticks"] == [0.0, 1.0]
    assert axis(NARROW, following=0.25, claim=6.0)["ticks"] == [0.0, 1.0, 5.0]
    assert 0.1 in axis(WIDE, following=0.25)["ticks"]
