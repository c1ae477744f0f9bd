"""What a mixed fit shows, against one made by hand."""

from detectable.report.blocks import Repeat, Text, Verdict
from detectable.report.blocks_of import blocks_of
from tests.report import results
from tests.report.show.shown import block_of, columns, csv_lines, rows, shown, table_of


def test_blocks_in_order() -> None:
    assert shown(results.mixed_fit()) == [
        "Verdict",
        "contrasts",
        "means",
        "components",
        "Text",
        "Repeat",
    ]


def test_verdict() -> None:
    assert block_of(results.mixed_fit(), "Verdict") == Verdict(
        status="info",
        headline="new is rated above old: +0.390 [+0.124, +0.657], p = .0232 (6.2 df).",
        detail=(
            "human is rated above old: +0.830 [+0.124, +0.657], p = .0232 (6.2 df).",
            "144 ratings, 4 raters × 12 items. SDs: rater intercept 0.2, residual 0.458.",
        ),
    )


def test_the_table_of_contrasts() -> None:
    table = table_of(results.mixed_fit(), "contrasts")
    assert (table.title, table.breaks, table.folded) == ("Differences", (), False)
    assert columns(table) == [
        "system: system, name",
        "baseline: against, name",
        "estimate: estimate, signed number",
        "interval: 95% interval, signed interval",
        "standard_error: SE, number, keep 3",
        "df: df, number, keep 2",
        "t: t, number, keep 4",
        "p_value: p, p, keep 5",
        "p_adjusted: p corrected / p corr., p",
    ]
    assert rows(table) == [
        "new | old | +0.3902 | [+0.1238, +0.6566] | 0.1089 | 6.2 | 3.58 | .0116 | .0232",
        "human | old | +0.8300 | [+0.1238, +0.6566] | 0.1089 | 6.2 | 3.58 | .0116 | .0232",
    ]
    assert csv_lines(table) == [
        "system,baseline,estimate,interval_low,interval_high,standard_error,df,t,p_value,p_adjusted",
        "new,old,0.39025,0.1238,0.6566,0.1089,6.25,3.58,0.0116,0.0232",
        "human,old,0.83,0.1238,0.6566,0.1089,6.25,3.58,0.0116,0.0232",
    ]


def test_the_table_of_means() -> None:
    table = table_of(results.mixed_fit(), "means")
    assert (table.title, table.breaks, table.folded) == ("Means", (), False)
    assert columns(table) == [
        "system: system, name",
        "mean: mean, number",
        "interval: 95% interval, interval",
        "standard_error: SE, number, keep 2",
        "n_ratings: ratings, count, keep 3",
    ]
    assert rows(table) == [
        "old | 3.8072 | [3.2285, 4.3856] | 0.2705 | 1,048",
    ]
    assert csv_lines(table) == [
        "system,mean,interval_low,interval_high,standard_error,n_ratings",
        "old,3.80715,3.2285,4.3856,0.2705,1048",
    ]


def test_the_table_of_components() -> None:
    table = table_of(results.mixed_fit(), "components")
    assert (table.title, table.breaks, table.folded) == (
        "Where the spread comes from",
        (),
        False,
    )
    assert columns(table) == [
        "name: spread, name",
        "variance: variance, number, keep 2",
        "sd: SD, number",
        "share: share, share",
    ]
    assert rows(table) == [
        "rater intercept | 0.040000 | 0.2000 | 16.0%",
        "residual | 0.210000 | 0.4583 | 84.0%",
    ]
    assert csv_lines(table) == [
        "name,variance,sd,share",
        "rater intercept,0.04,0.2,0.16",
        "residual,0.21,0.4583,0.84",
    ]


def test_note() -> None:
    assert Text(
        role="note", title="Notes", text="", points=(("plain", "Few raters."),)
    ) in blocks_of(results.mixed_fit())


def test_repeat() -> None:
    assert block_of(results.mixed_fit(), "Repeat") == Repeat(
        signature="toy|n:3|seed:7|detectable:0.0", command=""
    )


def test_a_single_contrast_shows_its_plain_p() -> None:
    single = results.mixed_fit(contrasts=(results.mixed_contrast(),))
    assert columns(table_of(single, "contrasts"))[-2:] == [
        "t: t, number, keep 4",
        "p_value: p, p",
    ]


def test_many_contrasts_are_folded() -> None:
    many = tuple(results.mixed_contrast(f"s{i}") for i in range(13))
    assert table_of(results.mixed_fit(contrasts=many), "contrasts").folded
    assert not table_of(results.mixed_fit(contrasts=many[:12]), "contrasts").folded


def test_the_model_stands_below_its_spreads() -> None:
    assert table_of(results.mixed_fit(), "components").note == ""
    named = results.mixed_fit(formula="score ~ system + (1 | rater) + (1 | item)")
    assert table_of(named, "components").note == (
        "Model: score ~ system + (1 | rater) + (1 | item)."
    )
