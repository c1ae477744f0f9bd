"""The picture of a design says where it stops."""

import math
from dataclasses import replace

import pytest

from detectable.report.blocks import Methods, Repeat, Text, Verdict
from detectable.report.blocks_of import blocks_of
from detectable.report.methods.bibliography import bibtex
from detectable.report.shown.design import boundary_title, design_charts, stop_regions
from detectable.sequential.design import design
from detectable.sequential.design_result import ExpectedN, OverallAlpha
from detectable.sequential.families import FAMILIES
from tests.report import results
from tests.report.charts.drawn import check
from tests.report.shown.shown import block_of, columns, csv_lines, rows, shown, table_of


def test_regions_are_those_of_the_design_in_items() -> None:
    regions = stop_regions(results.design())
    assert [look.at for look in regions.looks] == [300, 600, 1200]
    assert [look.upper for look in regions.looks] == [math.inf, 2.75, 2.0125]
    assert [look.lower for look in regions.looks] == [-math.inf, -2.75, -2.0125]
    assert [look.futile for look in regions.looks] == [None, (-0.3125, 0.3125), None]
    assert [look.spent for look in regions.looks] == [0.0001, 0.0062, 0.05]
    assert (regions.unit, regions.shares) == ("items judged for both systems", False)


def test_without_a_number_of_items_they_are_in_shares() -> None:
    regions = stop_regions(results.design(items=None, n_max=None, sided=1))
    assert [look.at for look in regions.looks] == [0.25, 0.5, 1.0]
    assert [look.lower for look in regions.looks] == [-math.inf] * 3
    assert regions.looks[1].futile == (-math.inf, 0.3125)
    assert (regions.unit, regions.shares) == ("share of the planned maximum", True)


def test_titles_say_what_it_takes_to_stop() -> None:
    assert boundary_title(results.design()) == (
        "Look 2 stops from |z| = 2.75 on, the last from 2.01"
    )
    assert boundary_title(design("pocock", looks=3)) == "Every look stops from |z| = 2.29 on"
    one_sided = design(looks=3, sided=1)
    assert boundary_title(one_sided) == (
        f"Look 1 stops from z = {one_sided.z[0]:.2f} on, the last from {one_sided.z[2]:.2f}"
    )
    late = results.design(z=(math.inf, math.inf, 1.96))
    assert boundary_title(late) == "Only the last look can stop, from |z| = 1.96 on"


def test_captions_and_alternatives_say_what_is_there() -> None:
    made = next(design_charts(results.design()))
    assert made.caption == (
        "Blue and orange: stop with a result. Grey: giving up is advised. α: spent up to each "
        "look. It stops only at looks, ● each."
    )
    assert made.alt == (
        f"{made.title}. 300 items: not reachable, α spent .0001; 600 items: 2.75, futile below "
        "0.31, α spent .0062; 1,200 items: 2.01, α spent .0500."
    )
    assert (made.id, made.twin, made.key) == ("boundaries", "looks", True)
    bound = next(design_charts(results.design(binding=True, sided=1)))
    assert bound.caption.startswith(
        "Blue: stop with a result. Grey: giving up is part of the plan."
    )
    plain = next(design_charts(results.design(futility=(None,) * 3)))
    assert "Grey" not in plain.caption


def test_many_looks_are_told_by_three() -> None:
    made = next(design_charts(design(looks=10)))
    told = made.alt.removeprefix(f"{made.title}. ").split("; ")
    assert [part.split(":")[0] for part in told] == ["10%", "60%", "100%"]


@pytest.mark.parametrize("looks", [2, 7, 40])
@pytest.mark.parametrize("n_max", [None, 1_234_567])
def test_real_designs_are_readable(looks: int, n_max: int | None) -> None:
    check(blocks_of(design(looks=looks, n_max=n_max)))


# --- What a design shows, against one made by hand ---


