"""Boundaries, paths and projections of plans, against designs and looks made by hand."""

import json
import math
from dataclasses import replace
from typing import Any

import pytest

from detectable.report.blocks import Chart
from detectable.report.blocks_of import blocks_of
from detectable.report.shown.monitoring_pictures import margin_limits, path, stop_regions
from detectable.sequential.look_statistic import look_boundaries
from detectable.study.monitoring.plan_history import LookRow, PlanHistory
from tests.report import results
from tests.report.charts.drawn import JAPANESE, LONG, check, check_readable
from tests.report.shown.shown import block_of, table_of


def drawn(history: PlanHistory, **options: Any) -> Chart:
    (made,) = path(history, twin="looks", **options)
    assert made.key
    assert made.twin == "looks"
    return made


def test_before_the_first_look_the_regions_are_those_of_the_design() -> None:
    plan = results.watched().plan
    design = plan.design_at(0.05)
    looks = stop_regions(plan, None).looks
    assert [look.at for look in looks] == [120, 240, 360, 480, 600]
    assert [look.upper for look in looks] == pytest.approx(design.z)
    assert [look.lower for look in looks] == pytest.approx([-z for z in design.z])
    assert [look.spent for look in looks] == pytest.approx(design.alpha_spent)
    futile = [None if look.futile is None else look.futile[1] for look in looks]
    assert futile == pytest.approx(list(design.futility))
    assert stop_regions(plan, None).unit == "items judged for both systems"


def test_looks_to_come_are_fitted_to_those_that_took_place() -> None:
    history = results.watched((1.4, 2.0), "continue")
    moved = tuple(
        replace(row, pair=replace(row.pair, n_units=90, information=0.15))
        if row.look == 1
        else row
        for row in history.looks
    )
    early = replace(history, looks=moved)
    looks = stop_regions(early.plan, early).looks
    design = early.plan.design_at(0.05)
    assert [look.at for look in looks] == [90, 240, 360, 480, 600]
    # The first two are what the ledger holds, the others follow from both.
    assert [look.upper for look in looks[:2]] == [row.pair.z_bound for row in moved]
    wanted = look_boundaries(design, (0.15, 0.4, 0.6)).z[-1]
    assert looks[2].upper == pytest.approx(wanted)
    assert looks[2].upper != pytest.approx(design.z[2], abs=1e-4)


def test_a_classical_family_keeps_its_planned_boundaries() -> None:
    pocock = {"family": "pocock", "looks": 3, "futility": "none"}
    third = results.plan(n_max=100, design=pocock)
    row = results.pair_look(n_units=33, information=1 / 3, z_bound=2.2895, futility_bound=None)
    history = results.plan_history(
        plan=third, looks=(LookRow(look=1, time="", pair=row),), n_looks=1
    )
    looks = stop_regions(third, history).looks
    assert [look.at for look in looks] == [33, 67, 100]
    assert [round(look.upper, 4) for look in looks] == [2.2895, 2.2895, 2.2895]
    assert all(look.futile is None for look in looks)


def test_one_side_stops_above_only() -> None:
    family = {"family": "hsd", "at": [0.5, 1.0], "futility": "predictive-power", "sided": 1}
    looks = stop_regions(results.plan(design=family), None).looks
    assert [look.lower for look in looks] == [-math.inf, -math.inf]
    assert looks[0].futile is not None
    assert looks[0].futile[0] == -math.inf


def test_the_boundary_of_several_pairs_is_the_lowest_in_force() -> None:
    history = results.watched((1.4, 3.4), "continue", systems=("a", "b", "c"), baseline="c")
    lower = tuple(
        replace(row, pair=replace(row.pair, z_bound=2.9, level=0.05, decision="continue"))
        if row.look == 2 and row.pair.system == "b"
        else row
        for row in history.looks
    )
    after = replace(history, looks=lower)
    looks = stop_regions(after.plan, after).looks
    assert looks[1].upper == 2.9
    assert looks[0].spent is None
    # What comes is at the level that is now in force.
    design = after.plan.design_at(0.05)
    assert looks[2].upper == pytest.approx(look_boundaries(design, (0.2, 0.4, 0.6)).z[-1])


def test_a_declared_end_leaves_no_looks_to_come() -> None:
    history = results.watched((1.4, 2.0), "stop: undecided")
    entries = (*history.entries[:-1], replace(history.entries[-1], declared=True))
    ended = replace(history, entries=entries)
    assert [look.at for look in stop_regions(ended.plan, ended).looks] == [120, 240]


