"""What a study of translationese shows, against one made by hand."""

from typing import Any

from detectable.report.blocks import Chart
from detectable.report.blocks_of import blocks_of
from detectable.report.charts.halves import HalfScore, score_panel
from detectable.report.charts.theme import text_width
from detectable.study.translationese.result import Translationese
from tests.report import results
from tests.report.charts.drawn import JAPANESE, LONG, check
from tests.report.shown.shown import block_of


def _chart(result: Translationese, name: str = "halves") -> Chart:
    made = block_of(result, f"chart {name}")
    assert isinstance(made, Chart)
    return made


def _many(n: int, **changes: Any) -> Translationese:
    effects = tuple(
        results.system_effect(
            f"{LONG}-{i}" if i % 2 else f"{JAPANESE}{i}",
            forward=60.0 + i,
            reverse=62.0 + 2 * i - (n if i == 0 else 0),
            difference=2.0 + i - (n if i == 0 else 0),
            p_adjusted=0.05 if i % 2 == 0 else 0.06,
        )
        for i in range(n)
    )
    return results.translationese(effects=effects, human=None, parity=(), **changes)


def test_what_is_drawn_of_differences_and_correlations() -> None:
    _, beside = _chart(_many(5)).make(720)["hconcat"]
    shifts, agree = beside["vconcat"]
    [box] = shifts["layer"][2]["data"]["values"]
    assert box == {"row": 0, "least": -3.0, "low": 3.0, "median": 4.0, "high": 5.0, "most": 6.0}
    assert [dot["low"] for dot in shifts["layer"][4]["data"]["values"]] == [
        -3.0,
        3.0,
        4.0,
        5.0,
        6.0,
    ]
    pearson = agree["layer"][0]["data"]["values"][0]
    assert (pearson["value"], pearson["low"], pearson["high"]) == (0.849, 0.599, 0.974)
    assert (pearson["from"], pearson["to"]) == (0.5, 0.96875)


def test_names_keep_off_each_other_and_off_the_diagonal() -> None:
    result = _many(14)
    check(blocks_of(result))
    scores = [HalfScore(f"system-{i}", 50.0 + i, 50.0 + i + (-1) ** i * 0.3) for i in range(12)]
    drawn = score_panel(scores, room=300)
    texts = [one for one in drawn["layer"] if one["mark"]["type"] == "text"]
    assert sum(len(one["data"]["values"]) for one in texts) >= 8
    low, high = drawn["layer"][1]["encoding"]["x"]["scale"]["domain"]
    for one in texts:
        for row in one["data"]["values"]:
            left, top, right, bottom = _box(one["mark"], row, low, high)
            # The diagonal at both ends of the name: above it, or below it, but not through it.
            ends = [290.0 * (1.0 - x / 300.0) for x in (left, right)]
            assert all(end > bottom for end in ends) or all(end < top for end in ends)


def _box(
    mark: dict[str, Any], row: dict[str, Any], low: float, high: float
) -> tuple[float, float, float, float]:
    x = 300.0 * (row["forward"] - low) / (high - low) + mark["dx"]
    y = 290.0 * (high - row["reverse"]) / (high - low) + mark["dy"]
    width = text_width(row["text"], 11)
    left = x - {"left": 0.0, "right": width, "center": width / 2}[mark["align"]]
    return left, y - 5, left + width, y + 5