def test_blocks_in_order() -> None:
    assert shown(results.design()) == [
        *("Verdict", "chart boundaries", "Text", "looks", "samples"),
        *("Text", "Text", "Methods", "Repeat"),
    ]


def test_verdict() -> None:
    assert block_of(results.design(), "Verdict") == Verdict(
        "info",
        "3 looks cost at most 2% more and save 24% on average at the planned effect.",
        (
            "Hwang-Shih-DeCani (γ = −4), two-sided α = 0.05, planned for 90% power.",
            "Against a test without looks the sample is at most 1.020 times as large, and on "
            "average 76% if the effect is as planned, 51% if it is 1.5 times as large and 101% if "
            "there is none.",
            "1,200 items per system are 2,400 judgments of two systems, if each output is judged "
            "once.",
        ),
    )


def test_limits_say_when_it_gives_up_and_what_that_costs() -> None:
    assert block_of(results.design(), "Text") == Text(
        "limits",
        "When it gives up",
        "Futility: predictive-power. If every advice to stop for futility is followed, the power "
        "is 88% and the average without an effect 101%. It is advice: going on does not break α.",
    )
    binding = block_of(results.design(binding=True, with_futility=None), "Text")
    assert isinstance(binding, Text)
    assert binding.text == (
        "Futility: predictive-power, binding. Going on after such a stop would break α."
    )
    without = block_of(results.design(futility=(None,) * 3, with_futility=None), "Text")
    assert isinstance(without, Text)
    assert without.text == "Futility: predictive-power."


def test_the_check_says_how_often_it_errs() -> None:
    checks = [
        b for b in blocks_of(results.design()) if isinstance(b, Text) and b.role == "checks"
    ]
    assert checks[0].points == (
        (
            "ok",
            "False alarms over all looks: 5.00% if futility is ignored, 4.80% if it is obeyed.",
        ),
    )
    loose = OverallAlpha(futility_ignored=0.07, futility_obeyed=0.06)
    found = [
        b
        for b in blocks_of(results.design(overall_alpha=loose, futility=(None,) * 3))
        if isinstance(b, Text) and b.role == "checks"
    ]
    assert found[0].points == (("look", "False alarms over all looks: 7.00%."),)


def test_the_paragraph_names_design_family_and_cost() -> None:
    found = block_of(results.design(), "Methods")
    assert isinstance(found, Methods)
    assert found.paragraph == (
        "We planned a group-sequential evaluation of up to 1,200 items per system with 3 looks "
        "(Jennison and Turnbull, 2000): boundaries Hwang-Shih-DeCani (γ = −4), two-sided α = 0.05 "
        "over all looks, 90% power. Stopping for futility was non-binding: predictive-power. The "
        "sample is at most 1.020 times that of a test without looks, and 76% of it on average at "
        "the planned effect."
    )
    assert found.cite == ("jennison-turnbull-2000", "hwang-etal-1990")


@pytest.mark.parametrize("family", [row.name for row in FAMILIES.values()])
def test_every_family_can_be_cited(family: str) -> None:
    found = block_of(design(family, looks=1 if family == "fixed" else 2), "Methods")
    assert isinstance(found, Methods)
    assert bool(found.cite) == (family != "fixed")
    if found.cite:
        assert len(found.cite) == 2
        assert found.cite[1] in bibtex(found.cite)


def test_one_look_has_no_picture() -> None:
    assert shown(design("fixed")) == ["Verdict", "looks", "samples", "Methods", "Repeat"]


def test_looks_that_cost_more_than_they_save_say_so() -> None:
    dear = ExpectedN(h0=1.2, half=1.2, full=1.1, one_and_half=1.0)
    found = block_of(results.design(inflation=1.002, expected_n_over_fixed=dear), "Verdict")
    assert isinstance(found, Verdict)
    assert found.headline == (
        "3 looks cost at most under 1% more and add 10% on average at the planned effect."
    )