def test_the_fan_is_brownian_motion_with_the_estimated_drift() -> None:
    made = drawn(results.watched((1.4, 2.0), "continue"), projected=True)
    layers = made.make(720)["layer"]
    fan = next(part for part in layers if "middle" in str(part["data"]["values"][:1]))
    rows = fan["data"]["values"]
    assert rows[0]["at"] == 240
    assert (rows[0]["low"], rows[0]["middle"], rows[0]["high"]) == (2.0, 2.0, 2.0)
    assert rows[-1]["at"] == 600
    # z at the end: mean 2 √(600 / 240), variance 1 − 240 / 600; 80% lie within 1.2816 SD.
    middle, half = 2.0 * math.sqrt(2.5), 1.2815515655 * math.sqrt(0.6)
    assert rows[-1]["middle"] == pytest.approx(middle)
    assert rows[-1]["low"] == pytest.approx(middle - half)
    assert rows[-1]["high"] == 4.0  # of the drawing
    assert "Purple: where z will be with 80% chance" in made.caption
    assert '"now"' in json.dumps(made.make(720))


def test_no_fan_without_a_trend_to_follow() -> None:
    for history in (
        results.watched(),
        results.watched((1.4, 2.0), "continue", systems=("a", "b", "c"), baseline="c"),
    ):
        assert "Purple" not in drawn(history, projected=True).caption
    assert "Purple" not in drawn(results.watched((1.4, 2.0), "continue")).caption


def test_a_margin_is_drawn_as_the_interval_that_tests_it() -> None:
    options: dict[str, Any] = {"claim": "equivalent", "margin": 6.0}
    history = results.watched((0.4, 0.3), "stop: equivalent", **options)
    last = history.looks[-1].pair
    low, high = margin_limits(last)
    error = 20.0 / math.sqrt(240)
    assert last.z_bound is not None
    assert (low, high) == pytest.approx(
        ((0.3 - last.z_bound) * error, (0.3 + last.z_bound) * error), rel=0.02
    )
    made = drawn(history)
    assert made.title == "new − old: the interval lies within ±6 from look 2 on"
    assert made.caption.endswith("Dotted: the margin, ±6.")
    assert f"After 240: {last.estimate:+.2f} [" in made.alt
    text = json.dumps(made.make(720), ensure_ascii=False)
    assert "90% repeated interval" in text
    assert "decided after 240" in text
    open_ = drawn(results.watched((0.4, 0.3), "continue", **options))
    assert open_.title == "new − old: continue after 2 looks"
    assert "decided after" not in json.dumps(open_.make(720))
    lower = drawn(
        results.watched((0.4,), "stop: non-inferior", claim="non-inferior", margin=6.0)
    )
    assert lower.title == "new − old: the interval lies above −6 from look 1 on"
    # One side of it tests the margin at .05; a loss beyond it is tested by the other.
    assert "90% repeated interval" in json.dumps(lower.make(720))


@pytest.mark.parametrize("names", [(LONG, JAPANESE), (LONG, LONG[::-1], JAPANESE + LONG)])
def test_long_and_japanese_names_can_be_read(names: tuple[str, ...]) -> None:
    for history in (
        results.watched(systems=names, baseline=names[-1]),
        results.bet_on(systems=names, baseline=names[-1]),
        results.watched((0.4,), "continue", claim="equivalent", margin=6.0, systems=names),
    ):
        check_readable(drawn(history))


# --- What a conclusion shows, against one made by hand ---


def test_long_and_japanese_names_can_be_read_of_conclusion() -> None:
    names = (LONG, LONG[::-1], JAPANESE)
    pairs = tuple(results.concluded(system=name, baseline=JAPANESE) for name in names[:2])
    history = results.watched(systems=names, baseline=JAPANESE)
    check(blocks_of(results.conclusion(pairs=pairs, history=history)))
    check(blocks_of(results.conclusion(pairs=pairs[:1], history=results.bet_on())))


# --- What a look shows, against one made by hand ---


def test_long_and_japanese_names_can_be_read_of_look() -> None:
    for names in ((LONG, JAPANESE), (LONG, LONG[::-1], JAPANESE)):
        history = results.watched((1.4, 2.0), "continue", systems=names, baseline=names[-1])
        check(blocks_of(results.look(history=history)))


# --- What a plan shows, against one made by hand ---


def test_the_boundaries_of_several_pairs_are_those_of_the_first_decision() -> None:
    made = results.plan(systems=("new", "third", "old"))
    assert table_of(made, "looks").note == (
        "Boundaries of the first decision among 2 pairs; each decision lowers them for the others."
    )
    chart = block_of(made, "chart boundaries")
    assert isinstance(chart, Chart)
    assert chart.caption.endswith(
        "Boundaries for 2 pairs together; each decision lowers them for the others."
    )
    half = made.design_at(0.025).z[0]
    assert table_of(made, "looks").column("z") == (half, half)
    assert half > table_of(results.plan(), "looks").column("z")[0]
