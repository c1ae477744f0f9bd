"""What the audit of an archive shows, against one made by hand."""

from dataclasses import replace

from detectable.report.blocks import Repeat, Text, Verdict
from detectable.report.blocks_of import blocks_of
from tests.report import results
from tests.report.show.shown import block_of, columns, csv_lines, rows, shown, table_of


def test_blocks_in_order() -> None:
    assert shown(results.archive_audit()) == ["Verdict", "groups", "power", "Text", "Repeat"]


def test_verdict() -> None:
    assert block_of(results.archive_audit(), "Verdict") == Verdict(
        status="info",
        headline="12 of 43 past comparisons (28%) were significant at 0.05.",
        detail=(
            "From 2.25 on, differences were found 95% of the time (9 comparisons); the median "
            "difference was 1.50. If the true difference is 1.50, the median of the archive, 88% "
            "of the comparisons had less than 80% power; half would have it with 2,050 judgments "
            "per system (the median was 512). Paired by rater and item, the same judgments decide "
            "21 of 43 (49%), from 1.75 on 95% of the time, and need 1,050 judgments per system "
            "instead of 2,050.",
        ),
    )


def test_the_table_of_groups() -> None:
    table = table_of(results.archive_audit(), "groups")
    assert (table.title, table.breaks, table.folded) == (
        "Past comparisons, rank-sum of all judgments, α = 0.05",
        (1,),
        False,
    )
    assert columns(table) == [
        "group: language, name",
        "significant: significant / sign., count",
        "total: of, count",
        "observed_mde: observed MDE / MDE, number",
        "above: above, count",
        "above_interval: sign. above, shares, keep 3",
        "median_difference: median diff. / median, number",
        "paired_significant: paired sign. / paired, count",
        "paired_mde: paired MDE / MDE, number",
        "paired_above: above, count, keep 4",
    ]
    assert rows(table) == [
        "all | 12 | 43 | 2.25 | 9 | [50, 88]% | 1.50 | 21 | 1.75 | 18",
        "en-de | 12 | 40 | 2.25 | 9 | [50, 88]% | 1.50 | 21 | 1.75 | 18",
        "de-en | 0 | 3 | none | 0 | – | 0.75 | 0 | none | 0",
    ]
    assert csv_lines(table)[0].startswith(
        "group,significant,total,observed_mde,above,above_int"
    )
    assert csv_lines(table)[3] == "de-en,0,3,,0,,,0.75,0,,0"


def test_the_table_of_power() -> None:
    table = table_of(results.archive_audit(), "power")
    assert table.title == "Power to see 1.50 (80% asked for; medians per group)"
    assert columns(table) == [
        "group: language, name",
        "n: judgments, number",
        "detectable: detectable, number",
        "underpowered: underpowered / under, share",
        "budget: budget, count",
        "paired_detectable: paired, number",
        "paired_underpowered: under, share",
        "paired_budget: budget, count",
    ]
    assert rows(table) == [
        "all | 512 | 3.12 | 88% | 2,050 | 2.50 | 50% | 1,050",
        "en-de | 512 | 3.12 | 88% | 2,100 | 2.50 | 50% | 1,100",
        "de-en | 1,200 | 1.25 | 0% | 640 | 3.12 | 88% | 2,100",
    ]


def test_without_pairing_and_groups() -> None:
    whole = results.group_audit(group="all")
    made = results.archive_audit(groups=(whole,), overall=whole, by=None, test="reported")
    table = table_of(made, "groups")
    assert table.title == "Past comparisons, as reported, α = 0.05"
    assert rows(table) == ["all | 12 | 40 | 2.25 | 9 | [50, 88]% | 1.50"]
    assert table.breaks == ()
    assert rows(table_of(made, "power")) == ["all | 512 | 3.12 | 88% | 2,100"]


def test_a_group_that_could_not_be_paired() -> None:
    made = results.archive_audit()
    made = replace(made, groups=(replace(made.groups[0], paired=None),))
    assert rows(table_of(made, "groups"))[1].endswith("1.50 | – | none | –")


def test_notes_and_repeat() -> None:
    assert Text(
        role="note", title="Notes", points=(("plain", "One campaign left out."),)
    ) in blocks_of(results.archive_audit())
    assert block_of(results.archive_audit(), "Repeat") == Repeat(
        signature="toy|n:3|seed:7|detectable:0.0", command=""
    )