def test_the_table_of_looks() -> None:
    table = table_of(results.design(), "looks")
    assert (table.title, table.breaks, table.folded) == ("Looks", (), False)
    assert columns(table) == [
        "look: look, count",
        "share: share, share",
        "items: items, count",
        "z: |z| ≥, number",
        "nominal_p: nominal p, p, keep 3",
        "alpha_spent: α spent, p",
        "futility: futile: |z| < / futile <, number",
    ]
    assert rows(table) == [
        "1 | 25.0% | 300 | – | – | .0001 | –",
        "2 | 50.0% | 600 | 2.750 | .0060 | .0062 | 0.312",
        "3 | 100.0% | 1,200 | 2.013 | .0445 | .0500 | –",
    ]
    assert csv_lines(table) == [
        "look,share,items,z,nominal_p,alpha_spent,futility",
        "1,0.25,300,,,0.0001,",
        "2,0.5,600,2.75,0.006,0.0062,0.3125",
        "3,1.0,1200,2.0125,0.0445,0.05,",
    ]


def test_the_table_of_samples() -> None:
    table = table_of(results.design(), "samples")
    assert (table.title, table.breaks, table.folded) == ("Power and expected sample", (), False)
    assert columns(table) == [
        "effect: effect / planned, number",
        "drift: drift, number, keep 2",
        "power: power, number",
        "items: items, number",
        "power_obeyed: power if futility is obeyed / power, obeyed, number",
        "items_obeyed: items if futility is obeyed / items, obeyed, number",
    ]
    assert rows(table) == [
        "0.00 | 0.000 | 0.050 | 1,188 | 0.040 | 900",
        "1.00 | 3.250 | 0.900 | 888 | 0.890 | 876",
    ]
    assert csv_lines(table) == [
        "effect,drift,power,items,power_obeyed,items_obeyed",
        "0.0,0.0,0.05,1188.0,0.04,900.0",
        "1.0,3.25,0.9,888.0,0.89,876.0",
    ]


def test_note() -> None:
    assert Text(
        role="note", title="Notes", text="", points=(("plain", "Futility is only advice."),)
    ) in blocks_of(results.design())


def test_repeat() -> None:
    assert block_of(results.design(), "Repeat") == Repeat(
        signature="toy|n:3|seed:7|detectable:0.0", command=""
    )


def test_a_one_sided_design_without_futility_and_numbers_of_items() -> None:
    made = results.design(
        sided=1, futility=(None, None, None), items=None, n_max=None, with_futility=None
    )
    plain = tuple(replace(point, with_futility=None) for point in made.characteristics)
    made = replace(made, characteristics=plain)
    assert columns(table_of(made, "looks")) == [
        "look: look, count",
        "share: share, share",
        "z: z ≥, number",
        "nominal_p: nominal p, p, keep 3",
        "alpha_spent: α spent, p",
    ]
    table = table_of(made, "samples")
    assert columns(table) == [
        "effect: effect / planned, number",
        "drift: drift, number, keep 2",
        "power: power, number",
        "share: of maximum, share",
    ]
    assert rows(table) == ["0.00 | 0.000 | 0.050 | 99.0%", "1.00 | 3.250 | 0.900 | 74.0%"]


def test_shares_if_futility_is_obeyed_fall_back_on_those_that_count_it() -> None:
    made = results.design(n_max=None, items=None, sided=1)
    first, second = made.characteristics
    mixed = replace(made, characteristics=(replace(first, with_futility=None), second))
    table = table_of(mixed, "samples")
    assert columns(table)[-2:] == [
        "power_obeyed: power if futility is obeyed / power, obeyed, number",
        "share_obeyed: of maximum if futility is obeyed / of maximum, obeyed, share",
    ]
    assert [texts[-2:] for texts in table.texts()] == [("0.050", "99.0%"), ("0.890", "73.0%")]
    assert columns(table_of(mixed, "looks"))[-1] == ("futility: futile: z < / futile <, number")
