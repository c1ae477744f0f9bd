"""What the pictures of an arena show, against one made by hand."""

import math
from dataclasses import replace

from detectable.report.blocks import Chart
from detectable.report.blocks_of import blocks_of
from detectable.report.shown.arena import all_pairs, strengths
from detectable.study.arena.result import Arena
from tests.report import results
from tests.report.charts.drawn import LONG, check
from tests.report.shown.shown import block_of


def many(n: int) -> Arena:
    """Return an arena of so many systems, of which nothing is told apart."""
    return results.arena(
        systems=tuple(
            results.arena_system(f"s{i:02}", 0.01 * (n - i), rank_high=n) for i in range(n)
        ),
        pairs=(),
    )


def test_the_picture_of_strengths_stands_below_the_verdict_and_is_in_elo() -> None:
    (chart,) = strengths(results.arena())
    assert (chart.key, chart.twin) == (True, "systems")
    _, _, points, ranks, tiers, *_ = chart.make(720)["layer"]
    shown = [(row["row"], row["score"]) for row in points["data"]["values"]]
    assert shown == [(0, 1100.0), (1, 1075.0), (2, 1025.0), (3, 800.0)]
    low, high = (points["data"]["values"][0][end] for end in ("low", "high"))
    assert (round(low, 2), round(high, 2)) == (1043.43, 1130.29)  # 1000 + 173.72 · [¼, ¾]
    assert [row["text"] for row in ranks["data"]["values"]] == ["1–2", "1–2", "3", "4"]
    assert [row["text"] for row in tiers["data"]["values"]] == ["1", "", "2", "3"]


def test_who_is_far_away_is_named_in_whole_points() -> None:
    far = results.arena_system("far", -40.0, rank_low=9, rank_high=9)
    (chart,) = strengths(results.arena(systems=(*many(8).systems, far), pairs=()))
    layers = chart.make(720)["layer"]
    texts = [row.get("text") for one in layers for row in one["data"]["values"]]
    assert "← −7000" in texts


def test_a_picture_needs_two_strengths_with_ends_and_has_room_for_forty() -> None:
    nan, made = math.nan, results.arena()
    gone = [replace(row, strength=nan, elo=nan) for row in made.systems[1:]]
    assert list(strengths(results.arena(systems=(made.systems[0], *gone)))) == []
    (two,) = strengths(results.arena(systems=(*made.systems[:2], *gone[:2])))
    assert two.caption.endswith("Without estimate: elk, cod.")
    for end in ("low", "high"):
        open_end = replace(made.systems[0].interval, **{end: math.inf})
        first = replace(made.systems[0], interval=open_end)
        assert list(strengths(results.arena(systems=(first, *made.systems[1:])))) == []
    assert len(list(strengths(many(40)))) == 1
    assert list(strengths(many(41))) == []


def test_pairs_above_the_diagonal_hold_points_beyond_a_half_and_below_it_p() -> None:
    (chart,) = all_pairs(results.arena())
    assert (chart.twin, chart.key) == ("pairs", False)
    upper, _, lower = chart.make(720)["layer"]
    cells = {(row["row"], row["column"]): row["text"] for row in upper["data"]["values"]}
    assert cells == {
        (0, 1): "2.5",
        (0, 2): "7.5",
        (0, 3): "30.0",
        (1, 2): "5.0",
        (1, 3): "27.5",
        (2, 3): "22.5",
    }
    ps = {(row["row"], row["column"]): row["text"] for row in lower["data"]["values"]}
    assert (ps[1, 0], ps[2, 0]) == (".31", ".002")


def test_the_matrix_is_for_four_to_twenty_four_systems() -> None:
    for n, drawn in ((3, 0), (4, 1), (24, 1), (25, 0)):
        assert len(list(all_pairs(many(n)))) == drawn


def test_long_names_and_one_winner_fit_the_chart() -> None:
    first = replace(results.arena().systems[0], system=LONG, rank_high=1)
    others = [
        replace(row, rank_low=max(2, row.rank_low)) for row in results.arena().systems[1:]
    ]
    made = results.arena(systems=(first, *others), pairs=())
    chart = block_of(made, "chart strengths")
    assert isinstance(chart, Chart)
    assert chart.title.startswith(f"Only {LONG} can be first")
    check(blocks_of(made))
